//! Results as tidy tables: one row per point, all parameters as columns; CSV for any spreadsheet,
//! Parquet for data frames.
//!
//! The bytes depend on the experiment and its results, and on nothing else. A comparison of `run`
//! has the same columns.

#[cfg(feature = "parquet")]
mod parquet;

use crate::compare::Comparison;
use crate::error::LabError;
use crate::experiment::{Experiment, ResultPoint};
use crate::files::{cell, replace};
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::run::Measured;
use crate::statistics::Share;
use crate::statistics::percentiles::{STANDARD, with_standard};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use switchlab_core::meter::Histogram;
use switchlab_core::meter::occupancy::Lengths;

/// The table as CSV.
pub const CSV: &str = "results.csv";
/// The table as Parquet.
pub const PARQUET: &str = "results.parquet";

/// The columns, in their order, and what they mean. After `load` come the variables of the
/// experiment. A comparison of `run` has no column `experiment`.
pub const COLUMNS: &[(&str, &str)] = &[
    ("experiment", "the short name of the experiment: that of its file"),
    ("switch", "the canonical spec of the switch"),
    ("ports", "the number of ports"),
    ("traffic", "the canonical spec of the traffic"),
    ("arrivals", "the canonical spec of the arrival process"),
    ("load", "the load of a line"),
    ("slots", "measured slots of a replication"),
    ("warmup", "slots that were run before"),
    ("seed", "the seed"),
    ("replications", "independent replications"),
    ("verdict", "stable, unstable or undecided"),
    ("delay", "the mean delay in slots"),
    ("delay_ci95", "half the width of its 95 % interval"),
    ("delay_p50", "the median delay"),
    ("delay_p90", "90 % of the cells have at most this delay"),
    ("delay_p99", "99 % of the cells have at most this delay"),
    ("delay_p999", "99.9 % of the cells have at most this delay"),
    ("delay_p9999", "99.99 % of the cells have at most this delay"),
    ("delay_max", "the longest delay"),
    ("throughput", "departures per output and slot"),
    ("throughput_ci95", "half the width of its 95 % interval"),
    ("backlog", "cells inside, averaged over slots"),
    ("arrived", "cells that arrived in the measured slots"),
    ("departed", "those of them that left in the measured slots"),
    ("dropped", "those of them that were dropped"),
    ("queued", "those of them that were inside at the end"),
    ("out_of_order", "cells that left after a later cell of their flow"),
    ("fairness", "Jain's index over flows of departed / arrived"),
    ("loss", "dropped cells over arrived cells"),
    ("delay_p50_low", "the lower end of the 95 % interval of the median"),
    ("delay_p50_high", "its upper end"),
    ("delay_p90_low", "the same for the 90th percentile"),
    ("delay_p90_high", "its upper end"),
    ("delay_p99_low", "the same for the 99th percentile"),
    ("delay_p99_high", "its upper end"),
    ("delay_p999_low", "the same for the 99.9th percentile"),
    ("delay_p999_high", "its upper end"),
    ("delay_p9999_low", "the same for the 99.99th percentile"),
    ("delay_p9999_high", "its upper end"),
    ("counters.NAME", "a counter of the switch, one column for each that any switch has"),
];

/// The lengths of one kind of queue.
type Kind = fn(&Lengths) -> &Histogram;

/// The kinds of queues whose lengths are measured.
const QUEUES: [(&str, Kind); 4] = [
    ("voq", |lengths| &lengths.voq),
    ("input", |lengths| &lengths.input),
    ("output", |lengths| &lengths.output),
    ("total", |lengths| &lengths.total),
];

/// The values of a column; None where a point has none.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Words.
    Text(Vec<String>),
    /// Whole numbers.
    Count(Vec<Option<u64>>),
    /// Other numbers, never NaN or infinite.
    Real(Vec<Option<f64>>),
}

impl Values {
    /// A value as text, empty if there is none.
    fn text(&self, row: usize) -> String {
        match self {
            Self::Text(values) => cell(&values[row]),
            Self::Count(values) => values[row].map(|value| value.to_string()).unwrap_or_default(),
            Self::Real(values) => values[row].map(|value| value.to_string()).unwrap_or_default(),
        }
    }
}

/// A table of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Names and values, all of the same length.
    pub columns: Vec<(String, Values)>,
    /// The number of rows.
    pub rows: usize,
}

