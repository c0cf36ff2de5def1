//! Where everything goes: sizes of type, margins, ticks and labels.

use super::curve::{Curve, Drawing, axes};
use super::geometry::{Place, Rect};
use super::labels::{Cover, spread};
use super::scale::Mapping;
use super::text::{balanced, width, wrap};
use super::ticks::{Number, Tick, ticks};
use super::{Chart, Scale, Series};

/// Sizes of type in pixels, for wide and for narrow charts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) title: f64,
    pub(super) subtitle: f64,
    pub(super) label: f64,
    pub(super) tick: f64,
    pub(super) footer: f64,
    pub(super) pad: f64,
    pub(super) marker: f64,
}

const WIDE: Sizes =
    Sizes { title: 20.0, subtitle: 14.5, label: 14.0, tick: 13.5, footer: 12.0, pad: 20.0, marker: 3.6 };
const NARROW: Sizes =
    Sizes { title: 15.5, subtitle: 12.0, label: 12.0, tick: 11.5, footer: 10.5, pad: 12.0, marker: 2.9 };

/// From one baseline to the next, in sizes.
pub(super) const LEADING: f64 = 1.25;
/// Lines that end in this last share of the frame are named in the column on the right.
const COLUMN_SHARE: f64 = 0.12;

/// The name of a series.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) series: usize,
    pub(super) lines: Vec<String>,
    /// Where the text starts, and its first baseline.
    pub(super) start: Place,
    /// From the line to the text, if that is not beside it.
    pub(super) leader: Vec<Place>,
    /// On top of the grid rather than beside the frame.
    pub(super) inside: bool,
}

/// A chart laid out.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) axes: (Mapping, Mapping),
    pub(super) size: Place,
    pub(super) sizes: Sizes,
    pub(super) title: Vec<String>,
    pub(super) subtitle: Vec<String>,
    pub(super) y_label: Vec<String>,
    pub(super) x_label: Vec<String>,
    pub(super) footer: Vec<String>,
    pub(super) frame: Rect,
    pub(super) x_ticks: Vec<Tick>,
    pub(super) y_ticks: Vec<Tick>,
    pub(super) drawings: Vec<Drawing>,
    pub(super) labels: Vec<Label>,
}

/// The width of a number on an axis.
pub(super) fn number_width(number: &Number, size: f64) -> f64 {
    width(&number.text, size) + number.superscript.as_deref().map_or(0.0, |s| width(s, size * 0.75))
}

/// Whether a line ends so far to the right, if it is seen at all, that its name may stand in the
/// column.
fn near_column(end: Option<Place>) -> bool {
    end.is_none_or(|(x, _)| x >= 1.0 - COLUMN_SHARE)
}

/// Whether a line leaves through the top or the bottom, before the right edge: a leader would run
/// along the frame.
fn leaves((x, y): Place) -> bool {
    x < 0.985 && !(0.02..=0.98).contains(&y)
}

impl Layout {
    pub(super) fn new(chart: &Chart, chart_width: u32, least_height: u32) -> Self {
        let sizes = if chart_width < 560 { NARROW } else { WIDE };
        let chart_width = f64::from(chart_width);
        let axes = axes(chart);
        let curves: Vec<_> = chart.series.iter().map(|series| Curve::new(series, &axes)).collect();
        let room = chart_width - 2.0 * sizes.pad;
        let title = balanced(&chart.title, sizes.title * 1.04, room, 3); // Bold is wider.
        let subtitle = balanced(chart.subtitle.as_deref().unwrap_or(""), sizes.subtitle, room, 4);
        let y_label = wrap(&chart.y.label, sizes.tick, room, 2);
        let x_label = wrap(&chart.x.label, sizes.tick, room, 2);
        let footer = footer(chart, &curves, sizes.footer, room);
        let lines = |lines: &[String], size: f64| lines.len() as f64 * size * LEADING;
        let head = sizes.pad + lines(&title, sizes.title) + lines(&subtitle, sizes.subtitle);
        let top = head + sizes.tick * 0.7 + lines(&y_label, sizes.tick) + sizes.tick * 0.9;
        let foot =
            sizes.pad * 0.8 + lines(&footer, sizes.footer) + if footer.is_empty() { 0.0 } else { sizes.tick * 0.6 };
        let below = foot + lines(&x_label, sizes.tick) + sizes.tick * LEADING + 12.0;

        let mut layout = Self {
            axes,
            size: (chart_width, 0.0),
            sizes,
            frame: Rect { left: 0.0, top, right: chart_width, bottom: 0.0 },
            x_ticks: Vec::new(),
            y_ticks: Vec::new(),
            drawings: Vec::new(),
            labels: Vec::new(),
            title,
            subtitle,
            y_label,
            x_label,
            footer,
        };
        let ends: Vec<_> = curves.iter().map(Curve::end).collect();
        let at_right = |end: &Option<Place>| near_column(*end) && !end.is_some_and(leaves);
        let mut column: Vec<bool> = ends.iter().map(at_right).collect();
        // A line that ends inside but finds no free spot for its name moves to the column, which
        // narrows the frame for the others; each round moves at least one, so this ends.
        loop {
            let texts = layout.texts(chart, &curves, &column);
            let needed: f64 = (0..texts.len()).filter(|&i| column[i]).map(|i| layout.text_height(&texts[i])).sum();
            layout.frame.bottom = (f64::from(least_height) - below).max(top + needed.max(120.0));
            layout.size.1 = layout.frame.bottom + below;
            layout.place_axes();
            layout.labels = layout.column(&curves, &texts, &column);
            layout.place_x_ticks();
            layout.drawings = curves.iter().enumerate().map(|(i, curve)| curve.draw(&layout.frame, i)).collect();
            let failed = layout.nooks(&texts, &column, &ends);
            if failed.is_empty() {
                return layout;
            }
            for series in failed {
                column[series] = true;
            }
        }
    }

