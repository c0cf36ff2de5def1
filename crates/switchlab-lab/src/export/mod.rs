//! Results as tidy tables: one row per point, all parameters as columns; CSV for any spreadsheet,
//! Parquet for data frames.
//!
//! The bytes depend on the experiment and its results, and on nothing else.

#[cfg(feature = "parquet")]
mod parquet;

use crate::error::LabError;
use crate::experiment::{Experiment, ResultPoint};
use crate::files::{cell, replace};
use crate::run::Measured;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The table as CSV.
pub const CSV: &str = "results.csv";
/// The table as Parquet.
pub const PARQUET: &str = "results.parquet";

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
        let mut table = Self { columns: Vec::new(), rows: results.len() };
        table.parameters(experiment, results);
        table.figures(results);
        table
    }

    fn parameters(&mut self, experiment: &Experiment, results: &[ResultPoint]) {
        self.text("experiment", results, |_| experiment.id.clone());
        self.text("switch", results, |point| point.spec.switch.clone());
        self.count("ports", results, |point| Some(point.spec.ports as u64));
        self.text("traffic", results, |point| point.spec.traffic.clone());
        self.text("arrivals", results, |point| point.spec.arrivals.clone());
        self.real("load", results, |point| Some(point.spec.load));
        for variable in experiment.vary.keys() {
            self.real(variable, results, |point| point.spec.vary.get(variable).copied());
        }
        self.count("slots", results, |point| Some(point.spec.slots));
        self.count("warmup", results, |point| Some(point.spec.warmup));
        self.count("seed", results, |point| Some(point.spec.seed));
        self.count("replications", results, |point| Some(point.outcome.runs.len() as u64));
    }

    fn figures(&mut self, results: &[ResultPoint]) {
        self.text("verdict", results, |point| point.outcome.stability.verdict.to_string());
        self.real("delay", results, |point| point.outcome.delay.map(|delay| delay.mean));
        self.real("delay_ci95", results, |point| point.outcome.delay.and_then(|delay| delay.half_width));
        for (name, per_mille) in [("delay_p50", 500), ("delay_p90", 900), ("delay_p99", 990), ("delay_p999", 999)] {
            self.count(name, results, |point| point.outcome.delays.quantile(per_mille).map(u64::from));
        }
        let most = |point: &ResultPoint| u64::from(point.outcome.delays.max());
        self.count("delay_max", results, |point| (point.outcome.delays.count() > 0).then(|| most(point)));
        self.real("throughput", results, |point| Some(point.outcome.throughput.mean));
        self.real("throughput_ci95", results, |point| point.outcome.throughput.half_width);
        self.real("backlog", results, |point| average(point.outcome.runs.iter().map(Measured::mean_backlog)));
        self.count("arrived", results, |point| Some(point.outcome.cells().arrived));
        self.count("departed", results, |point| Some(point.outcome.cells().departed));
        self.count("dropped", results, |point| Some(point.outcome.cells().dropped));
        self.count("queued", results, |point| Some(point.outcome.cells().queued));
        self.count("out_of_order", results, |point| Some(point.outcome.cells().out_of_order));
        self.real("fairness", results, |point| average(point.outcome.runs.iter().filter_map(|run| run.jain)));
        let counters: Vec<_> = results.iter().map(|point| point.outcome.counters()).collect();
        let names: BTreeSet<&str> = counters.iter().flat_map(|counters| counters.keys().copied()).collect();
        for name in names {
            let values = counters.iter().map(|counters| counters.get(name).copied()).collect();
            self.columns.push((format!("counters.{name}"), Values::Real(values)));
        }
    }

    fn text(&mut self, name: &str, results: &[ResultPoint], value: impl Fn(&ResultPoint) -> String) {
        self.columns.push((name.to_string(), Values::Text(results.iter().map(value).collect())));
    }

    fn count(&mut self, name: &str, results: &[ResultPoint], value: impl Fn(&ResultPoint) -> Option<u64>) {
        self.columns.push((name.to_string(), Values::Count(results.iter().map(value).collect())));
    }

    fn real(&mut self, name: &str, results: &[ResultPoint], value: impl Fn(&ResultPoint) -> Option<f64>) {
        let values = results.iter().map(|point| value(point).filter(|value| value.is_finite())).collect();
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
