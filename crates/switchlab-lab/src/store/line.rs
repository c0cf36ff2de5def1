//! A line of the store: a unit, its result, and a checksum over both.
//!
//! ```text
//! {"key":"…","engine":"…","unit":{…},"result":{…},"sum":"…"}
//! ```
//!
//! `sum` is the first 64 bits of the SHA-256 of the text before `,"sum"`: over bytes, not over
//! values, so that it can be checked without our format of numbers.

use super::record::Record;
use super::unit::Unit;
use crate::digest::{hex, sha256};
use crate::run::Measured;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, BufRead};

const SUM: &str = ",\"sum\":\"";
const SUM_DIGITS: usize = 16;
/// How a line begins.
const START: &[u8] = b"{\"key\":\"";
/// How the engine begins, behind the quote after the key.
const ENGINE: &[u8] = b",\"engine\":\"";
/// Bytes at the beginning of a line in which its key must end, and its engine should.
const HEAD: usize = 256;
/// Bytes at the end of a line that its checksum does not cover.
const TAIL: usize = SUM.len() + SUM_DIGITS + 2;

#[derive(Serialize)]
struct Written<'a> {
    key: &'a str,
    engine: &'a str,
    unit: &'a Unit,
    result: Record,
}

#[derive(Deserialize)]
struct Read {
    key: String,
    engine: String,
    unit: Unit,
    result: Record,
}

/// The result of a unit as text, the same for the same result.
pub fn result_text(measured: &Measured) -> String {
    serde_json::to_string(&Record::of(measured)).expect("a record has text keys and plain values")
}

/// The line of a unit that this engine ran, with its newline.
pub(super) fn write(engine: &str, unit: &Unit, measured: &Measured) -> String {
    let written = Written { key: &unit.key_in(engine), engine, unit, result: Record::of(measured) };
    let mut text = serde_json::to_string(&written).expect("a record has text keys and plain values");
    text.pop();
    let sum = sum(&text);
    text + SUM + &sum + "\"}\n"
}

fn sum(text: &str) -> String {
    let mut sum = sha256(text.as_bytes());
    sum.truncate(SUM_DIGITS);
    sum
}

/// A line that is read piece by piece: what is needed to check it, in memory that does not grow
/// with it. Also a file without any newline is scanned in the same memory.
#[derive(Default)]
pub(super) struct Scan {
    /// The first bytes of what the checksum covers.
    head: Vec<u8>,
    /// The last bytes so far.
    tail: Vec<u8>,
    /// Over everything before the tail.
    sum: Sha256,
    length: usize,
}

