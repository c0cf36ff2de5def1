//! One file of units: `units.jsonl`, or that of a single process.

use super::UNITS;
use crate::digest::sha256;
use crate::error::LabError;
use crate::files::open_regular;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take, Write};
use std::path::{Path, PathBuf};

/// Bytes of a file that are read at once.
const PIECE: usize = 1 << 16;

/// Where a line is: its file, its first byte, and its length without the newline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) part: usize,
    pub(super) start: u64,
    pub(super) length: usize,
}

/// A file of units, and how far it was read.
#[derive(Debug)]
pub(super) struct Part {
    path: PathBuf,
    file: File,
    /// The end of the last whole line that was read, and how many lines that are.
    end: u64,
    lines: u64,
}

/// What was appended to a file.
pub(super) struct News {
    pub(super) lines: BufReader<Take<File>>,
    /// The file is shorter than what was read before: all of it is new.
    pub(super) from_the_start: bool,
}

impl Part {
    pub(super) fn new(path: PathBuf, file: File) -> Self {
        Self { path, file, end: 0, lines: 0 }
    }

    /// A file of this process, which did not exist before. The number is that of the process; of a
    /// second store in it, or after another machine of the same name, a further one is added.
    pub(super) fn begin(dir: &Path) -> Result<Self, LabError> {
        let (host, process) = (host(), std::process::id());
        let mut more = String::new();
        for number in 2u32.. {
            let path = dir.join(format!("units.{host}.{process}{more}.jsonl"));
            let file = OpenOptions::new().read(true).append(true).create_new(true).open(&path);
            match file {
                Ok(file) => return Ok(Self::new(path, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => more = format!(".{number}"),
                Err(source) => return Err(LabError::Output { path, source }),
            }
        }
        unreachable!("a directory holds fewer files than there are numbers")
    }

    /// A file of another process, for reading.
    pub(super) fn open(path: PathBuf) -> Result<Self, LabError> {
        match open_regular(&path, OpenOptions::new().read(true)) {
            Ok(file) => Ok(Self::new(path, file)),
            Err(source) => Err(LabError::Read { path, source }),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// A number made of the name: the first 32 bits of its SHA-256.
    pub(super) fn offset(&self) -> usize {
        let name = self.path.file_name().map_or(&b""[..], |name| name.as_encoded_bytes());
        let digest = sha256(name);
        u32::from_str_radix(&digest[..8], 16).expect("a digest has hexadecimal digits") as usize
    }

    pub(super) fn lock(&self, exclusive: bool) -> Result<(), LabError> {
        let lock = if exclusive { self.file.lock() } else { self.file.lock_shared() };
        lock.map_err(|source| self.unwritable(source))
    }

    pub(super) fn unlock(&self) -> Result<(), LabError> {
        self.file.unlock().map_err(|source| self.unwritable(source))
    }

    /// What was appended since; None if nothing was.
    pub(super) fn news(&mut self) -> Result<Option<News>, LabError> {
        let length = self.file.metadata().map_err(|source| self.unreadable(source))?.len();
        let from_the_start = length < self.end;
        if from_the_start {
            (self.end, self.lines) = (0, 0);
        }
        if length == self.end && !from_the_start {
            return Ok(None);
        }
        let lines = self.reader(length - self.end)?;
        Ok(Some(News { lines, from_the_start }))
    }

    /// A number of bytes behind what was read, by another handle with the same offset.
    fn reader(&self, bytes: u64) -> Result<BufReader<Take<File>>, LabError> {
        let mut file = self.file.try_clone().map_err(|source| self.unreadable(source))?;
        file.seek(SeekFrom::Start(self.end)).map_err(|source| self.unreadable(source))?;
        Ok(BufReader::with_capacity(PIECE, file.take(bytes)))
    }

    /// A whole line of this length was read or written: where it begins, and its number from 1.
    pub(super) fn passed(&mut self, length: usize) -> (u64, u64) {
        let start = self.end;
        self.end += length as u64 + 1;
        self.lines += 1;
        (start, self.lines)
    }

    /// The number, from 1, of the line that begins there. Reads all before it: for messages only.
    pub(super) fn number_of_line(&self, start: u64) -> Result<u64, LabError> {
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

    /// The text of a line. A reader goes on from where it was.
    pub(super) fn text(&self, span: Span) -> Result<Vec<u8>, LabError> {
        let mut text = vec![0; span.length];
        let mut file = &self.file;
        let mut read = || {
            let offset = file.stream_position()?;
            file.seek(SeekFrom::Start(span.start))?;
            file.read_exact(&mut text)?;
            file.seek(SeekFrom::Start(offset))
        };
        read().map_err(|source| self.unreadable(source))?;
        Ok(text)
    }

    pub(super) fn write(&mut self, text: &[u8]) -> Result<(), LabError> {
        self.file.write_all(text).map_err(|source| self.unwritable(source))
    }

    /// Removes what is behind the last whole line.
    pub(super) fn cut(&self) -> Result<(), LabError> {
        self.file.set_len(self.end).map_err(|source| self.unwritable(source))
    }

    pub(super) fn sync(&self) -> Result<(), LabError> {
        self.file.sync_data().map_err(|source| self.unwritable(source))
    }

    pub(super) fn unreadable(&self, source: io::Error) -> LabError {
        LabError::Read { path: self.path.clone(), source }
    }

    fn unwritable(&self, source: io::Error) -> LabError {
        LabError::Write { path: self.path.clone(), source }
    }
}

/// The files of single processes in a directory, in order.
pub(super) fn paths(dir: &Path) -> Result<Vec<PathBuf>, LabError> {
    let unreadable = |source| LabError::Read { path: dir.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        let name = name.to_str().filter(|name| *name != UNITS);
        let is_part = name.and_then(|name| name.strip_prefix("units.")?.strip_suffix(".jsonl")).is_some();
        if is_part && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Whether locks hold here: a second handle must not get a lock that the first one has. While
/// another process holds the lock, it plainly holds.
pub(super) fn locks_hold(path: &Path, file: &File) -> bool {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Error(_)) => false,
        Ok(()) => {
            let second = OpenOptions::new().read(true).append(true).open(path);
            let is_refused = second.is_ok_and(|second| matches!(second.try_lock(), Err(TryLockError::WouldBlock)));
            file.unlock().is_ok() && is_refused
        }
    }
}

/// Whether the file system has no locks at all.
pub(super) fn is_refused(error: &TryLockError) -> bool {
    matches!(error, TryLockError::Error(_))
}

/// The name of this machine, for a file name.
fn host() -> String {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let plain: String =
        told.unwrap_or_default().trim().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    if plain.is_empty() { "host".to_string() } else { plain.chars().take(60).collect() }
}
