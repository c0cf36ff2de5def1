//! A series in pixels: its line, its band and its markers, clipped and thinned.

use super::geometry::{Place, Rect, along, distance, thin};
use super::scale::{Fit, Mapping};
use super::{Axis, Scale, Series, Style};

/// Lines are thinned to this many points.
pub(super) const MOST_POINTS: usize = 400;
/// Up to this many points each gets a marker; beyond, markers are spread along the line.
const MOST_MARKERS: usize = 40;
/// A narrower band is hidden by its line, a shorter whisker by its marker; in pixels.
const SEEN_BAND: f64 = 1.5;
const SEEN_WHISKER: f64 = 4.0;

/// A series along the axes: what the size of the chart does not change.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    style: Style,
    points: Vec<Place>,
    /// For each point, its interval along the vertical axis.
    intervals: Vec<Option<(f64, f64)>>,
}

/// A series in pixels.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawing {
    /// Each a line inside the frame.
    pub(super) lines: Vec<Vec<Place>>,
    pub(super) bands: Vec<Vec<Place>>,
    pub(super) whiskers: Vec<(Place, Place)>,
    pub(super) markers: Vec<Place>,
    /// Whether each marker is a point, rather than somewhere on the line.
    pub(super) marks_points: bool,
}

/// Both axes, their ranges taken from the data where none is given.
pub(super) fn axes(x_axis: &Axis, y_axis: &Axis, series: &[Series]) -> (Mapping, Mapping) {
    let points = || series.iter().flat_map(|series| &series.points);
    let x = Mapping::new(x_axis, Fit::Tight, points().filter(|p| p.y.is_finite()).map(|p| p.x));
    // Values whose x cannot be shown must not stretch the other axis.
    let shown = || points().filter(|p| x.place(p.x).is_some_and(|place| (-1e-9..=1.0 + 1e-9).contains(&place)));
    (x, vertical(y_axis, shown().map(|p| (p.y, p.interval))))
}

/// An axis for values with their intervals.
pub(super) fn vertical(axis: &Axis, points: impl Iterator<Item = (f64, Option<(f64, f64)>)>) -> Mapping {
    let points: Vec<_> = points.filter(|(y, _)| y.is_finite()).collect();
    let ends = points.iter().filter_map(|(y, interval)| Some((*y, (*interval)?)));
    let ends = ends.flat_map(|(y, (a, b))| [a, b].map(|end| reach(axis, y, end)));
    let mut mapping = Mapping::new(axis, Fit::Round, points.iter().map(|(y, _)| *y).chain(ends));
    // Ends of intervals are rarely whole; the values decide.
    mapping.values = Mapping::new(axis, Fit::Round, points.iter().map(|(y, _)| *y)).values;
    mapping
}

/// The end of an interval as far as it may stretch a logarithmic axis: an interval that comes close
/// to zero would take all the room.
fn reach(axis: &Axis, y: f64, end: f64) -> f64 {
    if axis.scale == Scale::Log10 && y > 0.0 { end.clamp(y / 3.0, (y * 3.0).max(y)) } else { end }
}

impl Curve {
    pub(super) fn new(series: &Series, (x, y): &(Mapping, Mapping)) -> Self {
        let mut points: Vec<_> = series
            .points
            .iter()
            .filter_map(|p| {
                let interval = p.interval.and_then(|(a, b)| Some((y.place_end(a)?, y.place_end(b)?)));
                Some(((x.place(p.x)?, y.place(p.y)?), interval.map(|(a, b)| (a.min(b), a.max(b)))))
            })
            .collect();
        points.sort_by(|(a, _), (b, _)| a.0.total_cmp(&b.0));
        let (points, intervals) = points.into_iter().unzip();
        Self { style: series.style, points, intervals }
    }

    /// Whether there is anything to draw, inside the ranges or outside.
    pub(super) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Where the line is seen last, along the axes.
    pub(super) fn end(&self) -> Option<Place> {
        let rect = Rect::UNIT.grown(1e-9);
        rect.clip_line(&self.connect(self.points.iter().copied())).last()?.last().copied()
    }

    /// For a line that is never seen: where it would end.
    pub(super) fn hidden_end(&self) -> Option<Place> {
        self.points.last().copied()
    }

    /// The corners of the line through points: for steps there are more of them.
    fn connect(&self, points: impl Iterator<Item = Place>) -> Vec<Place> {
        let mut line: Vec<Place> = Vec::new();
        for point in points {
            if let (Style::Step, Some(&last)) = (self.style, line.last()) {
                line.push((point.0, last.1));
            }
            line.push(point);
        }
        line
    }

