//! The files around a run: matrices and traces in, departures out. All CSV; what comes in may be
//! compressed by gzip. And how every output
//! file of the program is written: [`replace`] and [`DepartureFile`].

mod output;

use output::Output;
pub use output::{check, prepare_folder, refuse_input, replace, same_file};
pub(crate) use output::{open_regular, unpredictable_name};

use crate::digest::sha256;
use crate::error::LabError;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use switchlab_core::labels::{MAX_CLASSES, MAX_FLOWS};
use switchlab_core::registry::{self, Files};
use switchlab_core::spec::Spec;
use switchlab_core::traffic::Trace;
use switchlab_core::traffic::trace::{Arrival, LabelColumns};
use switchlab_core::{Block, Cell, Error, Label, MAX_PORTS, Port};

/// Reads from the file system, and from the standard input what is called `-`.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

/// The name of the standard input.
const STDIN: &str = "-";
/// What a trace is.
const TRACE: &str = "a trace is CSV: the header slot,input,output, then a line for each cell";
/// What a matrix is.
const MATRIX: &str = "a matrix is CSV: N lines of N rates; a line and a column of names may stand before them";
/// How a file begins that gzip has compressed.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// An error repeats at most this many characters of a header.
const SHOWN_HEADER: usize = 60;

impl Files for Disk {
    fn matrix(&self, path: &str) -> Result<(usize, Vec<f64>), Error> {
        let mut reader = open(path, csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All), MATRIX)?;
        let mut lines = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| unreadable(path, &error, MATRIX))?;
            // A line and a column more than ports, for names.
            if record.len() > MAX_PORTS + 1 || lines.len() > MAX_PORTS {
                return Err(Error::File(format!("{path}: a matrix has at most {MAX_PORTS} lines and columns")));
            }
            lines.push(record);
        }
        let is_name = |field: &str| field.parse::<f64>().is_err();
        let header = usize::from(lines.first().is_some_and(|line| line.iter().all(is_name)));
        let rows = &lines[header..];
        let names = usize::from(!rows.is_empty() && rows.iter().all(|line| line.get(0).is_some_and(is_name)));
        let mut rates = Vec::new();
        for line in rows {
            for (column, field) in line.iter().enumerate().skip(names) {
                let number = line.position().map_or(0, csv::Position::line);
                let rate: f64 = field.parse().map_err(|_| {
                    Error::File(format!("{path}: line {number}, column {}: {field:?} is not a number", column + 1))
                })?;
                rates.push(rate);
            }
        }
        let ports = rows.len();
        if ports == 0 || rates.is_empty() {
            return Err(Error::File(format!("{path} holds no rates; {MATRIX}")));
        }
        if ports > MAX_PORTS || rates.len() != ports * ports {
            let columns = rates.len() / ports;
            return Err(Error::File(format!("{path} has {ports} lines of {columns} columns; a load matrix is square")));
        }
        Ok((ports, rates))
    }

    fn trace(&self, path: &str, ports: Option<usize>) -> Result<Trace, Error> {
        let mut reader = open(path, csv::ReaderBuilder::new().trim(csv::Trim::All), TRACE)?;
        let header = reader.headers().map_err(|error| unreadable(path, &error, TRACE))?;
        let names = header.iter().take(3).map(str::to_ascii_lowercase);
        if names.ne(["slot", "input", "output"]) {
            let begins: String = header.iter().collect::<Vec<_>>().join(",").chars().take(SHOWN_HEADER).collect();
            let begins = if begins.is_empty() { "is empty".to_string() } else { format!("begins with {begins:?}") };
            let holds = |mark| header.get(0).is_some_and(|field| field.contains(mark));
            let separator = [(';', "semicolons"), ('\t', "tabs")].into_iter().find(|(mark, _)| holds(*mark));
            let instead = separator.map(|(_, marks)| format!(", with {marks} where commas belong")).unwrap_or_default();
            return Err(Error::File(format!("{path} {begins}{instead}; {TRACE}")));
        }
        let column =
            |name: &str| header.iter().skip(3).position(|column| column.eq_ignore_ascii_case(name)).map(|at| at + 3);
        let (class_column, flow_column) = (column("class"), column("flow"));
        let columns = LabelColumns { class: class_column.is_some(), flow: flow_column.is_some() };
        let (mut arrivals, mut labels) = (Vec::new(), Vec::new());
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| unreadable(path, &error, TRACE))? {
            let line = record.position().map_or(0, csv::Position::line);
            let bad = |what: &str, most: u64| {
                Error::File(format!("{path}: line {line}: {what} must be a whole number from 0 to {most}"))
            };
            let number = |column: usize| record.get(column).and_then(|field| field.parse::<u64>().ok());
            let port = |column, what| {
                let port = number(column).filter(|&port| port < MAX_PORTS as u64);
                port.map(|port| port as Port).ok_or_else(|| bad(what, MAX_PORTS as u64 - 1))
            };
            let last_slot = u64::from(u32::MAX) - 1;
            let slot = number(0).filter(|&slot| slot <= last_slot).ok_or_else(|| bad("slot", last_slot))?;
            arrivals.push(Arrival { slot: slot as u32, input: port(1, "input")?, output: port(2, "output")? });
            if columns.class || columns.flow {
                let value = |column: Option<usize>, what, values: usize| {
                    let most = values as u64 - 1;
                    column.map_or(Ok(0), |at| number(at).filter(|&value| value <= most).ok_or_else(|| bad(what, most)))
                };
                let class = value(class_column, "class", MAX_CLASSES)? as u8;
                labels.push(Label { class, flow: value(flow_column, "flow", MAX_FLOWS)? as u16 });
            }
        }
        let used = arrivals.iter().map(|a| usize::from(a.input.max(a.output)) + 1).max();
        let ports = ports.or(used).ok_or_else(|| {
            Error::File(format!("{path} holds no cells, so it does not tell the number of ports; add --ports N"))
        })?;
        let trace = Trace::new(ports, arrivals);
        let trace =
            if columns.class || columns.flow { trace.and_then(|it| it.with_labels(&labels, columns)) } else { trace };
        trace.map_err(|error| Error::File(format!("{path}: {error}")))
    }
}

