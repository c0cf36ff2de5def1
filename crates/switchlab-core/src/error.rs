//! What can be wrong with a request, in words that say what to do next.

use crate::spec::{Kind, Parameter};
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use thiserror::Error;

/// A request that cannot be built. Nothing was simulated; every variant is the user's to mend.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The spec is not `name` or `name(key=value,...)`.
    #[error("cannot read the spec {spec:?}: {problem}; write name or name(key=value,...)")]
    Syntax {
        /// The text.
        spec: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No registry entry has this name.
    #[error("there is no {what} called {name:?}; {}", hint(name).map_or_else(|| advice(*nearest, known), String::from))]
    UnknownName {
        /// What was looked for: "switch", "traffic", "arrival process".
        what: &'static str,
        /// The name given.
        name: String,
        /// The most similar name, if one is similar.
        nearest: Option<&'static str>,
        /// All names there are.
        known: Vec<&'static str>,
    },
    /// The entry has no such parameter.
    #[error("{name} has no parameter {key:?}; {}", advice(*nearest, known))]
    UnknownKey {
        /// The entry.
        name: &'static str,
        /// The key given.
        key: String,
        /// The most similar key, if one is similar.
        nearest: Option<&'static str>,
        /// All keys there are.
        known: Vec<&'static str>,
    },
    /// A value without key, for an entry that does not have exactly one parameter.
    #[error("{name} {}", no_only_key(name, known))]
    NoOnlyKey {
        /// The entry.
        name: &'static str,
        /// All keys there are.
        known: Vec<&'static str>,
    },
    /// A spec was expected, and this is the name of a file.
    #[error("{text:?} is the name of a file, and no {what}{}", file_advice(what, text))]
    FileName {
        /// What was looked for.
        what: &'static str,
        /// The text given.
        text: String,
    },
    /// A list with commas where one spec is expected.
    #[error("{text:?} is a list; write one {what} after the other, with blanks between them")]
    List {
        /// What was looked for.
        what: &'static str,
        /// The text given.
        text: String,
    },
    /// A parameter without default is missing.
    #[error("{name} needs {key}: write {name}({key}=...), {kind}")]
    MissingKey {
        /// The entry.
        name: &'static str,
        /// The missing key.
        key: &'static str,
        /// What values it takes.
        kind: Kind,
    },
    /// The value is not of the parameter's kind.
    #[error("{name}({key}={value}): {key} must be {kind}")]
    BadValue {
        /// The entry.
        name: &'static str,
        /// The key.
        key: &'static str,
        /// The value given.
        value: String,
        /// What values it takes.
        kind: Kind,
    },
    /// The number of ports is out of range.
    #[error("{ports} ports are not possible: a switch has from 1 to {most}")]
    Ports {
        /// The number asked for.
        ports: usize,
        /// The largest number.
        most: usize,
    },
    /// Traffic that is made for a number of ports, and none was given.
    #[error("{name}: the number of ports is missing")]
    MissingPorts {
        /// The traffic.
        name: String,
    },
    /// Traffic that is scaled by a load, and none was given.
    #[error("{name}: the load is missing")]
    MissingLoad {
        /// The traffic.
        name: String,
    },
    /// The load is not in [0, 1].
    #[error("a load of {load} is not possible: it must be a number from 0 to 1")]
    Load {
        /// The load asked for.
        load: f64,
    },
    /// A switch, matrix or process cannot be had in this size or combination.
    #[error("{name}: {problem}")]
    Impossible {
        /// The entry.
        name: String,
        /// Why not, and what to do.
        problem: String,
    },
    /// A matrix that asks more of a port than it can carry.
    #[error(
        "the load matrix is not admissible: {line} {index} sums to {sum}, and a port carries at most 1; scale the matrix down{}",
        overload_advice(line)
    )]
    Inadmissible {
        /// "row" or "column".
        line: &'static str,
        /// Which one.
        index: usize,
        /// Its sum.
        sum: f64,
    },
    /// A file could not be used; the message says which and why.
    #[error("{0}")]
    File(String),
}

impl Error {
    pub(crate) fn unknown_key(name: &'static str, key: &str, parameters: &[Parameter]) -> Self {
        let known: Vec<_> = parameters.iter().map(|p| p.name).collect();
        Self::UnknownKey { name, key: key.to_string(), nearest: nearest(key, &known), known }
    }

