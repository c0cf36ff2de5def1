//! Pictures as numbers: a row for each point, or more where a picture leaves out what cannot be
//! seen. Unstable switches are there, with their verdict.

use super::measured::{Kind, Measurement, course, lines, matrix, matrix_plan, measurements, shares, voqs};
use crate::compare::Comparison;
use crate::error::LabError;
use crate::experiment::ResultPoint;
use crate::export::Table;
use crate::picture::Format;
use crate::plan::Plan;
use crate::plot::{HeatMap, Point};
use crate::statistics::Estimate;
use std::path::Path;

/// What a file gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A picture.
    Picture,
    /// Its numbers, as CSV.
    Csv,
}

impl Target {
    /// What the name of a file asks for. Asked before the work whose result the file takes.
    pub fn of(path: &Path) -> Result<Self, LabError> {
        let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        if is_csv { Ok(Self::Csv) } else { Format::of(path).map(|_| Self::Picture) }
    }
}

/// The numbers of a picture of a comparison; of its curve, all figures of the switches.
pub fn data_of_comparison(kind: Kind, plan: &Plan, comparison: &Comparison) -> Table {
    let lines = measurements(plan, comparison);
    match kind {
        Kind::Curve => Table::of_comparison(plan, comparison),
        Kind::Ccdf => distributions(&lines),
        Kind::Backlog => courses(&lines),
        Kind::Matrix => of_map("rate", &matrix(plan)),
        Kind::Voq => of_map("cells", &voqs(&lines, plan.ports)),
    }
}

/// The numbers of a picture of points of an experiment.
pub fn data_of_results(kind: Kind, points: &[&ResultPoint]) -> Result<Table, LabError> {
    Ok(match kind {
        Kind::Matrix => of_map("rate", &matrix(&matrix_plan(points)?)),
        Kind::Backlog => courses(&lines(kind, points)?.0),
        Kind::Curve | Kind::Ccdf | Kind::Voq => distributions(&lines(kind, points)?.0),
    })
}

/// The share of cells that wait longer than each delay that occurs.
fn distributions(lines: &[Measurement]) -> Table {
    let mut rows: Vec<(&Measurement, u32, u64, f64, Estimate)> = Vec::new();
    for line in lines {
        let (delays, cells): (Vec<u32>, Vec<u64>) = line.outcome.delays.buckets().unzip();
        let all = shares(&line.outcome.delays, &delays);
        let each: Vec<Vec<f64>> = line.outcome.runs.iter().map(|run| shares(&run.delays, &delays)).collect();
        for (index, delay) in delays.into_iter().enumerate() {
            let values: Vec<f64> = each.iter().map(|shares| shares[index]).collect();
            rows.push((line, delay, cells[index], all[index], Estimate::of(&values)));
        }
    }
    let mut table = Table::new(rows.len());
    table.text("switch", &rows, |row| row.0.name.clone());
    table.text("verdict", &rows, |row| row.0.outcome.stability.verdict.to_string());
    table.count("delay", &rows, |row| Some(u64::from(row.1)));
    table.count("cells", &rows, |row| Some(row.2));
    table.real("share_longer", &rows, |row| Some(row.3));
    table.real("share_longer_low", &rows, |row| row.4.low().map(|low| low.max(0.0)));
    table.real("share_longer_high", &rows, |row| row.4.high().map(|high| high.min(1.0)));
    table
}

/// The backlog over time.
fn courses(lines: &[Measurement]) -> Table {
    let rows = lines.iter().flat_map(|line| course(line.outcome).into_iter().map(move |point| (line, point)));
    let rows: Vec<(&Measurement, Point)> = rows.collect();
    let mut table = Table::new(rows.len());
    table.text("switch", &rows, |row| row.0.name.clone());
    table.text("verdict", &rows, |row| row.0.outcome.stability.verdict.to_string());
    table.real("slot", &rows, |row| Some(row.1.x));
    table.real("backlog", &rows, |row| Some(row.1.y));
    table.real("backlog_low", &rows, |row| row.1.interval.map(|(low, _)| low));
    table.real("backlog_high", &rows, |row| row.1.interval.map(|(_, high)| high));
    table
}

/// The values of a heat map, pair by pair.
fn of_map(name: &str, map: &HeatMap) -> Table {
    let rows = map.values.iter().enumerate();
    let pairs: Vec<(usize, usize, f64)> = rows
        .flat_map(|(input, row)| row.iter().enumerate().map(move |(output, &value)| (input, output, value)))
        .collect();
    let mut table = Table::new(pairs.len());
    table.count("input", &pairs, |pair| Some(pair.0 as u64));
    table.count("output", &pairs, |pair| Some(pair.1 as u64));
    table.real(name, &pairs, |pair| Some(pair.2));
    table
}
