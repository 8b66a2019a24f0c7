//! Functions that change the value at a path.
//!
//! They take a path without wildcards; one that has some changes nothing. What is no array counts as an array of one
//! where a path asks for an item: `$.a[0]` is `$.a` itself, and putting an item at `$.a[1]` makes `$.a` an array.

use crate::json::{ArrayIndex, Json, Leg, Path};

/// JSON_SET: replaces the value, or adds it to the object or array that the path leads into.
pub fn set(document: &mut Json, path: &Path, value: Json) {
    match find_mut(document, path.legs(), true) {
        Some(place) => *place = value,
        None => add(document, path, value),
    }
}

/// JSON_INSERT: adds the value unless there is one.
pub fn insert(document: &mut Json, path: &Path, value: Json) {
    if find_mut(document, path.legs(), true).is_none() {
        add(document, path, value);
    }
}

/// JSON_REPLACE: replaces the value if there is one.
pub fn replace(document: &mut Json, path: &Path, value: Json) {
    if let Some(place) = find_mut(document, path.legs(), true) {
        *place = value;
    }
}

/// JSON_REMOVE: takes the value out of its object or array. The document itself stays.
pub fn remove(document: &mut Json, path: &Path) {
    let mut legs = path.legs();
    while let Some((last, before)) = legs.split_last() {
        let Some(parent) = find_mut(document, before, true) else { return };
        match (last, parent) {
            (Leg::Member(name), Json::Object(object)) => {
                object.remove(name);
                return;
            }
            (Leg::Item(index), Json::Array(items)) => {
                if let Some(at) = index.within(items.len()) {
                    items.remove(at);
                }
                return;
            }
            // The value counts as an array of one: it is what is to be removed.
            (Leg::Item(index), _) if index.within(1).is_some() => legs = before,
            _ => return,
        }
    }
}

/// JSON_ARRAY_APPEND: adds the value to the end of the array at the path.
pub fn array_append(document: &mut Json, path: &Path, value: Json) {
    if let Some(place) = find_mut(document, path.legs(), true) {
        as_array(place).push(value);
    }
}

/// JSON_ARRAY_INSERT: puts the value before the item at the path. A path that is to no array cell changes nothing. For
/// this function alone nothing counts as an array of one, on the whole path.
pub fn array_insert(document: &mut Json, path: &Path, value: Json) {
    let Some((Leg::Item(index), before)) = path.legs().split_last() else { return };
    if let Some(Json::Array(items)) = find_mut(document, before, false) {
        items.insert(index.insertion_point(items.len()), value);
    }
}

/// Adds what is not there.
fn add(document: &mut Json, path: &Path, value: Json) {
    let Some((last, before)) = path.legs().split_last() else { return };
    let Some(parent) = find_mut(document, before, true) else { return };
    match (last, parent) {
        (Leg::Member(name), Json::Object(object)) => object.insert(name.clone(), value),
        (Leg::Item(index), parent) => add_item(as_array(parent), *index, value),
        _ => {}
    }
}

/// The index is outside: before the beginning or beyond the end.
fn add_item(items: &mut Vec<Json>, index: ArrayIndex, value: Json) {
    items.insert(index.insertion_point(items.len()), value);
}

/// Makes an array of what is none.
fn as_array(place: &mut Json) -> &mut Vec<Json> {
    if !matches!(place, Json::Array(_)) {
        *place = Json::Array(vec![place.take()]);
    }
    match place {
        Json::Array(items) => items,
        _ => unreachable!("it was made an array"),
    }
}

/// `wrap`: whether anything but an array counts as an array of one.
fn find_mut<'a>(mut value: &'a mut Json, legs: &[Leg], wrap: bool) -> Option<&'a mut Json> {
    for leg in legs {
        value = match (leg, value) {
            (Leg::Member(name), Json::Object(object)) => object.get_mut(name)?,
            (Leg::Item(index), Json::Array(items)) => {
                let at = index.within(items.len())?;
                items.get_mut(at)?
            }
            (Leg::Item(index), other) if wrap && index.within(1).is_some() => other,
            _ => return None,
        };
    }
    Some(value)
}
