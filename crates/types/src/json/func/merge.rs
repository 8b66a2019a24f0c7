//! JSON_MERGE_PRESERVE and JSON_MERGE_PATCH, of two values; more are merged from left to right.

use crate::json::{Json, Object};

/// JSON_MERGE_PRESERVE: objects are united, with values of the same name merged; anything else becomes one array.
#[must_use]
pub fn merge_preserve(left: Json, right: Json) -> Json {
    match (left, right) {
        (Json::Object(mut left), Json::Object(right)) => {
            for (name, value) in right {
                let merged = match left.get_mut(&name) {
                    Some(old) => merge_preserve(old.take(), value),
                    None => value,
                };
                left.insert(name, merged);
            }
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
    for (name, value) in patch {
        if value == Json::Null {
            target.remove(&name);
            continue;
        }
        let old = target.get_mut(&name).map_or(Json::Null, Json::take);
        target.insert(name, merge_patch(old, value));
    }
    Json::Object(target)
}
