//! Leases: which process computes which unit.
//!
//! `DIR/leases/KEY.switchlab-lease` is a regular file with one line, `switchlab lease of KEY`. The
//! process that computes the unit holds a lock of the operating system on it. Only a file with this
//! name, this type and this content is ever locked or removed; anything else in the folder stays.
//!
//! All of it happens under the exclusive lock of the store. A process killed between creating a
//! lease and writing its line leaves an empty file or the beginning of the line: such a file has no
//! living writer, holds nothing else, and counts as a lease. Empty files with a bare key as their
//! name, which earlier versions left behind, are not touched.

use crate::error::LabError;
use crate::files::open_regular;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The folder of leases in the directory of a store.
pub(super) const LEASES: &str = "leases";
const SUFFIX: &str = ".switchlab-lease";
const KEY_DIGITS: usize = 32;

/// A unit that is this process's to compute, until this is dropped.
#[derive(Debug)]
pub struct Lease {
    /// None where locks do not hold: other processes cannot see that the unit is begun.
    held: Option<(PathBuf, File)>,
}

impl Lease {
    pub(super) fn of_no_file() -> Self {
        Self { held: None }
    }
}

/// The leases of a store.
#[derive(Debug)]
pub(super) struct Leases(PathBuf);

impl Leases {
    /// Of the store in a directory that exists.
    pub(super) fn open(dir: &Path) -> Result<Self, LabError> {
        let leases = Self(dir.join(LEASES));
        let create = || match std::fs::symlink_metadata(&leases.0) {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            Ok(_) => Err(io::Error::other(
                "it is a link or a file, and a store has its folder of leases there; remove it, or name another directory",
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match std::fs::create_dir(&leases.0) {
                // Another process has begun the same store.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                created => created,
            },
            Err(error) => Err(error),
        };
        create().map_err(|source| LabError::Output { path: leases.0.clone(), source })?;
        Ok(leases)
    }

    /// Of a store that is only read.
    pub(super) fn none(dir: &Path) -> Self {
        Self(dir.join(LEASES))
    }

    /// Under the lock of the store: takes the lease of a unit; None if it is taken.
    pub(super) fn claim(&self, key: &str) -> Result<Option<Lease>, LabError> {
        let name = format!("{key}{SUFFIX}");
        let path = self.0.join(&name);
        if key_of(&name).is_none() {
            return Err(LabError::Request(format!("{key:?} is not the key of a unit: it has {KEY_DIGITS} digits")));
        }
        let failed = |source| LabError::Write { path: path.clone(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let (file, new) = match options.clone().create_new(true).open(&path) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                (open_regular(&path, &options).map_err(failed)?, false)
            }
            Err(error) => return Err(failed(error)),
        };
        let taken = match file.try_lock() {
            Ok(()) => state(&file, key).and_then(|state| match state {
                State::Whole => Ok(()),
                State::Begun => write(&file, key),
                State::Foreign => Err(io::Error::other("it is not a lease of switchlab; move it to another folder")),
            }),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        };
        if let Err(error) = taken {
            if new {
                let _ = std::fs::remove_file(&path);
            }
            return Err(failed(error));
        }
        Ok(Some(Lease { held: Some((path, file)) }))
    }

    /// Under the lock of the store: whether a process holds the lease of a unit. Changes nothing.
    pub(super) fn state(&self, key: &str) -> Result<LeaseState, LabError> {
        let path = self.0.join(format!("{key}{SUFFIX}"));
        match open_regular(&path, OpenOptions::new().read(true)) {
            Ok(file) => match file.try_lock_shared() {
                Err(TryLockError::WouldBlock) => Ok(LeaseState::Held),
                Ok(()) => Ok(LeaseState::Left),
                Err(TryLockError::Error(source)) => Err(LabError::Read { path, source }),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(LeaseState::None),
            Err(source) => Err(LabError::Read { path, source }),
        }
    }

    /// Under the lock of the store: removes the lease of a unit that is done.
    pub(super) fn release(lease: Lease) {
        if let Some((path, _)) = &lease.held {
            // What cannot be removed now is stale for the next process that opens the store.
            let _ = std::fs::remove_file(path);
        }
        drop(lease);
    }

    /// Under the lock of the store: removes leases without a lock. Their processes were stopped.
    pub(super) fn remove_stale(&self) -> Result<(), LabError> {
        let unreadable = |source| LabError::Read { path: self.0.clone(), source };
        for entry in std::fs::read_dir(&self.0).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name();
            let (path, Some(key)) = (entry.path(), name.to_str().and_then(key_of)) else { continue };
            let Ok(file) = open_regular(&path, OpenOptions::new().read(true).write(true)) else { continue };
            let stale = file.try_lock().is_ok() && state(&file, key).is_ok_and(|state| state != State::Foreign);
            if stale {
                let _ = std::fs::remove_file(path);
            }
        }
        Ok(())
    }
}

/// Whether a unit is being computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseState {
    /// No process has begun it, or it is done.
    None,
    /// A process computes it.
    Held,
    /// A process has begun it, and ended before it was done.
    Left,
}

/// The key in the name of a lease.
fn key_of(name: &str) -> Option<&str> {
    let key = name.strip_suffix(SUFFIX)?;
    let digits = key.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (digits && key.len() == KEY_DIGITS).then_some(key)
}

fn content(key: &str) -> String {
    format!("switchlab lease of {key}\n")
}

#[derive(PartialEq, Eq)]
enum State {
    Whole,
    /// Its writer was stopped: a beginning of the content, or nothing.
    Begun,
    Foreign,
}

fn state(mut file: &File, key: &str) -> io::Result<State> {
    let expected = content(key);
    let mut found = Vec::new();
    file.rewind()?;
    file.take(expected.len() as u64 + 1).read_to_end(&mut found)?;
    Ok(match expected.as_bytes().strip_prefix(found.as_slice()) {
        Some([]) => State::Whole,
        Some(_) => State::Begun,
        None => State::Foreign,
    })
}

fn write(mut file: &File, key: &str) -> io::Result<()> {
    file.rewind()?;
    file.write_all(content(key).as_bytes())
}
