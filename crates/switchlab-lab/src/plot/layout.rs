//! Where everything goes: margins, panels, ticks, names and notes.

use super::curve::{Curve, Drawing, axes, dodge};
use super::geometry::{Place, Rect};
use super::labels::{Cover, spread};
use super::ratio;
use super::scale::Mapping;
use super::size::{Size, Sizes};
use super::text::{balanced, width, wrap};
use super::ticks::{Number, Tick, ticks};
use super::{Axis, Chart, Scale, Series, Style};

/// From one baseline to the next, in sizes.
pub(super) const LEADING: f64 = 1.25;
/// A line that is seen up to this share of the frame reaches the right edge: its name may stand
/// beside the frame.
const EDGE: f64 = 0.985;
/// How far a name may be moved away from the end of its line, in its own height.
const FARTHEST: f64 = 1.7;
/// A key takes at most this share of the width beside the plot; a wider one goes below.
const KEY_SHARE: f64 = 0.3;
/// The height of the second panel, in heights of the first.
const SECOND: f64 = 0.45;

/// The name of a series beside its line.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) series: usize,
    pub(super) lines: Vec<String>,
    /// Where the text starts, and its first baseline.
    pub(super) start: Place,
    /// From the frame to the text, if that is not level with the end of the line. Never inside the
    /// frame.
    pub(super) leader: Vec<Place>,
    /// On top of the grid rather than beside the frame.
    pub(super) inside: bool,
}

/// The name of a series in the key.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) series: usize,
    pub(super) lines: Vec<String>,
    pub(super) start: Place,
    /// The ends of the sample of its line.
    pub(super) sample: (Place, Place),
}

/// A frame with its vertical axis and its lines.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) frame: Rect,
    pub(super) axes: (Mapping, Mapping),
    pub(super) y_ticks: Vec<Tick>,
    /// Above the frame.
    pub(super) y_label: Vec<String>,
    pub(super) drawings: Vec<Drawing>,
    /// A value that is marked by a line.
    pub(super) mark: Option<f64>,
}

/// A chart laid out.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) size: Place,
    pub(super) sizes: Sizes,
    pub(super) title: Vec<String>,
    pub(super) subtitle: Vec<String>,
    pub(super) x_label: Vec<String>,
    pub(super) footer: Vec<String>,
    /// The chart, and below it the ratios if they are asked for.
    pub(super) panels: Vec<Panel>,
    pub(super) x_ticks: Vec<Tick>,
    pub(super) labels: Vec<Label>,
    pub(super) key: Vec<Entry>,
}

/// Where the names go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    /// Each at the end of its line.
    Direct,
    /// In a key beside the plot, or below it if that is narrow.
    Key,
}

/// What does not depend on where the names go.
struct Parts<'a> {
    chart: &'a Chart,
    size: &'a Size,
    /// For each panel: axes, label, and the series along them.
    panels: Vec<((Mapping, Mapping), &'a str, Vec<Curve>)>,
    notes: Vec<String>,
}

/// The width of a number on an axis.
pub(super) fn number_width(number: &Number, size: f64) -> f64 {
    width(&number.text, size) + number.superscript.as_deref().map_or(0.0, |s| width(s, size * 0.75))
}

/// Title and subtitle, broken into lines.
pub(super) fn heading(titled: bool, title: &str, subtitle: &str, sizes: &Sizes, room: f64) -> [Vec<String>; 2] {
    if !titled {
        return [Vec::new(), Vec::new()];
    }
    // Bold is wider.
    [balanced(title, sizes.title * 1.04, room, 3), balanced(subtitle, sizes.subtitle, room, 4)]
}

/// The height of lines of text.
pub(super) fn height(lines: &[String], size: f64) -> f64 {
    lines.len() as f64 * size * LEADING
}

