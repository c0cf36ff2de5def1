//! What takes input from outside.

use serde_json::Value;
use std::path::{Path, PathBuf};
use switchlab_core::Seed;
use switchlab_core::registry::{self, Files, NoFiles};
use switchlab_core::stable::find_roots;
use switchlab_lab::bench::Definitions;
use switchlab_lab::digest::sha256;
use switchlab_lab::experiment::{Experiment, Mode, Results};
use switchlab_lab::export::Table;
use switchlab_lab::files::Disk;
use switchlab_lab::manifest::Manifest;
use switchlab_lab::plot::Size;
use switchlab_lab::report::table;
use switchlab_lab::run::Run;
use switchlab_lab::store::{Store, UNITS};
use switchlab_lab::sweep::{Sweep, known_results, run_experiment};
use switchlab_lab::tabulated::{View, chart};
use switchlab_lab::{Progress, Request, Warmup, rankings};

/// Something that takes bytes from outside.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of its folder in the corpus, too.
    pub name: &'static str,
    /// What it takes, in words.
    pub about: &'static str,
    /// Inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words that mean something to it.
    pub words: &'static [&'static str],
    /// Takes an input; whether it was accepted.
    pub run: fn(&Lab, &[u8]) -> bool,
    /// How many inputs `./check` tries.
    pub short: u64,
}

/// A folder for files of inputs, in memory where there is such a place.
#[derive(Debug)]
pub struct Lab(tempfile::TempDir);

impl Lab {
    /// A new one.
    pub fn new() -> std::io::Result<Self> {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        folder.map(Self)
    }

    /// Writes an input to a file.
    fn file(&self, name: &str, input: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, input).expect("a file of at most a few kilobytes can be written");
        path
    }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "specs",
        about: "switch, traffic and arrival specs, run for 60 slots",
        seeds: seeds_of_specs,
        words: SPEC_WORDS,
        run: specs,
        short: 1500,
    },
    Target {
        name: "experiments",
        about: "experiment files",
        seeds: seeds_of_experiments,
        words: TOML_WORDS,
        run: experiments,
        short: 3000,
    },
    Target { name: "traces", about: "traces", seeds: seeds_of_traces, words: CSV_WORDS, run: traces, short: 8000 },
    Target {
        name: "matrices",
        about: "load matrices",
        seeds: seeds_of_matrices,
        words: CSV_WORDS,
        run: matrices,
        short: 8000,
    },
    Target {
        name: "rankings",
        about: "rankings",
        seeds: seeds_of_rankings,
        words: RANKING_WORDS,
        run: match_rankings,
        short: 20_000,
    },
    Target {
        name: "manifests",
        about: "manifests, sealed anew where they can be",
        seeds: seeds_of_manifests,
        words: JSON_WORDS,
        run: manifests,
        short: 3000,
    },
    Target {
        name: "stores",
        about: "lines of a store, sealed anew, and their results",
        seeds: seeds_of_stores,
        words: JSON_WORDS,
        run: stores,
        short: 2000,
    },
    Target {
        name: "tables",
        about: "results.csv, drawn",
        seeds: seeds_of_tables,
        words: CSV_WORDS,
        run: tables,
        short: 2000,
    },
    Target {
        name: "benchmarks",
        about: "benchmark definitions",
        seeds: seeds_of_benchmarks,
        words: TOML_WORDS,
        run: benchmarks,
        short: 3000,
    },
];

