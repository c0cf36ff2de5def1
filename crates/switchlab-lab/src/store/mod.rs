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
//! Where locks do not hold, on some network file systems, each process appends to a file of its
//! own, `units.HOST.PID.jsonl`, and nothing is leased. Readers always take the union of all files.
//! Two processes may then run the same unit; both get the same result, and such doubles are
//! counted.
//!
//! `units.jsonl` and the folder of leases are never symbolic links: a store changes nothing outside
//! its directory. Opening a store reads `units.jsonl` piece by piece, and keeps only where each
//! line begins.

mod damage;
mod engine;
mod lease;
mod line;
mod part;
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
use part::{Part, Span};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file of results in a directory.
pub const UNITS: &str = "units.jsonl";
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

/// How processes that work on one directory keep out of each other's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// By locks of the operating system on one file.
    Locks,
    /// By a file for each process: locks do not hold here.
    Files,
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    /// The files of units: first `units.jsonl`, then those of single processes.
    parts: Vec<Part>,
    /// The one to append to.
    own: usize,
    sharing: Sharing,
    leases: Leases,
    writable: bool,
    /// Where the line of each unit is.
    index: BTreeMap<String, Span>,
    /// Units that a second process has run, too.
    doubles: u64,
    damages: Vec<Damage>,
    synced: Instant,
    unsynced: bool,
}

impl Store {
    /// Opens the store of a directory, or begins one. Locks are tried first.
    pub fn open(dir: &Path) -> Result<Self, LabError> {
        Self::open_as(dir, None)
    }

    /// The same, with locks or without: where locks hold among the processes of a machine, but not
    /// among machines, only the user knows.
    pub fn open_as(dir: &Path, sharing: Option<Sharing>) -> Result<Self, LabError> {
        std::fs::create_dir_all(dir).map_err(|source| LabError::Output { path: dir.to_owned(), source })?;
        let leases = Leases::open(dir)?;
        let path = dir.join(UNITS);
        let file = open_regular(&path, OpenOptions::new().read(true).append(true).create(true));
        let file = file.map_err(|source| LabError::Output { path: path.clone(), source })?;
        let sharing =
            sharing.unwrap_or_else(|| if part::locks_hold(&path, &file) { Sharing::Locks } else { Sharing::Files });
        let mut store = Self::new(dir, file, leases, true, sharing);
        if sharing == Sharing::Files {
            store.parts.push(Part::begin(dir)?);
            store.own = 1;
        }
        store.locked(|store| {
            store.look_for_parts()?;
            store.refresh()?;
            if sharing == Sharing::Locks { store.leases.remove_stale() } else { Ok(()) }
        })?;
        Ok(store)
    }

    /// Opens a store for reading only: nothing is repaired.
    pub fn read(dir: &Path) -> Result<Self, LabError> {
        let path = dir.join(UNITS);
        let file = File::open(&path).map_err(|source| LabError::Read { path: path.clone(), source })?;
        let sharing = if file.try_lock_shared().is_err_and(|error| part::is_refused(&error)) {
            Sharing::Files
        } else {
            Sharing::Locks
        };
        let mut store = Self::new(dir, file, Leases::none(dir), false, sharing);
        store.locked(|store| {
            store.look_for_parts()?;
            store.refresh()
        })?;
        Ok(store)
    }

    fn new(dir: &Path, file: File, leases: Leases, writable: bool, sharing: Sharing) -> Self {
        Self {
            dir: dir.to_owned(),
            parts: vec![Part::new(dir.join(UNITS), file)],
            own: 0,
            sharing,
            leases,
            writable,
            index: BTreeMap::new(),
            doubles: 0,
            damages: Vec::new(),
            synced: Instant::now(),
            unsynced: false,
        }
    }

    /// How this process keeps out of the way of others.
    pub fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// How many units were run once more, with the same result, by this process or another.
    pub fn doubles(&self) -> u64 {
        self.doubles
    }

    /// A number that is another one for each process, to begin work in different places.
    pub fn offset(&self) -> usize {
        self.parts[self.own].offset()
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
        if let Some(span) = self.index.remove(key) {
            let line = self.parts[span.part].number_of_line(span.start)?;
            self.damage(span.part, line, Flaw::Impossible);
        }
        Ok(None)
    }

    fn line(&self, key: &str) -> Result<Option<Vec<u8>>, LabError> {
        self.index.get(key).map(|&span| self.parts[span.part].text(span)).transpose()
    }

    /// Leases a unit, unless it is done or leased.
    pub fn claim(&mut self, key: &str) -> Result<Claimed, LabError> {
        self.locked(|store| {
            store.refresh()?;
            if store.has(key) {
                return Ok(Claimed::Done);
            }
            if store.sharing == Sharing::Files {
                return Ok(Claimed::Leased(Lease::of_no_file()));
            }
            Ok(store.leases.claim(key)?.map_or(Claimed::Busy, Claimed::Leased))
        })
    }

    /// Whether a process computes a unit. Under the lock, so that no process takes the lease now
    /// and finds it held.
    pub fn lease(&self, key: &str) -> Result<LeaseState, LabError> {
        if self.sharing == Sharing::Files {
            return Ok(LeaseState::None);
        }
        self.parts[0].lock(self.writable)?;
        let state = self.leases.state(key);
        self.parts[0].unlock()?;
        state
    }

