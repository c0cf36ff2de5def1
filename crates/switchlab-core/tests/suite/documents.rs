//! What the documents say of the sources: names that they give exist, and Rust in them is compiled.

use std::path::{Path, PathBuf};

/// The folder of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All Rust sources below a folder, with their paths.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path.to_string_lossy().replace('\\', "/"), text));
        }
    }
}

/// The sources of all crates, without their tests.
fn crates() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut found);
    }
    found
}

/// Whether a word stands in a text with neither a letter nor a digit nor `_` around it.
fn has_words(text: &str, words: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(words)
        .any(|(at, _)| !text[..at].ends_with(part_of_word) && !text[at + words.len()..].starts_with(part_of_word))
}

/// Whether a source declares something with this name, of one of these kinds.
fn declares(text: &str, kinds: &[&str], name: &str) -> bool {
    kinds.iter().any(|kind| has_words(text, &format!("{kind} {name}")))
}

const TYPES: [&str; 4] = ["struct", "enum", "trait", "type"];

/// Whether a name, as a document writes it, exists in the sources.
fn exists(sources: &[(String, String)], name: &str) -> bool {
    if name.contains('/') || Path::new(name).extension().is_some_and(|extension| extension == "rs") {
        return sources.iter().any(|(path, _)| path.ends_with(&format!("/{name}")));
    }
    if let Some(name) = name.strip_suffix('!') {
        return sources.iter().any(|(_, text)| has_words(text, &format!("macro_rules! {name}")));
    }
    match name.rsplit_once("::") {
        // A function of a type or trait, in a file with the type or with an `impl` of it; or of a
        // module, in a file of the module.
        Some((of, function)) => sources.iter().any(|(path, text)| {
            let is_module = path.ends_with(&format!("/{of}.rs")) || path.contains(&format!("/{of}/"));
            let is_type = declares(text, &TYPES, of)
                || text.lines().any(|line| line.trim_start().starts_with("impl") && has_words(line, of));
            (is_module || is_type) && declares(text, &["fn"], function)
        }),
        None => sources.iter().any(|(_, text)| declares(text, &TYPES, name) || declares(text, &["fn"], name)),
    }
}

/// What stands between backquotes.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The table of a slot in ARCHITECTURE.md names functions and files that exist.
#[test]
fn a_slot_step_by_step_names_what_exists() {
    let (document, sources) = (read("ARCHITECTURE.md"), crates());
    let section = document.split("\n## ").find(|section| section.starts_with("A slot, step by step"));
    let section = section.expect("ARCHITECTURE.md has a section 'A slot, step by step'");
    let rows = section.lines().filter(|line| line.starts_with('|'));
    let found: Vec<&str> = rows.flat_map(names).collect();
    assert!(found.len() > 15, "only {found:?}");
    let missing: Vec<&&str> = found.iter().filter(|name| !exists(&sources, name)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names what does not exist: {missing:?}");
}

/// The check above can fail.
#[test]
fn names_that_do_not_exist_are_found() {
    let sources = crates();
    for name in
        ["Crossbar::arrives", "Crossbars::arrive", "commands/runs.rs", "crossbars!", "Matchings", "compare::outcomes"]
    {
        assert!(!exists(&sources, name), "{name}");
    }
}

/// CONTRIBUTING.md has no Rust of its own: its example is the crate `examples/own-scheduler`, which
/// is a member of the workspace, so that it is compiled and tested with everything else. Steps that
/// name files of the tree name ones that exist.
#[test]
fn the_example_of_contributing_is_compiled() {
    let document = read("CONTRIBUTING.md");
    assert!(!document.contains("```"), "a block of code in CONTRIBUTING.md that no test compiles");
    let code = document.lines().filter(|line| line.starts_with("    "));
    let rust = ["fn ", "impl ", "let ", "use ", "struct ", "pub ", "#["];
    let uncompiled: Vec<&str> =
        code.filter(|line| rust.iter().any(|word| line.trim_start().starts_with(word))).collect();
    assert!(uncompiled.is_empty(), "Rust in CONTRIBUTING.md that no test compiles: {uncompiled:?}");
    assert!(document.contains("(examples/own-scheduler)"), "CONTRIBUTING.md names no example");
    assert!(read("Cargo.toml").contains("\"examples/own-scheduler\""), "the example is no member of the workspace");
    for path in ["examples/own-scheduler/src/lib.rs", "examples/own-scheduler/tests/lottery.rs"] {
        assert!(read(path).contains("lottery"), "{path}");
    }
    let paths = names(&document).filter(|name| name.starts_with("crates/") && !name.contains("lottery"));
    let missing: Vec<&str> = paths.filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md names files that do not exist: {missing:?}");
}
