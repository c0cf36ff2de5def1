//! Values of options that make the axes of a grid: numbers, lists and ranges.

use super::values::{load, ports};
use std::fmt::Display;
use switchlab_lab::ranges::{self, Step};

/// Values of an axis, each different. Not a bare vector: clap would take that for an option that is
/// given several times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T: PartialEq + Display> List<T> {
    fn distinct(values: Vec<T>) -> Result<Self, String> {
        match (1..values.len()).find(|&index| values[..index].contains(&values[index])) {
            Some(index) => Err(format!("{} is listed twice", values[index])),
            None => Ok(Self(values)),
        }
    }
}

/// Loads: numbers, such as 0.9 or 90%, and ranges first:last:step.
pub(super) fn loads(text: &str) -> Result<List<f64>, String> {
    if let Some(digits) = text.strip_prefix("0,").filter(|digits| digits.parse::<u32>().is_ok_and(|value| value > 1)) {
        return Err(format!("a decimal number has a point; write 0.{digits}"));
    }
    let ranges = ["..", "-"].iter().find_map(|between| text.split_once(between));
    if let Some((first, last)) = ranges.filter(|(first, last)| load(first).is_ok() && load(last).is_ok()) {
        return Err(format!("a range is first:last:step; write {first}:{last}:0.1"));
    }
    numbers(text, "0.1:0.9:0.1", load)
}

/// Numbers and ranges first:last:step.
fn numbers(text: &str, example: &str, number: impl Fn(&str) -> Result<f64, String>) -> Result<List<f64>, String> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        numbers.extend(range(part, example)?.map_or_else(|| number(part.trim()).map(|value| vec![value]), Ok)?);
    }
    List::distinct(numbers)
}

/// A variable and its values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variable(pub(crate) String, pub(crate) Vec<f64>);

/// NAME=LIST, a name of letters, digits, - and _, with numbers and ranges.
pub(super) fn variable(text: &str) -> Result<Variable, String> {
    let odd = |c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty() && !name.contains(odd));
    let (name, values) = parts.ok_or("write NAME=LIST, such as w=0:1:0.1 or k=1,2,4")?;
    let number = |text: &str| {
        let value = text.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| format!("{text:?} is not a number; write a list or a range, such as {name}=0:1:0.1"))
    };
    Ok(Variable(name.to_string(), numbers(values, "0:1:0.1", number)?.0))
}

/// Numbers of ports, and ranges first:last:step or, by a factor, first:last:x2.
pub(super) fn port_counts(text: &str) -> Result<List<usize>, String> {
    let mut counts = Vec::new();
    for part in text.split(',') {
        match range(part, "4:16:4 or 4:64:x2")? {
            None => counts.push(ports(part.trim())?),
            Some(values) => {
                for value in values {
                    counts.push(ports(&value.to_string())?);
                }
            }
        }
    }
    List::distinct(counts)
}

/// The values of first:last:step, or first:last:xFACTOR; None without a colon.
fn range(text: &str, example: &str) -> Result<Option<Vec<f64>>, String> {
    let number = |text: &str| load(text.trim()).ok().filter(|value| value.is_finite());
    let mut parts = text.split(':');
    let (Some(from), Some(to), step, None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return if text.contains(':') {
            Err(format!("a range is first:last:step, such as {example}"))
        } else {
            Ok(None)
        };
    };
    let step = step.and_then(|step| match step.trim().strip_prefix('x') {
        Some(times) => number(times).map(Step::Times),
        None => number(step).map(Step::Add),
    });
    let (Some(from), Some(to), Some(step)) = (number(from), number(to), step) else {
        return Err(format!("a range is first:last:step, such as {example}"));
    };
    ranges::values(from, to, step).map(Some)
}