fn open(path: &str, builder: &csv::ReaderBuilder, expected: &str) -> Result<csv::Reader<Box<dyn BufRead>>, Error> {
    let cannot_read = |error| Error::File(format!("cannot read {path}: {error}"));
    let mut input: Box<dyn BufRead> = if path == STDIN {
        // It has no second beginning.
        static WAS_READ: AtomicBool = AtomicBool::new(false);
        if WAS_READ.swap(true, Ordering::Relaxed) {
            return Err(Error::File(format!("{path}: the standard input can be read only once; put it into a file")));
        }
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::new(open_input(Path::new(path)).map_err(cannot_read)?))
    };
    if input.fill_buf().map_err(cannot_read)?.starts_with(&GZIP) {
        input = Box::new(BufReader::new(MultiGzDecoder::new(input)));
    }
    match not_text(input.fill_buf().map_err(cannot_read)?) {
        Some(what) => Err(Error::File(format!("{path} {what}; {expected}"))),
        None => Ok(builder.from_reader(input)),
    }
}

/// What a file is that does not hold text, by its first bytes.
fn not_text(begin: &[u8]) -> Option<&'static str> {
    match begin {
        [0x1f, 0x8b, ..] => Some("is compressed twice: unpack it first"),
        [b'B', b'Z', b'h', ..] | [0xfd, b'7', b'z', ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            Some("is compressed, and not by gzip: unpack it first")
        }
        // Both orders of bytes, with microseconds and nanoseconds, and the newer format.
        [0xd4, 0xc3, 0xb2, 0xa1, ..]
        | [0xa1, 0xb2, 0xc3, 0xd4, ..]
        | [0x4d, 0x3c, 0xb2, 0xa1, ..]
        | [0xa1, 0xb2, 0x3c, 0x4d, ..]
        | [0x0a, 0x0d, 0x0d, 0x0a, ..] => Some("is a packet capture, and no text"),
        _ if begin.contains(&0) => Some("is not text"),
        _ => None,
    }
}

/// Opens a matrix or a trace: a regular file or a pipe. A device such as /dev/zero may have no end.
fn open_input(path: &Path) -> io::Result<File> {
    let kind = std::fs::metadata(path)?.file_type();
    if !kind.is_file() && !is_pipe(kind) {
        return Err(not_regular());
    }
    File::open(path)
}

