//! Dot charts: a row for each series, for charts in which everything has the same x.

use super::curve::vertical;
use super::geometry::Rect;
use super::ink::{Ink, Marker, inks};
use super::layout::{heading, height, x_ticks};
use super::scale::Mapping;
use super::size::{Size, Sizes};
use super::svg::{AXIS, GRID, SOFT, STRONG, Writer, notes_height, series_in_words};
use super::text::{path, px, width, wrap};
use super::ticks::Tick;
use super::{Axis, Chart, Point, Scale, Series, Style};
use crate::numbers::brief;
use std::fmt::Write;

/// The names take at most this share of the width.
const NAMES: f64 = 0.45;

/// A row: a series and its value. A series without one has a row nevertheless.
struct Row<'a> {
    series: usize,
    name: Vec<String>,
    point: Option<&'a Point>,
}

/// The frame with its horizontal axis.
struct Plane {
    frame: Rect,
    axis: Mapping,
    ticks: Vec<Tick>,
}

pub(super) fn draw(chart: &Chart, x: f64, size: &Size) -> String {
    let (sizes, whole) = (size.sizes(), size.width());
    let room = whole - 2.0 * sizes.pad;
    let rows = rows(chart, x, &sizes, whole);
    // A logarithmic axis has no place for 0; a row with that value would seem to have none.
    let zero = rows.iter().filter_map(|row| row.point).any(|point| point.y <= 0.0);
    let scale = if zero { Scale::Linear } else { chart.y.scale };
    let axis = vertical(
        &Axis { scale, ..chart.y.clone() },
        rows.iter().filter_map(|row| row.point).map(|p| (p.y, p.interval)),
    );
    let [title, subtitle] = heading(chart.titled, &chart.title, chart.subtitle.as_deref().unwrap_or(""), &sizes, room);
    let word = chart.x.word.as_ref().unwrap_or(&chart.x.label);
    let at = format!("{}, at {word} {}", chart.y.label, brief(x));
    let label = wrap(&at, sizes.tick, room, 2);
    let mut notes: Vec<String> = chart.footer.as_deref().unwrap_or("").lines().map(str::to_string).collect();
    let hidden = rows.iter().filter(|row| shown(row, &axis).is_none());
    let hidden: Vec<&str> = hidden.map(|row| chart.series[row.series].name.as_str()).collect();
    if !hidden.is_empty() {
        notes.push(format!("Nothing to draw for: {}", hidden.join(", ")));
    }
    let (footer, foot) = notes_height(&notes, &sizes, room);

    let names = rows.iter().flat_map(|row| &row.name).map(|line| width(line, sizes.label)).fold(0.0, f64::max);
    let gap = sizes.label * 0.55;
    let tall = |row: &Row| height(&row.name, sizes.label) + gap;
    let head = sizes.pad + height(&title, sizes.title) + height(&subtitle, sizes.subtitle);
    let top = head + sizes.label * 0.8;
    let bottom = top + rows.iter().map(tall).sum::<f64>() + gap;
    let left = sizes.pad + names + sizes.label * 0.9;
    let frame = Rect { left, top, right: (whole - sizes.pad - sizes.label * 1.6).max(left + 40.0), bottom };
    let plane = Plane { frame, axis, ticks: x_ticks(&axis, frame.width(), sizes.tick) };
    let extent = (whole, bottom + sizes.tick * 2.15 + height(&label, sizes.tick) + foot);

    let description = format!(
        "{}Dot chart, a row for each series. Horizontal: {at}. Series: {}.",
        chart.subtitle.as_ref().map_or(String::new(), |text| format!("{text}. ")),
        series_in_words(chart)
    );
    let mut svg = Writer::begin(size, extent, &chart.title, &description);
    svg.heading(&title, &subtitle, &sizes);
    plane.draw(&mut svg, &sizes);
    // Below the rows, but not outside the picture where the names leave little room.
    let half = label.iter().map(|line| width(line, sizes.tick)).fold(0.0, f64::max) / 2.0;
    let centre = f64::midpoint(left, frame.right).min(whole - sizes.pad - half).max(sizes.pad + half);
    let centred = format!("fill=\"{STRONG}\" text-anchor=\"middle\"");
    svg.text(&label, (centre, bottom + 3.1 * sizes.tick), sizes.tick, &centred);
    let inks = inks(&chart.series);
    let mut y = top + gap;
    for row in &rows {
        let ink = &inks[row.series];
        let rest = format!("class=\"label\" text-anchor=\"end\" fill=\"{}\"", ink.text);
        svg.text(&row.name, (left - sizes.label * 0.9, y + sizes.label * 0.97), sizes.label, &rest);
        plane.dot(&mut svg, row, ink, y + (tall(row) - gap) / 2.0, &sizes);
        y += tall(row);
    }
    svg.footer(&footer, &sizes, extent.1);
    svg.end()
}

