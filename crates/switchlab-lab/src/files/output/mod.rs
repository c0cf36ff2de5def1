//! Output files: one rule for every file that switchlab writes.
//!
//! - A regular file is written to a temporary file in the same folder, which is renamed at the end.
//!   Until then the old file is untouched, also after a kill and on a full disk. The temporary file
//!   is removed if the work fails; a kill leaves it behind as `switchlab-*.tmp`.
//! - A symbolic link to a file or a folder is refused. Writing through it would change a file
//!   elsewhere, replacing it would break the link.
//! - A FIFO, a character device or a link to one is written directly: there is no old content to
//!   keep. `/dev/stdout` and `/dev/stderr` are the streams of this process, whatever they are
//!   connected to.
//!
//! Folders on the way to a file may be links.

use crate::error::LabError;
use std::fs::{File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An open output file. Without [`Self::finish`] a regular file stays as it was.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// A regular file: written beside it, then renamed.
    Replaced(Temporary),
    /// A stream.
    Direct(File),
}

impl Output {
    /// Opens an output file. Creates no folder.
    pub(super) fn open(path: &Path) -> Result<Self, LabError> {
        let sink = sink(path).map_err(failed(path))?;
        Ok(Self { path: path.to_owned(), sink })
    }

    /// The path as it was given.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file to its final name.
    pub(super) fn finish(self) -> Result<(), LabError> {
        let Self { path, sink } = self;
        let finished = match sink {
            Sink::Replaced(temporary) => temporary.rename(&path),
            Sink::Direct(mut file) => file.flush(),
        };
        finished.map_err(failed(&path))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Replaced(temporary) => temporary.file.write(bytes),
            Sink::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Replaced(temporary) => temporary.file.flush(),
            Sink::Direct(file) => file.flush(),
        }
    }
}

/// Replaces a file as a whole: a reader sees the old content or the new one, also after a kill or
/// on a full disk.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), LabError> {
    let mut output = Output::open(path)?;
    output.write_all(content).map_err(failed(path))?;
    output.finish()
}

/// Creates a folder if need be, and makes sure that a file can be created in it.
pub fn prepare_folder(folder: &Path) -> Result<(), LabError> {
    let create = || std::fs::create_dir_all(folder).and_then(|()| Temporary::new(folder)).map(drop);
    create().map_err(failed(folder))
}

/// Makes sure that a file can be written. To be called before the work whose result the file takes.
/// Leaves no file behind, and opens no stream.
pub fn check(path: &Path) -> Result<(), LabError> {
    let checked = match place(path) {
        Ok(Place::File(folder)) => Temporary::new(folder).map(drop),
        Ok(Place::Stream) => Ok(()),
        Err(error) => Err(error),
    };
    checked.map_err(failed(path))
}

/// Refuses an output that is one of the files that are read, whatever names they have.
pub fn refuse_input(output: &Path, input: &Path) -> Result<(), LabError> {
    if same_file(output, input) {
        return Err(LabError::Request(format!(
            "{} would replace {}, which is read; name another file",
            output.display(),
            input.display()
        )));
    }
    Ok(())
}

/// Whether two paths lead to the same regular file, or would if they existed.
pub fn same_file(one: &Path, other: &Path) -> bool {
    let stream = |path: &Path| std::fs::metadata(path).is_ok_and(|it| !it.is_file());
    if stream(one) || stream(other) {
        return false;
    }
    let linked = match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(one), Ok(other)) => is_same(&one, &other),
        _ => false,
    };
    let resolved = |path: &Path| {
        let parent = || Some(std::fs::canonicalize(folder_of(path)).ok()?.join(path.file_name()?));
        std::fs::canonicalize(path).ok().or_else(parent)
    };
    linked || resolved(one).is_some_and(|one| resolved(other) == Some(one))
}

