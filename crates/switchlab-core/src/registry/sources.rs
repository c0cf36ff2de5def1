//! All traffic and all arrival processes.

use super::{Chosen, Entry, check_load, check_ports, choose};
use crate::cell::MAX_PORTS;
use crate::error::Error;
use crate::labels::{self, Labels};
use crate::rng::Seed;
use crate::spec::{Args, Kind, Parameter, Preset};
use crate::traffic::destinations::{General, with_destinations};
use crate::traffic::matrix::ROUNDING;
use crate::traffic::trace::Arrival;
use crate::traffic::{Arrivals, Bernoulli, Bursty, LoadMatrix, OnOff, Trace};
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

/// Reads the files that a traffic spec names. The core itself does no input or output.
pub trait Files {
    /// A square matrix of rates, row-major, and its number of ports.
    fn matrix(&self, path: &str) -> Result<(usize, Vec<f64>), Error>;

    /// A trace; `ports` if known, else as many as the trace uses.
    fn trace(&self, path: &str, ports: Option<usize>) -> Result<Trace, Error>;
}

/// No files: matrices and traces from files cannot be had.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn matrix(&self, path: &str) -> Result<(usize, Vec<f64>), Error> {
        Err(Error::File(alloc::format!("{path} cannot be read: files are not available here")))
    }

    fn trace(&self, path: &str, _ports: Option<usize>) -> Result<Trace, Error> {
        self.matrix(path).map(|_| unreachable!("reading always fails"))
    }
}

/// What a traffic spec stands for.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// Rates, and the factor they are to be scaled by.
    Matrix(LoadMatrix, f64),
    /// The cells themselves.
    Trace(Trace),
}

impl Traffic {
    /// The bytes of rates or cells, which all runs share.
    pub fn shared_bytes(&self) -> u64 {
        let bytes = match self {
            Self::Matrix(LoadMatrix::General { rates, .. }, _) => size_of_val(&rates[..]),
            Self::Matrix(matrix, _) => matrix.ports() * size_of::<f64>(),
            Self::Trace(trace) => trace.cells() * size_of::<Arrival>() + trace.labels().shared_bytes() as usize,
        };
        bytes as u64
    }

    /// The bytes of what is built of it for each run: alias tables, and some words for each port.
    pub fn bytes_per_run(&self) -> u64 {
        let tables = match self {
            Self::Matrix(LoadMatrix::General { rates, .. }, _) => rates.len() * General::BYTES_PER_RATE,
            Self::Matrix(..) | Self::Trace(_) => 0,
        };
        (tables + self.ports() * size_of::<[u64; 16]>()) as u64
    }

    /// The load of the busiest input and of the busiest output; None for a trace.
    pub fn busiest(&self) -> Option<(f64, f64)> {
        match self {
            Self::Matrix(matrix, scale) => {
                let (input, output) = matrix.busiest();
                Some((scale * input, scale * output))
            }
            Self::Trace(_) => None,
        }
    }

    /// The number of ports.
    pub fn ports(&self) -> usize {
        match self {
            Self::Matrix(matrix, _) => matrix.ports(),
            Self::Trace(trace) => trace.ports(),
        }
    }
}

/// What a traffic builder is given: the arguments, the ports if given, the load, and where files
/// come from.
pub struct TrafficRequest<'a> {
    /// The arguments.
    pub args: &'a Args,
    /// The number of ports, if it was given.
    pub ports: Option<usize>,
    /// The load, if it was given.
    pub load: Option<f64>,
    /// Reads files.
    pub files: &'a dyn Files,
}

