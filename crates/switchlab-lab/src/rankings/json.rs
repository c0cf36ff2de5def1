//! Rankings as JSON.

use super::{Lists, from_lists, from_matrix};
use serde::Deserialize;
use switchlab_core::stable::Preferences;

/// Pairs of ranks; null for an absent pair.
type MatrixLine = Vec<Option<(u16, u16)>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    matrix: Option<Vec<MatrixLine>>,
    rows: Option<Side>,
    columns: Option<Side>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Ranks(Vec<Vec<Option<u16>>>),
    Order(Vec<Vec<Group>>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a number of a partner from 0, or a list of such numbers for a tie")]
enum Group {
    One(usize),
    Tied(Vec<usize>),
}

pub(super) fn parse(text: &str) -> Result<Preferences, String> {
    // The message of serde_json ends with the line and the column.
    let document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match document {
        Document { matrix: Some(matrix), rows: None, columns: None } => {
            let place = |number: usize| format!("matrix[{number}]");
            let line = |line: MatrixLine| line.into_iter().map(Option::unwrap_or_default).collect();
            let lines: Vec<_> = matrix.into_iter().enumerate().map(|(number, it)| (place(number), line(it))).collect();
            from_matrix(&lines)
        }
        Document { matrix: None, rows: Some(rows), columns: Some(columns) } => {
            from_lists(&rows.lists("rows"), &columns.lists("columns"))
        }
        _ => Err("write either \"rows\" and \"columns\", or \"matrix\"".to_string()),
    }
}

impl Side {
    fn lists(self, name: &str) -> Lists {
        match self {
            Self::Ranks(lines) => {
                let line = |line: Vec<Option<u16>>| line.into_iter().map(Option::unwrap_or_default).collect();
                let place = |number| format!("{name}.ranks[{number}]");
                Lists::Ranks(lines.into_iter().enumerate().map(|(number, it)| (place(number), line(it))).collect())
            }
            Self::Order(lines) => {
                let group = |group| match group {
                    Group::One(partner) => vec![partner],
                    Group::Tied(partners) => partners,
                };
                let line = |line: Vec<Group>| line.into_iter().map(group).collect();
                let place = |number| format!("{name}.order[{number}]");
                Lists::Order(lines.into_iter().enumerate().map(|(number, it)| (place(number), line(it))).collect())
            }
        }
    }
}
