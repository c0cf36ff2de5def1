//! Charts as SVG documents.

use std::fmt::Write;

use super::dots;
use super::geometry::{Place, Rect};
use super::ink::{Ink, PAPER, inks};
use super::layout::{Entry, LEADING, Label, Layout, Panel, footer_height, heading, height};
use super::size::{Size, Sizes};
use super::text::{FONTS, balanced, escape, held_to, path, px};
use super::ticks::{Number, Tick};
use super::{Axis, Chart, Scale, Style};

pub(super) const STRONG: &str = "#1f2328";
pub(super) const SOFT: &str = "#57606a";
pub(super) const AXIS: &str = "#8c959f";
pub(super) const GRID: &str = "#e4e7eb";

/// What is written, in order; every piece is a whole element or an opening or closing tag.
pub(super) struct Writer {
    out: String,
    /// The width of the picture.
    width: f64,
}

impl Writer {
    /// The beginning of a document.
    pub(super) fn begin(size: &Size, extent: Place, title: &str, description: &str) -> Self {
        let mut svg = Self { out: String::new(), width: extent.0 };
        svg.put(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" {} font-family=\"{FONTS}\">",
            size.attributes(extent)
        ));
        svg.put(&format!("<title>{}</title>", escape(title)));
        svg.put(&format!("<desc>{}</desc>", escape(description)));
        svg.put(&format!("<rect width=\"{}\" height=\"{}\" fill=\"{PAPER}\"/>", px(extent.0), px(extent.1)));
        svg
    }

    /// The whole document.
    pub(super) fn end(mut self) -> String {
        self.put("</svg>");
        self.out
    }

    pub(super) fn put(&mut self, piece: &str) {
        self.out.push_str(piece);
        self.out.push('\n');
    }

    /// Lines of text from a first baseline; gives the next baseline. `rest` is all further
    /// attributes. A line that a wide font would carry beyond the picture says its length.
    pub(super) fn text(&mut self, lines: &[String], (x, mut y): Place, size: f64, rest: &str) -> f64 {
        let room = match (rest.contains("\"end\""), rest.contains("\"middle\"")) {
            (true, _) => x,
            (_, true) => 2.0 * x.min(self.width - x),
            _ => self.width - x,
        };
        for line in lines {
            let held = held_to(line, size, rest.contains("font-weight"), room).map_or(String::new(), |length| {
                format!(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", px(length))
            });
            self.put(&format!(
                "<text x=\"{}\" y=\"{}\" font-size=\"{}\" {rest}{held}>{}</text>",
                px(x),
                px(y),
                px(size),
                escape(line)
            ));
            y += size * LEADING;
        }
        y
    }

    /// The numbers of ticks, at the places that `at` gives for places along the axis.
    pub(super) fn numbers(&mut self, ticks: &[Tick], size: f64, anchor: &str, at: impl Fn(f64) -> Place) {
        self.put(&format!("<g font-size=\"{}\" fill=\"{SOFT}\" text-anchor=\"{anchor}\">", px(size)));
        for (tick, number) in ticks.iter().filter_map(|tick| Some((tick, tick.number.as_ref()?))) {
            self.number(number, at(tick.place), size);
        }
        self.put("</g>");
    }

    fn number(&mut self, number: &Number, (x, y): Place, size: f64) {
        let text = escape(&number.text);
        let raised = number.superscript.as_ref().map_or(String::new(), |s| {
            format!("<tspan dy=\"{}\" font-size=\"{}\">{}</tspan>", px(-0.38 * size), px(0.75 * size), escape(s))
        });
        self.put(&format!("<text x=\"{}\" y=\"{}\">{text}{raised}</text>", px(x), px(y)));
    }

    /// Title and subtitle at the top; gives the height below them.
    pub(super) fn heading(&mut self, title: &[String], subtitle: &[String], sizes: &Sizes) -> f64 {
        let strong = format!("font-weight=\"600\" fill=\"{STRONG}\"");
        self.text(title, (sizes.pad, sizes.pad + sizes.title * 0.8), sizes.title, &strong);
        let y = sizes.pad + height(title, sizes.title);
        self.text(subtitle, (sizes.pad, y + sizes.subtitle * 0.8), sizes.subtitle, &format!("fill=\"{SOFT}\""));
        y + height(subtitle, sizes.subtitle)
    }

    /// The notes at the bottom of a picture of a height.
    pub(super) fn footer(&mut self, footer: &[String], sizes: &Sizes, bottom: f64) {
        let rows = footer.len() as f64 - 1.0;
        let first = bottom - sizes.pad * 0.8 - sizes.footer * 0.2 - rows * sizes.footer * LEADING;
        self.text(footer, (sizes.pad, first), sizes.footer, &format!("fill=\"{SOFT}\""));
    }
}

