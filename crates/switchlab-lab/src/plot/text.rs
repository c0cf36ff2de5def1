//! Text in SVG: how wide it is, where it breaks, how it is written safely.

use std::fmt::Write;

/// Widths of the printable ASCII characters in Helvetica, in thousandths of the size. Arial,
/// Liberation Sans and Nimbus Sans have the same by design, and they lead the font stack.
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // space to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
];
/// The generic fallback may be a wider face.
const SLACK: f64 = 1.04;

/// The generic family comes last: no font has to be installed.
pub(crate) const FONTS: &str =
    "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', 'Noto Sans', sans-serif";

/// How much wider than Helvetica a fallback may be; the wide faces of common systems stay below.
const WIDEST: f64 = 1.3;

/// The width of a text, near enough to lay out by.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    in_helvetica(text, size) * SLACK
}

/// The width to hold a text to, if a wide fallback could make it longer than `room`. So it is cut
/// nowhere, whatever fonts there are; in Helvetica and its likes it has this width anyway.
pub(super) fn held_to(text: &str, size: f64, bold: bool, room: f64) -> Option<f64> {
    let natural = if bold { width(text, size) } else { in_helvetica(text, size) };
    (natural > 0.0 && natural * WIDEST > room).then(|| natural.min(room.max(1.0)))
}

fn in_helvetica(text: &str, size: f64) -> f64 {
    let thousandths = |c: char| match c as u32 {
        code @ 0x20..=0x7e => WIDTHS[(code - 0x20) as usize],
        0x2009 | 0x202f => 200,
        // Ideographs and their punctuation, Hangul, full-width forms, emoji.
        0x1100..=0x115f | 0x2e80..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xff60 | 0x1f000..=0x3_ffff => 1000,
        _ => 600,
    };
    text.chars().map(|c| f64::from(thousandths(c))).sum::<f64>() / 1000.0 * size
}

/// Breaks a text into at most `most` lines no wider than `room`; what does not fit ends in an
/// ellipsis.
pub(super) fn wrap(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in pieces(text) {
        let line = lines.last().map_or("", String::as_str);
        if !line.is_empty() && width(&format!("{line}{}", piece.trim_end()), size) > room {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(piece);
        }
    }
    if lines.len() > most {
        let rest = lines.split_off(most.max(1)).concat();
        if let Some(line) = lines.last_mut() {
            line.push_str(&rest);
        }
    }
    lines.iter().map(|line| shorten(line.trim(), size, room)).filter(|line| !line.is_empty()).collect()
}

/// The same in lines of about equal length, so that no word is left alone.
pub(super) fn balanced(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let lines = wrap(text, size, room, most);
    let (mut low, mut high) = (0.0, room);
    for _ in 0..10 {
        let middle = f64::midpoint(low, high);
        let same = wrap(text, size, middle, usize::MAX);
        let fits = same.len() == lines.len() && same.iter().all(|line| !line.ends_with('…'));
        if fits { high = middle } else { low = middle }
    }
    if high < room { wrap(text, size, high, most) } else { lines }
}

/// Cuts a text after blanks and commas and before opening brackets: where a spec such as
/// `islip(iterations=4)` reads well.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let cut = rest.char_indices().skip(1).find(|&(i, c)| c == '(' || rest[..i].ends_with([' ', ',', '\n', '\t']));
        let (piece, after) = rest.split_at(cut.map_or(rest.len(), |(i, _)| i));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn shorten(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.into();
    }
    let mut room = room - width("…", size);
    let kept = text.chars().take_while(|c| {
        room -= width(c.encode_utf8(&mut [0; 4]), size);
        room >= 0.0
    });
    kept.chain(['…']).collect()
}

/// A text as XML character data or attribute value: markup escaped, what XML does not allow
/// replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' | '\r' => out.push(' '),
            '\u{0}'..'\u{20}' | '\u{7f}'..'\u{a0}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// A coordinate: at most two decimals, which is finer than any screen, and no others, so that bytes
/// are the same everywhere.
pub(super) fn px(value: f64) -> String {
    trimmed(&format!("{value:.2}"))
}

/// A coordinate of a point that is drawn, to a tenth of a pixel: no eye sees more, and a page has
/// hundreds of thousands of them.
pub(super) fn tenth(value: f64) -> String {
    trimmed(&format!("{value:.1}"))
}

fn trimmed(text: &str) -> String {
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Path data through points.
pub(super) fn path(points: &[(f64, f64)]) -> String {
    let mut out = String::with_capacity(points.len() * 14);
    for (i, &(x, y)) in points.iter().enumerate() {
        let _ = write!(out, "{}{},{}", if i == 0 { 'M' } else { 'L' }, tenth(x), tenth(y));
    }
    out
}