    /// In pixels. `turn` is the number of the series: spread markers start at different places, not
    /// to hide each other.
    pub(super) fn draw(&self, frame: &Rect, turn: usize) -> Drawing {
        // A point on the frame is inside, whatever rounding did to it.
        let clip = frame.grown(1e-6);
        let to_pixels = |line: Vec<Place>| thin(line.into_iter().map(|p| frame.at(p)).collect(), MOST_POINTS);
        let lines = clip.clip_line(&to_pixels(self.connect(self.points.iter().copied())));
        let few = self.points.len() <= MOST_MARKERS;
        let marks_points = few && self.style == Style::Line || self.points.len() == 1;
        let markers = if self.style == Style::Reference {
            Vec::new()
        } else if marks_points {
            self.points.iter().map(|p| frame.at(*p)).filter(|p| clip.contains(*p)).collect()
        } else {
            let length: f64 = lines.iter().flat_map(|line| line.windows(2)).map(|w| distance(w[0], w[1])).sum();
            let every = (length / 10.0).max(70.0);
            let offset = every * (0.25 + 0.381_966 * turn as f64).fract();
            lines.iter().flat_map(|line| along(line, every, offset.max(12.0))).collect()
        };
        let whiskers = self.points.iter().zip(&self.intervals).filter(|_| few && self.style == Style::Line);
        let whiskers = whiskers.filter_map(|(p, interval)| {
            let (low, high) = (*interval)?;
            clip.clip_segment(frame.at((p.0, low)), frame.at((p.0, high)))
        });
        let whiskers = whiskers.filter(|(a, b)| distance(*a, *b) >= SEEN_WHISKER).collect();
        Drawing { bands: self.bands(frame, &to_pixels, &clip), whiskers, markers, lines, marks_points }
    }

    /// One band over each run of points that have intervals, as far as it is wider than the line.
    /// What is hidden behind the line is bytes without a picture.
    fn bands(&self, frame: &Rect, to_pixels: &dyn Fn(Vec<Place>) -> Vec<Place>, clip: &Rect) -> Vec<Vec<Place>> {
        let is_seen = |interval: &Option<(f64, f64)>| {
            interval.is_some_and(|(low, high)| distance(frame.at((0.0, low)), frame.at((0.0, high))) >= SEEN_BAND)
        };
        let seen: Vec<bool> = self.intervals.iter().map(is_seen).collect();
        // A band begins and ends at points where it is hidden.
        let is_near = |i: usize| seen[i.saturating_sub(1)..seen.len().min(i + 2)].contains(&true);
        let ends: Vec<_> = (0..self.points.len())
            .map(|i| {
                let interval = self.intervals[i].filter(|_| is_near(i));
                interval.map(|(low, high)| (self.points[i].0, low, high))
            })
            .collect();
        ends.chunk_by(|a, b| a.is_some() == b.is_some())
            .map(|run| {
                let upper = to_pixels(self.connect(run.iter().flatten().map(|&(x, _, high)| (x, high))));
                let lower = to_pixels(self.connect(run.iter().flatten().map(|&(x, low, _)| (x, low))));
                clip.clip_polygon(upper.into_iter().chain(lower.into_iter().rev()).collect())
            })
            .filter(|band| band.len() > 2)
            .collect()
    }
}

/// Moves markers that cover each other side by side, with their whiskers, and not beyond the edges
/// of the frame. Together they take less than two thirds of the way to the next x, so that it stays
/// clear which x they belong to. Whether there were any.
pub(super) fn dodge(drawings: &mut [Drawing], frame: &Rect, marker: f64) -> bool {
    let mut all: Vec<(Place, usize, usize)> = Vec::new();
    for (series, drawing) in drawings.iter().enumerate().filter(|(_, drawing)| drawing.marks_points) {
        all.extend(drawing.markers.iter().enumerate().map(|(i, place)| (*place, series, i)));
    }
    all.sort_by(|(a, s, _), (b, t, _)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(s.cmp(t)));
    let near = |a: &(Place, usize, usize), b: &(Place, usize, usize)| {
        (a.0.0 - b.0.0).abs() < 0.5 && (a.0.1 - b.0.1).abs() < marker * 0.8
    };
    let mut dodged = false;
    for cluster in all.chunk_by(near).filter(|cluster| cluster.len() > 1) {
        dodged = true;
        let distances = all.iter().map(|other| (other.0.0 - cluster[0].0.0).abs()).filter(|gap| *gap >= 0.5);
        let next = distances.fold(f64::INFINITY, f64::min);
        let step = (marker * 1.3).min(0.6 * next / (cluster.len() - 1) as f64);
        let half = (cluster.len() - 1) as f64 / 2.0 * step;
        let (x, last) = (cluster[0].0.0, (frame.right - half).max(frame.left + half));
        let start = x.clamp(frame.left + half, last) - x - half;
        // In the order of the series, whatever the order of their values.
        let mut members: Vec<_> = cluster.iter().collect();
        members.sort_by_key(|(_, series, _)| *series);
        for (k, (place, series, index)) in members.into_iter().enumerate() {
            let shift = start + k as f64 * step;
            let drawing = &mut drawings[*series];
            drawing.markers[*index].0 += shift;
            for (a, b) in drawing.whiskers.iter_mut().filter(|(a, _)| (a.0 - place.0).abs() < 1e-9) {
                (a.0, b.0) = (a.0 + shift, b.0 + shift);
            }
        }
    }
    dodged
}