/// Specs, divided by commas outside parentheses and quotes.
pub(super) fn specs(text: &str) -> Result<List<String>, String> {
    let (mut specs, mut begin, mut depth, mut quoted) = (Vec::new(), 0, 0_i32, false);
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                specs.push(text[begin..at].trim().to_string());
                begin = at + 1;
            }
            _ => {}
        }
    }
    specs.push(text[begin..].trim().to_string());
    // name:key=value,key=value is one spec.
    let is_argument = |part: &str| part.split_once('=').is_some_and(|(key, _)| !key.contains(['(', ':']));
    let mut at = 1;
    while at < specs.len() {
        if specs[at - 1].contains(':') && is_argument(&specs[at]) {
            let more = specs.remove(at);
            specs[at - 1] += &format!(",{more}");
        } else {
            at += 1;
        }
    }
    if specs.len() > 1 && specs.iter().any(String::is_empty) {
        return Err("a name is missing before or after a comma".to_string());
    }
    List::distinct(specs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(loads("0.9"), Ok(List(vec![0.9])));
        assert_eq!(loads("90%"), Ok(List(vec![0.9])));
        assert_eq!(loads("0.5, .9"), Ok(List(vec![0.5, 0.9])));
        assert_eq!(loads("0.1:0.4:0.1,0.45"), Ok(List(vec![0.1, 0.2, 0.3, 0.4, 0.45])));
        assert_eq!(loads("0.1:0.95:0.05").unwrap().0.len(), 18);
        assert_eq!(loads("0.1-0.9"), Err("a range is first:last:step; write 0.1:0.9:0.1".to_string()));
        assert_eq!(loads("0.1..0.9"), Err("a range is first:last:step; write 0.1:0.9:0.1".to_string()));
        assert_eq!(loads("1e-1"), Ok(List(vec![0.1])));
        assert_eq!(loads("0,9"), Err("a decimal number has a point; write 0.9".to_string()));
        for bad in
            ["", "x", "0.5,", "0.1:0.9", "0.9:0.1:0.1", "0.1:0.9:0", "0.1:inf:0.1", "1:2:3:4", "100Gbps", "0.5,0.5"]
        {
            assert!(loads(bad).is_err(), "{bad}");
        }
        assert_eq!(port_counts("16"), Ok(List(vec![16])));
        assert_eq!(port_counts("16,64"), Ok(List(vec![16, 64])));
        assert_eq!(port_counts("4:12:4"), Ok(List(vec![4, 8, 12])));
        assert_eq!(port_counts("4:64:x2"), Ok(List(vec![4, 8, 16, 32, 64])));
        assert!(port_counts("-4").is_err_and(|error| error.contains("from 1 to 4096")));
        assert!(["1.5", "4:6:0.5", "4,4", "4:8", "x2", ""].iter().all(|bad| port_counts(bad).is_err()));
        assert_eq!(variable("w=0:0.2:0.1,1"), Ok(Variable("w".to_string(), vec![0.0, 0.1, 0.2, 1.0])));
        assert_eq!(variable("k=-4"), Ok(Variable("k".to_string(), vec![-4.0])));
        assert!(
            ["", "w", "=1", "w=", "w=x", "w=1,1", "w=0:1", "a b=1", "w=nan"].iter().all(|bad| variable(bad).is_err())
        );
        let list = |text: &str| specs(text).map(|list| list.0.join("|"));
        assert_eq!(list("uniform,diagonal"), Ok("uniform|diagonal".to_string()));
        assert_eq!(list("hotspot(count=4,load=0.5), po2"), Ok("hotspot(count=4,load=0.5)|po2".to_string()));
        assert_eq!(list("matrix(file=\"a,(b.csv\"),chang"), Ok("matrix(file=\"a,(b.csv\")|chang".to_string()));
        assert_eq!(list("trace(file=t.csv)"), Ok("trace(file=t.csv)".to_string()));
        assert_eq!(list("hotspot:count=4,load=0.5,po2"), Ok("hotspot:count=4,load=0.5|po2".to_string()));
        assert!(["uniform,", ",uniform", "uniform,uniform"].iter().all(|bad| specs(bad).is_err()));
    }
}
