//! Functions that MySQL has, and we have not yet: whoever calls one is told so.

/// Their names, in order: MySQL 9.7.4 knows each as its own. Spatial ones also begin with `st_`.
const NAMES: &[&str] = &[
    "benchmark",
    "cume_dist",
    "current_role",
    "dense_rank",
    "etag",
    "extractvalue",
    "first_value",
    "from_vector",
    "geomcollection",
    "geometrycollection",
    "grouping",
    "icu_version",
    "json_schema_valid",
    "json_schema_validation_report",
    "lag",
    "last_value",
    "lead",
    "linestring",
    "load_file",
    "mbrcontains",
    "mbrcoveredby",
    "mbrcovers",
    "mbrdisjoint",
    "mbrequals",
    "mbrintersects",
    "mbroverlaps",
    "mbrtouches",
    "mbrwithin",
    "multilinestring",
    "multipoint",
    "multipolygon",
    "nth_value",
    "ntile",
    "percent_rank",
    "point",
    "polygon",
    "ps_current_thread_id",
    "ps_thread_id",
    "rank",
    "roles_graphml",
    "row_number",
    "string_to_vector",
    "to_vector",
    "updatexml",
    "validate_password_strength",
    "vector_dim",
    "vector_to_string",
];

/// Whether MySQL has a function of that name, in any case. Only asked about what we have not.
pub(crate) fn is_known_elsewhere(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("st_") || NAMES.binary_search(&&*name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_in_order_and_not_ours() {
        assert!(NAMES.is_sorted());
        assert!(NAMES.iter().all(|name| crate::func::find(name).is_none()));
        assert!(
            is_known_elsewhere("BENCHMARK")
                && is_known_elsewhere("ST_AsText")
                && !is_known_elsewhere("frobnicate")
        );
    }
}