    pub(crate) fn no_only_key(name: &'static str, parameters: &[Parameter]) -> Self {
        Self::NoOnlyKey { name, known: parameters.iter().map(|p| p.name).collect() }
    }

    /// The error of a name that is not on a list: it says what is, and what is nearest.
    pub fn unknown_name(what: &'static str, name: &str, known: Vec<&'static str>) -> Self {
        Self::UnknownName { what, name: name.to_string(), nearest: nearest(name, &known), known }
    }
}

/// Names that people of the field look for, and what there is instead.
const HINTS: &[(&str, &str)] = &[
    ("voq", "a crossbar with VOQs is named by its scheduler, such as islip"),
    ("crossbar", "a crossbar is named by its scheduler, such as islip"),
    ("rga", "request, grant and accept are the steps of pim, islip, rrm and ilqf; name one of them"),
    ("wfq", "weighted fair queueing is a discipline: psm-flows(discipline=\"wfq(w=3:1)\")"),
    ("drr", "round robin by frames is uform; round robin by cells is islip"),
    ("wavefront", "there is no wavefront arbiter; islip and pim give maximal matchings with several iterations"),
    ("poisson", "bernoulli is its form in slotted time"),
    ("random", "uniform is the traffic with destinations at random; bernoulli the process with arrivals at random"),
    ("markov", "onoff and bursty are processes with two states"),
];

fn hint(name: &str) -> Option<&'static str> {
    HINTS.iter().find(|(known, _)| *known == name).map(|(_, hint)| *hint)
}

fn no_only_key(name: &str, known: &[&'static str]) -> String {
    match known {
        [] => String::from("takes no parameters"),
        [first, ..] => alloc::format!("has several parameters ({}); write {name}({first}=...)", known.join(", ")),
    }
}

/// A column above 1 can be asked for; a row cannot.
fn overload_advice(line: &str) -> &'static str {
    match line {
        "column" => ", or oversubscribe outputs by name: matrix(file=...,overload=yes), --overload",
        _ => "",
    }
}

fn file_advice(what: &str, text: &str) -> String {
    match what {
        "traffic" => alloc::format!("; write trace(file={text}) for cells, or matrix(file={text}) for rates"),
        _ => String::new(),
    }
}

fn advice(nearest: Option<&str>, known: &[&'static str]) -> String {
    match (nearest, known) {
        (_, []) => "it takes none".to_string(),
        (None, _) => alloc::format!("there are: {}", known.join(", ")),
        (Some(nearest), _) => alloc::format!("did you mean {nearest}? There are: {}", known.join(", ")),
    }
}

/// The candidate with the smallest edit distance, if it is at most a third of its length away (one
/// edit is always forgiven, and two, a swap of letters, from five letters on), or the one that
/// `word` begins.
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(64).flat_map(char::to_lowercase).collect();
    let begun = |candidate: &&&str| word.len() > 1 && candidate.starts_with(&*word.iter().collect::<String>());
    let (distance, best) = candidates.iter().map(|c| (edit_distance(&word, c), *c)).min()?;
    let forgiven = (best.len() / 3).max(if best.len() < 5 { 1 } else { 2 });
    if distance <= forgiven { Some(best) } else { candidates.iter().find(begun).copied() }
}

/// Levenshtein's distance, one row at a time.
fn edit_distance(from: &[char], to: &str) -> usize {
    let mut row: Vec<usize> = (0..=from.len()).collect();
    for (line, b) in to.chars().enumerate() {
        let mut next = vec![line + 1];
        for (column, &a) in from.iter().enumerate() {
            let substituted = row[column] + usize::from(a != b);
            next.push(substituted.min(row[column + 1] + 1).min(next[column] + 1));
        }
        row = next;
    }
    row[from.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name() {
        let names = ["islip", "ilqf", "pim", "unbalanced", "quasi-diagonal"];
        assert_eq!(nearest("isilp", &names), Some("islip"));
        assert_eq!(nearest("islp", &names), Some("islip"));
        assert_eq!(nearest("PIM", &names), Some("pim"));
        assert_eq!(nearest("unbal", &names), Some("unbalanced"));
        assert_eq!(nearest("quasidiagonal", &names), Some("quasi-diagonal"));
        assert_eq!(nearest("xyzzy", &names), None);
        assert_eq!(nearest("", &names), None);
    }
}
