//! Opening a store takes memory for its index, and not for its results.

use allocation_counter::measure;
use std::io::Write;
use std::path::Path;
use switchlab_lab::digest::sha256;
use switchlab_lab::store::{Store, UNITS};

const LINES: usize = 400;
/// Of each line: 40 MB in all.
const FILLING: usize = 100_000;
/// What opening may hold at once.
const MOST: u64 = 1 << 20;

/// Lines with right checksums and results of the size of a switch with many ports.
fn synthetic(dir: &Path) -> u64 {
    let mut file = std::fs::File::create(dir.join(UNITS)).unwrap();
    let filling = "7,".repeat(FILLING / 2);
    for line in 0..LINES {
        let text = format!("{{\"key\":\"{line:032x}\",\"engine\":\"synthetic\",\"result\":[{filling}0]");
        let sum = &sha256(text.as_bytes())[..16];
        writeln!(file, "{text},\"sum\":\"{sum}\"}}").unwrap();
    }
    file.metadata().unwrap().len()
}

#[test]
fn memory_does_not_grow_with_the_results() {
    let dir = tempfile::tempdir().unwrap();
    let length = synthetic(dir.path());
    assert!(length > 40 * MOST * 9 / 10);
    let mut keys = 0;
    let used = measure(|| keys = Store::read(dir.path()).unwrap().keys().count());
    assert_eq!(keys, LINES);
    assert!(used.bytes_max < MOST, "{} bytes for reading a store of {length}", used.bytes_max);
    let used = measure(|| {
        let mut store = Store::open(dir.path()).unwrap();
        assert_eq!((store.keys().count(), store.damages().len()), (LINES, 1), "one notice of another engine");
    });
    assert!(used.bytes_max < MOST, "{} bytes for opening a store of {length}", used.bytes_max);
}

/// Neither with a line that has no end: a block of zeros, or a file of another kind.
#[test]
fn memory_does_not_grow_with_damage() {
    for filling in [[0; 2], [b'\n'; 2], [b'x', b'\n']] {
        let dir = tempfile::tempdir().unwrap();
        let content = filling.repeat(2 << 20);
        std::fs::write(dir.path().join(UNITS), &content).unwrap();
        let used = measure(|| assert_eq!(Store::open(dir.path()).unwrap().keys().count(), 0));
        assert!(used.bytes_max < MOST, "{} bytes for {} of {filling:?}", used.bytes_max, content.len());
    }
}
