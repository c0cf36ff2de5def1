//! What `switchlab bench` accepts.

use super::shared::Form;
use super::values::{load, ports, seed};
use clap::Args;
use std::path::PathBuf;
use switchlab_lab::bench::{FOLDER, Part};

#[derive(Debug, Args)]
#[command(after_help = "\
Every figure is a median over turns in which the switches alternate; `x floor` is the median of ratios within a turn to \
the crossbar that does not schedule (tdm): arrivals, queues and meters only.

With --record, the benchmarks that are defined in DIR/definitions.toml are measured instead: first, that each sends what it did \
when it was defined (exit code 1 if not), then time, memory and, with --instructions, instructions.

Examples:
  switchlab bench
  switchlab bench islip 'islip(iterations=4)' --ports 64 --csv
  Everything, as a dated record, and the tables of a document from it:
    switchlab bench --record --instructions --document docs/performance.md
  The tables of the newest record, without measuring:
    switchlab bench --document docs/performance.md")]
pub(crate) struct BenchArgs {
    /// Switches to measure [default: all]
    #[arg(value_name = "SWITCH")]
    pub(crate) switches: Vec<String>,

    /// Numbers of ports
    #[arg(long, short = 'n', value_name = "N,...", value_delimiter = ',', value_parser = ports, default_value = "16,64,256,1024")]
    pub(crate) ports: Vec<usize>,

    /// Traffic
    #[arg(long, value_name = "SPEC", default_value = "uniform")]
    pub(crate) traffic: String,

    /// Load
    #[arg(long, value_name = "X", value_parser = load, default_value = "0.9")]
    pub(crate) load: f64,

    /// Turns of each switch [default: 11; for a record: 41]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) turns: Option<u16>,

    /// Milliseconds of a turn
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) turn: u16,

    #[command(flatten)]
    pub(crate) form: Form,

    /// Measure the defined benchmarks and keep the result as DIR/DATE-TIME.json
    #[arg(long, conflicts_with_all = ["switches", "ports", "traffic", "load", "json", "csv", "markdown"])]
    pub(crate) record: bool,

    /// Also count instructions, with valgrind
    #[arg(long, requires = "record")]
    pub(crate) instructions: bool,

    /// What the record is made for
    #[arg(long, value_name = "TEXT", requires = "record", default_value = "")]
    pub(crate) note: String,

    /// Where benchmarks are defined and records kept
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    pub(crate) benchmarks: PathBuf,

    /// Put the tables of the newest record into this document, between its marks
    #[arg(long, value_name = "FILE", conflicts_with_all = ["switches", "ports", "traffic", "load", "json", "csv", "markdown"])]
    pub(crate) document: Option<PathBuf>,

    /// Run one switch for this many slots in this process and print its figures: what a record asks
    /// of processes of their own
    #[arg(long, value_name = "SLOTS", hide = true, conflicts_with_all = ["record", "document"])]
    pub(crate) alone: Option<u64>,

    /// Of a slot of the switch that is run alone: arrivals, switch (with its arrivals) or whole
    /// (with the meters)
    #[arg(long, value_name = "PART", hide = true, requires = "alone", default_value = "whole", value_parser = part)]
    pub(crate) part: Part,

    /// Of the switch that is run alone
    #[arg(long, value_name = "SPEC", hide = true, requires = "alone")]
    pub(crate) arrivals: Option<String>,

    /// Of the switch that is run alone
    #[arg(long, value_name = "K", hide = true, requires = "alone", value_parser = seed, default_value = "1")]
    pub(crate) seed: u64,
}

fn part(text: &str) -> Result<Part, String> {
    let named = Part::NAMES.iter().find(|(name, _)| *name == text);
    named.map(|(_, part)| *part).ok_or_else(|| "it is arrivals, switch or whole".to_string())
}
