//! The modules of the lab depend on each other without cycles.
//!
//! The edges are read from the sources: each `crate::module` in the code of a top-level module,
//! tests and comments left out. A cycle fails the test, and is named with its files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// For each top-level module the modules it names, each with a file that does.
type Edges = BTreeMap<String, BTreeMap<String, String>>;

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The source files below a folder, as paths relative to it.
fn sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        if path.is_dir() {
            found.extend(sources(&path).iter().map(|inner| format!("{name}/{inner}")));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(name);
        }
    }
    found
}

fn is_test(file: &str) -> bool {
    file.split(['/', '.']).any(|part| part == "tests" || part == "testing")
}

/// Without comments and without the inline tests, which stand at the end.
fn code(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default().to_string() + "\n").collect()
}

/// The first names after each `crate::`, those of a group in braces included.
fn named(code: &str) -> BTreeSet<String> {
    let first =
        |path: &str| path.trim().split(|it: char| !it.is_alphanumeric() && it != '_').next().map(str::to_string);
    let mut names = BTreeSet::new();
    for path in code.split("crate::").skip(1) {
        match path.strip_prefix('{').and_then(|group| group.split_once("};")) {
            Some((group, _)) => names.extend(group.split(',').filter_map(first)),
            None => names.extend(first(path)),
        }
    }
    names
}

/// The module that each name of `lib.rs` stands for: a module itself, or a name that it exports.
fn names_of_the_crate(lib: &str) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for line in lib.lines().map(|line| line.trim_start_matches("pub ")) {
        if let Some(module) = line.strip_prefix("mod ") {
            let module = module.trim_end_matches(';').to_string();
            names.insert(module.clone(), module);
        } else if let Some((_, name)) = line.strip_prefix("use ").and_then(|path| path.split_once(" as ")) {
            // Another crate under a name of this one. It stands for itself, and leads nowhere.
            let name = name.trim_end_matches(';').to_string();
            names.insert(name.clone(), name);
        } else if let Some((module, exported)) = line.strip_prefix("use ").and_then(|path| path.split_once("::")) {
            let exported = exported.trim_matches(['{', '}', ';']).split(',').map(|name| name.trim().to_string());
            // A function of the same name as its module stands for the module all the same.
            exported.for_each(|name| drop(names.insert(name, module.to_string())));
        }
    }
    names
}

fn edges(source: &Path) -> Edges {
    let names = names_of_the_crate(&read(&source.join("lib.rs")));
    let mut edges = Edges::new();
    for file in sources(source).iter().filter(|file| *file != "lib.rs" && !is_test(file)) {
        let module = file.split(['/', '.']).next().unwrap().to_string();
        let code = code(&read(&source.join(file)));
        for name in named(&code) {
            let target = names.get(&name).unwrap_or_else(|| panic!("{file}: what is crate::{name}?"));
            if *target != module {
                edges.entry(module.clone()).or_default().entry(target.clone()).or_insert(file.clone());
            }
        }
    }
    edges
}

/// A cycle, if there is one: depth first, with the path to the present module.
fn cycle(edges: &Edges) -> Option<Vec<String>> {
    fn visit(module: &str, edges: &Edges, path: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
        if let Some(start) = path.iter().position(|before| before == module) {
            path.drain(..start);
            path.push(module.to_string());
            return true;
        }
        if done.contains(module) {
            return false;
        }
        path.push(module.to_string());
        if edges.get(module).into_iter().flatten().any(|(next, _)| visit(next, edges, path, done)) {
            return true;
        }
        path.pop();
        done.insert(module.to_string());
        false
    }
    let (mut path, mut done) = (Vec::new(), BTreeSet::new());
    edges.keys().any(|module| visit(module, edges, &mut path, &mut done)).then_some(path)
}

#[test]
fn the_top_level_modules_have_no_cycle() {
    let edges = edges(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    // The sources were understood: these edges are there by design.
    for (from, to) in [("compare", "run"), ("sweep", "store"), ("report", "statistics")] {
        assert!(edges.get(from).is_some_and(|targets| targets.contains_key(to)), "{from} uses {to}: {edges:?}");
    }
    if let Some(cycle) = cycle(&edges) {
        let steps = cycle.windows(2).map(|step| format!("{} -> {} ({})", step[0], step[1], edges[&step[0]][&step[1]]));
        panic!("the modules of the lab form a cycle: {}", steps.collect::<Vec<_>>().join(", "));
    }
}

#[test]
fn cycles_are_found_and_named() {
    let edges = |list: &[(&str, &str)]| {
        let mut edges = Edges::new();
        for (from, to) in list {
            edges.entry((*from).to_string()).or_default().insert((*to).to_string(), format!("{from}.rs"));
        }
        edges
    };
    assert_eq!(cycle(&edges(&[("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")])), None);
    let found = cycle(&edges(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]));
    assert_eq!(found.unwrap(), ["b", "c", "d", "b"]);
    let code = code("use crate::{x, y::Z};\n// crate::no\ncrate::w();\n#[cfg(test)]\nmod tests {\nuse crate::no;\n}\n");
    assert_eq!(named(&code), ["w", "x", "y"].map(str::to_string).into());
}