/// The height of the notes with the space around them.
pub(super) fn footer_height(footer: &[String], sizes: &Sizes) -> f64 {
    sizes.pad * 0.8 + height(footer, sizes.footer) + if footer.is_empty() { 0.0 } else { sizes.tick * 0.6 }
}

impl Layout {
    pub(super) fn new(chart: &Chart, size: &Size) -> Self {
        let own_axes = axes(&chart.x, &chart.y, &chart.series);
        let curves = |series: &[Series], axes: &(Mapping, Mapping)| {
            series.iter().map(|s| Curve::new(s, axes)).collect::<Vec<_>>()
        };
        let mut panels = vec![(own_axes, chart.y.label.as_str(), curves(&chart.series, &own_axes))];
        let ratios = ratio::panel(chart);
        if let Some((axis, series)) = &ratios {
            // The same horizontal axis, whatever points the ratios have.
            let (_, vertical) = axes(&chart.x, axis, series);
            let both = (own_axes.0, vertical);
            panels.push((both, axis.label.as_str(), curves(series, &both)));
        }
        let mut notes: Vec<String> = chart.footer.as_deref().unwrap_or("").lines().map(str::to_string).collect();
        if ratios
            .as_ref()
            .is_some_and(|(_, series)| series.iter().any(|it| it.points.iter().any(|p| p.interval.is_some())))
        {
            notes.push("Intervals of ratios: as if both values were independent".to_string());
        }
        notes.extend(left_out(chart, &panels[0].2));
        let mut parts = Parts { chart, size, panels, notes };
        let (layout, dodged) = parts.lay_out();
        if !dodged {
            return layout;
        }
        parts.notes.push("Markers of equal values stand side by side".to_string());
        parts.lay_out().0
    }
}