/// The rows, in the order of the series. A reference may have values elsewhere too; the one at `x`
/// is the one to compare with.
fn rows<'a>(chart: &'a Chart, x: f64, sizes: &Sizes, whole: f64) -> Vec<Row<'a>> {
    let point = |series: &'a Series| series.points.iter().find(|p| (p.x - x).abs() <= 1e-9 * x.abs().max(1.0));
    let all = chart.series.iter().enumerate().map(|(index, series)| (index, series, point(series)));
    let kept = all.filter(|(_, series, point)| point.is_some() || series.style != Style::Reference);
    let row = |(series, shown, point): (usize, &'a Series, Option<&'a Point>)| {
        let name = wrap(&shown.name, sizes.label, NAMES * whole, 2);
        Row { series, name, point }
    };
    kept.map(row).collect()
}

/// The value of a row and its place along the axis, if it has one there.
fn shown<'a>(row: &Row<'a>, axis: &Mapping) -> Option<(&'a Point, f64)> {
    let point = row.point?;
    let place = axis.place(point.y).filter(|place| (-1e-9..=1.0 + 1e-9).contains(place))?;
    Some((point, place))
}

impl Plane {
    fn x(&self, place: f64) -> f64 {
        self.frame.at((place.clamp(0.0, 1.0), 0.0)).0
    }

    /// The grid, the axis and its numbers.
    fn draw(&self, svg: &mut Writer, sizes: &Sizes) {
        let (Rect { left, top, right, bottom }, hair) = (self.frame, sizes.hairline());
        let (mut grid, mut small) = (String::new(), format!("M{},{}H{}", px(left), px(bottom), px(right)));
        for tick in &self.ticks {
            let x = px(self.x(tick.place));
            if tick.number.is_some() {
                let _ = write!(grid, "M{x},{}V{}", px(top), px(bottom));
            }
            let _ = write!(small, "M{x},{}v{}", px(bottom), px(sizes.tick_length(tick.number.is_some())));
        }
        svg.put(&format!("<path d=\"{grid}\" fill=\"none\" stroke=\"{GRID}\"{hair}/>"));
        svg.put(&format!("<path d=\"{small}\" fill=\"none\" stroke=\"{AXIS}\"{hair}/>"));
        svg.numbers(&self.ticks, sizes.tick, "middle", |place| (self.x(place), bottom + 1.65 * sizes.tick));
    }

    /// The value of a row and its interval.
    fn dot(&self, svg: &mut Writer, row: &Row, ink: &Ink, y: f64, sizes: &Sizes) {
        let (left, right) = (self.frame.left, self.frame.right);
        let guide = path(&[(left, y), (right, y)]);
        svg.put(&format!(
            "<path d=\"{guide}\" fill=\"none\" stroke=\"{GRID}\"{} stroke-dasharray=\"1 3\"/>",
            sizes.hairline()
        ));
        let Some((point, place)) = shown(row, &self.axis) else {
            let none = ["none".to_string()];
            svg.text(&none, (left + 6.0, y + 0.35 * sizes.tick), sizes.tick, &format!("fill=\"{SOFT}\""));
            return;
        };
        let ends = point.interval.and_then(|(a, b)| Some((self.axis.place_end(a)?, self.axis.place_end(b)?)));
        if let Some((a, b)) = ends {
            let line = path(&[(self.x(a), y), (self.x(b), y)]);
            let thick = px(sizes.stroke);
            svg.put(&format!("<path d=\"{line}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{thick}\"/>", ink.line));
        }
        let marker = ink.marker.unwrap_or(Marker::OpenDiamond);
        svg.put(&marker.svg(&[(self.x(place), y)], sizes.marker * 1.25, ink.line));
    }
}