#[cfg(unix)]
fn is_pipe(kind: std::fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_: std::fs::FileType) -> bool {
    false
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file; copy what it holds into one")
}

/// The content of a regular file. What is read more than once cannot be a pipe.
pub(crate) fn read_regular(path: &Path) -> Result<Vec<u8>, LabError> {
    let mut content = Vec::new();
    let mut read = || {
        if !std::fs::metadata(path)?.is_file() {
            return Err(not_regular());
        }
        File::open(path)?.read_to_end(&mut content)
    };
    read().map_err(|source| LabError::Read { path: path.to_owned(), source })?;
    Ok(content)
}

fn unreadable(path: &str, error: &csv::Error, expected: &str) -> Error {
    let line = |position: &Option<csv::Position>| position.as_ref().map_or(1, csv::Position::line);
    Error::File(match error.kind() {
        csv::ErrorKind::Io(error) => format!("cannot read {path}: {error}"),
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            format!("{path}: line {}: {len} fields, and the lines before have {expected_len}", line(pos))
        }
        csv::ErrorKind::Utf8 { pos, .. } => format!("{path}: line {} is not text; {expected}", line(pos)),
        _ => format!("cannot read {path}: {error}; {expected}"),
    })
}

/// Text of a user as a cell of a CSV file. Spreadsheets take a cell that begins with one of these
/// characters for a formula; an apostrophe before it makes it text. Numbers are never passed here.
pub fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if formula { format!("'{text}") } else { text.to_string() }
}

/// The index of the argument that names a file: `file=`, or a value without a key where the traffic
/// takes a file.
fn file_argument(spec: &Spec, traffic: &str) -> Option<usize> {
    let with = |name: &str| spec.arguments.iter().position(|(key, _)| key == name);
    with("file").or_else(|| {
        let takes_file = registry::traffic(traffic).is_ok_and(|chosen| chosen.args.declares("file"));
        with("").filter(|_| takes_file)
    })
}

/// The file that a traffic spec names.
pub fn traffic_path(traffic: &str) -> Result<Option<String>, LabError> {
    let spec = Spec::parse(traffic)?;
    Ok(file_argument(&spec, traffic).map(|index| spec.arguments[index].1.clone()))
}

/// A traffic spec as it is shown in pictures and on pages: of its file, the name without folders,
/// which differ from machine to machine.
pub(crate) fn without_folders(traffic: &str) -> String {
    let Ok(mut spec) = Spec::parse(traffic) else { return traffic.to_string() };
    let Some(index) = file_argument(&spec, traffic) else { return traffic.to_string() };
    let path = &mut spec.arguments[index].1;
    match Path::new(&*path).file_name() {
        Some(name) => *path = name.to_string_lossy().into_owned(),
        None => return traffic.to_string(),
    }
    spec.to_string()
}

/// A traffic spec with its file looked for in a folder: a relative path is one from there. Where
/// nothing is there, and something is in the working directory, it is left as it is.
pub(crate) fn traffic_beside(traffic: &str, folder: &Path) -> String {
    let unchanged = || traffic.to_string();
    let Ok(spec) = Spec::parse(traffic) else { return unchanged() };
    let Some(file) = file_argument(&spec, traffic) else { return unchanged() };
    let path = &spec.arguments[file].1;
    let joined = folder.join(path);
    if folder.as_os_str().is_empty() || path == "-" || (!joined.exists() && Path::new(path).exists()) {
        return unchanged();
    }
    let value = |(index, (key, value)): (usize, &(String, String))| {
        let (key, value) = if index == file { ("file", joined.display().to_string()) } else { (&**key, value.clone()) };
        let needs_quotes = value.contains([',', '(', ')', '=']) || value.contains(char::is_whitespace);
        if needs_quotes { format!("{key}=\"{value}\"") } else { format!("{key}={value}") }
    };
    let arguments: Vec<String> = spec.arguments.iter().enumerate().map(value).collect();
    format!("{}({})", spec.name, arguments.join(","))
}