impl Scan {
    /// The next line, without its newline, and whether it has one.
    pub(super) fn next(reader: &mut impl BufRead) -> io::Result<(Self, bool)> {
        let mut scan = Self::default();
        loop {
            let piece = match reader.fill_buf() {
                Ok([]) => return Ok((scan, false)),
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = piece.iter().position(|&byte| byte == b'\n');
            let length = end.unwrap_or(piece.len());
            scan.feed(&piece[..length]);
            reader.consume(length + usize::from(end.is_some()));
            if end.is_some() {
                return Ok((scan, true));
            }
        }
    }

    fn feed(&mut self, piece: &[u8]) {
        self.length += piece.len();
        let kept = piece.len().min(TAIL);
        let (covered, last) = piece.split_at(piece.len() - kept);
        let passed = (self.tail.len() + kept).saturating_sub(TAIL);
        let before: Vec<u8> = self.tail.drain(..passed).collect();
        self.cover(&before);
        self.cover(covered);
        self.tail.extend_from_slice(last);
    }

    fn cover(&mut self, bytes: &[u8]) {
        let room = bytes.len().min(HEAD - self.head.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.sum.update(bytes);
    }

    /// The length in bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Whether it may be the beginning of a line of a store.
    pub(super) fn begins_as_a_line(&self) -> bool {
        self.head.iter().chain(&self.tail).zip(START).all(|(found, expected)| found == expected)
    }

    /// The key and the engine, if the checksum is right. Nothing else of the line is parsed: a
    /// store is opened far more often than it is damaged. If the engine does not stand there as it
    /// was written, it is empty.
    pub(super) fn names(self) -> Option<(String, String)> {
        // Most damaged lines end here, without the cost of a hash.
        if !self.tail.starts_with(SUM.as_bytes()) {
            return None;
        }
        let mut sum = hex(&self.sum.finalize());
        sum.truncate(SUM_DIGITS);
        if self.tail != format!("{SUM}{sum}\"}}").as_bytes() {
            return None;
        }
        let (key, rest) = quoted(self.head.strip_prefix(START)?)?;
        let engine = rest.strip_prefix(ENGINE).and_then(quoted).map_or("", |(engine, _)| engine);
        Some((key.to_string(), engine.to_string()))
    }
}

/// The text before the next quote, and what follows it. Without a quote the text is not whole.
fn quoted(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'"')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

/// The key of a line, if its checksum is right.
pub(super) fn key_of(line: &[u8]) -> Option<String> {
    let mut scan = Scan::default();
    scan.feed(line);
    scan.names().map(|(key, _)| key)
}

/// The result in a line, if all of it is as it should be: the key is that of the unit, and the unit
/// can have this result.
pub(super) fn read(line: &[u8]) -> Option<(Unit, Measured)> {
    key_of(line)?;
    let read: Read = serde_json::from_slice(line).ok()?;
    (read.key == read.unit.key_in(&read.engine)).then_some(())?;
    let measured = read.result.measured()?;
    let unit = &read.unit;
    // A run that did not end early is as long as it was to be; one that drains the switch may be
    // longer.
    let is_long_enough = measured.slots == unit.slots || (unit.drains && measured.slots > unit.slots);
    let whole = measured.ended_early.is_some() || (is_long_enough && measured.warmup == unit.warmup);
    (whole && measured.ports == unit.ports).then_some((read.unit, measured))
}

/// A line with another content and a right checksum, as a forger has it.
#[cfg(test)]
pub(super) fn sealed(line: &str) -> String {
    let text = line.rsplit_once(SUM).expect("a line has a checksum").0;
    format!("{text}{SUM}{}\"}}", sum(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Progress;
    use crate::experiment::PointSpec;
    use crate::sweep::measure;

    fn point(switch: &str, traffic: &str, load: f64) -> PointSpec {
        PointSpec {
            switch: switch.to_string(),
            ports: 4,
            traffic: traffic.to_string(),
            arrivals: "bernoulli".to_string(),
            load,
            vary: [("w".to_string(), 0.5)].into(),
            slots: 3000,
            warmup: 100,
            seed: u64::MAX,
            drains: false,
        }
    }

    #[test]
    fn what_is_read_back_is_what_was_measured() {
        for (switch, load) in [("islip(iterations=2)", 0.9), ("oq", 1.0), ("pim", 0.1 + 0.2), ("fifo", 0.0)] {
            let point = point(switch, "unbalanced(w=0.5)", load);
            for unit in Unit::of(&point, 2).unwrap() {
                let measured = measure(&point, unit.replication, &Progress::none()).unwrap();
                assert!(measured.fingerprint.is_some());
                let line = write(&unit.engine(), &unit, &measured);
                let text = line.strip_suffix('\n').unwrap();
                assert!(!text.contains('\n'));
                assert_eq!(key_of(text.as_bytes()), Some(unit.key()));
                assert_eq!(read(text.as_bytes()), Some((unit, measured)));
            }
        }
    }

    #[test]
    fn no_byte_can_be_changed_or_lost() {
        let point = point("islip(iterations=1)", "uniform", 0.5);
        let unit = &Unit::of(&point, 1).unwrap()[0];
        let measured = measure(&point, 0, &Progress::none()).unwrap();
        let line = write(&unit.engine(), unit, &measured).trim_end().as_bytes().to_vec();
        for index in (0..line.len()).step_by(7).chain(line.len() - 30..line.len()) {
            let mut changed = line.clone();
            changed[index] ^= 1;
            assert_eq!(key_of(&changed), None, "byte {index}");
            assert_eq!(key_of(&line[..index]), None, "cut at {index}");
            let mut shorter = line.clone();
            shorter.remove(index);
            assert_eq!(key_of(&shorter), None, "without byte {index}");
        }
    }

    #[test]
    fn a_key_is_of_what_a_result_depends_on() {
        let key = |point: &PointSpec, replication: usize| Unit::of(point, 2).unwrap()[replication].key();
        let base = point("oq", "uniform", 0.5);
        let same = PointSpec { vary: [("other".to_string(), 7.0)].into(), ..base.clone() };
        assert_eq!(key(&base, 0), key(&same, 0));
        let others = [
            PointSpec { switch: "pim".to_string(), ..base.clone() },
            PointSpec { ports: 5, ..base.clone() },
            PointSpec { traffic: "diagonal".to_string(), ..base.clone() },
            PointSpec { arrivals: "bursty(mean=12)".to_string(), ..base.clone() },
            PointSpec { load: 0.500_000_000_000_000_1, ..base.clone() },
            PointSpec { slots: 3001, ..base.clone() },
            PointSpec { warmup: 101, ..base.clone() },
            PointSpec { seed: 2, ..base.clone() },
        ];
        assert!(others.iter().all(|other| key(other, 0) != key(&base, 0)));
        assert_ne!(key(&base, 0), key(&base, 1));
        let unit = &Unit::of(&base, 1).unwrap()[0];
        assert_ne!(unit.key(), unit.key_in("another engine"));
    }

    #[test]
    fn a_file_is_known_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.csv");
        let key = |content: &str| {
            std::fs::write(&path, content).unwrap();
            let point = point("oq", &format!("matrix(file={})", path.display()), 0.5);
            Unit::of(&point, 1).unwrap()[0].key()
        };
        assert_ne!(key("1,0\n0,1\n"), key("0,1\n1,0\n"));
        assert_eq!(key("1,0\n0,1\n"), key("1,0\n0,1\n"));
    }
}
