//! Rules of the house that no lint of the compiler knows.
#![expect(clippy::disallowed_methods, reason = "a test that reads the sources")]

use std::fs;
use std::path::{Path, PathBuf};

/// Longest source file, tests apart.
const LINES_MAX: usize = 600;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn files(dir: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with("target") && !name.starts_with('.') {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let reasons = fs::read_to_string(root().join("docs/DEPENDENCIES.md")).unwrap();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let dependencies = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    for line in dependencies.lines().filter(|line| !line.starts_with('#') && !line.contains("path =")) {
        let Some((name, _)) = line.split_once(" = ") else { continue };
        assert!(reasons.contains(&format!("`{name}`")), "{name} is missing in docs/DEPENDENCIES.md");
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut pages = Vec::new();
    files(&root(), "md", &mut pages);
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap();
            let local = !target.is_empty() && !target.contains("://");
            assert!(!local || page.parent().unwrap().join(target).exists(), "{}: {link}", page.display());
        }
    }
}

#[test]
fn no_source_file_is_too_long() {
    let mut sources = Vec::new();
    files(&root().join("crates"), "rs", &mut sources);
    for source in sources.iter().filter(|path| path.components().any(|part| part.as_os_str() == "src")) {
        let text = fs::read_to_string(source).unwrap();
        let lines = text.split("#[cfg(test)]\nmod tests").next().unwrap().lines().count();
        assert!(lines <= LINES_MAX, "{} has {lines} lines", source.display());
    }
}