/// The file that a traffic spec names, and the SHA-256 of its content.
pub fn traffic_file(traffic: &str) -> Result<Option<(String, String)>, LabError> {
    let Some(path) = traffic_path(traffic)? else {
        return Ok(None);
    };
    if path == STDIN {
        return Err(LabError::Request(format!(
            "{traffic} is the standard input, and experiments, manifests and replays read a file by its name; put it into one"
        )));
    }
    let content = read_regular(Path::new(&path))?;
    Ok(Some((path, sha256(&content))))
}

/// Writes a departure file: `slot,output,input,birth`, sorted by slot, then output.
///
/// A regular file appears under its name when [`Self::finish`] has written all of it; a killed run
/// leaves the old file. A FIFO or a device gets the departures while the run goes on.
#[derive(Debug)]
pub struct DepartureFile {
    writer: BufWriter<Output>,
    /// The first error. Nothing is written after it, and the run continues: its results are worth
    /// more than this file.
    failed: Option<io::Error>,
}

impl DepartureFile {
    /// Opens the file, and writes its header.
    pub fn create(path: &Path) -> Result<Self, LabError> {
        let mut file = Self { writer: BufWriter::new(Output::open(path)?), failed: None };
        file.failed = writeln!(file.writer, "slot,output,input,birth").err();
        Ok(file)
    }

    /// Appends the departures of a block. An error is reported by [`Self::finish`].
    pub fn write(&mut self, departures: &Block<Cell>) {
        if self.failed.is_none() {
            self.failed = self.append(departures).err();
        }
    }

    fn append(&mut self, departures: &Block<Cell>) -> io::Result<()> {
        for (slot, row) in departures.rows() {
            for (output, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
                writeln!(self.writer, "{slot},{output},{},{}", cell.input, cell.born)?;
            }
        }
        Ok(())
    }

    /// Renames the file to its final name. On an error the old file is kept.
    pub fn finish(self) -> Result<(), LabError> {
        let path = self.writer.get_ref().path().to_owned();
        let flushed = match self.failed {
            Some(error) => Err(error),
            None => self.writer.into_inner().map_err(io::IntoInnerError::into_error),
        };
        flushed.map_err(|source| LabError::Output { path, source })?.finish()
    }
}

/// The departure file, for the first replication of the only switch.
#[derive(Debug)]
pub(crate) struct Departures(Option<Mutex<DepartureFile>>);

impl Departures {
    pub(crate) fn create(path: Option<&Path>) -> Result<Self, LabError> {
        Ok(Self(path.map(DepartureFile::create).transpose()?.map(Mutex::new)))
    }

