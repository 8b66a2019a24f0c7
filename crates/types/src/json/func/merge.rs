//! JSON_MERGE_PRESERVE and JSON_MERGE_PATCH, of two values; more are merged from left to right.

use crate::json::{Json, Object};

/// JSON_MERGE_PRESERVE: objects are united, with values of the same name merged; anything else becomes one array.
#[must_use]
pub fn merge_preserve(left: Json, right: Json) -> Json {
    match (left, right) {
        (Json::Object(mut left), Json::Object(right)) => {
            let mut added = Vec::new();
            for (name, value) in right {
                match left.get_mut(&name) {
                    Some(old) => *old = merge_preserve(old.take(), value),
                    None => added.push((name, value)),
                }
            }
            left.extend(added);
            Json::Object(left)
        }
        (left, right) => {
            let mut items = left.into_array();
            items.extend(right.into_array());
            Json::Array(items)
        }
    }
}

/// JSON_MERGE_PATCH (RFC 7396): an object changes and, with `null`, removes members; anything else takes the place.
#[must_use]
pub fn merge_patch(target: Json, patch: Json) -> Json {
    let Json::Object(patch) = patch else {
        return patch;
    };
    let mut target = match target {
        Json::Object(target) => target,
        _ => Object::new(),
    };
    target.retain(|name, _| patch.get(name) != Some(&Json::Null));
    let mut added = Vec::new();
    for (name, value) in patch.into_iter().filter(|(_, value)| *value != Json::Null) {
        match target.get_mut(&name) {
            Some(old) => *old = merge_patch(old.take(), value),
            None => added.push((name, merge_patch(Json::Null, value))),
        }
    }
    target.extend(added);
    Json::Object(target)
}
