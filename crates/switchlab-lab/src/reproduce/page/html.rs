//! Small pieces of HTML.

use super::super::report::Link;
use crate::claims::Ruling;
use crate::plot::escape;
use std::fmt::Write;

/// The anchor of the head.
pub(super) const TOP: &str = "top";

/// The anchor of something, by its name: `002/fig6-conservative/near-serena`. It is an identifier
/// in HTML and the fragment of an address as it is.
pub(super) fn anchor(parts: &[&str]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let parts: Vec<String> = parts.iter().map(|part| part.replace(|c: char| !plain(c), "_")).collect();
    parts.join("/")
}

/// The anchor of a figure. No claim has it: the name of a claim has no slash.
pub(super) fn figure_anchor(paper: &str, experiment: &str, figure: &str) -> String {
    anchor(&[paper, experiment, "figure", figure])
}

/// Class, symbol and word of a ruling; each alone is sufficient.
pub(super) fn appearance(ruling: Ruling) -> (&'static str, &'static str, &'static str) {
    let (class, symbol) = match ruling {
        Ruling::Holds => ("holds", "✓"),
        Ruling::DoesNotHold => ("fails", "✗"),
        Ruling::Undecided => ("open", "?"),
    };
    (class, symbol, ruling.in_words())
}

pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

pub(super) fn fact(out: &mut String, name: &str, html: &str) {
    let _ = writeln!(out, "<dt>{name}</dt><dd>{html}</dd>");
}

pub(super) fn links(out: &mut String, before: &str, files: &[Link]) {
    if !files.is_empty() {
        let _ = writeln!(out, "<p class=\"files\">{before}{}</p>", linked(files));
    }
}

/// Files, each with its link.
pub(super) fn linked(files: &[Link]) -> String {
    let link = |link: &Link| format!("<a href=\"{}\">{}</a>", encoded(&link.path), escape(&link.name));
    files.iter().map(link).collect::<Vec<_>>().join(" · ")
}

/// A relative path as an address.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
