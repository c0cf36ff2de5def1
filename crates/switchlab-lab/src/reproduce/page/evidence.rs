//! The evidence of a claim: a line for each check, less what all lines say.

use crate::plot::escape;
use std::fmt::Write;

/// A list of the lines. What all of them have in common, such as the number of ports or the ruling,
/// stands once before them: a claim may have a hundred checks.
pub(super) fn list(out: &mut String, lines: &[String]) {
    let (common, lines) = factored(lines);
    if !common.is_empty() {
        let _ = writeln!(out, "<p class=\"soft\">{}</p>", escape(&common));
    }
    *out += "<ul>\n";
    for line in lines {
        let _ = writeln!(out, "<li>{}</li>", escape(&line));
    }
    *out += "</ul>\n";
}

/// A line is "where: what: ruling", and where is a list of words, of which a spec is one.
struct Line<'a> {
    place: Vec<&'a str>,
    measured: &'a str,
    ruling: Option<&'a str>,
}

impl<'a> Line<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (place, rest) = text.split_once(": ")?;
        let (measured, ruling) = match rest.rsplit_once(": ") {
            Some((measured, ruling)) => (measured, Some(ruling)),
            None => (rest, None),
        };
        Some(Self { place: place.split(", ").collect(), measured, ruling })
    }
}

/// What all lines have in common, and the lines without it. Lines of different forms stay whole.
fn factored(lines: &[String]) -> (String, Vec<String>) {
    let whole = || (String::new(), lines.to_vec());
    let Some(parsed) = lines.iter().map(|line| Line::of(line)).collect::<Option<Vec<Line>>>() else { return whole() };
    let Some((first, others)) = parsed.split_first().filter(|(_, others)| !others.is_empty()) else { return whole() };
    if others.iter().any(|line| line.place.len() != first.place.len()) {
        return whole();
    }
    let shared: Vec<bool> =
        (0..first.place.len()).map(|at| others.iter().all(|line| line.place[at] == first.place[at])).collect();
    let ruling = first.ruling.filter(|_| others.iter().all(|line| line.ruling == first.ruling));
    let mut common: Vec<String> =
        first.place.iter().zip(&shared).filter(|(_, shared)| **shared).map(|(word, _)| (*word).to_string()).collect();
    common.extend(ruling.map(|ruling| format!("each: {ruling}")));
    let rest = |line: &Line| {
        let place: Vec<&str> =
            line.place.iter().zip(&shared).filter(|(_, shared)| !**shared).map(|(word, _)| *word).collect();
        let parts = [place.join(", "), line.measured.to_string()];
        let ruling = line.ruling.filter(|_| ruling.is_none()).map(str::to_string);
        let parts: Vec<String> = parts.into_iter().chain(ruling).filter(|part| !part.is_empty()).collect();
        parts.join(": ")
    };
    (common.join(", "), parsed.iter().map(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::factored;

    fn of(lines: &[&str]) -> (String, Vec<String>) {
        factored(&lines.iter().map(|line| (*line).to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn what_all_lines_say_is_said_once() {
        let (common, lines) = of(&["oq, 8 ports, load 0.5: 1.2 [1, 2]: holds", "oq, 8 ports, load 0.9: 4: holds"]);
        assert_eq!(common, "oq, 8 ports, each: holds");
        assert_eq!(lines, ["load 0.5: 1.2 [1, 2]", "load 0.9: 4"]);
        let (common, lines) = of(&["a(k=1,l=2), x: 1: holds", "b, x: 2: undecided"]);
        assert_eq!((common.as_str(), lines[1].as_str()), ("x", "b: 2: undecided"));
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for lines in [&["oq, 8 ports: 1: holds"][..], &["oq: 1: holds", "oq, 2 ports: 1: holds"], &["words", "words"]] {
            assert_eq!(of(lines), (String::new(), lines.iter().map(|line| (*line).to_string()).collect()));
        }
        assert_eq!(of(&[]).1.len(), 0);
    }
}