    /// What is written for each series; nothing for those without data.
    fn texts(&self, chart: &Chart, curves: &[Curve], column: &[bool]) -> Vec<Vec<String>> {
        let size = self.sizes.label;
        let text = |((series, curve), column): ((&Series, &Curve), &bool)| {
            let arrow = match (curve.end(), curve.hidden_end()) {
                _ if curve.is_empty() => return Vec::new(),
                (None, Some((_, y))) if y > 1.0 => " ↑",
                (None, Some((_, y))) if y < 0.0 => " ↓",
                (None, Some((x, _))) => {
                    if x < 0.0 {
                        " ←"
                    } else {
                        " →"
                    }
                }
                _ => "",
            };
            let room = if *column { 0.34 } else { 0.5 } * self.size.0;
            wrap(&format!("{}{arrow}", series.name), size, room, 2)
        };
        chart.series.iter().zip(curves).zip(column).map(text).collect()
    }

    fn text_height(&self, lines: &[String]) -> f64 {
        lines.len() as f64 * self.sizes.label * LEADING
    }

    fn text_width(&self, lines: &[String]) -> f64 {
        lines.iter().map(|line| width(line, self.sizes.label)).fold(0.0, f64::max)
    }

    /// The vertical axis and the room its numbers need.
    fn place_axes(&mut self) {
        // Powers of ten are few and regular: they may stand closer than the numbers of a linear
        // axis.
        let apart = if self.axes.1.scale == Scale::Log10 { 1.9 } else { 3.0 };
        let wanted = (self.frame.height() / (self.sizes.tick * apart)) as usize;
        self.y_ticks = ticks(&self.axes.1, wanted.min(10));
        let numbers = self.y_ticks.iter().filter_map(|tick| tick.number.as_ref());
        let widest = numbers.map(|number| number_width(number, self.sizes.tick)).fold(12.0, f64::max);
        self.frame.left = (self.sizes.pad + widest + 10.0).min(self.size.0 * 0.4);
    }

    /// The horizontal axis: as many numbers as stand apart.
    fn place_x_ticks(&mut self) {
        let (room, size) = (self.frame.width(), self.sizes.tick);
        for wanted in (2..=((room / (size * 2.6)) as usize).clamp(2, 12)).rev() {
            self.x_ticks = ticks(&self.axes.0, wanted);
            let numbers = self.x_ticks.iter().filter_map(|tick| Some((tick.place * room, tick.number.as_ref()?)));
            let extents: Vec<_> = numbers.map(|(x, n)| (x, number_width(n, size) / 2.0)).collect();
            if extents.windows(2).all(|pair| pair[0].0 + pair[0].1 + size * 0.8 <= pair[1].0 - pair[1].1) {
                return;
            }
        }
    }

    /// Sets the right edge of the frame, and the labels beside it.
    fn column(&mut self, curves: &[Curve], texts: &[Vec<String>], column: &[bool]) -> Vec<Label> {
        let (size, pad) = (self.sizes.label, self.sizes.pad);
        let member = |&i: &usize| column[i] && !texts[i].is_empty();
        let members: Vec<usize> = (0..texts.len()).filter(member).collect();
        let widest = members.iter().map(|&i| self.text_width(&texts[i])).fold(0.0, f64::max);
        let height = |y: f64| self.frame.at((0.0, y)).1;
        let mut targets: Vec<_> = members
            .iter()
            .filter_map(|&i| {
                let end = curves[i].end();
                let (x, y) = end.or(curves[i].hidden_end()).map(|(x, y)| (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0)))?;
                Some((height(y), x, i, end.is_some()))
            })
            .collect();
        targets.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let wanted: Vec<_> = targets.iter().map(|t| (t.0, self.text_height(&texts[t.2]))).collect();
        let (top, bottom) = (self.frame.top - size * 0.6, self.frame.bottom + size * 0.6);
        let centres = spread(&wanted, top, bottom.max(top + wanted.iter().map(|w| w.1).sum::<f64>()));