impl Parts<'_> {
    /// The layout, and whether markers had to be moved apart.
    fn lay_out(&self) -> (Layout, bool) {
        let direct = self.arrange(Names::Direct);
        let (mut layout, failed) = direct;
        if failed {
            layout = self.arrange(Names::Key).0;
        }
        let mut dodged = false;
        for panel in &mut layout.panels {
            dodged |= dodge(&mut panel.drawings, &panel.frame, layout.sizes.marker);
        }
        (layout, dodged)
    }

    /// Everything in its place, and whether a name found none.
    fn arrange(&self, names: Names) -> (Layout, bool) {
        let (chart, sizes) = (self.chart, self.size.sizes());
        let curves = &self.panels[0].2;
        let whole = self.size.width();
        let room = whole - 2.0 * sizes.pad;
        let [title, subtitle] =
            heading(chart.titled, &chart.title, chart.subtitle.as_deref().unwrap_or(""), &sizes, room);
        let footer: Vec<String> = self.notes.iter().flat_map(|note| balanced(note, sizes.footer, room, 6)).collect();
        let x_label = wrap(&chart.x.label, sizes.tick, room, 2);
        let y_labels: Vec<_> = self.panels.iter().map(|(_, label, _)| wrap(label, sizes.tick, room, 2)).collect();
        let texts = self.texts(names, &sizes);
        let beside = names == Names::Key && Self::key_width(&texts, &sizes) <= KEY_SHARE * whole;
        let below_key = if names == Names::Key && !beside { self.key_below(&texts, &sizes) } else { (Vec::new(), 0.0) };

        let head = sizes.pad + height(&title, sizes.title) + height(&subtitle, sizes.subtitle);
        let foot = footer_height(&footer, &sizes) + below_key.1;
        let below = foot + height(&x_label, sizes.tick) + sizes.tick * (LEADING + 0.9);
        // Above a frame: its label and a gap.
        let above = |label: &[String]| sizes.tick * 0.7 + height(label, sizes.tick) + sizes.tick * 0.9;
        let labels: f64 = y_labels.iter().map(|label| above(label)).sum();
        let shares = if self.panels.len() > 1 { 1.0 + SECOND } else { 1.0 };
        let least = if beside { Self::key_height(&texts, &sizes) } else { 0.0 };
        let least = least.max(self.size.least_frame());
        // A second panel makes the picture higher rather than the first panel low.
        let wanted = self.size.height() * if self.panels.len() > 1 { 1.3 } else { 1.0 };
        let first = ((wanted - head - below - labels) / shares).max(least);

        let mut layout = Layout {
            size: (whole, 0.0),
            sizes,
            title,
            subtitle,
            x_label,
            footer,
            panels: Vec::new(),
            x_ticks: Vec::new(),
            labels: Vec::new(),
            key: Vec::new(),
        };
        let mut top = head;
        for (index, ((axes, _, _), y_label)) in self.panels.iter().zip(y_labels).enumerate() {
            top += above(&y_label);
            let bottom = top + if index == 0 { first } else { first * SECOND };
            let frame = Rect { left: 0.0, top, right: whole, bottom };
            let (y_ticks, drawings) = (Vec::new(), Vec::new());
            let mark = (index == 1).then_some(1.0);
            layout.panels.push(Panel { frame, axes: *axes, y_ticks, y_label, drawings, mark });
            top = bottom;
        }
        layout.size.1 = top + below;
        layout.place_y_axes();
        let right = match names {
            Names::Direct => layout.column(curves, &texts),
            Names::Key if beside => whole - sizes.pad * 0.5 - Self::key_width(&texts, &sizes),
            Names::Key => whole - sizes.pad - sizes.label * 0.8,
        };
        layout.set_right(right);
        layout.place_x_ticks();
        for (panel, (_, _, curves)) in layout.panels.iter_mut().zip(&self.panels) {
            panel.drawings = curves.iter().enumerate().map(|(i, curve)| curve.draw(&panel.frame, i)).collect();
        }
        let failed = match names {
            Names::Direct => layout.names_are_far_or_do_not_fit() || !layout.name_lines_at_their_ends(curves, &texts),
            Names::Key => {
                layout.key = if beside { self.key_beside(&texts, &layout) } else { below_key.0 };
                if !beside {
                    let from = layout.size.1 - foot;
                    layout.key.iter_mut().for_each(|entry| entry.shift(0.0, from));
                }
                false
            }
        };
        (layout, failed)
    }

    /// What is written for each series; nothing for those without data.
    fn texts(&self, names: Names, sizes: &Sizes) -> Vec<Vec<String>> {
        let text = |(series, curve): (&Series, &Curve)| {
            let arrow = match (curve.end(), curve.hidden_end()) {
                _ if curve.is_empty() => return Vec::new(),
                (None, Some((_, y))) if y > 1.0 => " ↑",
                (None, Some((_, y))) if y < 0.0 => " ↓",
                (None, Some((x, _))) if x < 0.0 => " ←",
                (None, Some(_)) => " →",
                _ => "",
            };
            let share = match names {
                Names::Direct => 0.34,
                Names::Key => 0.8,
            };
            wrap(&format!("{}{arrow}", series.name), sizes.label, share * self.size.width(), 2)
        };
        self.chart.series.iter().zip(&self.panels[0].2).map(text).collect()
    }

    /// The width of a sample with the gap to its name.
    fn sample(sizes: &Sizes) -> f64 {
        sizes.label * 2.8
    }

    /// The width of a key beside the plot, its gap included.
    fn key_width(texts: &[Vec<String>], sizes: &Sizes) -> f64 {
        let widest = texts.iter().map(|lines| text_width(lines, sizes.label)).fold(0.0, f64::max);
        sizes.label * 1.2 + Self::sample(sizes) + widest
    }

    fn key_height(texts: &[Vec<String>], sizes: &Sizes) -> f64 {
        texts.iter().map(|lines| height(lines, sizes.label) + sizes.label * 0.2).sum()
    }

    /// The series in the order in which their lines end, from top to bottom; on one level, from
    /// right to left.
    fn order(&self, texts: &[Vec<String>]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..texts.len()).filter(|&i| !texts[i].is_empty()).collect();
        let level = |i: &usize| {
            let curve = &self.panels[0].2[*i];
            let (x, y) = curve.end().or(curve.hidden_end()).unwrap_or((0.0, 0.0));
            ((y.clamp(-1.0, 2.0) * 20.0).round(), x)
        };
        order.sort_by(|a, b| {
            let (a, b) = (level(a), level(b));
            b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
        });
        order
    }

    fn entry(series: usize, lines: &[String], (x, top): Place, sizes: &Sizes) -> Entry {
        let middle = top + sizes.label * LEADING / 2.0;
        let long = Self::sample(sizes) - sizes.label * 0.6;
        Entry {
            series,
            lines: lines.to_vec(),
            start: (x + Self::sample(sizes), middle + 0.35 * sizes.label),
            sample: ((x, middle), (x + long, middle)),
        }
    }

    /// The key in a column beside the first panel.
    fn key_beside(&self, texts: &[Vec<String>], layout: &Layout) -> Vec<Entry> {
        let (sizes, frame) = (&layout.sizes, layout.panels[0].frame);
        let mut top = frame.top - sizes.label * 0.3;
        let mut entries = Vec::new();
        for series in self.order(texts) {
            let lines = &texts[series];
            entries.push(Self::entry(series, lines, (frame.right + sizes.label * 1.2, top), sizes));
            top += height(lines, sizes.label) + sizes.label * 0.2;
        }
        entries
    }

    /// The key in rows below the plot, from a height of 0 on, and its height.
    fn key_below(&self, texts: &[Vec<String>], sizes: &Sizes) -> (Vec<Entry>, f64) {
        let room = self.size.width() - 2.0 * sizes.pad;
        let order = self.order(texts);
        let gap = sizes.label * 1.2;
        let widest = Self::key_width(texts, sizes);
        let columns = (((room + gap) / widest).floor() as usize).clamp(1, order.len().max(1));
        let mut top = sizes.label * 0.5;
        let mut entries = Vec::new();
        for row in order.chunks(columns) {
            for (column, &series) in row.iter().enumerate() {
                let x = sizes.pad + column as f64 * (room + gap) / columns as f64;
                entries.push(Self::entry(series, &texts[series], (x, top), sizes));
            }
            top += row.iter().map(|&series| height(&texts[series], sizes.label)).fold(0.0, f64::max);
        }
        (entries, top)
    }
}