    /// The file, for the run of this replication.
    pub(crate) fn of(&self, replication: u32) -> Option<MutexGuard<'_, DepartureFile>> {
        let file = self.0.as_ref().filter(|_| replication == 0)?;
        Some(file.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn finish(self) -> Result<(), LabError> {
        let file = self.0.map(|file| file.into_inner().unwrap_or_else(PoisonError::into_inner));
        file.map_or(Ok(()), DepartureFile::finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_file<T>(content: &[u8], read: impl FnOnce(&str) -> T) -> T {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        read(file.path().to_str().unwrap())
    }

    fn gzipped(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn matrices() {
        assert_eq!(with_file(b"0.5, 0.5\n0.5,0\n", |path| Disk.matrix(path)), Ok((2, vec![0.5, 0.5, 0.5, 0.0])));
        for bad in [&b""[..], b"1,2\n", b"a\n", b"1\n1,2\n", b"\xff\xfe\x00"] {
            assert!(matches!(with_file(bad, |path| Disk.matrix(path)), Err(Error::File(_))), "{bad:?}");
        }
        for named in [&b"a,b\n0.5,0.5\n0.5,0\n"[..], b",a,b\nx,0.5,0.5\ny,0.5,0\n", b"x,0.5,0.5\ny,0.5,0\n"] {
            assert_eq!(with_file(named, |path| Disk.matrix(path)), Ok((2, vec![0.5, 0.5, 0.5, 0.0])), "{named:?}");
        }
        for (bad, problem) in [
            (&b"a,b\n0.5,x\n0.5,0\n"[..], "line 2, column 2: \"x\" is not a number"),
            (b"a,b\n", "holds no rates; a matrix is CSV"),
            (b"a\nb\n", "holds no rates; a matrix is CSV"),
            (b"0,1\n0.5,0.5\n0.5,0\n", "has 3 lines of 2 columns; a load matrix is square"),
        ] {
            let error = with_file(bad, |path| Disk.matrix(path)).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        assert!(matches!(Disk.matrix("no such file"), Err(Error::File(_))));
        assert!(matches!(Disk.matrix("/"), Err(Error::File(_))));
        #[cfg(unix)]
        for endless in [Disk.matrix("/dev/zero").map(drop), Disk.trace("/dev/zero", Some(4)).map(drop)] {
            assert!(matches!(endless, Err(Error::File(problem)) if problem.contains("not a regular file")));
        }
    }

    #[test]
    fn traces() {
        let trace =
            with_file(b"slot,input,output,size\n0,1,0,x\n4294967294,0,2,y\n", |path| Disk.trace(path, None)).unwrap();
        assert_eq!((trace.ports(), trace.cells(), trace.slots()), (3, 2, 4_294_967_295));
        assert_eq!(with_file(b"Slot, INPUT,output\n0,1,0\n", |path| Disk.trace(path, None)).unwrap().cells(), 1);
        let packed = gzipped(b"slot,input,output\n0,1,0\n");
        assert_eq!(with_file(&packed, |path| Disk.trace(path, None)).unwrap().cells(), 1);
        // Files that are joined after they were compressed are one.
        let joined = [packed, gzipped(b"3,0,1\n")].concat();
        assert_eq!(with_file(&joined, |path| Disk.trace(path, None)).unwrap().cells(), 2);
        let cut = with_file(&joined[..joined.len() - 9], |path| Disk.trace(path, None));
        assert!(matches!(cut, Err(Error::File(problem)) if problem.contains("cannot read ")));
        let twice = with_file(&gzipped(&joined), |path| Disk.trace(path, None));
        assert!(matches!(twice, Err(Error::File(problem)) if problem.contains("compressed twice")));
        let labelled = b"slot,input,output,size,Flow,class\n0,1,0,x,7,2\n5,0,2,y,0,0\n";
        let trace = with_file(labelled, |path| Disk.trace(path, None)).unwrap();
        assert_eq!(trace.labels().of(1, 0), Label { class: 2, flow: 7 });
        assert_eq!((trace.labels().classes(), trace.labels().flows()), (3, 8));
        for (bad, problem) in [
            (&b"slot,input,output,class\n0,0,0,8\n"[..], "line 2: class must be a whole number from 0 to 7"),
            (b"slot,input,output,class\n0,0,0,\n", "line 2: class must be a whole number from 0 to 7"),
            (b"slot,input,output,flow\n0,0,0,4096\n", "line 2: flow must be a whole number from 0 to 4095"),
            (b"BZh91AY", "is compressed, and not by gzip: unpack it first; a trace is CSV"),
            (b"\x1f\x8b\x08\x00", "cannot read "),
            (b"\xd4\xc3\xb2\xa1\x02\x00", "is a packet capture, and no text; a trace is CSV"),
            (b"s\x00l\x00o\x00t\x00", "is not text; a trace is CSV"),
            (b"slot,input,output\n0,\xff,0\n", ": line 2 is not text; a trace is CSV"),
            (b"slot,input,output\n0,0,0\n1,0\n", ": line 3: 2 fields, and the lines before have 3"),
            (
                b"input;slot;output\n",
                " begins with \"input;slot;output\", with semicolons where commas belong; a trace is CSV",
            ),
            (b"", " is empty; a trace is CSV"),
        ] {
            let error = with_file(bad, |path| Disk.trace(path, None)).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        for bad in [
            &b""[..],
            b"slot,input,output\n",
            b"0,0,0\n",
            b"slot,input,output\n1,2\n",
            b"slot,input,output\n-1,0,0\n",
            b"slot,input,output\n0,70000,0\n",
            b"slot,input,output\n4294967295,0,0\n",
            b"slot,input,output\n1,0,0\n0,0,0\n",
            b"slot,input,output\n\xff\xfe,0,0\n",
        ] {
            assert!(matches!(with_file(bad, |path| Disk.trace(path, None)), Err(Error::File(_))), "{bad:?}");
        }
        let header_only = with_file(b"slot,input,output\n", |path| Disk.trace(path, Some(2))).unwrap();
        assert_eq!((header_only.ports(), header_only.cells()), (2, 0));
    }
}
