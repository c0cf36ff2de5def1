//! A chart as an SVG document.

use std::fmt::Write;

use super::geometry::Rect;
use super::ink::{Ink, PAPER, inks};
use super::layout::{LEADING, Label, Layout};
use super::text::{FONTS, escape, path, px};
use super::ticks::Number;
use super::{Axis, Chart, Scale, Style};

const STRONG: &str = "#1f2328";
const SOFT: &str = "#57606a";
const AXIS: &str = "#8c959f";
const GRID: &str = "#e4e7eb";

/// What is written, in order; every piece is a whole element or an opening or closing tag.
struct Writer {
    out: String,
}

impl Writer {
    fn put(&mut self, piece: &str) {
        self.out.push_str(piece);
        self.out.push('\n');
    }

    /// Lines of text from a first baseline; gives the next baseline.
    fn text(&mut self, lines: &[String], (x, mut y): (f64, f64), size: f64, rest: &str) -> f64 {
        for line in lines {
            self.put(&format!(
                "<text x=\"{}\" y=\"{}\" font-size=\"{}\" {rest}>{}</text>",
                px(x),
                px(y),
                px(size),
                escape(line)
            ));
            y += size * LEADING;
        }
        y
    }

    fn number(&mut self, number: &Number, (x, y): (f64, f64), size: f64) {
        let text = escape(&number.text);
        let raised = number.superscript.as_ref().map_or(String::new(), |s| {
            format!("<tspan dy=\"{}\" font-size=\"{}\">{}</tspan>", px(-0.38 * size), px(0.75 * size), escape(s))
        });
        self.put(&format!("<text x=\"{}\" y=\"{}\">{text}{raised}</text>", px(x), px(y)));
    }
}

pub(super) fn draw(chart: &Chart, width: u32, height: u32) -> String {
    let layout = Layout::new(chart, width, height);
    let inks = inks(chart);
    let (w, h) = (px(layout.size.0), px(layout.size.1));
    let mut svg = Writer { out: String::new() };
    svg.put(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"{FONTS}\">"
    ));
    svg.put(&format!("<title>{}</title>", escape(&chart.title)));
    svg.put(&format!("<desc>{}</desc>", escape(&describe(chart, &layout))));
    svg.put(&format!("<rect width=\"{w}\" height=\"{h}\" fill=\"{PAPER}\"/>"));
    header(&mut svg, &layout);
    axes(&mut svg, &layout);
    curves(&mut svg, chart, &layout, &inks);
    for label in &layout.labels {
        name(&mut svg, label, &inks[label.series], layout.sizes.label);
    }
    svg.put("</svg>");
    svg.out
}

/// The description for screen readers.
fn describe(chart: &Chart, layout: &Layout) -> String {
    let axis = |axis: &Axis, ticks: &[super::ticks::Tick]| {
        let mut numbers = ticks.iter().filter_map(|tick| tick.number.as_ref());
        let first = numbers.next();
        let ends = first
            .map(|first| format!(", from about {} to {}", first.plain(), numbers.next_back().unwrap_or(first).plain()));
        let scale = if axis.scale == Scale::Log10 { " (logarithmic)" } else { "" };
        format!("{}{scale}{}", axis.label, ends.unwrap_or_default())
    };
    let names: Vec<_> = chart.series.iter().map(|series| series.name.as_str()).collect();
    let subtitle = chart.subtitle.as_ref().map_or(String::new(), |text| format!("{text}. "));
    format!(
        "{subtitle}Line chart. Horizontal: {}. Vertical: {}. Series: {}.",
        axis(&chart.x, &layout.x_ticks),
        axis(&chart.y, &layout.y_ticks),
        if names.is_empty() { "none".into() } else { names.join("; ") }
    )
}

fn header(svg: &mut Writer, layout: &Layout) {
    let sizes = &layout.sizes;
    let strong = format!("font-weight=\"600\" fill=\"{STRONG}\"");
    let soft = format!("fill=\"{SOFT}\"");
    let y = svg.text(&layout.title, (sizes.pad, sizes.pad + sizes.title * 0.8), sizes.title, &strong);
    let y = y + (sizes.subtitle - sizes.title) * 0.8;
    let y = svg.text(&layout.subtitle, (sizes.pad, y), sizes.subtitle, &soft);
    let y = y + (sizes.tick - sizes.subtitle) * 0.8 + sizes.tick * 0.7;
    // Level and above its axis, the name of the vertical axis needs no turned head.
    svg.text(&layout.y_label, (sizes.pad, y), sizes.tick, &format!("fill=\"{STRONG}\""));
}

