//! Text to paths.

use crate::plot::text_width;
use roxmltree::{Document, Node};
use std::fmt::Write;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The same drawing with each `<text>` as a `<path>` of the letters' outlines.
pub(super) fn text_to_paths(svg: &str) -> Result<String, String> {
    let document = Document::parse(svg).map_err(|error| error.to_string())?;
    let face = |bytes| Face::parse(bytes, 0).map_err(|error| error.to_string());
    let (regular, bold) = (face(notosans::REGULAR_TTF)?, face(notosans::BOLD_TTF)?);
    let mut out = String::with_capacity(4 * svg.len());
    let mut copied = 0;
    for text in document.descendants().filter(|node| node.tag_name().name() == "text") {
        let face = if inherited(text, "font-weight").is_some() { &bold } else { &regular };
        let range = text.range();
        out.push_str(&svg[copied..range.start]);
        out.push_str(&outlined(text, face));
        copied = range.end;
    }
    out.push_str(&svg[copied..]);
    Ok(out)
}

/// An attribute of an element, or of what contains it.
fn inherited<'a>(node: Node<'a, 'a>, name: &str) -> Option<&'a str> {
    node.ancestors().find_map(|node| node.attribute(name))
}

fn number(text: Option<&str>, otherwise: f64) -> f64 {
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// One `<text>` with its `<tspan>`s.
fn outlined(text: Node, face: &Face) -> String {
    let mut pen = Pen { path: String::new(), at: (0.0, 0.0), scale: (1.0, 1.0) };
    let origin = (number(text.attribute("x"), 0.0), number(text.attribute("y"), 0.0));
    let pieces: Vec<(String, f64, f64)> = text
        .descendants()
        .filter(Node::is_text)
        .map(|piece| {
            let span = piece.parent().filter(|parent| *parent != text);
            let size = number(inherited(piece, "font-size"), 16.0);
            (piece.text().unwrap_or("").to_string(), size, number(span.and_then(|span| span.attribute("dy")), 0.0))
        })
        .collect();
    // Our layout counts with the widths of Helvetica. Noto Sans runs a little wider: it is
    // condensed to the same width, which keeps the layout; a difference of four per cent is not
    // visible.
    let wanted =
        |(letters, size, _): &(String, f64, f64)| advance(face, letters, *size).min(text_width(letters, *size));
    let total: f64 = pieces.iter().map(wanted).sum();
    let start = match inherited(text, "text-anchor") {
        Some("middle") => origin.0 - total / 2.0,
        Some("end") => origin.0 - total,
        _ => origin.0,
    };
    pen.at = (start, origin.1);
    for piece in &pieces {
        let (letters, size, dy) = piece;
        let natural = advance(face, letters, *size);
        let unit = size / f64::from(face.units_per_em());
        pen.scale = (unit * if natural > 0.0 { wanted(piece) / natural } else { 1.0 }, unit);
        pen.at.1 += dy;
        for letter in letters.chars() {
            let glyph = glyph(face, letter);
            face.outline_glyph(glyph, &mut pen);
            pen.at.0 += f64::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * pen.scale.0;
        }
    }
    let mut path = format!("<path d=\"{}\"", pen.path);
    // The letters have the width of the layout, as a held length would give them.
    let moved = ["x", "y", "font-size", "font-weight", "text-anchor", "font-family", "textLength", "lengthAdjust"];
    for attribute in text.attributes().filter(|attribute| !moved.contains(&attribute.name())) {
        let _ = write!(path, " {}=\"{}\"", attribute.name(), crate::plot::escape(attribute.value()));
    }
    path + "/>"
}

/// A letter the font does not have is drawn as its box for such letters.
fn glyph(face: &Face, letter: char) -> GlyphId {
    face.glyph_index(letter).unwrap_or(GlyphId(0))
}

fn advance(face: &Face, letters: &str, size: f64) -> f64 {
    let units: u32 = letters.chars().map(|c| u32::from(face.glyph_hor_advance(glyph(face, c)).unwrap_or(0))).sum();
    f64::from(units) * size / f64::from(face.units_per_em())
}

/// Path data in the making. Fonts count upwards, drawings downwards.
struct Pen {
    path: String,
    at: (f64, f64),
    scale: (f64, f64),
}

impl Pen {
    fn write(&mut self, command: char, points: &[(f32, f32)]) {
        self.path.push(command);
        for (i, &(x, y)) in points.iter().enumerate() {
            let (x, y) = (self.at.0 + f64::from(x) * self.scale.0, self.at.1 - f64::from(y) * self.scale.1);
            let _ = write!(self.path, "{}{x:.3},{y:.3}", if i > 0 { " " } else { "" });
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.write('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.write('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.write('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.write('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}