const SPEC_WORDS: &[&str] = &[
    "oq",
    "fifo",
    "islip",
    "rrm",
    "knockout",
    "pim",
    "ilqf",
    "gs-lqf",
    "gs-ocf",
    "mwm",
    "msm",
    "tdm",
    "uform",
    "ufpim",
    "serena",
    "c-serenade",
    "o-serenade",
    "e-serenade",
    "sc-serenade",
    "so-serenade",
    "qps-serena",
    "mix",
    "drrm",
    "psm",
    "psm-flows",
    "cioq",
    "benes",
    "banyan",
    "uniform",
    "unbalanced",
    "chang",
    "asymmetric",
    "po2",
    "diagonal",
    "hotspot",
    "permutation",
    "bernoulli",
    "bursty",
    "onoff",
    "iterations",
    "capacity",
    "memories",
    "matcher",
    "radix",
    "speedup",
    "w",
    "ratio",
    "count",
    "load",
    "mean",
    "rate",
    "variant",
    "flows",
    "stripe",
    "links",
    "merge",
    "distribution",
    "credit-delay",
    "(",
    ")",
    ",",
    "=",
    ":",
    "lqf",
    "1slip",
];
const TOML_WORDS: &[&str] = &[
    "title",
    "switches",
    "traffic",
    "arrivals",
    "ports",
    "loads",
    "slots",
    "warmup",
    "replications",
    "precision",
    "seed",
    "vary",
    "quick",
    "figure",
    "claim",
    "reference",
    "id",
    "x",
    "y",
    "series",
    "where",
    "metric",
    "within",
    "at-least",
    "at-most",
    "value",
    "tolerance",
    "from",
    "to",
    "step",
    "benchmark",
    "switch",
    "load",
    "[[",
    "]]",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "oq",
    "islip",
    "{w}",
];
const CSV_WORDS: &[&str] = &[
    ",",
    "\n",
    "\r\n",
    ";",
    "\t",
    "\"",
    "slot",
    "input",
    "output",
    "class",
    "flow",
    "switch",
    "load",
    "delay",
    "delay_ci95",
    "verdict",
    "stable",
    "unstable",
    "undecided",
    "\u{feff}",
];
const RANKING_WORDS: &[&str] = &[
    ",",
    "
",
    "/",
    "=",
    "-",
    "#",
    "rows: order",
    "rows: ranks",
    "columns: order",
    "columns: ranks",
    "matrix",
    "rows",
    "columns",
    "order",
    "ranks",
    "{",
    "}",
    "[",
    "]",
    ":",
    "null",
];
const JSON_WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "null",
    "true",
    "false",
    "\"",
    "experiment",
    "points",
    "traffic",
    "ports",
    "result",
    "unit",
    "key",
    "delays",
    "buckets",
    "timeline",
    "cells",
    "departed",
    "arrived",
    "replication",
];

