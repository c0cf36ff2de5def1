//! Names beside the lines: spread in a column on the right, or in a free spot inside the frame next
//! to where a line ends.

use super::geometry::{Place, Rect, along};

/// Spreads boxes of the given heights so that none overlap, each as near as possible to its wanted
/// centre.
///
/// `wanted` is sorted by centre. The boxes stay between `top` and `bottom` if there is room at all.
/// After the heights are taken away, this is the regression of the centres on non-decreasing
/// values: neighbours with overlapping positions share the mean.
pub(super) fn spread(wanted: &[(f64, f64)], top: f64, bottom: f64) -> Vec<f64> {
    let total: f64 = wanted.iter().map(|(_, height)| height).sum();
    let mut above = 0.0;
    // Pools of neighbours that touch: the sum of their wanted centres, and their number.
    let mut pools: Vec<(f64, f64)> = Vec::new();
    for &(centre, height) in wanted {
        let mut pool = (centre - above - height / 2.0, 1.0);
        above += height;
        while let Some(&(sum, count)) = pools.last().filter(|(sum, count)| sum / count > pool.0 / pool.1) {
            pool = (pool.0 + sum, pool.1 + count);
            pools.pop();
        }
        pools.push(pool);
    }
    let mut above = 0.0;
    let starts = pools.iter().flat_map(|&(sum, count)| std::iter::repeat_n(sum / count, count as usize));
    let centres = starts.zip(wanted).map(|(start, &(_, height))| {
        let centre = start.min(bottom - total).max(top) + above + height / 2.0;
        above += height;
        centre
    });
    centres.collect()
}

/// What covers the frame, in cells of a few pixels: free, one series, or several.
pub(super) struct Cover {
    frame: Rect,
    columns: usize,
    cells: Vec<Option<usize>>,
    labels: Vec<Rect>,
}

/// The side of a cell.
const CELL: f64 = 3.0;
/// Taken by more than one.
const SEVERAL: usize = usize::MAX;
/// The gap between a line and its label, and the wider one to the lines of others, so that a label
/// belongs to the nearer.
const GAP: f64 = 7.0;
const GAP_TO_OTHERS: f64 = 9.0;

impl Cover {
    pub(super) fn new(frame: Rect) -> Self {
        let columns = (frame.width() / CELL).ceil().max(1.0) as usize;
        let rows = (frame.height() / CELL).ceil().max(1.0) as usize;
        Self { frame, columns, cells: vec![None; columns * rows], labels: Vec::new() }
    }

    /// Takes the cells under a line.
    pub(super) fn line(&mut self, line: &[Place], owner: usize) {
        for place in along(line, CELL / 2.0, 0.0) {
            self.take(place, owner);
        }
    }

    /// Takes the cells under a marker.
    pub(super) fn marker(&mut self, (x, y): Place, owner: usize) {
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
            self.take((x + CELL * f64::from(dx), y + CELL * f64::from(dy)), owner);
        }
    }

    fn take(&mut self, (x, y): Place, owner: usize) {
        let (column, row) = (((x - self.frame.left) / CELL).floor(), ((y - self.frame.top) / CELL).floor());
        if column < 0.0 || row < 0.0 || column >= self.columns as f64 {
            return;
        }
        if let Some(cell) = self.cells.get_mut(row as usize * self.columns + column as usize) {
            *cell = Some(if cell.is_none_or(|already| already == owner) { owner } else { SEVERAL });
        }
    }

    /// How many cells of a box are taken by series for which `minds` holds.
    fn taken(&self, area: &Rect, minds: impl Fn(usize) -> bool) -> usize {
        let clamp = |v: f64| (v / CELL).floor().max(0.0) as usize;
        let (left, right) = (clamp(area.left - self.frame.left), clamp(area.right - self.frame.left));
        let (top, bottom) = (clamp(area.top - self.frame.top), clamp(area.bottom - self.frame.top));
        let row =
            |row| (left..=right.min(self.columns - 1)).filter_map(move |c| self.cells.get(row * self.columns + c));
        (top..=bottom).flat_map(row).flatten().filter(|&&owner| minds(owner)).count()
    }

    /// A box of a label's size beside a line, the nearest to the line's end that covers at most
    /// `most` cells of others; it is taken then.
    pub(super) fn nook(&mut self, line: &[Place], owner: usize, size: (f64, f64), most: usize) -> Option<Rect> {
        let (width, height) = size;
        let backwards: Vec<Place> = line.iter().rev().copied().collect();
        let mut anchors = along(&backwards, 4.0, 0.0);
        anchors.truncate((anchors.len() * 6 / 10).max(1));
        if anchors.is_empty() {
            anchors.extend(line.last());
        }
        let (aside, rise) = (GAP + width / 2.0, GAP + height / 2.0);
        let shifts = [
            (aside, 0.0),
            (-aside, 0.0),
            (aside, -0.6 * height),
            (-aside, -0.6 * height),
            (aside, 0.6 * height),
            (-aside, 0.6 * height),
            (0.0, -rise),
            (0.0, rise),
        ];
        let inside = self.frame.grown(-1.0);
        let fits = |area: &Rect| {
            inside.covers(area)
                && !self.labels.iter().any(|label| label.meets(&area.grown(10.0)))
                && self.taken(&area.grown(2.0), |other| other == owner || other == SEVERAL) == 0
                && if most == 0 {
                    self.taken(&area.grown(GAP_TO_OTHERS), |other| other != owner) == 0
                } else {
                    self.taken(&area.grown(2.0), |other| other != owner) <= most
                }
        };
        let (w, h) = (width / 2.0, height / 2.0);
        let around = |x: f64, y: f64| Rect { left: x - w, top: y - h, right: x + w, bottom: y + h };
        let areas = anchors.iter().flat_map(|&(x, y)| shifts.map(|(dx, dy)| around(x + dx, y + dy)));
        let found = areas.into_iter().find(fits)?;
        self.labels.push(found);
        Some(found)
    }
}