fn axes(svg: &mut Writer, layout: &Layout) {
    let (Rect { left, top: _, right, bottom }, sizes) = (layout.frame, &layout.sizes);
    let (mut grid, mut small) = (String::new(), String::new());
    for tick in &layout.y_ticks {
        let y = px(layout.frame.at((0.0, tick.place)).1);
        if tick.number.is_some() && tick.place > 1e-6 {
            let _ = write!(grid, "M{},{y}H{}", px(left), px(right));
        } else if layout.axes.1.scale == Scale::Log10 && tick.number.is_none() {
            let _ = write!(small, "M{},{y}h-4", px(left));
        }
    }
    for tick in &layout.x_ticks {
        let x = px(layout.frame.at((tick.place, 0.0)).0);
        let _ = write!(small, "M{x},{}v{}", px(bottom), if tick.number.is_some() { "6" } else { "3" });
    }
    let _ = write!(small, "M{},{}H{}", px(left), px(bottom), px(right));
    svg.put(&format!("<path d=\"{grid}\" fill=\"none\" stroke=\"{GRID}\"/>"));
    svg.put(&format!("<path d=\"{small}\" fill=\"none\" stroke=\"{AXIS}\"/>"));

    let group = |anchor| format!("<g font-size=\"{}\" fill=\"{SOFT}\" text-anchor=\"{anchor}\">", px(sizes.tick));
    svg.put(&group("end"));
    for (tick, number) in layout.y_ticks.iter().filter_map(|tick| Some((tick, tick.number.as_ref()?))) {
        svg.number(number, (left - 8.0, layout.frame.at((0.0, tick.place)).1 + 0.35 * sizes.tick), sizes.tick);
    }
    svg.put("</g>");
    svg.put(&group("middle"));
    for (tick, number) in layout.x_ticks.iter().filter_map(|tick| Some((tick, tick.number.as_ref()?))) {
        svg.number(number, (layout.frame.at((tick.place, 0.0)).0, bottom + 9.0 + sizes.tick), sizes.tick);
    }
    svg.put("</g>");
    let below = bottom + 12.0 + 2.2 * sizes.tick;
    let centred = format!("fill=\"{STRONG}\" text-anchor=\"middle\"");
    svg.text(&layout.x_label, (f64::midpoint(left, right), below), sizes.tick, &centred);
    let rows = layout.footer.len() as f64 - 1.0;
    let last = layout.size.1 - sizes.pad * 0.8 - sizes.footer * 0.2;
    let first = last - rows * sizes.footer * LEADING;
    svg.text(&layout.footer, (sizes.pad, first), sizes.footer, &format!("fill=\"{SOFT}\""));
}

fn curves(svg: &mut Writer, chart: &Chart, layout: &Layout, inks: &[Ink]) {
    for (drawing, ink) in layout.drawings.iter().zip(inks) {
        for band in &drawing.bands {
            svg.put(&format!("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"0.14\"/>", path(band), ink.line));
        }
    }
    // The first series is the most important: it is drawn last, on top.
    for ((drawing, ink), series) in layout.drawings.iter().zip(inks).zip(&chart.series).rev() {
        svg.put(&format!("<g><title>{}</title>", escape(&series.name)));
        let line: String = drawing.lines.iter().filter(|line| line.len() > 1).map(|line| path(line)).collect();
        let dash = if ink.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", ink.dash) };
        let thick = if series.style == Style::Reference { "1.5" } else { "2" };
        if !line.is_empty() {
            svg.put(&format!(
                "<path d=\"{line}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{thick}\" stroke-linejoin=\"round\"{dash}/>",
                ink.line
            ));
        }
        let whiskers: String = drawing.whiskers.iter().map(|(a, b)| path(&[*a, *b])).collect();
        if !whiskers.is_empty() {
            svg.put(&format!("<path d=\"{whiskers}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.2\"/>", ink.line));
        }
        for place in &drawing.markers {
            if let Some(marker) = ink.marker {
                svg.put(&marker.svg(*place, layout.sizes.marker, ink.line));
            }
        }
        svg.put("</g>");
    }
}

fn name(svg: &mut Writer, label: &Label, ink: &Ink, size: f64) {
    if !label.leader.is_empty() {
        let line = path(&label.leader);
        svg.put(&format!("<path d=\"{line}\" fill=\"none\" stroke=\"{}\" stroke-width=\"0.8\"/>", ink.line));
    }
    // A halo of paper keeps the grid out of the letters.
    let halo = format!("stroke=\"{PAPER}\" stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\" ");
    let halo = if label.inside { halo } else { String::new() };
    let rest = format!("class=\"label\" {halo}fill=\"{}\"", ink.text);
    svg.text(&label.lines, label.start, size, &rest);
}
