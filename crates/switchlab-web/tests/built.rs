//! The page in the repository was built from the sources that are here. `web/build` builds it anew.

use std::path::Path;
use switchlab_lab::digest::sha256;

const FOLDERS: [&str; 4] =
    ["crates/switchlab-core/src", "crates/switchlab-statistics/src", "crates/switchlab-web/src", "web/src"];
const FILES: [&str; 3] = ["web/build", "web/package-lock.json", "web/page.mjs"];

/// Files below a folder, but for unit tests that are files of their own.
fn below(root: &Path, folder: &str, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{folder}/{name}");
        if entry.file_type().unwrap().is_dir() {
            if name != "tests" {
                below(root, &path, files);
            }
        } else if name != "tests.rs" {
            files.push(path);
        }
    }
}

/// The hash of all that the page is made of, as `web/sources.mjs` computes it.
fn sources(root: &Path) -> String {
    let mut files: Vec<String> = FILES.iter().map(ToString::to_string).collect();
    for folder in FOLDERS {
        below(root, folder, &mut files);
    }
    files.sort_unstable();
    let mut bytes = Vec::new();
    for path in files {
        let content = std::fs::read(root.join(&path)).unwrap();
        bytes.extend(format!("{path}\n{}\n", content.len()).into_bytes());
        bytes.extend(content);
    }
    sha256(&bytes)
}

#[test]
fn the_page_is_made_of_these_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("web/explorer.html")).unwrap();
    let named = page.split_once("<meta name=\"sources\" content=\"").unwrap().1.split('"').next().unwrap();
    assert_eq!(named, sources(&root), "web/explorer.html was built from other sources: run web/build and commit it");
    assert!(page.len() <= 1_200_000, "{} bytes", page.len());
}