impl TrafficRequest<'_> {
    fn ports(&self) -> Result<usize, Error> {
        let ports = self.ports.ok_or_else(|| Error::MissingPorts { name: self.args.to_string() })?;
        check_ports(ports).map(|()| ports)
    }

    fn load(&self) -> Result<f64, Error> {
        let load = self.load.ok_or_else(|| Error::MissingLoad { name: self.args.to_string() })?;
        check_load(load).map(|()| load)
    }

    /// The factor for a matrix that stands as it is written: 1 without a load. It may be above 1
    /// where the matrix leaves room.
    fn scale_of(&self, matrix: &LoadMatrix) -> Result<f64, Error> {
        let Some(scale) = self.load else { return Ok(1.0) };
        let (input, output) = matrix.busiest();
        let busiest = input.max(output);
        if scale >= 0.0 && scale * busiest <= 1.0 + ROUNDING {
            return Ok(scale);
        }
        let most = if busiest > 0.0 { 1.0 / busiest } else { f64::INFINITY };
        let problem = alloc::format!(
            "the busiest line of the matrix carries {busiest}, so the rates can be scaled by 0 to {most}, not by {scale}"
        );
        Err(Error::Impossible { name: self.args.to_string(), problem })
    }

    /// A matrix made for the number of ports, scaled by the load.
    fn matrix(&self, make: impl Fn(usize) -> Result<LoadMatrix, Error>) -> Result<Traffic, Error> {
        Ok(Traffic::Matrix(make(self.ports()?)?, self.load()?))
    }
}