impl Entry {
    fn shift(&mut self, x: f64, y: f64) {
        for place in [&mut self.start, &mut self.sample.0, &mut self.sample.1] {
            *place = (place.0 + x, place.1 + y);
        }
    }
}

fn text_width(lines: &[String], size: f64) -> f64 {
    lines.iter().map(|line| width(line, size)).fold(0.0, f64::max)
}

impl Layout {
    fn set_right(&mut self, right: f64) {
        for panel in &mut self.panels {
            panel.frame.right = right.max(panel.frame.left + 60.0);
        }
    }

    /// The vertical axes and the room their numbers need.
    fn place_y_axes(&mut self) {
        let size = self.sizes.tick;
        let mut widest = 12.0_f64;
        for panel in &mut self.panels {
            panel.y_ticks = y_ticks(&panel.axes.1, panel.frame.height(), size);
            let numbers = panel.y_ticks.iter().filter_map(|tick| tick.number.as_ref());
            widest = numbers.map(|number| number_width(number, size)).fold(widest, f64::max);
        }
        let left = (self.sizes.pad + widest + 10.0).min(self.size.0 * 0.4);
        self.panels.iter_mut().for_each(|panel| panel.frame.left = left);
    }

    /// The horizontal axis: as many numbers as stand apart.
    fn place_x_ticks(&mut self) {
        let panel = &self.panels[0];
        self.x_ticks = x_ticks(&panel.axes.0, panel.frame.width(), self.sizes.tick);
    }