pub(super) fn draw(chart: &Chart, size: &Size) -> String {
    if !chart.series.iter().flat_map(|series| &series.points).any(|p| p.x.is_finite() && p.y.is_finite()) {
        return without_data(chart, size);
    }
    if let Some(x) = chart.only_x() {
        return dots::draw(chart, x, size);
    }
    let layout = Layout::new(chart, size);
    let inks = inks(&chart.series);
    let mut svg = Writer::begin(size, layout.size, &chart.title, &describe(chart, &layout));
    svg.heading(&layout.title, &layout.subtitle, &layout.sizes);
    let last = layout.panels.len() - 1;
    for (index, panel) in layout.panels.iter().enumerate() {
        vertical_axis(&mut svg, panel, &layout.sizes);
        horizontal_axis(&mut svg, panel, &layout, index == last);
        curves(&mut svg, chart, panel, &layout.sizes, &inks);
    }
    svg.footer(&layout.footer, &layout.sizes, layout.size.1);
    for label in &layout.labels {
        name(&mut svg, label, &inks[label.series], layout.sizes.label);
    }
    for entry in &layout.key {
        key(&mut svg, entry, &inks[entry.series], &layout.sizes, chart.series[entry.series].style);
    }
    svg.end()
}

/// A chart without a point: words instead of axes, which would look like a measurement.
fn without_data(chart: &Chart, size: &Size) -> String {
    let sizes = size.sizes();
    let room = size.width() - 2.0 * sizes.pad;
    let [title, subtitle] = heading(chart.titled, &chart.title, chart.subtitle.as_deref().unwrap_or(""), &sizes, room);
    let names: Vec<_> = chart.series.iter().map(|series| series.name.as_str()).collect();
    let mut notes = vec![format!("There is nothing to draw: no value of \"{}\" is known.", chart.y.label)];
    notes.extend(chart.footer.as_deref().unwrap_or("").lines().map(str::to_string));
    notes.extend((!names.is_empty()).then(|| format!("Nothing to draw for: {}", names.join(", "))));
    let lines: Vec<String> = notes.iter().flat_map(|note| balanced(note, sizes.label, room, 6)).collect();
    let head = sizes.pad + height(&title, sizes.title) + height(&subtitle, sizes.subtitle);
    let extent = (size.width(), head + height(&lines, sizes.label) + 2.0 * sizes.label + sizes.pad);
    let mut svg = Writer::begin(size, extent, &chart.title, &format!("A chart without data. {}", notes.join(" ")));
    let top = svg.heading(&title, &subtitle, &sizes);
    svg.text(&lines, (sizes.pad, top + 2.0 * sizes.label), sizes.label, &format!("fill=\"{STRONG}\""));
    svg.end()
}

/// An axis in words: its label and its first and last number.
fn axis_in_words(axis: &Axis, ticks: &[Tick]) -> String {
    let mut numbers = ticks.iter().filter_map(|tick| tick.number.as_ref());
    let first = numbers.next();
    let ends = first
        .map(|first| format!(", from about {} to {}", first.plain(), numbers.next_back().unwrap_or(first).plain()));
    let scale = if axis.scale == Scale::Log10 { " (logarithmic)" } else { "" };
    format!("{}{scale}{}", axis.label, ends.unwrap_or_default())
}

