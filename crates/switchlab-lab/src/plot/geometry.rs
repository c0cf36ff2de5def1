//! Rectangles, clipping and thinning of lines.
//!
//! Lines are clipped here and not by a `clipPath`: where a line leaves the chart must be known to
//! label it, strokes along the frame keep their full width, and several charts on one page cannot
//! confuse their identifiers.

/// A place in pixels, or in axis lengths.
pub(super) type Place = (f64, f64);

/// A rectangle; `y` grows downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    /// Both axes from 0 to 1.
    pub(super) const UNIT: Self = Self { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };

    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(super) fn contains(&self, (x, y): Place) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    /// The same, larger by `by` on all sides.
    pub(super) fn grown(&self, by: f64) -> Self {
        Self { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }

    pub(super) fn covers(&self, other: &Self) -> bool {
        self.contains((other.left, other.top)) && self.contains((other.right, other.bottom))
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    /// From places along the axes, `y` upwards, to pixels.
    pub(super) fn at(&self, (x, y): Place) -> Place {
        (self.left + x * self.width(), self.bottom - y * self.height())
    }

    /// The part of a segment inside (Liang and Barsky).
    pub(super) fn clip_segment(&self, a: Place, b: Place) -> Option<(Place, Place)> {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let sides = [(-dx, a.0 - self.left), (dx, self.right - a.0), (-dy, a.1 - self.top), (dy, self.bottom - a.1)];
        for (outward, inside) in sides {
            if outward < 0.0 {
                enter = enter.max(inside / outward);
            } else if outward > 0.0 {
                leave = leave.min(inside / outward);
            } else if inside < 0.0 {
                return None;
            }
        }
        let at = |t: f64| (a.0 + t * dx, a.1 + t * dy);
        // The ends themselves are kept as they are, so that connected segments stay connected.
        let (from, to) = (if enter > 0.0 { at(enter) } else { a }, if leave < 1.0 { at(leave) } else { b });
        (enter <= leave).then_some((from, to))
    }

    /// The parts of a line inside.
    pub(super) fn clip_line(&self, line: &[Place]) -> Vec<Vec<Place>> {
        if let [only] = line {
            return if self.contains(*only) { vec![vec![*only]] } else { Vec::new() };
        }
        let mut parts: Vec<Vec<Place>> = Vec::new();
        for pair in line.windows(2) {
            let Some((from, to)) = self.clip_segment(pair[0], pair[1]) else { continue };
            match parts.last_mut() {
                Some(part) if part.last() == Some(&from) => part.push(to),
                _ => parts.push(vec![from, to]),
            }
        }
        parts
    }

    /// The part of a polygon inside (Sutherland and Hodgman).
    pub(super) fn clip_polygon(&self, polygon: Vec<Place>) -> Vec<Place> {
        let r = *self;
        let sides: [&dyn Fn(Place) -> f64; 4] =
            [&move |p| p.0 - r.left, &move |p| r.right - p.0, &move |p| p.1 - r.top, &move |p| r.bottom - p.1];
        sides.iter().fold(polygon, |polygon, inside| {
            let mut kept = Vec::with_capacity(polygon.len() + 2);
            for (i, &b) in polygon.iter().enumerate() {
                let a = polygon[if i == 0 { polygon.len() - 1 } else { i - 1 }];
                let (da, db) = (inside(a), inside(b));
                if (da < 0.0) != (db < 0.0) {
                    let t = da / (da - db);
                    kept.push((a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1)));
                }
                if db >= 0.0 {
                    kept.push(b);
                }
            }
            kept
        })
    }
}

pub(super) fn distance(a: Place, b: Place) -> f64 {
    libm::hypot(b.0 - a.0, b.1 - a.1)
}

/// Thins a line in pixels, sorted by `x`, to at most `most` points (eight or more) that look the
/// same.
pub(super) fn thin(line: Vec<Place>, most: usize) -> Vec<Place> {
    if line.len() <= most {
        return line;
    }
    let line = columns(&line, 1.0);
    for tolerance in [0.1, 0.2, 0.4] {
        let kept = simplify(&line, tolerance);
        if kept.len() <= most {
            return kept;
        }
    }
    // Noise: its envelope is what can be seen, and wider columns keep that.
    let extent = line[line.len() - 1].0 - line[0].0;
    columns(&line, extent * 4.0 / (most - 4) as f64)
}

/// Keeps the first, lowest, highest and last point of each column of a width: all that can be seen,
/// in linear time.
fn columns(line: &[Place], width: f64) -> Vec<Place> {
    let mut kept = Vec::new();
    let mut start = 0;
    let from = line[0].0;
    let number = |p: &Place| ((p.0 - from) / width) as i64;
    for column in line.chunk_by(|a, b| number(a) == number(b)) {
        let by_y = |&i: &usize, &j: &usize| column[i].1.total_cmp(&column[j].1);
        let extremes = [(0..column.len()).min_by(by_y), (0..column.len()).max_by(by_y)].map(|i| i.unwrap_or(0));
        let mut indices = [0, extremes[0], extremes[1], column.len() - 1];
        indices.sort_unstable();
        let distinct = indices.iter().enumerate().filter(|&(k, i)| k == 0 || indices[k - 1] != *i);
        kept.extend(distinct.map(|(_, i)| line[start + i]));
        start += column.len();
    }
    kept
}

/// Leaves out points that lie within `tolerance` of the line through the rest (Douglas and
/// Peucker).
fn simplify(line: &[Place], tolerance: f64) -> Vec<Place> {
    let mut keep = vec![false; line.len()];
    let mut work = vec![(0, line.len() - 1)];
    while let Some((first, last)) = work.pop() {
        (keep[first], keep[last]) = (true, true);
        let (a, b) = (line[first], line[last]);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = libm::hypot(dx, dy);
        let from_line = |p: Place| match length {
            0.0 => distance(a, p),
            _ => (dx * (p.1 - a.1) - dy * (p.0 - a.0)).abs() / length,
        };
        let farthest = (first + 1..last).max_by(|&i, &j| from_line(line[i]).total_cmp(&from_line(line[j])));
        if let Some(middle) = farthest.filter(|&i| from_line(line[i]) > tolerance) {
            work.extend([(first, middle), (middle, last)]);
        }
    }
    line.iter().zip(keep).filter(|(_, keep)| *keep).map(|(place, _)| *place).collect()
}

/// Positions along a line, `every` that many pixels, the first after `offset`.
pub(super) fn along(line: &[Place], every: f64, offset: f64) -> Vec<Place> {
    let mut places = Vec::new();
    let mut next = offset;
    for pair in line.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let length = distance(a, b);
        while next <= length && length > 0.0 {
            let t = next / length;
            places.push((a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1)));
            next += every;
        }
        next -= length;
    }
    places
}
