//! Rankings as CSV. Read line by line, since lines may be of different lengths and errors must name
//! them.

use super::{Lists, from_lists, from_matrix};
use switchlab_core::nearest;
use switchlab_core::stable::{Preferences, Side};

const HEADS: [&str; 4] = ["rows: ranks", "rows: order", "columns: ranks", "columns: order"];

/// A line that is neither blank nor a comment, with its number from 1.
type Line<'a> = (usize, &'a str);

pub(super) fn parse(text: &str) -> Result<Preferences, String> {
    let lines = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
    let lines: Vec<Line<'_>> = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect();
    match lines.first() {
        None => Err("the file holds no rankings; see `switchlab match --help` for what it looks like".to_string()),
        Some((_, first)) if is_head(first) => sections(&lines),
        Some(_) => from_matrix(&lines.iter().map(|line| matrix_line(*line)).collect::<Result<Vec<_>, _>>()?),
    }
}

/// A head, or an attempt at one: no field of rankings begins with a letter.
fn is_head(line: &str) -> bool {
    line.starts_with(|first: char| first.is_alphabetic())
}

fn sections(lines: &[Line<'_>]) -> Result<Preferences, String> {
    let (mut rows, mut columns) = (None, None);
    for section in lines.chunk_by(|_, (_, line)| !is_head(line)) {
        let ((number, head), body) = (section[0], &section[1..]);
        let (side, ordered) = read_head(number, head)?;
        let lists =
            if ordered { Lists::Order(read(body, order_field)?) } else { Lists::Ranks(read(body, rank_field)?) };
        let place = if side == Side::Row { &mut rows } else { &mut columns };
        if place.replace(lists).is_some() {
            return Err(format!("line {number}: the {side}s come a second time"));
        }
    }
    match (rows, columns) {
        (Some(rows), Some(columns)) => from_lists(&rows, &columns),
        (None, _) => Err("the rows are missing; add `rows: ranks` or `rows: order` and a line for each".to_string()),
        (_, None) => {
            Err("the columns are missing; add `columns: ranks` or `columns: order` and a line for each".to_string())
        }
    }
}

/// The side whose rankings follow, and whether they are orders.
fn read_head(number: usize, head: &str) -> Result<(Side, bool), String> {
    let plain: String = head.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ").replace(" :", ":");
    let place = HEADS.iter().position(|known| *known == plain || known.replace(' ', "") == plain).ok_or_else(|| {
        let guess = nearest(&plain, &HEADS).map(|guess| format!("did you mean `{guess}`? ")).unwrap_or_default();
        format!("line {number}: {head:?} is not a head; {guess}Heads are: {}", HEADS.join(", "))
    })?;
    Ok((if place < 2 { Side::Row } else { Side::Column }, place % 2 == 1))
}

/// The lines of a section, each field read.
fn read<T>(body: &[Line<'_>], field: fn(&str) -> Result<Option<T>, String>) -> Result<Vec<(String, Vec<T>)>, String> {
    let line = |&(number, line): &Line<'_>| {
        // In an order, a dash alone is an empty ranking. Among ranks it is a single absent rank.
        let fields = line.split(',').enumerate().map(|(place, text)| {
            field(text.trim()).map_err(|problem| format!("line {number}, field {}: {problem}", place + 1))
        });
        Ok((format!("line {number}"), fields.filter_map(Result::transpose).collect::<Result<_, String>>()?))
    };
    body.iter().map(line).collect()
}

fn is_absent(text: &str) -> bool {
    matches!(text, "" | "-" | "0")
}

fn rank(text: &str) -> Result<u16, String> {
    let rank = text.parse().ok().filter(|rank| *rank > 0);
    rank.ok_or_else(|| format!("{text:?} is not a rank; write a whole number from 1 to {}, or - for absent", u16::MAX))
}

#[allow(clippy::unnecessary_wraps, reason = "the other kind of field may say nothing")]
fn rank_field(text: &str) -> Result<Option<u16>, String> {
    if is_absent(text) { Ok(Some(0)) } else { rank(text).map(Some) }
}

fn order_field(text: &str) -> Result<Option<Vec<usize>>, String> {
    if matches!(text, "" | "-") {
        return Ok(None);
    }
    let number = |part: &str| {
        part.trim()
            .parse()
            .map_err(|_| format!("{part:?} is not a number of a partner; write 0, 1, ... or 1=2 for a tie"))
    };
    text.split('=').map(number).collect::<Result<Vec<usize>, String>>().map(Some)
}

fn matrix_line((number, line): Line<'_>) -> Result<(String, Vec<(u16, u16)>), String> {
    let pair = |(place, text): (usize, &str)| {
        let text = text.trim();
        if is_absent(text) {
            return Ok((0, 0));
        }
        let read = match text.split_once('/') {
            Some((h, v)) => rank_field(h.trim()).and_then(|h| Ok((h.unwrap_or(0), rank_field(v.trim())?.unwrap_or(0)))),
            None => Err(format!("{text:?} is not a pair of ranks; write the row's rank, / and the column's, as 3/1")),
        };
        read.map_err(|problem| format!("line {number}, field {}: {problem}", place + 1))
    };
    let pairs = line.split(',').enumerate().map(pair).collect::<Result<_, String>>()?;
    Ok((format!("line {number}"), pairs))
}
