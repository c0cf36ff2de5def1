//! Colour, marker and dash of a series: each alone distinguishes it from the others.

use super::text::px;
use super::{Chart, Style};

/// How a series is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink {
    pub(super) line: &'static str,
    /// The line's colour, dark enough to read as text.
    pub(super) text: &'static str,
    /// A `stroke-dasharray`; empty for a solid line.
    pub(super) dash: &'static str,
    pub(super) marker: Option<Marker>,
}

/// The shapes of markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Down,
    OpenCircle,
    OpenSquare,
    OpenTriangle,
    OpenDiamond,
    Cross,
}

/// Okabe and Ito's palette less its yellow, which is invisible on white, then four dark ones that
/// are no closer to the rest, for any eyes, than those are to each other. Each line colour is
/// paired with a text colour of the same hue and a contrast of at least 4.5 to the background.
pub(super) const COLOURS: [(&str, &str); 10] = [
    ("#0072b2", "#00619a"),
    ("#d55e00", "#b34e00"),
    ("#009e73", "#00775a"),
    ("#cc79a7", "#a8487c"),
    ("#e69f00", "#8a5f00"),
    ("#56b4e9", "#1c7099"),
    ("#4b0082", "#4b0082"),
    ("#5c4a00", "#5c4a00"),
    ("#882255", "#882255"),
    ("#000000", "#000000"),
];
/// The background of the chart, stated so that a dark page does not shine through.
pub(super) const PAPER: &str = "#ffffff";
const GREY: &str = "#6b6b6b";

const MARKERS: [Marker; 10] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::OpenCircle,
    Marker::Down,
    Marker::OpenSquare,
    Marker::Cross,
    Marker::OpenTriangle,
    Marker::OpenDiamond,
];
const DASHES: [&str; 7] = ["", "9 3", "5 2.5", "9 3 2 3", "3 2", "12 3 2 3 2 3", "14 4"];
const REFERENCE_DASHES: [&str; 3] = ["2 3", "7 4", "7 3 1.5 3"];

/// One ink for each series of a chart. References take grey and leave the colours to the
/// measurements.
pub(super) fn inks(chart: &Chart) -> Vec<Ink> {
    let (mut measured, mut references) = (0, 0);
    let ink = |style| {
        if style == Style::Reference {
            references += 1;
            let dash = REFERENCE_DASHES[(references - 1) % REFERENCE_DASHES.len()];
            Ink { line: GREY, text: "#555555", dash, marker: None }
        } else {
            let i = measured;
            measured += 1;
            let (line, text) = COLOURS[i % COLOURS.len()];
            // From the second round on, a colour meets another marker than before; dashes have a
            // period of their own.
            let marker = MARKERS[(i + i / COLOURS.len()) % MARKERS.len()];
            Ink { line, text, dash: DASHES[i % DASHES.len()], marker: Some(marker) }
        }
    };
    chart.series.iter().map(|series| series.style).map(ink).collect()
}

impl Marker {
    /// An SVG element at a point. `size` is the radius of the circle; the others are drawn to look
    /// as large.
    pub(super) fn svg(self, (x, y): (f64, f64), size: f64, colour: &str) -> String {
        let shape = |corners: &[(f64, f64)]| {
            let corners: Vec<_> = corners.iter().map(|(dx, dy)| (x + dx * size, y + dy * size)).collect();
            super::text::path(&corners)
        };
        let square = [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)];
        let triangle = [(0.0, -1.25), (1.15, 0.8), (-1.15, 0.8)];
        let diamond = [(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)];
        // A thin rim of paper keeps filled markers apart where they overlap; open ones are filled
        // with paper.
        let filled = format!("fill=\"{colour}\" stroke=\"{PAPER}\" stroke-width=\"0.8\"");
        let open = format!("fill=\"{PAPER}\" stroke=\"{colour}\" stroke-width=\"1.5\"");
        let circle =
            |paint: &str, r: f64| format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {paint}/>", px(x), px(y), px(r));
        let polygon = |corners: &[(f64, f64)], paint: &str| format!("<path d=\"{}Z\" {paint}/>", shape(corners));
        match self {
            Self::Circle => circle(&filled, size),
            Self::OpenCircle => circle(&open, size * 0.9),
            Self::Square => polygon(&square, &filled),
            Self::OpenSquare => polygon(&square.map(|(a, b)| (a * 0.9, b * 0.9)), &open),
            Self::Triangle => polygon(&triangle, &filled),
            Self::OpenTriangle => polygon(&triangle.map(|(a, b)| (a * 0.9, b * 0.9)), &open),
            Self::Down => polygon(&triangle.map(|(a, b)| (a, -b)), &filled),
            Self::Diamond => polygon(&diamond, &filled),
            Self::OpenDiamond => polygon(&diamond.map(|(a, b)| (a * 0.9, b * 0.9)), &open),
            Self::Cross => {
                let (one, other) = (shape(&[(-0.9, -0.9), (0.9, 0.9)]), shape(&[(-0.9, 0.9), (0.9, -0.9)]));
                format!("<path d=\"{one}{other}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>")
            }
        }
    }
}