    /// Appends the result of a unit and releases its lease. If that fails, the file is as it was
    /// before.
    pub fn put(&mut self, lease: Lease, unit: &Unit, measured: &Measured) -> Result<(), LabError> {
        let text = line::write(&unit.engine(), unit, measured);
        self.locked(|store| {
            store.refresh()?;
            if store.sharing == Sharing::Files && store.has(&unit.key()) {
                // Another process has run it meanwhile.
                store.doubles += 1;
                return Ok(());
            }
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
            self.parts[self.own].sync()?;
            self.unsynced = false;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Reads what other processes have appended.
    pub fn catch_up(&mut self) -> Result<(), LabError> {
        self.locked(|store| {
            store.look_for_parts()?;
            store.refresh()
        })
    }

    /// Does something while no other process can change the directory. Without locks, others may.
    pub fn locked<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, LabError>) -> Result<T, LabError> {
        if self.sharing == Sharing::Files {
            return work(self);
        }
        self.parts[0].lock(self.writable)?;
        let done = work(self);
        let unlocked = self.parts[0].unlock();
        done.and_then(|done| unlocked.map(|()| done))
    }

    /// Takes in files of processes that have begun since.
    fn look_for_parts(&mut self) -> Result<(), LabError> {
        for path in part::paths(&self.dir)? {
            if self.parts.iter().all(|known| known.path() != path) {
                self.parts.push(Part::open(path)?);
            }
        }
        Ok(())
    }

    /// Under the lock: reads the lines that were appended.
    fn refresh(&mut self) -> Result<(), LabError> {
        if self.sharing == Sharing::Files {
            self.look_for_parts()?;
        }
        (0..self.parts.len()).try_for_each(|part| self.refresh_part(part))
    }

    /// Reads the lines of a file from its `end` on. Under the lock, and in a file of this process,
    /// it repairs a line without newline at the end: its writer has ended. In other files the line
    /// may be in the making, and is left alone.
    fn refresh_part(&mut self, part: usize) -> Result<(), LabError> {
        let Some(mut reader) = self.parts[part].news()? else { return Ok(()) };
        if reader.from_the_start {
            // An older file was put in its place.
            self.index.retain(|_, span| span.part != part);
        }
        let mut of_other_engines = None;
        loop {
            let (line, whole) = Scan::next(&mut reader.lines).map_err(|source| self.parts[part].unreadable(source))?;
            if !whole {
                if let Some((line, count)) = of_other_engines {
                    let path = self.parts[part].path().to_owned();
                    self.damages.push(Damage { path, line, what: Flaw::OtherEngine(count) });
                }
                let is_ours = part == self.own || (part == 0 && self.sharing == Sharing::Locks);
                return if line.length() == 0 || !is_ours { Ok(()) } else { self.repair(part, &line) };
            }
            let length = line.length();
            let (start, number) = self.parts[part].passed(length);
            match line.names() {
                None => self.damage(part, number, Flaw::Checksum),
                Some((key, engine)) => {
                    if !engine::is_current(&engine) {
                        of_other_engines.get_or_insert((number, 0)).1 += 1;
                    }
                    self.enter(key, Span { part, start, length }, number)?;
                }
            }
        }
    }

    /// Enters a line into the index. A second line of the same unit must be the same.
    fn enter(&mut self, key: String, span: Span, number: u64) -> Result<(), LabError> {
        let Some(&earlier) = self.index.get(&key) else {
            self.index.insert(key, span);
            return Ok(());
        };
        let (old, new) = (self.parts[earlier.part].text(earlier)?, self.parts[span.part].text(span)?);
        if old == new {
            self.doubles += 1;
        } else if line::read(&old).is_none() && line::read(&new).is_some() {
            // A unit that was run again because its line held no result has its result in a later
            // line.
            self.index.insert(key, span);
        } else {
            self.damage(span.part, number, Flaw::Conflict);
        }
        Ok(())
    }

    /// Cuts off the beginning of a line at the end of a file. Text that cannot have been written by
    /// a store is kept: it gets a newline, and is a damaged line.
    fn repair(&mut self, part: usize, line: &Scan) -> Result<(), LabError> {
        let number = self.parts[part].lines() + 1;
        if line.begins_as_a_line() {
            self.damage(part, number, Flaw::Torn);
            if self.writable {
                self.parts[part].cut()?;
            }
        } else {
            self.damage(part, number, Flaw::Checksum);
            if self.writable {
                self.parts[part].write(b"\n")?;
                self.parts[part].passed(line.length());
            }
        }
        Ok(())
    }

    /// Under the lock, and refreshed.
    fn append(&mut self, text: &[u8]) -> Result<(), LabError> {
        let own = &mut self.parts[self.own];
        if let Err(error) = own.write(text) {
            // A full disk may take a part of a line. If removing it fails, the next holder of the
            // lock removes it.
            let _ = own.cut();
            return Err(error);
        }
        let length = text.len() - 1;
        let (start, _) = own.passed(length);
        if let Some(key) = line::key_of(&text[..length]) {
            self.index.insert(key, Span { part: self.own, start, length });
        }
        self.unsynced = true;
        if self.synced.elapsed() > SYNC_EVERY { self.sync() } else { Ok(()) }
    }

    fn damage(&mut self, part: usize, line: u64, what: Flaw) {
        if let Some(Damage { what: Flaw::Others(count), .. }) = self.damages.last_mut() {
            *count += 1;
        } else {
            let what = if self.damages.len() < LISTED { what } else { Flaw::Others(1) };
            self.damages.push(Damage { path: self.parts[part].path().to_owned(), line, what });
        }
    }
}
