//! Dot charts: a row for each series, for charts in which everything has the same x.

use super::curve::vertical;
use super::geometry::Rect;
use super::ink::{Marker, inks};
use super::layout::{heading, height, x_ticks};
use super::size::Size;
use super::svg::{AXIS, GRID, SOFT, STRONG, Writer, notes_height, series_in_words};
use super::text::{path, px, width, wrap};
use super::{Chart, Point, Series, Style};
use std::fmt::Write;

/// The names take at most this share of the width.
const NAMES: f64 = 0.45;

/// A row: a series and its value; a series without one has a row nevertheless.
struct Row<'a> {
    series: usize,
    name: Vec<String>,
    point: Option<&'a Point>,
}

pub(super) fn draw(chart: &Chart, x: f64, size: &Size) -> String {
    let (sizes, whole) = (size.sizes(), size.width());
    let room = whole - 2.0 * sizes.pad;
    // A reference may have values elsewhere too; this is the one to compare with.
    let point = |series: &Series| series.points.iter().position(|p| (p.x - x).abs() <= 1e-9 * x.abs().max(1.0));
    let rows: Vec<Row> = chart
        .series
        .iter()
        .enumerate()
        .map(|(index, series)| (index, series, point(series)))
        .filter(|(_, series, point)| point.is_some() || series.style != Style::Reference)
        .map(|(index, series, point)| Row {
            series: index,
            name: wrap(&series.name, sizes.label, NAMES * whole, 2),
            point: point.map(|place| &series.points[place]),
        })
        .collect();
    let points = rows.iter().filter_map(|row| row.point);
    let axis = vertical(&chart.y, points.clone().map(|p| (p.y, p.interval)));
    let shown = |point: &&Point| axis.place(point.y).is_some_and(|place| (-1e-9..=1.0 + 1e-9).contains(&place));

    let [title, subtitle] = heading(chart.titled, &chart.title, chart.subtitle.as_deref().unwrap_or(""), &sizes, room);
    let at = format!("{}, at {} {x}", chart.y.label, chart.x.word.as_ref().unwrap_or(&chart.x.label));
    let label = wrap(&at, sizes.tick, room, 2);
    let mut notes: Vec<String> = chart.footer.as_deref().unwrap_or("").lines().map(str::to_string).collect();
    let hidden: Vec<_> =
        rows.iter().filter(|row| !row.point.is_some_and(|point| shown(&point))).map(|row| row.series).collect();
    if !hidden.is_empty() {
        let names: Vec<_> = hidden.iter().map(|&series| chart.series[series].name.as_str()).collect();
        notes.push(format!("Nothing to draw for: {}", names.join(", ")));
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
    let ticks = x_ticks(&axis, frame.width(), sizes.tick);
    let extent = (whole, bottom + sizes.tick * 1.25 + 12.0 + height(&label, sizes.tick) + foot);

    let description = format!(
        "{}Dot chart, a row for each series. Horizontal: {at}. Series: {}.",
        chart.subtitle.as_ref().map_or(String::new(), |text| format!("{text}. ")),
        series_in_words(chart)
    );
    let mut svg = Writer::begin(size, extent, &chart.title, &description);
    svg.heading(&title, &subtitle, &sizes);
    let along = |place: f64| frame.at((place, 0.0)).0;
    let (mut grid, mut small) = (String::new(), format!("M{},{}H{}", px(left), px(bottom), px(frame.right)));
    for tick in &ticks {
        let x = px(along(tick.place));
        if tick.number.is_some() {
            let _ = write!(grid, "M{x},{}V{}", px(top), px(bottom));
        }
        let _ = write!(small, "M{x},{}v{}", px(bottom), if tick.number.is_some() { "6" } else { "3" });
    }
    svg.put(&format!("<path d=\"{grid}\" fill=\"none\" stroke=\"{GRID}\"/>"));
    svg.put(&format!("<path d=\"{small}\" fill=\"none\" stroke=\"{AXIS}\"/>"));
    svg.numbers(&ticks, sizes.tick, "middle", |place| (along(place), bottom + 9.0 + sizes.tick));
    let centred = format!("fill=\"{STRONG}\" text-anchor=\"middle\"");
    // Below the rows, but not outside the picture where the names leave little room.
    let half = label.iter().map(|line| width(line, sizes.tick)).fold(0.0, f64::max) / 2.0;
    let centre = f64::midpoint(left, frame.right).min(whole - sizes.pad - half).max(sizes.pad + half);
    svg.text(&label, (centre, bottom + 12.0 + 2.2 * sizes.tick), sizes.tick, &centred);

    let inks = inks(&chart.series);
    let mut y = top + gap;
    for row in &rows {
        let (ink, middle) = (&inks[row.series], y + (tall(row) - gap) / 2.0);
        let rest = format!("class=\"label\" text-anchor=\"end\" fill=\"{}\"", ink.text);
        svg.text(&row.name, (left - sizes.label * 0.9, y + sizes.label * 0.97), sizes.label, &rest);
        svg.put(&format!("<path d=\"M{},{}H{}\" fill=\"none\" stroke=\"{GRID}\" stroke-dasharray=\"1 3\"/>", px(left), px(middle), px(frame.right)));
        match row.point.filter(|point| shown(point)) {
            Some(point) => {
                let ends = point.interval.and_then(|(a, b)| Some((axis.place_end(a)?, axis.place_end(b)?)));
                let inside = |place: f64| along(place.clamp(0.0, 1.0));
                if let Some((a, b)) = ends {
                    let line = path(&[(inside(a), middle), (inside(b), middle)]);
                    svg.put(&format!("<path d=\"{line}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>", ink.line, px(sizes.stroke)));
                }
                let place = (along(axis.place(point.y).unwrap_or(0.0)), middle);
                svg.put(&ink.marker.unwrap_or(Marker::OpenDiamond).svg(place, sizes.marker * 1.25, ink.line));
            }
            None => {
                let none = ["none".to_string()];
                svg.text(&none, (left + 6.0, middle + 0.35 * sizes.tick), sizes.tick, &format!("fill=\"{SOFT}\""));
            }
        }
        y += tall(row);
    }
    svg.footer(&footer, &sizes, extent.1);
    svg.end()
}