        // Names stand right at the ends of the lines, or further off to leave room for leaders.
        let near = |x: f64| (1.0 - x) * self.size.0 < 12.0;
        let shift = targets.iter().zip(&centres).map(|(t, centre)| (t.0 - centre).abs()).fold(0.0, f64::max);
        let moved = shift > 2.5 || targets.iter().any(|t| !near(t.1));
        let gap = if moved { (shift * 0.3).clamp(size * 1.8, size * 3.2) } else { size * 0.7 };
        let margin = if members.is_empty() { size * 2.2 } else { gap + widest + pad * 0.5 };
        self.frame.right = (self.size.0 - margin).max(self.frame.left + 60.0);
        let label = |(&(target, x, series, seen), centre): (&(f64, f64, usize, bool), &f64)| {
            let start = self.frame.right + gap;
            let from = self.frame.at((x, 0.0)).0;
            let leader = if !moved || !seen {
                Vec::new()
            } else {
                let bend = self.frame.right.max(from) + 3.0;
                vec![(from, target), (bend, target), (start - 7.0, *centre), (start - 3.0, *centre)]
            };
            let lines = texts[series].clone();
            let baseline = self.first_baseline(*centre, lines.len());
            Label { series, lines, start: (start, baseline), leader, inside: false }
        };
        targets.iter().zip(&centres).map(label).collect()
    }

    fn first_baseline(&self, centre: f64, lines: usize) -> f64 {
        let size = self.sizes.label;
        centre - (lines as f64 - 1.0) / 2.0 * size * LEADING + 0.35 * size
    }

    /// Labels the lines that end inside the frame; those that find no free spot are handed back.
    fn nooks(&mut self, texts: &[Vec<String>], column: &[bool], ends: &[Option<Place>]) -> Vec<usize> {
        let mut cover = Cover::new(self.frame);
        for (series, drawing) in self.drawings.iter().enumerate() {
            drawing.lines.iter().for_each(|line| cover.line(line, series));
            drawing.markers.iter().for_each(|place| cover.marker(*place, series));
            drawing.whiskers.iter().for_each(|(a, b)| cover.line(&[*a, *b], series));
        }
        self.labels.iter().for_each(|label| cover.line(&label.leader, texts.len()));
        let mut failed = Vec::new();
        for series in (0..texts.len()).filter(|&i| !column[i] && !texts[i].is_empty()) {
            let extent = |lines: &[String]| (self.text_width(lines), self.text_height(lines));
            let whole = &texts[series];
            let halves = wrap(&whole.concat(), self.sizes.label, extent(whole).0 * 0.8, 2);
            let halves = if halves.concat() == whole.concat() { &halves } else { whole };
            // In one line, else broken into two, else across a line of another series: better than
            // far away, if it is far.
            let tries = [(whole, 0), (halves, 0), (halves, 16), (whole, 16)];
            let tries = tries.into_iter().filter(|(_, most)| *most == 0 || !near_column(ends[series]));
            let line = self.drawings[series].lines.last();
            let nook = line.and_then(|line| {
                tries
                    .into_iter()
                    .find_map(|(lines, most)| Some((lines, cover.nook(line, series, extent(lines), most)?)))
            });
            if let Some((lines, area)) = nook {
                let baseline = self.first_baseline(f64::midpoint(area.top, area.bottom), lines.len());
                let start = (area.left, baseline);
                self.labels.push(Label { series, lines: lines.clone(), start, leader: Vec::new(), inside: true });
            } else {
                failed.push(series);
            }
        }
        failed
    }
}

/// The notes, and the names of series that could not be drawn: they must not vanish without a word.
fn footer(chart: &Chart, curves: &[Curve], size: f64, room: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for note in chart.footer.as_deref().unwrap_or("").lines() {
        lines.extend(balanced(note, size, room, 6));
    }
    let missing: Vec<_> =
        chart.series.iter().zip(curves).filter(|(_, curve)| curve.is_empty()).map(|(s, _)| s.name.as_str()).collect();
    if !missing.is_empty() {
        lines.extend(balanced(&format!("Nothing to draw for: {}", missing.join(", ")), size, room, 4));
    }
    lines
}