/// The series with their full names.
pub(super) fn series_in_words(chart: &Chart) -> String {
    let names = chart.series.iter().map(|series| match &series.full {
        Some(full) if *full != series.name => format!("{} = {full}", series.name),
        _ => series.name.clone(),
    });
    let names: Vec<_> = names.collect();
    if names.is_empty() { "none".into() } else { names.join("; ") }
}

/// The description for screen readers.
fn describe(chart: &Chart, layout: &Layout) -> String {
    let subtitle = chart.subtitle.as_ref().map_or(String::new(), |text| format!("{text}. "));
    let ratio = chart.ratio.as_ref().filter(|_| layout.panels.len() > 1);
    format!(
        "{subtitle}Line chart. Horizontal: {}. Vertical: {}. Series: {}.{}",
        axis_in_words(&chart.x, &layout.x_ticks),
        axis_in_words(&chart.y, &layout.panels[0].y_ticks),
        series_in_words(chart),
        ratio.map(|base| format!(" Below: each divided by {base}.")).unwrap_or_default()
    )
}

fn vertical_axis(svg: &mut Writer, panel: &Panel, sizes: &Sizes) {
    let Rect { left, top, right, .. } = panel.frame;
    let hair = sizes.hairline();
    // Level and above its axis, the name of the vertical axis needs no turned head.
    let first = top - sizes.tick * 0.9 - height(&panel.y_label, sizes.tick) + sizes.tick * 0.8;
    svg.text(&panel.y_label, (sizes.pad, first), sizes.tick, &format!("fill=\"{STRONG}\""));
    let (mut grid, mut small) = (String::new(), String::new());
    for tick in &panel.y_ticks {
        let y = px(panel.frame.at((0.0, tick.place)).1);
        if tick.number.is_none() {
            let _ = write!(small, "M{},{y}h-{}", px(left), px(sizes.tick_length(false)));
        } else if tick.place > 1e-6 {
            let _ = write!(grid, "M{},{y}H{}", px(left), px(right));
        }
    }
    svg.put(&format!("<path d=\"{grid}\" fill=\"none\" stroke=\"{GRID}\"{hair}/>"));
    if !small.is_empty() {
        svg.put(&format!("<path d=\"{small}\" fill=\"none\" stroke=\"{AXIS}\"{hair}/>"));
    }
    if let Some(place) = panel.mark.and_then(|mark| panel.axes.1.place(mark)).filter(|p| (0.0..=1.0).contains(p)) {
        let y = px(panel.frame.at((0.0, place)).1);
        svg.put(&format!("<path d=\"M{},{y}H{}\" fill=\"none\" stroke=\"{AXIS}\"{hair}/>", px(left), px(right)));
    }
    let level = |place: f64| (left - 0.6 * sizes.tick, panel.frame.at((0.0, place)).1 + 0.35 * sizes.tick);
    svg.numbers(&panel.y_ticks, sizes.tick, "end", level);
}

/// The axis below a panel; numbers and a label only below the last one.
fn horizontal_axis(svg: &mut Writer, panel: &Panel, layout: &Layout, numbered: bool) {
    let (Rect { left, right, bottom, .. }, sizes) = (panel.frame, &layout.sizes);
    let hair = sizes.hairline();
    let mut small = format!("M{},{}H{}", px(left), px(bottom), px(right));
    for tick in &layout.x_ticks {
        let x = px(panel.frame.at((tick.place, 0.0)).0);
        let _ = write!(small, "M{x},{}v{}", px(bottom), px(sizes.tick_length(tick.number.is_some())));
    }
    svg.put(&format!("<path d=\"{small}\" fill=\"none\" stroke=\"{AXIS}\"{hair}/>"));
    if numbered {
        let below = |place: f64| (panel.frame.at((place, 0.0)).0, bottom + 1.65 * sizes.tick);
        svg.numbers(&layout.x_ticks, sizes.tick, "middle", below);
        let centred = format!("fill=\"{STRONG}\" text-anchor=\"middle\"");
        let at = (f64::midpoint(left, right), bottom + 3.1 * sizes.tick);
        svg.text(&layout.x_label, at, sizes.tick, &centred);
    }
}

