//! Binary form to a tree.

#![deny(clippy::indexing_slicing)]

use super::read::{Budget, Container, Item, Result, document};
use crate::json::{Json, Leg, Opaque, Path};

/// The document in `bytes`, which may be damaged; what follows it is not looked at.
pub fn decode(bytes: &[u8]) -> Result<Json> {
    let (item, mut budget) = document(bytes)?;
    tree(item, &mut budget)
}

/// The value that a path without wildcards leads to, read without what lies beside the path: `column->'$.a.b'`.
/// None if there is none, and for a path with wildcards.
pub fn decode_at(bytes: &[u8], path: &Path) -> Result<Option<Json>> {
    let (mut item, mut budget) = document(bytes)?;
    for leg in path.legs() {
        let next = match (leg, &item) {
            (Leg::Member(name), Item::Container(object)) if object.object => {
                object.find(name, &mut budget)?.map(|at| (*object, at))
            }
            (Leg::Item(index), Item::Container(array)) if !array.object => {
                index.within(array.count).map(|at| (*array, at))
            }
            (Leg::Item(index), _) if index.within(1).is_some() => continue,
            _ => None,
        };
        let Some((container, at)) = next else { return Ok(None) };
        item = container.value(at, &mut budget)?;
    }
    tree(item, &mut budget).map(Some)
}

fn tree(item: Item<'_>, budget: &mut Budget) -> Result<Json> {
    Ok(match item {
        Item::Null => Json::Null,
        Item::Bool(value) => Json::Bool(value),
        Item::Int(value) => Json::Int(value),
        Item::UInt(value) => Json::UInt(value),
        Item::Double(value) => Json::Double(value),
        Item::String(text) => Json::String(text.to_owned()),
        Item::Decimal(value) => Json::decimal(value),
        Item::Date(value) => Json::Date(value),
        Item::Time(value) => Json::Time(value),
        Item::DateTime(value) => Json::DateTime(value),
        Item::Timestamp(value) => Json::Timestamp(value),
        Item::Opaque { field_type, bytes } => Json::Opaque(Opaque { field_type, bytes: bytes.to_vec() }),
        Item::Container(container) => {
            budget.enter()?;
            let tree = members(&container, budget)?;
            budget.leave();
            tree
        }
    })
}

fn members(container: &Container<'_>, budget: &mut Budget) -> Result<Json> {
    let values = 0..container.count;
    if container.object {
        // Damaged documents may hold names unsorted or twice; collecting mends that.
        let members = values.map(|at| {
            let name = container.name(at, budget)?.to_owned();
            let value = container.value(at, budget)?;
            Ok((name, tree(value, budget)?))
        });
        return members.collect::<Result<_>>().map(Json::Object);
    }
    let items = values.map(|at| container.value(at, budget).and_then(|value| tree(value, budget)));
    items.collect::<Result<_>>().map(Json::Array)
}
