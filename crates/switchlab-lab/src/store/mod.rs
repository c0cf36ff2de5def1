//! Results that survive: one append-only file of JSON lines in a directory.
//!
//! ```text
//!   DIR/units.jsonl                    one line per finished unit: key, unit, result, checksum
//!   DIR/leases/KEY.switchlab-lease     locked by the process that computes the unit
//! ```
//!
//! Everything that changes the directory happens under an exclusive lock of `units.jsonl`: checking
//! whether a unit is done, leasing it, appending it, releasing the lease. So two processes never
//! compute the same unit, and a lease file can be removed without a race. The locks are the
//! operating system's, so they end with the process, however it ends; marks in a file, with a time
//! after which they are stale, were rejected because the time of a unit is not known beforehand.
//!
//! A line is written whole, newline included, by one write. A process killed within that write
//! leaves a line without newline at the end, which the next holder of the lock cuts off. The file
//! is flushed to disk (fsync) with an append, but at most once a second, and at the end: a kill
//! loses nothing that was written, and a power cut the lines that were appended within a second
//! after the last fsync.
//!
//! `units.jsonl` and the folder of leases are never symbolic links: a store changes nothing outside
//! its directory. Opening a store reads `units.jsonl` piece by piece, and keeps only where each
//! line begins.

mod damage;
mod engine;
mod lease;
mod line;
mod plausible;
mod record;
mod unit;

#[cfg(test)]
mod tests;

pub use damage::{Damage, Flaw};
pub use engine::VERSION;
pub use lease::{Lease, LeaseState};
pub use line::result_text;
pub(crate) use record::intern;
pub use unit::Unit;

use crate::error::LabError;
use crate::files::open_regular;
use crate::run::Measured;
use lease::Leases;
use line::Scan;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file of results in a directory.
pub const UNITS: &str = "units.jsonl";
/// Bytes of the file that are read at once.
const PIECE: usize = 1 << 16;
/// Damaged lines that are listed one by one.
const LISTED: usize = 100;
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// The answer to a claim on a unit.
#[derive(Debug)]
pub enum Claimed {
    /// Its result is in the store.
    Done,
    /// Another process or thread computes it.
    Busy,
    /// The caller computes it, and holds its lease.
    Leased(Lease),
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    path: PathBuf,
    file: File,
    leases: Leases,
    writable: bool,
    /// Where the line of each unit begins, and its length without the newline.
    index: BTreeMap<String, (u64, usize)>,
    /// The end of the last whole line that was read, and how many lines that are.
    end: u64,
    lines: u64,
    damages: Vec<Damage>,
    synced: Instant,
    unsynced: bool,
}

impl Store {
    /// Opens the store of a directory, or begins one.
    pub fn open(dir: &Path) -> Result<Self, LabError> {
        std::fs::create_dir_all(dir).map_err(|source| LabError::Output { path: dir.to_owned(), source })?;
        let leases = Leases::open(dir)?;
        let path = dir.join(UNITS);
        let file = open_regular(&path, OpenOptions::new().read(true).append(true).create(true));
        let file = file.map_err(|source| LabError::Output { path, source })?;
        let mut store = Self::new(dir, file, leases, true);
        store.locked(|store| {
            store.refresh()?;
            store.leases.remove_stale()
        })?;
        Ok(store)
    }

    /// Opens a store for reading only: nothing is repaired.
    pub fn read(dir: &Path) -> Result<Self, LabError> {
        let path = dir.join(UNITS);
        let file = File::open(&path).map_err(|source| LabError::Read { path, source })?;
        let mut store = Self::new(dir, file, Leases::none(dir), false);
        store.locked(Self::refresh)?;
        Ok(store)
    }

    fn new(dir: &Path, file: File, leases: Leases, writable: bool) -> Self {
        Self {
            dir: dir.to_owned(),
            path: dir.join(UNITS),
            file,
            leases,
            writable,
            index: BTreeMap::new(),
            end: 0,
            lines: 0,
            damages: Vec::new(),
            synced: Instant::now(),
            unsynced: false,
        }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Damage that was found since the last call.
    pub fn damages(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.damages)
    }

