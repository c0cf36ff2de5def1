use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced_as_a_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let mut output = Output::open(&path).unwrap();
    output.write_all(b"half of").unwrap();
    assert_eq!((std::fs::read(&path).unwrap(), names(folder.path()).len()), (b"old".to_vec(), 2));
    drop(output);
    assert_eq!((std::fs::read(&path).unwrap(), names(folder.path())), (b"old".to_vec(), vec!["a.csv".to_string()]));
    replace(&path, b"new").unwrap();
    assert_eq!((std::fs::read(&path).unwrap(), names(folder.path())), (b"new".to_vec(), vec!["a.csv".to_string()]));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn links_to_files_are_refused_and_links_to_streams_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let [thesis, link, dangling, device, out] =
        ["thesis", "link", "dangling", "device", "out"].map(|name| folder.path().join(name));
    std::fs::write(&thesis, "years").unwrap();
    symlink(&thesis, &link).unwrap();
    symlink(folder.path().join("nothing"), &dangling).unwrap();
    symlink("/dev/null", &device).unwrap();
    for path in [&link, &dangling] {
        for refused in [replace(path, b"new"), check(path)] {
            let said = refused.unwrap_err().to_string();
            assert!(said.contains("symbolic link") && said.contains(path.to_str().unwrap()), "{said}");
        }
    }
    assert!(check(folder.path()).unwrap_err().to_string().contains("is a folder"));
    check(&device).unwrap();
    replace(&device, b"new").unwrap();
    replace(Path::new("/dev/null"), b"new").unwrap();
    assert!(device.is_symlink() && !folder.path().join("nothing").exists());
    assert_eq!(std::fs::read(&thesis).unwrap(), b"years");
    // A link that someone else put where a temporary file used to be.
    symlink(&thesis, folder.path().join("out.tmp")).unwrap();
    replace(&out, b"new").unwrap();
    assert_eq!((std::fs::read(&thesis).unwrap(), std::fs::read(&out).unwrap()), (b"years".to_vec(), b"new".to_vec()));
    let open = |path: &Path| open_regular(path, OpenOptions::new().read(true).append(true).create(true));
    assert!(open(&link).is_err() && open(&dangling).is_err() && open(&device).is_err());
    assert!(open(&out).is_ok() && open(&folder.path().join("fresh")).is_ok());
}

#[test]
fn the_same_file_is_known_under_every_name() {
    let folder = tempfile::tempdir().unwrap();
    let [a, hard, soft, other, none] = ["a", "hard", "soft", "other", "none"].map(|name| folder.path().join(name));
    std::fs::write(&a, "").unwrap();
    std::fs::write(&other, "").unwrap();
    std::fs::hard_link(&a, &hard).unwrap();
    symlink(&a, &soft).unwrap();
    let roundabout = folder.path().join("./a");
    for name in [&a, &hard, &soft, &roundabout] {
        assert!(same_file(&a, name) && same_file(name, &a) && !same_file(&other, name), "{}", name.display());
    }
    assert!(same_file(&none, &folder.path().join("./none")) && !same_file(&none, &a));
    assert!(!same_file(Path::new("/dev/null"), Path::new("/dev/null")), "nothing is lost there");
    assert!(refuse_input(&hard, &a).unwrap_err().to_string().contains("which is read"));
}

#[test]
fn what_cannot_be_written_is_known_before() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/such/x.svg");
    let said = check(&missing).unwrap_err().to_string();
    assert!(said.contains("does not exist; create it first"), "{said}");
    assert!(check(Path::new("")).is_err() && check(Path::new("/")).is_err());
    check(&folder.path().join("x.svg")).unwrap();
    prepare_folder(&folder.path().join("a/b")).unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    assert!(prepare_folder(&folder.path().join("file")).is_err());
    assert_eq!(names(folder.path()), ["a", "file"], "a check leaves nothing behind");
}