fn seeds(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn seeds_of_specs() -> Vec<Vec<u8>> {
    seeds(&[
        "islip(iterations=4)|uniform|bernoulli|8|0.9",
        "o-serenade(populate=random)|diagonal|bursty(mean=12)|16|0.8",
        "benes(radix=4,merge=random)|hotspot(count=2,load=0.5)|onoff(mean=3)|16|0.5",
        "banyan|unbalanced(w=0.5)|bernoulli|8|1",
        "psm(matcher=first-fit,memories=20)|uniform|bernoulli|8|0.9",
        "psm-flows(flows=4)|uniform|bernoulli|4|0.9",
        "cioq(speedup=2,discipline=priority,classes=2)|po2|bernoulli|4|0.7",
        "mix(variant=gossip)|asymmetric|bernoulli|4|0.6",
        "knockout(k=4,buffer=8)|permutation|bernoulli|8|0.9",
        "uform(capture=before,empty=skip)|chang|bernoulli|8|0.9",
        "oq(capacity=8)|uniform|bernoulli|33|0.95",
        "qps-serena|uniform|bernoulli|20|0.4",
        "mwm|diagonal|bernoulli|65|0.2",
    ])
}

/// `SWITCH|TRAFFIC|ARRIVALS|PORTS|LOAD`. Ports are taken modulo 130, so that an input is quick.
fn specs(_: &Lab, input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let mut parts = text.split('|');
    let mut next = || parts.next().unwrap_or_default().to_string();
    let (switch, traffic, arrivals) = (next(), next(), next());
    let ports = next().trim().parse::<usize>().unwrap_or(8) % 130;
    let load = next().trim().parse::<f64>().unwrap_or(0.5);
    // Files are another target.
    if registry::traffic(&traffic).and_then(|found| found.build(Some(ports), Some(load), &NoFiles)).is_err() {
        return false;
    }
    let request = Request {
        switches: vec![switch],
        ports: Some(ports),
        traffic,
        load: Some(load),
        arrivals: Some(arrivals),
        slots: Some(40),
        warmup: Some(Warmup::Slots(20)),
        replications: Some(1),
        memory: 64 << 20,
        threads: Some(1),
        ..Request::default()
    };
    let Ok(plan) = request.resolve() else { return false };
    let Ok(mut run) = Run::new(&plan, 0, 0) else { return false };
    let progress = Progress::none();
    // A switch that stops is a result.
    let done = run.advance(20, None, &progress).and_then(|()| {
        run.open();
        run.advance(40, None, &progress)
    });
    if done.is_ok() {
        let _ = run.measured();
    }
    true
}

const EXPERIMENT: &str = r#"
title = "A seed"
source = "here"
switches = ["oq", "islip(iterations={i})"]
traffic = ["uniform", "diagonal"]
arrivals = "bernoulli"
ports = [4, 8]
loads = { from = 0.1, to = 0.5, step = 0.2 }
slots = 200
warmup = 20
replications = 2
seed = 7
vary = { i = [1, 2] }

[quick]
slots = 50

[[figure]]
id = "delay"
x = "load"
y = "delay"
[[figure.reference]]
name = "exact"
points = [[0.1, 1.0], [0.5, 2.0]]

[[claim]]
id = "order"
text = "First"
printed = "1"
metric = "delay"
where = { switch = "oq", load = 0.1 }
within = { value = 1.0, tolerance = 0.5 }
"#;
const SMALL: &str = "title = \"Small\"\nswitches = \"oq\"\nports = 2\nloads = [0.5]\nslots = 50\nreplications = 2\n";

fn seeds_of_experiments() -> Vec<Vec<u8>> {
    seeds(&[EXPERIMENT, SMALL])
}

fn experiments(lab: &Lab, input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    // Files are another target, and /dev/zero would be one.
    if text.contains("file") {
        return false;
    }
    let path = lab.file("e.toml", input);
    let (full, quick) = (Experiment::load(&path, Mode::Full), Experiment::load(&path, Mode::Quick));
    full.is_ok() || quick.is_ok()
}

fn seeds_of_traces() -> Vec<Vec<u8>> {
    seeds(&[
        "slot,input,output\n0,0,0\n0,1,1\n3,0,2\n4000,2,1\n",
        "slot,input,output,class,flow\n0,0,0,1,7\n1,0,0,0,7\n1,1,0,2,9\n",
        "\u{feff}Slot, Output, Input\r\n0, 1, 0\r\n\r\n2, 1, 1\r\n",
    ])
}

fn traces(lab: &Lab, input: &[u8]) -> bool {
    let path = lab.file("trace.csv", input);
    let path = path.to_string_lossy();
    let all = Disk.trace(&path, None);
    // As many ports as the trace says and fewer.
    let few = Disk.trace(&path, Some(2));
    all.is_ok() || few.is_ok()
}

fn seeds_of_matrices() -> Vec<Vec<u8>> {
    seeds(&["0.4,0.4\n0.4,0.4\n", ",a,b,c\nx,0.1,0.2,0.3\ny,0.3,0.1,0.2\nz,0,0,0.9\n", "1\n", "0.5, 0\n0, 1e-3\n"])
}

fn matrices(lab: &Lab, input: &[u8]) -> bool {
    let path = lab.file("matrix.csv", input);
    let spec = format!("matrix(file={})", path.display());
    let Ok(chosen) = registry::traffic(&spec) else { return false };
    let mut accepted = false;
    for load in [None, Some(0.7)] {
        let Ok(traffic) = chosen.build(None, load, &Disk) else { continue };
        let Ok(arrivals) = registry::arrivals("bernoulli") else { continue };
        let _ = arrivals.build(&traffic, Seed { seed: 1, replication: 0 });
        accepted = true;
    }
    accepted
}

fn seeds_of_rankings() -> Vec<Vec<u8>> {
    seeds(&[
        "rows: order\n2,0,1\n0,1,2\n1=2,0\ncolumns: ranks\n2,1,3\n1,-,2\n3,2,1\n",
        "rows: ranks\n1,2\n2,1\ncolumns: order\n1,0\n0=1\n",
        "# a matrix\n3/3, 4/1, 1/1, 2/3\n1/2, 2/2, 3/2, 4/1\n2/1, -, 1/3, 3/2\n4/4, 3/3, 2/4, 1/4\n",
        r#"{"rows": {"order": [[1, 0], [0, [1]]]}, "columns": {"ranks": [[2, 1], [1, null]]}}"#,
        r#"{"matrix": [[[1, 1], [2, 2]], [[2, 1], null]]}"#,
    ])
}

fn match_rankings(_: &Lab, input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let Ok(preferences) = rankings::parse(&text) else { return false };
    let _ = find_roots(&preferences);
    true
}

/// The experiment behind the seeds of stores and manifests.
fn small(lab: &Lab) -> Experiment {
    let path = lab.file("small.toml", SMALL.as_bytes());
    Experiment::load(&path, Mode::Full).expect("the experiment of this file")
}

/// The store and the manifest of a small sweep.
fn swept() -> (Vec<u8>, Vec<u8>) {
    let lab = Lab::new().expect("a folder");
    let experiment = small(&lab);
    let mut sweep = Sweep::open(lab.0.path(), Some(1)).expect("an empty folder");
    let results = run_experiment(&experiment, &mut sweep, None, &Progress::none()).expect("a hundred slots");
    let table = Table::of(&experiment, &results).csv_text();
    let manifest = Manifest::new(&experiment, &results, table.as_bytes(), "switchlab sweep e.toml").expect("no files");
    let units = std::fs::read(lab.0.path().join(UNITS)).expect("units");
    (units, serde_json::to_vec_pretty(&manifest).expect("text keys"))
}

fn seeds_of_manifests() -> Vec<Vec<u8>> {
    vec![swept().1]
}

fn manifests(lab: &Lab, input: &[u8]) -> bool {
    let names_a_file = input.windows(4).any(|word| word == b"file");
    let check = |bytes: &[u8]| {
        let path = lab.file("manifest.json", bytes);
        let Ok(manifest) = Manifest::load(&path) else { return false };
        let _ = manifest.is_unaltered();
        manifest.contradictions(lab.0.path()).is_ok_and(|found| found.is_empty())
    };
    // "files" is a field of every manifest; a traffic that names one has a bracket before it.
    if names_a_file && input.windows(6).any(|word| word == b"(file=") {
        return false;
    }
    let as_it_is = check(input);
    // The hash can be computed by anybody.
    let Ok(Value::Object(mut fields)) = serde_json::from_slice(input) else { return as_it_is };
    fields.insert("manifest_sha256".to_string(), Value::String(String::new()));
    let Ok(mut manifest) = serde_json::from_value::<Manifest>(Value::Object(fields)) else { return as_it_is };
    manifest.manifest_sha256 = sha256(&serde_json::to_vec(&manifest).expect("text keys"));
    as_it_is | check(&serde_json::to_vec(&manifest).expect("text keys"))
}

fn seeds_of_stores() -> Vec<Vec<u8>> {
    vec![swept().0]
}

/// Each line is sealed anew: its checksum is the first 16 digits of the SHA-256 of what stands
/// before it, as the format says. What is read becomes results and a table.
fn stores(lab: &Lab, input: &[u8]) -> bool {
    const SUM: &str = ",\"sum\":\"";
    let text = String::from_utf8_lossy(input);
    let sealed: String = text
        .lines()
        .map(|line| match line.rfind(SUM) {
            Some(end) => format!("{}{SUM}{}\"}}\n", &line[..end], &sha256(&line.as_bytes()[..end])[..16]),
            None => format!("{line}\n"),
        })
        .collect();
    let folder = lab.0.path().join("store");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).expect("a folder in memory");
    std::fs::write(folder.join(UNITS), sealed).expect("a file of a few kilobytes");
    let Ok(mut store) = Store::read(&folder) else { return false };
    let keys: Vec<String> = store.keys().map(str::to_string).collect();
    let read = keys.iter().filter(|key| matches!(store.get(key), Ok(Some(_)))).count();
    drop(store);
    let experiment = small(lab);
    let Ok(sweep) = Sweep::open(&folder, Some(1)) else { return false };
    if let Ok(Some(results)) = known_results(&experiment, &sweep) {
        show(&experiment, &results);
    }
    read > 0
}

