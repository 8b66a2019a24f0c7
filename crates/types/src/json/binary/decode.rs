//! Binary form to a tree.

#![deny(clippy::indexing_slicing)]

use super::read::{Budget, Container, Item, Result, document};
use crate::json::{Json, Opaque};

/// The document in `bytes`, which may be damaged; what follows it is not looked at.
pub fn decode(bytes: &[u8]) -> Result<Json> {
    let (item, mut budget) = document(bytes)?;
    tree(item, &mut budget)
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