    /// The keys of the finished units that are known, ascending.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.index.keys().map(String::as_str)
    }

    /// Whether the result of a unit is known; what other processes have appended since is not read.
    pub fn has(&self, key: &str) -> bool {
        self.index.contains_key(key)
    }

    /// The result of a unit. A line that holds none is reported as damage and dropped from the
    /// index, so that the unit is run again.
    pub fn get(&mut self, key: &str) -> Result<Option<Measured>, LabError> {
        let Some(text) = self.line(key)? else {
            return Ok(None);
        };
        if let Some((_, measured)) = line::read(&text) {
            return Ok(Some(measured));
        }
        if let Some((start, _)) = self.index.remove(key) {
            let line = self.number_of_line(start)?;
            self.damage(line, Flaw::Impossible);
        }
        Ok(None)
    }

    /// The number, from 1, of the line that begins there. Reads all before it: for messages only.
    fn number_of_line(&self, start: u64) -> Result<u64, LabError> {
        let count = || {
            let mut file = &self.file;
            file.seek(SeekFrom::Start(0))?;
            let mut reader = BufReader::with_capacity(PIECE, file.take(start));
            let mut lines = 1;
            loop {
                let piece = reader.fill_buf()?;
                if piece.is_empty() {
                    return Ok(lines);
                }
                lines += piece.split(|&byte| byte == b'\n').count() as u64 - 1;
                let length = piece.len();
                reader.consume(length);
            }
        };
        count().map_err(|source| self.unreadable(source))
    }

    fn line(&self, key: &str) -> Result<Option<Vec<u8>>, LabError> {
        self.index.get(key).map(|&span| self.text(span)).transpose()
    }

    fn text(&self, (start, length): (u64, usize)) -> Result<Vec<u8>, LabError> {
        let mut text = vec![0; length];
        let mut file = &self.file;
        let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut text));
        read.map_err(|source| self.unreadable(source))?;
        Ok(text)
    }

    /// Leases a unit, unless it is done or leased.
    pub fn claim(&mut self, key: &str) -> Result<Claimed, LabError> {
        self.locked(|store| {
            store.refresh()?;
            if store.has(key) {
                return Ok(Claimed::Done);
            }
            Ok(store.leases.claim(key)?.map_or(Claimed::Busy, Claimed::Leased))
        })
    }

    /// Whether a process computes a unit. Under the lock, so that no process takes the lease now
    /// and finds it held.
    pub fn lease(&self, key: &str) -> Result<LeaseState, LabError> {
        let lock = if self.writable { self.file.lock() } else { self.file.lock_shared() };
        lock.map_err(|source| self.unreadable(source))?;
        let state = self.leases.state(key);
        self.file.unlock().map_err(|source| self.unreadable(source))?;
        state
    }

    /// Appends the result of a unit and releases its lease. If that fails, the file is as it was
    /// before.
    pub fn put(&mut self, lease: Lease, unit: &Unit, measured: &Measured) -> Result<(), LabError> {
        let text = line::write(&unit.engine(), unit, measured);
        self.locked(|store| {
            store.refresh()?;
            store.append(text.as_bytes())?;
            Leases::release(lease);
            Ok(())
        })
    }

    /// Appends all units that another store has and this one has not. Where both have a unit, it
    /// must have the same result; the keys of those that have not are returned, and nothing is
    /// appended then.
    pub fn import(&mut self, other: &Self) -> Result<Vec<String>, LabError> {
        self.locked(|store| {
            store.refresh()?;
            let mut conflicts = Vec::new();
            for key in other.keys() {
                if store.has(key) && store.line(key)? != other.line(key)? {
                    conflicts.push(key.to_string());
                }
            }
            if conflicts.is_empty() {
                for key in
                    other.keys().filter(|key| !store.index.contains_key(*key)).map(str::to_string).collect::<Vec<_>>()
                {
                    if let Some(mut text) = other.line(&key)? {
                        text.push(b'\n');
                        store.append(&text)?;
                    }
                }
            }
            Ok(conflicts)
        })
    }

    /// Appends those of some units that another store has and this one has not.
    pub fn take<'a>(&mut self, other: &Self, keys: impl Iterator<Item = &'a str>) -> Result<(), LabError> {
        self.locked(|store| {
            store.refresh()?;
            for key in keys {
                if !store.has(key)
                    && let Some(mut text) = other.line(key)?
                {
                    text.push(b'\n');
                    store.append(&text)?;
                }
            }
            Ok(())
        })
    }

    /// Makes sure that what was appended is on the disk.
    pub fn sync(&mut self) -> Result<(), LabError> {
        if self.unsynced {
            self.file.sync_data().map_err(|source| self.unwritable(source))?;
            self.unsynced = false;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Reads what other processes have appended.
    pub fn catch_up(&mut self) -> Result<(), LabError> {
        self.locked(Self::refresh)
    }

    /// Does something while no other process can change the directory.
    pub fn locked<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, LabError>) -> Result<T, LabError> {
        let lock = if self.writable { self.file.lock() } else { self.file.lock_shared() };
        lock.map_err(|source| self.unwritable(source))?;
        let done = work(self);
        let unlocked = self.file.unlock().map_err(|source| self.unwritable(source));
        done.and_then(|done| unlocked.map(|()| done))
    }

    /// Under the lock: reads the lines from `end` on, and repairs a line without newline at the
    /// end. Its writer has ended: otherwise it would hold the lock.
    fn refresh(&mut self) -> Result<(), LabError> {
        let length = self.file.metadata().map_err(|source| self.unreadable(source))?.len();
        if length < self.end {
            // An older file was put in its place.
            (self.end, self.lines) = (0, 0);
            self.index.clear();
        }
        if length == self.end {
            return Ok(());
        }
        // Another handle with the same offset.
        let mut file = self.file.try_clone().map_err(|source| self.unreadable(source))?;
        file.seek(SeekFrom::Start(self.end)).map_err(|source| self.unreadable(source))?;
        let mut reader = BufReader::with_capacity(PIECE, file.take(length - self.end));
        let mut of_other_engines = None;
        loop {
            let (line, whole) = Scan::next(&mut reader).map_err(|source| self.unreadable(source))?;
            if !whole {
                if let Some((line, count)) = of_other_engines {
                    self.damages.push(Damage { path: self.path.clone(), line, what: Flaw::OtherEngine(count) });
                }
                return if line.length() == 0 { Ok(()) } else { self.repair(&line) };
            }
            self.lines += 1;
            let span = (self.end, line.length());
            self.end += line.length() as u64 + 1;
            match line.names() {
                None => self.damage(self.lines, Flaw::Checksum),
                Some((key, engine)) => {
                    if !engine::is_current(&engine) {
                        of_other_engines.get_or_insert((self.lines, 0)).1 += 1;
                    }
                    self.enter(key, span)?;
                }
            }
        }
    }

    /// Enters a line into the index. A second line of the same unit must be the same.
    fn enter(&mut self, key: String, span: (u64, usize)) -> Result<(), LabError> {
        let Some(&earlier) = self.index.get(&key) else {
            self.index.insert(key, span);
            return Ok(());
        };
        // The scan goes on from where it was.
        let mut file = &self.file;
        let offset = file.stream_position().map_err(|source| self.unreadable(source))?;
        let (old, new) = (self.text(earlier)?, self.text(span)?);
        if old != new {
            // A unit that was run again because its line held no result has its result in a later
            // line.
            if line::read(&old).is_none() && line::read(&new).is_some() {
                self.index.insert(key, span);
            } else {
                self.damage(self.lines, Flaw::Conflict);
            }
        }
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset)).map_err(|source| self.unreadable(source))?;
        Ok(())
    }

    /// Cuts off the beginning of a line at the end of the file. Text that cannot have been written
    /// by a store is kept: it gets a newline, and is a damaged line.
    fn repair(&mut self, line: &Scan) -> Result<(), LabError> {
        if line.begins_as_a_line() {
            self.damage(self.lines + 1, Flaw::Torn);
            if self.writable {
                self.file.set_len(self.end).map_err(|source| self.unwritable(source))?;
            }
        } else {
            self.damage(self.lines + 1, Flaw::Checksum);
            if self.writable {
                self.file.write_all(b"\n").map_err(|source| self.unwritable(source))?;
                self.lines += 1;
                self.end += line.length() as u64 + 1;
            }
        }
        Ok(())
    }

    /// Under the lock, and refreshed.
    fn append(&mut self, text: &[u8]) -> Result<(), LabError> {
        if let Err(source) = self.file.write_all(text) {
            // A full disk may take a part of a line. If removing it fails, the next holder of the
            // lock removes it.
            let _ = self.file.set_len(self.end);
            return Err(self.unwritable(source));
        }
        if let Some(key) = line::key_of(&text[..text.len() - 1]) {
            self.index.insert(key, (self.end, text.len() - 1));
        }
        self.end += text.len() as u64;
        self.lines += 1;
        self.unsynced = true;
        if self.synced.elapsed() > SYNC_EVERY { self.sync() } else { Ok(()) }
    }

    fn damage(&mut self, line: u64, what: Flaw) {
        if let Some(Damage { what: Flaw::Others(count), .. }) = self.damages.last_mut() {
            *count += 1;
        } else {
            let what = if self.damages.len() < LISTED { what } else { Flaw::Others(1) };
            self.damages.push(Damage { path: self.path.clone(), line, what });
        }
    }

    fn unreadable(&self, source: io::Error) -> LabError {
        LabError::Read { path: self.path.clone(), source }
    }

    fn unwritable(&self, source: io::Error) -> LabError {
        LabError::Write { path: self.path.clone(), source }
    }
}
