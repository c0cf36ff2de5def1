//! A chart as text for a terminal: lines in braille dots, with a letter for each series here and
//! there.

use super::curve::{Curve, axes};
use super::geometry::{Place, Rect, along, distance};
use super::scale::Mapping;
use super::ticks::{Tick, ticks};
use super::{Chart, Scale, Style};
use crate::numbers::significant;
use crate::prose::wrap;

/// Size and manner of a chart in a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Characters in a line, from 30 to 500.
    pub columns: usize,
    /// Lines without the legend, from 10 to 200.
    pub rows: usize,
    /// Whether to write ANSI colours.
    pub colour: bool,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { columns: 80, rows: 24, colour: false }
    }
}

/// The palette of the SVG in the 256 colours of terminals, lightened where it would be invisible on
/// black.
const ANSI: [u8; 10] = [32, 166, 36, 175, 214, 117, 99, 143, 162, 250];
const GREY: u8 = 245;
const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// How notes about intervals begin.
const INTERVALS: [&str; 3] = ["Whiskers and bands", "Whiskers:", "Bands:"];

#[derive(Clone, Copy, Default)]
struct Cell {
    dots: u8,
    letter: Option<char>,
    colour: u8,
}

pub(super) fn draw(chart: &Chart, terminal: &Terminal) -> String {
    let (columns, rows) = (terminal.columns.clamp(30, 500), terminal.rows.clamp(10, 200));
    if !chart.series.iter().flat_map(|series| &series.points).any(|p| p.x.is_finite() && p.y.is_finite()) {
        let mut lines = vec![chart.title.clone(), format!("nothing to draw: no value of {} is known", chart.y.label)];
        lines.extend(chart.footer.as_deref().unwrap_or("").lines().map(str::to_string));
        return lines.iter().map(|line| fit(&clean(line), columns) + "\n").collect();
    }
    let mut head = vec![clean(&chart.title)];
    head.extend(chart.subtitle.as_deref().map(clean));
    if let Some(x) = single_x(chart) {
        let at = format!("at {} {}", clean(chart.x.word.as_ref().unwrap_or(&chart.x.label)), significant(x));
        head.push(format!("{}, {at}", clean(&chart.y.label)));
        let mut lines: Vec<String> =
            head.iter().filter(|line| !line.is_empty()).map(|line| fit(line, columns)).collect();
        lines.extend(bars(chart, columns, terminal.colour));
        lines.extend(footer(chart, columns));
        return lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect();
    }
    head.push(clean(&chart.y.label));
    let height = rows.saturating_sub(head.len() + 3).max(4);
    let axes = axes(&chart.x, &chart.y, &chart.series);
    let y_ticks = ticks(&axes.1, height / if chart.y.scale == Scale::Log10 { 2 } else { 3 });
    let numbers: Vec<_> = by_cell(&y_ticks, height).map(|(row, text)| (height - 1 - row, text)).collect();
    let left = numbers.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(1).min(columns / 3);
    let width = columns - left - 2;

    let cells = plot(chart, &axes, width, height);
    let mut lines: Vec<String> = head.iter().filter(|line| !line.is_empty()).map(|line| fit(line, columns)).collect();
    for (row, cells) in cells.chunks(width).enumerate() {
        let number = numbers.iter().find(|(at, _)| *at == row).map(|(_, text)| text.as_str());
        let axis = if number.is_some() { '┤' } else { '│' };
        let row: String = cells.iter().map(|cell| cell.text(terminal.colour)).collect();
        lines.push(format!("{:>left$} {axis}{row}", fit(number.unwrap_or(""), left)));
    }
    let (line, numbers) = x_axis(&axes.0, width);
    lines.push(format!("{:left$} └{line}", ""));
    lines.push(format!("{:left$}  {numbers}", ""));
    let label = fit(&clean(&chart.x.label), width);
    lines.push(format!("{:1$}{label}", "", left + 2 + (width - label.chars().count()) / 2));
    lines.extend(legend(chart, columns, terminal.colour));
    lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// The x that all points of a chart share.
fn single_x(chart: &Chart) -> Option<f64> {
    let mut points = chart.series.iter().flat_map(|series| &series.points).filter(|point| point.y.is_finite());
    let x = points.next()?.x;
    points.all(|point| point.x == x).then_some(x)
}

/// A bar from the left edge of the axis to the value of each series, and the value.
fn bars(chart: &Chart, columns: usize, colour: bool) -> Vec<String> {
    let values: Vec<(usize, f64)> = chart
        .series
        .iter()
        .enumerate()
        .filter_map(|(i, series)| series.points.iter().find(|point| point.y.is_finite()).map(|point| (i, point.y)))
        .collect();
    let names: Vec<String> = chart.series.iter().map(|series| fit(&clean(&series.name), columns / 2)).collect();
    let texts: Vec<String> = values.iter().map(|(_, value)| fit(&significant(*value), columns / 3)).collect();
    let longest = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let (left, right) = (longest(&names), longest(&texts));
    let width = columns.saturating_sub(left + right + 3).max(1);
    // A logarithmic axis begins a decade below the least value: bars have no natural beginning
    // there.
    let least = values.iter().map(|(_, value)| *value).filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    let most = values.iter().map(|(_, value)| value.abs()).fold(0.0, f64::max);
    let place = |value: f64| match chart.y.scale {
        Scale::Log10 if most > least => libm::log10(value / least * 10.0) / libm::log10(most / least * 10.0),
        _ => value / most,
    };
    let inks = colours(chart);
    let bar = |((i, value), text): (&(usize, f64), &String)| {
        let share = place(*value);
        let length = if share.is_finite() { (share.clamp(0.0, 1.0) * width as f64).round() as usize } else { 0 };
        let bar = "█".repeat(length);
        let bar = if colour { paint(&bar, inks[*i]) } else { bar };
        format!("{:<left$} │{bar} {text}", names[*i])
    };
    values.iter().zip(&texts).map(bar).collect()
}

/// All lines as cells, row by row.
fn plot(chart: &Chart, axes: &(Mapping, Mapping), width: usize, height: usize) -> Vec<Cell> {
    let mut cells = vec![Cell::default(); width * height];
    // Dots: two across and four down in each cell.
    let frame = Rect { left: 0.0, top: 0.0, right: (width * 2 - 1) as f64, bottom: (height * 4 - 1) as f64 };
    let cell = |(x, y): Place| {
        let (x, y) = (x.round().clamp(0.0, frame.right) as usize, y.round().clamp(0.0, frame.bottom) as usize);
        (y / 4 * width + x / 2, BITS[y % 4][x % 2])
    };
    let mut letters = Vec::new();
    let colours = colours(chart);
    for (i, series) in chart.series.iter().enumerate().rev() {
        let lines = Curve::new(series, axes).draw(&frame, i).lines;
        let every = if series.style == Style::Reference { 3.0 } else { 0.5 };
        let length: f64 = lines.iter().flat_map(|line| line.windows(2)).map(|w| distance(w[0], w[1])).sum();
        for line in &lines {
            for place in along(line, every, 0.0).into_iter().chain(line.last().copied()) {
                let (at, bit) = cell(place);
                cells[at].dots |= bit;
                cells[at].colour = colours[i];
            }
            // Each series starts its letters elsewhere, so that lines that run together do not hide
            // each other's.
            let apart = (length / 4.0).max(16.0);
            let places = along(line, apart, apart * (0.3 + 0.618 * i as f64).fract());
            letters.extend(places.into_iter().chain(line.last().copied()).map(|place| (cell(place).0, i)));
        }
    }
    for (at, i) in letters {
        cells[at].letter = Some(letter(i));
        cells[at].colour = colours[i];
    }
    cells
}

/// The bit of each dot, by row and column, as Unicode numbers them.
const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

impl Cell {
    fn text(self, colour: bool) -> String {
        let dots = char::from_u32(0x2800 + u32::from(self.dots)).filter(|_| self.dots > 0);
        match self.letter.or(dots) {
            None => " ".into(),
            Some(c) if colour => paint(&c.to_string(), self.colour),
            Some(c) => c.into(),
        }
    }
}

fn paint(text: &str, colour: u8) -> String {
    format!("\x1b[38;5;{colour}m{text}\x1b[0m")
}

fn letter(series: usize) -> char {
    LETTERS.get(series).map_or('*', |&letter| letter.into())
}

/// The colour of each series.
fn colours(chart: &Chart) -> Vec<u8> {
    super::ink::colours(&chart.series).into_iter().map(|colour| colour.map_or(GREY, |colour| ANSI[colour])).collect()
}

/// The numbers of an axis with this many cells.
fn by_cell(ticks: &[Tick], cells: usize) -> impl Iterator<Item = (usize, String)> {
    let last = cells.saturating_sub(1) as f64;
    ticks.iter().filter_map(move |tick| {
        Some(((tick.place * last).round().clamp(0.0, last) as usize, tick.number.as_ref()?.plain()))
    })
}

/// The horizontal axis and the numbers below it, as many as stand apart.
fn x_axis(axis: &Mapping, width: usize) -> (String, String) {
    let mut found = (String::new(), String::new());
    for wanted in (2..=(width / 7).clamp(2, 12)).rev() {
        let (mut line, mut below) = (vec!['─'; width], vec![' '; width]);
        let mut free = 0;
        let mut apart = true;
        for (at, text) in by_cell(&ticks(axis, wanted), width) {
            let text: Vec<char> = text.chars().take(width).collect();
            let start = at.saturating_sub(text.len() / 2).min(width - text.len());
            line[at] = '┬';
            if start < free {
                apart = false;
                continue;
            }
            free = start + text.len() + 1;
            below[start..start + text.len()].copy_from_slice(&text);
        }
        found = (line.into_iter().collect(), below.into_iter().collect());
        if apart {
            break;
        }
    }
    found
}

fn legend(chart: &Chart, columns: usize, colours: bool) -> Vec<String> {
    let (mut lines, mut used) = (vec![String::new()], 0);
    let inks = self::colours(chart);
    for (i, series) in chart.series.iter().enumerate() {
        let entry = fit(&format!("{} {}", letter(i), clean(&series.name)), columns - 2);
        let length = entry.chars().count() + 3;
        if used > 0 && used + length > columns {
            lines.push(String::new());
            used = 0;
        }
        used += length;
        if let Some(line) = lines.last_mut() {
            line.push_str("  ");
            line.push_str(&if colours { paint(&entry, inks[i]) } else { entry });
            line.push(' ');
        }
    }
    lines.retain(|line| !line.is_empty());
    lines.extend(footer(chart, columns));
    lines
}

/// The notes below a chart, but for those about intervals, which are not drawn here.
fn footer(chart: &Chart, columns: usize) -> impl Iterator<Item = String> {
    let is_drawn = |line: &&str| !INTERVALS.iter().any(|words| line.starts_with(words));
    let lines = chart.footer.as_deref().unwrap_or("").lines().filter(is_drawn);
    lines
        .flat_map(move |line| wrap(&clean(line), columns, 2).lines().map(|line| fit(line, columns)).collect::<Vec<_>>())
}

/// Without control characters, which a terminal would obey.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn fit(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text.into();
    }
    text.chars().take(columns.saturating_sub(1)).chain(['…']).collect()
}