fn show(experiment: &Experiment, results: &Results) {
    let exported = Table::of(experiment, results);
    let _ = (exported.csv_text(), exported.json());
    let _ = table::results(experiment, results, &[], table::Style::default());
}

fn seeds_of_tables() -> Vec<Vec<u8>> {
    let head = "switch,traffic,ports,load,delay,delay_ci95,delay_p99,throughput,verdict\n";
    let rows = [
        "oq,uniform,8,0.5,0.9,0.1,5,0.5,stable\noq,uniform,8,0.9,4.5,0.2,25,0.9,stable\n",
        "pim,uniform,8,0.5,1.9,0.1,7,0.5,stable\npim,uniform,8,0.9,400,9,1800,0.7,unstable\n",
        "islip,uniform,8,0.5,1.2,,6,0.5,undecided\n",
    ];
    vec![format!("{head}{}", rows.concat()).into_bytes(), format!("{head}{}", rows[0]).into_bytes()]
}

/// Drawn, a chart has no number that is none: a viewer could not show it.
fn tables(lab: &Lab, input: &[u8]) -> bool {
    let path = lab.file("results.csv", input);
    let view = |y: &str, log: bool, ratio: Option<&str>| View {
        x: "load".to_string(),
        y: y.to_string(),
        series: "switch".to_string(),
        only: Vec::new(),
        log_x: log,
        log_y: log,
        ratio: ratio.map(str::to_string),
    };
    let mut accepted = false;
    for view in [view("delay", true, None), view("throughput", false, None), view("delay", false, Some("oq"))] {
        let Ok(chart) = chart(&path, &view) else { continue };
        let svg = chart.to_svg_sized(&Size::default());
        assert!(has_numbers_only(&svg), "a coordinate is no number");
        accepted = true;
    }
    accepted
}

/// Whether all coordinates and sizes in a picture are finite numbers. Words of the table may be
/// anything, and are elsewhere.
fn has_numbers_only(svg: &str) -> bool {
    const NUMERIC: [&str; 15] =
        ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "d", "points", "width", "height", "viewBox", "transform"];
    let tags = svg.split('<').filter_map(|rest| rest.split('>').next());
    let mut values = tags.flat_map(|tag| {
        NUMERIC.iter().filter_map(move |name| tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next())
    });
    values.all(|value| !value.contains("NaN") && !value.contains("inf"))
}

fn seeds_of_benchmarks() -> Vec<Vec<u8>> {
    vec![include_bytes!("../../../benchmarks/definitions.toml").to_vec(), seeds(&[BENCHMARK]).remove(0)]
}

const BENCHMARK: &str =
    "ports = 64\nload = 0.9\nslots = 10\n\n[[benchmark]]\nswitch = \"oq\"\ndepartures = \"0123456789abcdef\"\n";

fn benchmarks(_: &Lab, input: &[u8]) -> bool {
    Definitions::parse(&String::from_utf8_lossy(input), "definitions.toml").is_ok()
}
