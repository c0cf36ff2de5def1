//! Colour, marker and dash of a series.
//!
//! A colour belongs to a switch and is the same in every chart. Further series of the same switch
//! differ in marker and dash. Markers differ without colours.

use super::text::{px, tenth};
use super::{Series, Style};

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

/// The colours of the switches, as indices into [`COLOURS`]. Switches that papers compare with each
/// other differ. oq, which most are compared with, is black.
const OF_SWITCHES: [(&str, usize); 22] = [
    ("oq", 9),
    ("fifo", 4),
    ("islip", 0),
    ("pim", 1),
    ("mwm", 2),
    ("msm", 7),
    ("uform", 8),
    ("ufpim", 6),
    ("ilqf", 5),
    ("gs-lqf", 3),
    ("gs-ocf", 7),
    ("serena", 3),
    ("c-serenade", 8),
    ("o-serenade", 6),
    ("so-serenade", 5),
    ("e-serenade", 7),
    ("sc-serenade", 4),
    ("cioq", 6),
    ("psm", 5),
    ("psm-flows", 8),
    ("benes", 3),
    ("banyan", 4),
];

/// The colour of a switch; one that is not listed gets one by its name.
pub(super) fn colour_of(switch: &str) -> usize {
    let listed = OF_SWITCHES.iter().find(|(name, _)| *name == switch).map(|(_, colour)| *colour);
    // FNV-1a. Not black.
    let hash = switch.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    listed.unwrap_or(hash as usize % (COLOURS.len() - 1))
}

/// One index into [`COLOURS`] for each series; none for a reference.
pub(super) fn colours(series: &[Series]) -> Vec<Option<usize>> {
    let measured = || series.iter().filter(|series| series.style != Style::Reference);
    let several = measured().any(|series| series.switch.is_some() && series.switch != series_switch(measured().next()));
    let mut taken: Vec<(String, usize)> = Vec::new();
    let mut position = 0;
    let colour = |series: &Series| {
        if series.style == Style::Reference {
            return None;
        }
        position += 1;
        let Some(switch) = series.switch.as_deref() else {
            return Some((position - 1) % COLOURS.len());
        };
        // Where all lines are of one switch, its colour would tell nothing.
        let key = if several { switch } else { series.name.as_str() };
        if let Some((_, colour)) = taken.iter().find(|(known, _)| *known == key) {
            return Some(*colour);
        }
        let free = |colour: &usize| !taken.iter().any(|(_, other)| other == colour);
        let own = colour_of(switch);
        let colour = (0..COLOURS.len()).map(|k| (own + k) % COLOURS.len()).find(free).unwrap_or(own);
        taken.push((key.to_string(), colour));
        Some(colour)
    };
    series.iter().map(colour).collect()
}

fn series_switch(series: Option<&Series>) -> Option<String> {
    series.and_then(|series| series.switch.clone())
}

/// One ink for each series of a chart. References take grey and leave the colours to the
/// measurements.
pub(super) fn inks(series: &[Series]) -> Vec<Ink> {
    let mut references = 0;
    let mut used: Vec<(usize, Marker)> = Vec::new();
    let mut dashes: Vec<(usize, &str)> = Vec::new();
    let ink = |colour: Option<usize>| {
        let Some(colour) = colour else {
            references += 1;
            let dash = REFERENCE_DASHES[(references - 1) % REFERENCE_DASHES.len()];
            return Ink { line: GREY, text: "#555555", dash, marker: None };
        };
        // How many lines have this colour already.
        let before = used.iter().filter(|(other, _)| *other == colour).count();
        let markers = (0..MARKERS.len()).map(|k| MARKERS[(colour + 3 * before + k) % MARKERS.len()]);
        let fresh = markers.clone().find(|marker| !used.iter().any(|(_, other)| other == marker));
        let unlike = markers.clone().find(|marker| !used.contains(&(colour, *marker)));
        let marker = fresh.or(unlike).unwrap_or(MARKERS[colour]);
        used.push((colour, marker));
        let (line, text) = COLOURS[colour];
        let own = (0..DASHES.len()).map(|k| DASHES[(colour + 2 * before + k) % DASHES.len()]);
        let fresh = own.clone().find(|dash| !dashes.iter().any(|(_, other)| other == dash));
        let unlike = own.clone().find(|dash| !dashes.contains(&(colour, *dash)));
        let dash = fresh.or(unlike).unwrap_or(DASHES[before % DASHES.len()]);
        dashes.push((colour, dash));
        Ink { line, text, dash, marker: Some(marker) }
    };
    colours(series).into_iter().map(ink).collect()
}

impl Ink {
    /// The attributes of a line.
    pub(super) fn stroke(&self, thick: f64, style: Style) -> String {
        let thick = px(if style == Style::Reference { thick * 0.75 } else { thick });
        let dash = if self.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", self.dash) };
        format!("fill=\"none\" stroke=\"{}\" stroke-width=\"{thick}\" stroke-linejoin=\"round\"{dash}", self.line)
    }
}

impl Marker {
    /// One SVG element with this marker at each of some points. `size` is the radius of the circle;
    /// the others are drawn to look as large.
    pub(super) fn svg(self, places: &[(f64, f64)], size: f64, colour: &str) -> String {
        let square = [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)];
        let triangle = [(0.0, -1.25), (1.15, 0.8), (-1.15, 0.8)];
        let diamond = [(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)];
        // A thin rim of paper keeps filled markers apart where they overlap; open ones are filled
        // with paper.
        let filled = format!("fill=\"{colour}\" stroke=\"{PAPER}\" stroke-width=\"0.8\"");
        let open = format!("fill=\"{PAPER}\" stroke=\"{colour}\" stroke-width=\"1.5\"");
        let all = |one: &dyn Fn((f64, f64)) -> String| places.iter().map(|place| one(*place)).collect::<String>();
        let polygon = |corners: &[(f64, f64)], paint: &str| {
            let around = |(x, y): (f64, f64)| {
                let corners: Vec<_> = corners.iter().map(|(dx, dy)| (x + dx * size, y + dy * size)).collect();
                super::text::path(&corners) + "Z"
            };
            format!("<path d=\"{}\" {paint}/>", all(&around))
        };
        let circle = |paint: &str, radius: f64| {
            // Two half circles from the leftmost point and back.
            let (r, across) = (px(radius), px(2.0 * radius));
            let around = |(x, y): (f64, f64)| {
                format!("M{},{}a{r},{r} 0 1 0 {across},0a{r},{r} 0 1 0 -{across},0", tenth(x - radius), tenth(y))
            };
            format!("<path d=\"{}\" {paint}/>", all(&around))
        };
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
                let across = |(x, y): (f64, f64)| {
                    let half = 0.9 * size;
                    super::text::path(&[(x - half, y - half), (x + half, y + half)])
                        + &super::text::path(&[(x - half, y + half), (x + half, y - half)])
                };
                format!("<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>", all(&across))
            }
        }
    }
}