impl Table {
    /// The table of an experiment. The figures of an unstable point are kept: its verdict stands
    /// beside them.
    pub fn of(experiment: &Experiment, results: &[ResultPoint]) -> Self {
        let mut table = Self::new(results.len());
        table.text("experiment", results, |_| experiment.id.clone());
        table.text("switch", results, |point| point.spec.switch.clone());
        table.count("ports", results, |point| Some(point.spec.ports as u64));
        table.text("traffic", results, |point| point.spec.traffic.clone());
        table.text("arrivals", results, |point| point.spec.arrivals.clone());
        table.real("load", results, |point| Some(point.spec.load));
        for variable in experiment.vary.keys() {
            table.real(variable, results, |point| point.spec.vary.get(variable).copied());
        }
        table.count("slots", results, |point| Some(point.spec.slots));
        table.count("warmup", results, |point| Some(point.spec.warmup));
        table.count("seed", results, |point| Some(point.spec.seed));
        table.count("replications", results, |point| Some(point.outcome.runs.len() as u64));
        let outcomes: Vec<&Outcome> = results.iter().map(|point| &point.outcome).collect();
        table.figures(&outcomes, &STANDARD);
        table
    }

    /// The table of a comparison: the columns of an experiment's, for one row of each switch.
    pub fn of_comparison(plan: &Plan, comparison: &Comparison) -> Self {
        let outcomes: Vec<&Outcome> = comparison.switches.iter().collect();
        let mut table = Self::new(outcomes.len());
        table.text("switch", &outcomes, |outcome| outcome.spec.clone());
        table.count("ports", &outcomes, |_| Some(plan.ports as u64));
        table.text("traffic", &outcomes, |_| plan.traffic_spec.clone());
        table.text("arrivals", &outcomes, |_| plan.arrivals_spec.clone());
        table.real("load", &outcomes, |_| Some(plan.load));
        table.count("slots", &outcomes, |_| Some(comparison.slots));
        table.count("warmup", &outcomes, |_| Some(comparison.warmup));
        table.count("seed", &outcomes, |_| Some(plan.seed));
        table.count("replications", &outcomes, |outcome| Some(outcome.runs.len() as u64));
        table.figures(&outcomes, &with_standard(&plan.percentiles));
        table.real("versus_first", &outcomes, |outcome| outcome.versus_first.map(|difference| difference.mean));
        table.real("versus_first_ci95", &outcomes, |outcome| outcome.versus_first.and_then(|it| it.half_width));
        table.occupancy(&outcomes);
        table
    }

    /// A table without columns.
    pub(crate) fn new(rows: usize) -> Self {
        Self { columns: Vec::new(), rows }
    }

    fn figures(&mut self, outcomes: &[&Outcome], percentiles: &[Share]) {
        self.text("verdict", outcomes, |outcome| outcome.stability.verdict.to_string());
        self.real("delay", outcomes, |outcome| outcome.delay.map(|delay| delay.mean));
        self.real("delay_ci95", outcomes, |outcome| outcome.delay.and_then(|delay| delay.half_width));
        for share in percentiles {
            let name = format!("delay_{}", share.name());
            self.count(&name, outcomes, |outcome| share.of(&outcome.delays).map(u64::from));
        }
        let most = |outcome: &Outcome| u64::from(outcome.delays.max());
        self.count("delay_max", outcomes, |outcome| (outcome.delays.count() > 0).then(|| most(outcome)));
        self.real("throughput", outcomes, |outcome| Some(outcome.throughput.mean));
        self.real("throughput_ci95", outcomes, |outcome| outcome.throughput.half_width);
        self.real("backlog", outcomes, |outcome| average(outcome.runs.iter().map(Measured::mean_backlog)));
        self.count("arrived", outcomes, |outcome| Some(outcome.cells().arrived));
        self.count("departed", outcomes, |outcome| Some(outcome.cells().departed));
        self.count("dropped", outcomes, |outcome| Some(outcome.cells().dropped));
        self.count("queued", outcomes, |outcome| Some(outcome.cells().queued));
        self.count("out_of_order", outcomes, |outcome| Some(outcome.cells().out_of_order));
        self.real("fairness", outcomes, |outcome| average(outcome.runs.iter().filter_map(|run| run.jain)));
        self.real("loss", outcomes, |outcome| Some(outcome.loss()));
        for share in percentiles {
            let of = |outcome: &&Outcome| outcome.percentile(*share).and_then(|percentile| percentile.interval);
            let ends: Vec<Option<[u32; 2]>> = outcomes.iter().map(of).collect();
            for (end, word) in ["low", "high"].into_iter().enumerate() {
                let name = format!("delay_{}_{word}", share.name());
                self.count(&name, &ends, |ends| ends.map(|ends| u64::from(ends[end])));
            }
        }
        let counters: Vec<_> = outcomes.iter().map(|outcome| outcome.counters()).collect();
        let names: BTreeSet<&str> = counters.iter().flat_map(|counters| counters.keys().copied()).collect();
        for name in names {
            let values = counters.iter().map(|counters| counters.get(name).copied()).collect();
            self.columns.push((format!("counters.{name}"), Values::Real(values)));
        }
    }

