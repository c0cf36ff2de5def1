//! Rankings from a file: two lists of rankings or a ranking matrix, as CSV or JSON. `switchlab
//! match --help` has the formats.

mod json;
mod lines;

use crate::error::LabError;
use std::path::Path;
use switchlab_core::MAX_PORTS;
use switchlab_core::stable::{Preferences, Side};

/// Reads a file. What begins with a brace is JSON, everything else CSV, whatever its name.
pub fn read(path: &Path) -> Result<Preferences, LabError> {
    let bytes = std::fs::read(path).map_err(|source| LabError::Read { path: path.to_owned(), source })?;
    let bad = |problem: String| LabError::Request(format!("{}: {problem}", path.display()));
    let text = String::from_utf8(bytes).map_err(|_| bad("it is not text; write CSV or JSON in UTF-8".to_string()))?;
    parse(&text).map_err(bad)
}

/// Reads text; an error says in which line, or where in the JSON.
pub fn parse(text: &str) -> Result<Preferences, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') { json::parse(text) } else { lines::parse(text) }
}

/// The rankings of one side, each with its position in the file, for errors.
#[derive(Debug)]
enum Lists {
    /// The rank of each partner, 0 for absent.
    Ranks(Vec<(String, Vec<u16>)>),
    /// Partners, the best group first.
    Order(Vec<(String, Vec<Vec<usize>>)>),
}

impl Lists {
    fn count(&self) -> usize {
        match self {
            Self::Ranks(lines) => lines.len(),
            Self::Order(lines) => lines.len(),
        }
    }

    /// The ranks of each line, one for each of the `partners`.
    fn ranks(&self, side: Side, partners: usize) -> Result<Vec<Vec<u16>>, String> {
        let other = side.other();
        match self {
            Self::Ranks(lines) => {
                let wrong = lines.iter().find(|(_, ranks)| ranks.len() != partners);
                if let Some((place, ranks)) = wrong {
                    let count = ranks.len();
                    return Err(format!(
                        "{place}: {count} ranks, but there are {partners} {other}s; give each a rank, or - for an absent one"
                    ));
                }
                Ok(lines.iter().map(|(_, ranks)| ranks.clone()).collect())
            }
            Self::Order(lines) => lines.iter().map(|(place, groups)| ordered(place, groups, other, partners)).collect(),
        }
    }
}

fn ordered(place: &str, groups: &[Vec<usize>], other: Side, partners: usize) -> Result<Vec<u16>, String> {
    let mut ranks = vec![0; partners];
    let mut better = 0;
    for group in groups {
        for &partner in group {
            let Some(rank) = ranks.get_mut(partner) else {
                return Err(format!("{place}: there is no {other} {partner}; there are {partners}, numbered from 0"));
            };
            if *rank > 0 {
                return Err(format!("{place}: {other} {partner} is named twice"));
            }
            *rank = better + 1;
        }
        better += group.len() as u16;
    }
    Ok(ranks)
}

/// From two lists.
fn from_lists(rows: &Lists, columns: &Lists) -> Result<Preferences, String> {
    let (height, width) = (rows.count(), columns.count());
    for (side, count) in [(Side::Row, height), (Side::Column, width)] {
        check_size(side, count)?;
    }
    let row_ranks: Vec<u16> = rows.ranks(Side::Row, width)?.concat();
    let by_column = columns.ranks(Side::Column, height)?;
    let column_ranks: Vec<u16> = (0..height * width).map(|place| by_column[place % width][place / width]).collect();
    Preferences::from_ranks(height, width, &row_ranks, &column_ranks).map_err(|error| error.to_string())
}

/// From the lines of a matrix, each with its position.
fn from_matrix(lines: &[(String, Vec<(u16, u16)>)]) -> Result<Preferences, String> {
    let width = lines.first().map_or(0, |(_, line)| line.len());
    check_size(Side::Row, lines.len())?;
    check_size(Side::Column, width)?;
    if let Some((place, line)) = lines.iter().find(|(_, line)| line.len() != width) {
        return Err(format!(
            "{place}: {} pairs, but the first line has {width}; write - for an absent pair",
            line.len()
        ));
    }
    let pairs = || lines.iter().flat_map(|(_, line)| line);
    let (row_ranks, column_ranks): (Vec<u16>, Vec<u16>) = pairs().copied().unzip();
    Preferences::from_ranks(lines.len(), width, &row_ranks, &column_ranks).map_err(|error| error.to_string())
}

fn check_size(side: Side, count: usize) -> Result<(), String> {
    match count {
        0 => Err(format!("there is no {side}; see `switchlab match --help` for what a file looks like")),
        1..=MAX_PORTS => Ok(()),
        _ => Err(format!("{count} {side}s are too many; there may be {MAX_PORTS}")),
    }
}

#[cfg(test)]
mod tests;