    /// Puts the names of lines that reach the right edge beside it, and says where that edge has to
    /// be.
    fn column(&mut self, curves: &[Curve], texts: &[Vec<String>]) -> f64 {
        let (size, pad, frame) = (self.sizes.label, self.sizes.pad, self.panels[0].frame);
        let at_edge = |&i: &usize| !texts[i].is_empty() && curves[i].end().is_none_or(|(x, _)| x >= EDGE);
        let members: Vec<usize> = (0..texts.len()).filter(at_edge).collect();
        let widest = members.iter().map(|&i| text_width(&texts[i], size)).fold(0.0, f64::max);
        let mut targets: Vec<(f64, usize, bool)> = members
            .iter()
            .filter_map(|&i| {
                let end = curves[i].end();
                let (_, y) = end.or(curves[i].hidden_end())?;
                Some((frame.at((0.0, y.clamp(0.0, 1.0))).1, i, end.is_some()))
            })
            .collect();
        targets.sort_by(|a, b| a.0.total_cmp(&b.0));
        let wanted: Vec<_> = targets.iter().map(|t| (t.0, height(&texts[t.1], size))).collect();
        let (top, bottom) = (frame.top - size * 0.6, frame.bottom + size * 0.6);
        let centres = spread(&wanted, top, bottom.max(top + wanted.iter().map(|w| w.1).sum::<f64>()));

        // Names stand right at the ends of the lines, or further off to leave room for leaders.
        let shift = targets.iter().zip(&centres).map(|(t, centre)| (t.0 - centre).abs()).fold(0.0, f64::max);
        let moved = shift > 2.5;
        let gap = if moved { (shift * 0.3).clamp(size * 1.8, size * 3.2) } else { size * 0.7 };
        let margin = if members.is_empty() { size * 2.2 } else { gap + widest + pad * 0.5 };
        let right = (self.size.0 - margin).max(frame.left + 60.0);
        let label = |(&(target, series, seen), centre): (&(f64, usize, bool), &f64)| {
            let start = right + gap;
            let leader = if moved && seen && (target - centre).abs() > 1.0 {
                vec![(right + 5.0, target), (start - 3.0, *centre)]
            } else {
                Vec::new()
            };
            let lines = texts[series].clone();
            let baseline = self.first_baseline(*centre, lines.len());
            Label { series, lines, start: (start, baseline), leader, inside: false }
        };
        self.labels = targets.iter().zip(&centres).map(label).collect();
        right
    }

    /// Whether names beside the frame are too far from the ends of their lines, or do not fit.
    fn names_are_far_or_do_not_fit(&self) -> bool {
        let size = self.sizes.label;
        let far = |label: &Label| match label.leader[..] {
            [from, to] => (from.1 - to.1).abs() > FARTHEST * size * LEADING,
            _ => false,
        };
        let frame = self.panels[0].frame;
        let lowest = self.labels.iter().map(|label| label.start.1).fold(0.0, f64::max);
        self.labels.iter().any(far) || lowest > frame.bottom + size
    }

    fn first_baseline(&self, centre: f64, lines: usize) -> f64 {
        let size = self.sizes.label;
        centre - (lines as f64 - 1.0) / 2.0 * size * LEADING + 0.35 * size
    }