    /// Queue lengths, if they were measured: `occupancy_voq`, the mean, `occupancy_voq_p50` and so
    /// on, by VOQ, input, output and in all.
    fn occupancy(&mut self, outcomes: &[&Outcome]) {
        let lengths: Vec<_> = outcomes.iter().map(|outcome| outcome.occupancy()).collect();
        if lengths.iter().all(Option::is_none) {
            return;
        }
        for (queue, of) in QUEUES {
            let name = format!("occupancy_{queue}");
            let mean = |cells: &Histogram| cells.sum() as f64 / cells.count().max(1) as f64;
            self.real(&name, &lengths, |lengths| lengths.as_ref().map(|lengths| mean(of(lengths))));
            for share in STANDARD {
                let value = |lengths: &Option<Lengths>| share.of(of(lengths.as_ref()?)).map(u64::from);
                self.count(&format!("{name}_{}", share.name()), &lengths, value);
            }
            let most = |lengths: &Option<Lengths>| Some(u64::from(of(lengths.as_ref()?).max()));
            self.count(&format!("{name}_max"), &lengths, most);
        }
    }

    pub(crate) fn text<T>(&mut self, name: &str, rows: &[T], value: impl Fn(&T) -> String) {
        self.columns.push((name.to_string(), Values::Text(rows.iter().map(value).collect())));
    }

    pub(crate) fn count<T>(&mut self, name: &str, rows: &[T], value: impl Fn(&T) -> Option<u64>) {
        self.columns.push((name.to_string(), Values::Count(rows.iter().map(value).collect())));
    }

    pub(crate) fn real<T>(&mut self, name: &str, rows: &[T], value: impl Fn(&T) -> Option<f64>) {
        let values = rows.iter().map(|row| value(row).filter(|value| value.is_finite())).collect();
        self.columns.push((name.to_string(), Values::Real(values)));
    }

    /// As CSV: a header, a line per point, an empty cell where there is no value. Numbers read back
    /// as the same numbers.
    pub fn csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut line = |fields: &mut dyn Iterator<Item = String>| {
            writer.write_record(fields.map(String::into_bytes)).expect("lines of the same length into memory");
        };
        line(&mut self.columns.iter().map(|(name, _)| cell(name)));
        for row in 0..self.rows {
            line(&mut self.columns.iter().map(|(_, values)| values.text(row)));
        }
        writer.into_inner().expect("memory can be written")
    }

    /// As CSV, for a terminal.
    pub fn csv_text(&self) -> String {
        String::from_utf8_lossy(&self.csv()).into_owned()
    }

    /// As JSON: an object for each row, null where there is no value.
    pub fn json(&self) -> serde_json::Value {
        let row = |row: usize| {
            let fields = self.columns.iter().map(|(name, values)| {
                let value = match values {
                    Values::Text(values) => values[row].clone().into(),
                    Values::Count(values) => values[row].into(),
                    Values::Real(values) => values[row].into(),
                };
                (name.clone(), value)
            });
            serde_json::Value::Object(fields.collect())
        };
        (0..self.rows).map(row).collect()
    }

    /// As Parquet: the same columns, with types, and null where there is no value.
    #[cfg(feature = "parquet")]
    pub fn parquet(&self) -> Vec<u8> {
        parquet::write(self).expect("columns of the same length into memory")
    }
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Writes the tables to a directory; returns where, and what the CSV holds. One process at a time:
/// hold the store's lock.
pub fn write(dir: &Path, table: &Table) -> Result<(Vec<PathBuf>, Vec<u8>), LabError> {
    let csv = table.csv();
    let written = vec![dir.join(CSV)];
    replace(&written[0], &csv)?;
    #[cfg(feature = "parquet")]
    let written = {
        let mut written = written;
        written.push(dir.join(PARQUET));
        replace(&written[1], &table.parquet())?;
        written
    };
    Ok((written, csv))
}