/// Opens a regular file under its own name: a link is an error, and so is anything else.
pub(crate) fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let regular = |metadata: Metadata| if metadata.is_file() { Ok(metadata) } else { Err(refusal(&metadata)) };
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        metadata => metadata.and_then(regular).map(|_| ())?,
    }
    let file = options.open(path)?;
    // The path may have become a link in the meantime.
    let named = std::fs::symlink_metadata(path).and_then(regular)?;
    if is_same(&named, &file.metadata()?) {
        Ok(file)
    } else {
        Err(io::Error::other("it was replaced while it was opened; try again"))
    }
}

/// A name that other processes cannot predict.
pub(crate) fn unpredictable_name() -> String {
    format!("switchlab-{:016x}", RandomState::new().hash_one(std::process::id()))
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> LabError {
    move |source| LabError::Output { path: path.to_owned(), source }
}

fn sink(path: &Path) -> io::Result<Sink> {
    if let Some(stream) = own_stream(path) {
        return stream.map(Sink::Direct);
    }
    match place(path)? {
        Place::File(folder) => Temporary::new(folder).map(Sink::Replaced),
        Place::Stream => OpenOptions::new().write(true).open(path).map(Sink::Direct),
    }
}

/// What a path leads to.
enum Place<'a> {
    /// A regular file that may be replaced, or none, in this folder.
    File(&'a Path),
    /// A FIFO or a device.
    Stream,
}

fn place(path: &Path) -> io::Result<Place<'_>> {
    if own_stream(path).is_some() {
        return Ok(Place::Stream);
    }
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        // The temporary file tests the folder; this tests the file.
        Ok(metadata) if metadata.is_file() => drop(OpenOptions::new().write(true).open(path)?),
        Ok(metadata) if metadata.is_dir() => return Err(refusal(&metadata)),
        Ok(metadata) => {
            let target = std::fs::metadata(path);
            if target.is_ok_and(|target| !target.is_file() && !target.is_dir()) {
                return Ok(Place::Stream);
            }
            return Err(refusal(&metadata));
        }
    }
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it does not name a file"));
    }
    let folder = folder_of(path);
    if !folder.exists() {
        let problem = format!("the folder {} does not exist; create it first", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, problem));
    }
    Ok(Place::File(folder))
}

/// The standard streams. Opening their names anew would give another file offset where they lead to
/// a file, and what is printed later would overwrite what was written here.
#[cfg(unix)]
fn own_stream(path: &Path) -> Option<io::Result<File>> {
    use std::os::fd::AsFd;
    let stream = match path.to_str()? {
        "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => io::stdout().as_fd().try_clone_to_owned(),
        "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => io::stderr().as_fd().try_clone_to_owned(),
        _ => return None,
    };
    Some(stream.map(File::from))
}

#[cfg(not(unix))]
fn own_stream(_path: &Path) -> Option<io::Result<File>> {
    None
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn refusal(metadata: &Metadata) -> io::Error {
    io::Error::other(if metadata.is_symlink() {
        "it is a symbolic link, and switchlab writes through none; remove the link, or name the file itself"
    } else if metadata.is_dir() {
        "it is a folder"
    } else {
        "it is not a regular file"
    })
}

/// Whether both are of the same file.
#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether both are of the same file, as far as stable Rust can tell here.
#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.created().ok() == other.created().ok() && one.len() == other.len()
}

/// A new file beside the one that it replaces, removed unless it is renamed.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    file: File,
    renamed: bool,
}

impl Temporary {
    fn new(folder: &Path) -> io::Result<Self> {
        // An existing file or link is never opened.
        let path = folder.join(unpredictable_name() + ".tmp");
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Self { path, file, renamed: false })
    }

    fn rename(mut self, path: &Path) -> io::Result<()> {
        match std::fs::symlink_metadata(path) {
            Ok(old) if old.is_file() => self.file.set_permissions(old.permissions())?,
            Ok(other) => return Err(refusal(&other)),
            Err(_) => {}
        }
        self.file.sync_all()?;
        std::fs::rename(&self.path, path)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