/// How traffic is built.
pub type BuildTraffic = fn(&TrafficRequest<'_>) -> Result<Traffic, Error>;

const FILE: Parameter = Parameter { name: "file", kind: Kind::File, default: Preset::Required, about: "the CSV file" };

/// The parameters of an entry of generated traffic: its own, and those of labels.
const fn with_labels<const OWN: usize, const ALL: usize>(own: [Parameter; OWN]) -> [Parameter; ALL] {
    assert!(ALL == OWN + labels::PARAMETERS.len());
    let mut all = [labels::PARAMETERS[0]; ALL];
    let mut index = 0;
    while index < ALL {
        all[index] = if index < OWN { own[index] } else { labels::PARAMETERS[index - OWN] };
        index += 1;
    }
    all
}

macro_rules! traffic {
    ($name:literal, $about:literal, $page:expr, $reference:literal, $parameters:expr, $build:expr) => {
        Entry {
            name: $name,
            about: $about,
            reference: $reference,
            parameters: $parameters,
            source: $page,
            build: $build,
        }
    };
}

/// All traffic: load matrices, and traces.
pub static TRAFFIC: &[Entry<BuildTraffic>] = &[
    traffic!(
        "uniform",
        "1/N from every input to every output",
        "The rate from input i to output j is L(i,j) = load / N. Every line carries the load.",
        "",
        &with_labels::<0, 2>([]),
        |r| r.matrix(|n| Ok(LoadMatrix::uniform(n)))
    ),
    traffic!(
        "unbalanced",
        "a share w to the output of the same number, the rest uniform",
        "L(i,i) = load (w + (1 - w) / N), and L(i,j) = load (1 - w) / N for j other than i.\n\
             w = 0 is uniform, w = 1 sends everything to the output of the same number.",
        "Rojas-Cessa, Oki, Jing, Chao 2001; paper 001, equation 3",
        &with_labels::<1, 3>([Parameter {
            name: "w",
            kind: Kind::Real(0.0, 1.0),
            default: Preset::Value("0.5"),
            about: "the share sent to the output of the same number"
        }]),
        |r| r.matrix(|n| Ok(LoadMatrix::unbalanced(n, r.args.real("w").unwrap_or_default())))
    ),
    traffic!(
        "chang",
        "nothing to the output of the same number, uniform over the others",
        "L(i,i) = 0, and L(i,j) = load / (N - 1) for j other than i.",
        "Chang, Lee, Jou 2002; paper 001, section V-B",
        &with_labels::<0, 2>([]),
        |r| r.matrix(LoadMatrix::chang)
    ),
    traffic!(
        "asymmetric",
        "nothing to the output of the same number, then falling geometrically",
        "L(i,i) = 0, and L(i, i+d mod N) = c load ratio^(-(d-1)/(N-2)) for d = 1 ... N-1, where c makes a row\n\
             sum to the load. The print normalises with r^N and sums to 0.9988 of the load at N = 32.",
        "Schoenen, Post, Sander 1999; paper 001, section V-B",
        &with_labels::<1, 3>([Parameter {
            name: "ratio",
            kind: Kind::Real(1.0, 1e12),
            default: Preset::Value("100"),
            about: "the largest rate over the smallest"
        }]),
        |r| r.matrix(|n| LoadMatrix::asymmetric(n, r.args.real("ratio").unwrap_or(1.0)))
    ),
    traffic!(
        "po2",
        "powers of two, the same matrix as log-diagonal",
        "L(i, i+d mod N) = load 2^-(d+1) / (1 - 2^-N) for d = 0 ... N-1: powers of two.",
        "paper 001, section V-B",
        &with_labels::<0, 2>([]),
        |r| r.matrix(|n| Ok(LoadMatrix::log_diagonal(n)))
    ),
    traffic!(
        "quasi-diagonal",
        "half to the output of the same number, the rest uniform over the others",
        "L(i,i) = load / 2, and L(i,j) = load / (2 (N - 1)) for j other than i.",
        "paper 002, section 7.1",
        &with_labels::<0, 2>([]),
        |r| r.matrix(|n| Ok(LoadMatrix::quasi_diagonal(n)))
    ),
    traffic!(
        "log-diagonal",
        "halving with each step away from the output of the same number",
        "L(i, i+d mod N) = load 2^-(d+1) / (1 - 2^-N) for d = 0 ... N-1.",
        "paper 002, section 7.1",
        &with_labels::<0, 2>([]),
        |r| r.matrix(|n| Ok(LoadMatrix::log_diagonal(n)))
    ),
    traffic!(
        "diagonal",
        "two thirds to the output of the same number, one third to the next",
        "L(i,i) = 2 load / 3, and L(i, i+1 mod N) = load / 3.",
        "paper 002, section 7.1",
        &with_labels::<0, 2>([]),
        |r| r.matrix(|n| Ok(LoadMatrix::diagonal(n)))
    ),
    traffic!(
        "hotspot",
        "the first outputs at full rate in total, the others at the load",
        "L(i,j) = 1/N for the hot outputs j = 0 ... count-1, which so carry 1, and load / N for the others.\n\
             With the parameter load, the others carry that load, and the load of the run scales all rates.",
        "paper 004, section 5",
        &with_labels::<2, 4>([
            Parameter {
                name: "count",
                kind: Kind::Count(0, MAX_PORTS as u64),
                default: Preset::Value("4"),
                about: "the number of hot outputs, from 0 on"
            },
            Parameter {
                name: "load",
                kind: Kind::Real(0.0, 1.0),
                default: Preset::Absent,
                about: "the load of each other output; the load of the run then scales all rates; \
                    without it, the load of the run is this load and scales nothing"
            },
        ]),
        |r| {
            let (load, scale) = match r.args.real("load") {
                Some(load) => (load, r.load()?),
                None => (r.load()?, 1.0),
            };
            Ok(Traffic::Matrix(LoadMatrix::hotspot(r.ports()?, r.args.count("count"), load)?, scale))
        }
    ),
    traffic!(
        "permutation",
        "a fresh random permutation in every slot",
        "In every slot a fresh uniformly random permutation p is drawn, and a cell at input i is for output\n\
             p(i). Each output has at most one arrival in a slot. On average L(i,j) = load / N.",
        "paper 004, section 5",
        &with_labels::<0, 2>([]),
        |r| r.matrix(|n| Ok(LoadMatrix::Permutation(n)))
    ),
    traffic!(
        "matrix",
        "any admissible matrix, from a CSV file of N lines with N rates each",
        "The file is CSV: N lines with N rates each, no header, of at least 0. Rate j of line i is the share of\n\
             its line rate that input i sends to output j. No row and no column may sum to more than 1.\n\
             \n\
             The rates stand as they are written. With a load, all of them are multiplied by it: it is a scale,\n\
             and may be above 1 where the busiest line leaves room. The load that is printed is that of the\n\
             busiest line.\n\
             \n\
             A file name with commas or parentheses goes between double quotes; - is standard input.",
        "",
        &with_labels::<1, 3>([FILE]),
        |r| {
            let (ports, rates) = r.files.matrix(r.args.word("file"))?;
            check_ports(ports)?;
            if let Some(asked) = r.ports.filter(|&asked| asked != ports) {
                let problem = alloc::format!("the file has {ports} ports, and {asked} were asked for");
                return Err(Error::Impossible { name: r.args.to_string(), problem });
            }
            let matrix = LoadMatrix::general(ports, rates)?;
            let scale = r.scale_of(&matrix)?;
            Ok(Traffic::Matrix(matrix, scale))
        }
    ),
    traffic!(
        "trace",
        "cells from a CSV file with the header slot,input,output, sorted by slot",
        "The file is CSV with the header slot,input,output, sorted by slot; more columns may follow. Ports and\n\
             slots are counted from 0, and an input has at most one cell in a slot. The columns class, from 0 to 7,\n\
             and flow, from 0 to 4095, label the cells; other columns are not read.\n\
             \n\
             The run lasts until the last cell has arrived and the switch is empty again, or sends no more, unless a\n\
             number of slots is given. The load is that of the span of the trace. Several replications differ in the\n\
             random choices of the switch alone.\n\
             \n\
             A file name with commas or parentheses goes between double quotes; - is standard input.",
        "",
        &[FILE],
        |r| {
            r.ports.map_or(Ok(()), check_ports)?;
            let trace = r.files.trace(r.args.word("file"), r.ports)?;
            check_ports(trace.ports()).map(|()| Traffic::Trace(trace))
        }
    ),
];

/// The traffic that a spec names.
pub fn traffic(spec: &str) -> Result<Chosen<BuildTraffic>, Error> {
    choose("traffic", TRAFFIC.iter(), spec)
}

impl Chosen<BuildTraffic> {
    /// The labels of its cells: of a trace those in the file, else what the spec asks for. Call
    /// [`Labels::replication`] for those of a run.
    pub fn labels(&self, traffic: Option<&Traffic>) -> Labels {
        match traffic {
            Some(Traffic::Trace(trace)) => trace.labels().clone(),
            Some(Traffic::Matrix(..)) | None => Labels::of_args(&self.args),
        }
    }

    /// Builds the matrix, or reads the trace.
    pub fn build(&self, ports: Option<usize>, load: Option<f64>, files: &dyn Files) -> Result<Traffic, Error> {
        (self.entry.build)(&TrafficRequest { args: &self.args, ports, load, files })
    }
}

// Arrival processes.

/// How a process is built for a matrix and its scale.
pub type BuildArrivals = fn(&Args, &LoadMatrix, f64, Seed) -> Box<dyn Arrivals>;

const fn mean(least: f64, default: &'static str) -> Parameter {
    Parameter {
        name: "mean",
        kind: Kind::Real(least, 1e9),
        default: Preset::Value(default),
        about: "the mean number of cells in a burst",
    }
}

/// All arrival processes.
pub static ARRIVALS: &[Entry<BuildArrivals>] = &[
    Entry {
        name: "bernoulli",
        about: "in every slot, independently, with a fixed probability",
        reference: "",
        parameters: &[],
        source: include_str!("../traffic/bernoulli.rs"),
        build: |_, matrix, load, seed| with_destinations!(matrix, seed, d => Box::new(Bernoulli::new(matrix, load, d, seed))),
    },
    Entry {
        name: "bursty",
        about: "geometric bursts of at least one cell to one output, geometric idle periods, possibly empty",
        reference: "paper 004, section 5",
        parameters: &[mean(1.0, "12")],
        source: include_str!("../traffic/bursts.rs"),
        build: |args, matrix, load, seed| {
            let mean = args.real("mean").unwrap_or(1.0);
            with_destinations!(matrix, seed, d => Box::new(Bursty::new(matrix, load, mean, d, seed)))
        },
    },
    Entry {
        name: "onoff",
        about: "ON and OFF periods, both geometric and possibly empty, one output for each ON period",
        reference: "paper 002, appendix I.1",
        parameters: &[mean(1e-3, "16")],
        source: include_str!("../traffic/bursts.rs"),
        build: |args, matrix, load, seed| {
            let mean = args.real("mean").unwrap_or(1.0);
            with_destinations!(matrix, seed, d => Box::new(OnOff::new(matrix, load, mean, d, seed)))
        },
    },
];

/// The arrival process that a spec names.
pub fn arrivals(spec: &str) -> Result<Chosen<BuildArrivals>, Error> {
    choose("arrival process", ARRIVALS.iter(), spec)
}

impl Chosen<BuildArrivals> {
    /// Builds the source of arrivals. A trace has its own times, and the process is not used.
    pub fn build(&self, traffic: &Traffic, seed: Seed) -> Box<dyn Arrivals> {
        match traffic {
            Traffic::Matrix(matrix, load) => (self.entry.build)(&self.args, matrix, *load, seed),
            Traffic::Trace(trace) => Box::new(trace.clone()),
        }
    }
}