    /// Names the lines that end inside the frame, beside their ends. False if one finds no place.
    fn name_lines_at_their_ends(&mut self, curves: &[Curve], texts: &[Vec<String>]) -> bool {
        let (size, panel) = (self.sizes.label, &self.panels[0]);
        let mut cover = Cover::new(panel.frame, self.size.0 - self.sizes.pad * 0.3);
        for (series, drawing) in panel.drawings.iter().enumerate() {
            drawing.lines.iter().for_each(|line| cover.line(line, series));
            drawing.markers.iter().for_each(|place| cover.marker(*place, series));
            drawing.whiskers.iter().for_each(|(a, b)| cover.line(&[*a, *b], series));
        }
        for label in &self.labels {
            let (w, h) = (text_width(&label.lines, size), height(&label.lines, size));
            let (left, top) = (panel.frame.right, label.start.1 - size);
            cover.reserve(Rect { left, top, right: label.start.0 + w, bottom: top + h });
        }
        let inside =
            (0..texts.len()).filter(|&i| !texts[i].is_empty() && curves[i].end().is_some_and(|(x, _)| x < EDGE));
        let mut found = Vec::new();
        for series in inside {
            let extent = |lines: &[String]| (text_width(lines, size), height(lines, size));
            let whole = &texts[series];
            let halves = wrap(&whole.concat(), size, extent(whole).0 * 0.8, 2);
            let halves = if halves.concat() == whole.concat() { &halves } else { whole };
            let Some(line) = panel.drawings[series].lines.last() else { return false };
            let nook =
                [whole, halves].into_iter().find_map(|lines| Some((lines, cover.nook(line, series, extent(lines))?)));
            let Some((lines, area)) = nook else { return false };
            let baseline = self.first_baseline(f64::midpoint(area.top, area.bottom), lines.len());
            let start = (area.left, baseline);
            found.push(Label { series, lines: lines.clone(), start, leader: Vec::new(), inside: true });
        }
        self.labels.extend(found);
        true
    }
}

/// The ticks of a vertical axis of a height.
fn y_ticks(axis: &Mapping, height: f64, size: f64) -> Vec<Tick> {
    // Powers of ten are few and regular: they may stand closer than the numbers of a linear axis.
    let apart = if axis.scale == Scale::Log10 { 1.9 } else { 3.0 };
    ticks(axis, ((height / (size * apart)) as usize).min(10))
}

/// The ticks of a horizontal axis of a width: as many numbers as stand apart.
pub(super) fn x_ticks(axis: &Mapping, room: f64, size: f64) -> Vec<Tick> {
    let mut found = Vec::new();
    for wanted in (2..=((room / (size * 2.6)) as usize).clamp(2, 12)).rev() {
        found = ticks(axis, wanted);
        let numbers = found.iter().filter_map(|tick| Some((tick.place * room, tick.number.as_ref()?)));
        let extents: Vec<_> = numbers.map(|(x, n)| (x, number_width(n, size) / 2.0)).collect();
        if extents.windows(2).all(|pair| pair[0].0 + pair[0].1 + size * 0.8 <= pair[1].0 - pair[1].1) {
            break;
        }
    }
    found
}

/// Notes on what the axes cannot show: series without a point, and values that are not positive on
/// a logarithmic axis.
fn left_out(chart: &Chart, curves: &[Curve]) -> Vec<String> {
    let mut notes = Vec::new();
    let both = chart.series.iter().zip(curves);
    let missing: Vec<_> = both.filter(|(_, curve)| curve.is_empty()).map(|(series, _)| series.name.as_str()).collect();
    if !missing.is_empty() {
        notes.push(format!("Nothing to draw for: {}", missing.join(", ")));
    }
    let points = || chart.series.iter().filter(|series| series.style != Style::Reference).flat_map(|s| &s.points);
    let not_positive = |axis: &Axis, count: usize| {
        let word = axis.word.as_ref().unwrap_or(&axis.label);
        let values = if count == 1 { "1 value".to_string() } else { format!("{count} values") };
        (axis.scale == Scale::Log10 && count > 0)
            .then(|| format!("The logarithmic axis has no place for {word} 0: {values} not shown"))
    };
    notes.extend(not_positive(&chart.x, points().filter(|p| p.x <= 0.0 && p.y.is_finite()).count()));
    notes.extend(not_positive(&chart.y, points().filter(|p| p.y <= 0.0 && p.x.is_finite()).count()));
    notes
}