fn curves(svg: &mut Writer, chart: &Chart, panel: &Panel, sizes: &Sizes, inks: &[Ink]) {
    for (drawing, ink) in panel.drawings.iter().zip(inks) {
        for band in &drawing.bands {
            svg.put(&format!("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"0.14\"/>", path(band), ink.line));
        }
    }
    // Solid lines first: where lines coincide, the one below shows in the gaps of the dashed one.
    // Among those, the first series is the most important: it is drawn last, on top.
    let mut order: Vec<usize> = (0..chart.series.len()).rev().collect();
    order.sort_by_key(|&i| !inks[i].dash.is_empty());
    for i in order {
        let (drawing, ink, series) = (&panel.drawings[i], &inks[i], &chart.series[i]);
        svg.put(&format!("<g><title>{}</title>", escape(&series.name)));
        let line: String = drawing.lines.iter().filter(|line| line.len() > 1).map(|line| path(line)).collect();
        if !line.is_empty() {
            svg.put(&format!("<path d=\"{line}\" {}/>", ink.stroke(sizes.stroke, series.style)));
        }
        let whiskers: String = drawing.whiskers.iter().map(|(a, b)| path(&[*a, *b])).collect();
        if !whiskers.is_empty() {
            let thick = px(sizes.stroke * 0.6);
            svg.put(&format!(
                "<path d=\"{whiskers}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{thick}\"/>",
                ink.line
            ));
        }
        if let Some(marker) = ink.marker.filter(|_| !drawing.markers.is_empty()) {
            svg.put(&marker.svg(&drawing.markers, sizes.marker, ink.line));
        }
        svg.put("</g>");
    }
}

fn name(svg: &mut Writer, label: &Label, ink: &Ink, size: f64) {
    if !label.leader.is_empty() {
        let line = path(&label.leader);
        svg.put(&format!(
            "<path class=\"leader\" d=\"{line}\" fill=\"none\" stroke=\"{AXIS}\" stroke-width=\"0.8\" stroke-dasharray=\"1 2\"/>"
        ));
    }
    // A halo of paper keeps the grid out of the letters.
    let halo = format!("stroke=\"{PAPER}\" stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\" ");
    let halo = if label.inside { halo } else { String::new() };
    let rest = format!("class=\"label\" {halo}fill=\"{}\"", ink.text);
    svg.text(&label.lines, label.start, size, &rest);
}

fn key(svg: &mut Writer, entry: &Entry, ink: &Ink, sizes: &Sizes, style: Style) {
    let (from, to) = entry.sample;
    svg.put(&format!("<path class=\"sample\" d=\"{}\" {}/>", path(&[from, to]), ink.stroke(sizes.stroke, style)));
    if let Some(marker) = ink.marker {
        svg.put(&marker.svg(&[(f64::midpoint(from.0, to.0), from.1)], sizes.marker, ink.line));
    }
    svg.text(&entry.lines, entry.start, sizes.label, &format!("class=\"label\" fill=\"{}\"", ink.text));
}

/// The height that notes take below a picture, for layouts of other kinds.
pub(super) fn notes_height(notes: &[String], sizes: &Sizes, room: f64) -> (Vec<String>, f64) {
    let lines: Vec<String> = notes.iter().flat_map(|note| balanced(note, sizes.footer, room, 6)).collect();
    let height = footer_height(&lines, sizes);
    (lines, height)
}
