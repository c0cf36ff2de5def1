//! The growth of the backlog, from the blocks of all runs. The rule that uses it is in `drift`.

use super::blocks::Blocks;
use super::drift::Observation;
use super::interval::{Estimate, mean_and_variance, student_t};

/// Runs shorter than this are not used. A timeline has at least 256 bins from here on, so that
/// there are 28 to 32 blocks.
const LEAST_SLOTS: u64 = 256;
/// The random walk is measured by its steps over this many blocks. From one block to the next was
/// rejected: bursts longer than a block make such steps alike, and growth by chance then looks
/// certain.
const STEP: usize = 4;
/// From this many runs on, the spread between runs gives the interval. With fewer, Student's factor
/// would make it too wide.
const ENOUGH_RUNS: usize = 5;

/// Late growth of at least this share of the early growth counts as lasting. Growth towards a level
/// with the time constant T keeps this share only in windows shorter than 2 T / 3. A share of 0.9
/// was rejected: of ten runs of PIM 3 % beyond its limit, with 100 000 slots each, two were
/// undecided.
const LASTING: f64 = 0.8;
/// Late growth of less than this share of the early growth counts as slowing down. Below 1, so that
/// a start-up effect of a per cent in long and precise runs is not taken for it.
const SLOWING: f64 = 0.98;

/// The backlog of one run in blocks.
struct Series {
    /// The mean of each block.
    means: Vec<f64>,
    /// Slots per block.
    block: f64,
    /// Slots from the empty switch to the middle of the blocks.
    age: f64,
    /// Cells per slot.
    arrivals: f64,
}

impl Series {
    fn of(run: &Observation<'_>) -> Option<Self> {
        let timeline = run.timeline;
        if timeline.slots() < LEAST_SLOTS {
            return None;
        }
        let width = timeline.width() as f64;
        let blocks = Blocks::of(timeline.full_bins());
        let block = blocks.bins_each as f64 * width;
        let span = blocks.sums.len() as f64 * block;
        Some(Self {
            means: blocks.sums.iter().map(|sum| sum.backlog_sum as f64 / block).collect(),
            block,
            age: run.before as f64 + timeline.full_bins().len() as f64 * width - span / 2.0,
            arrivals: timeline.total().arrivals as f64 / timeline.slots() as f64,
        })
    }

    /// How many blocks the first and the last half have; with an odd number, the middle block is in
    /// neither.
    fn half(&self) -> usize {
        self.means.len() / 2
    }

    /// Slots from the middle of the first half to the middle of the last.
    fn distance(&self) -> f64 {
        (self.means.len() - self.half()) as f64 * self.block
    }

    fn halves(&self) -> [&[f64]; 2] {
        [&self.means[..self.half()], &self.means[self.means.len() - self.half()..]]
    }

    /// Cells per slot: the last half's mean less the first's, over their distance.
    fn drift(&self) -> f64 {
        let [first, last] = self.halves().map(|half| half.iter().sum::<f64>() / half.len() as f64);
        (last - first) / self.distance()
    }

    /// How many blocks each third has; blocks that are left over lie between the thirds.
    fn third(&self) -> usize {
        self.means.len() / 3
    }

    /// Where the three thirds begin, in blocks.
    fn thirds(&self) -> [usize; 3] {
        let last = self.means.len() - self.third();
        [0, last / 2, last]
    }

    /// Cells per slot: growth from the first third to the middle one, and from there to the last.
    fn early_and_late(&self) -> [f64; 2] {
        let [first, middle, last] = self.thirds();
        let mean = |from: usize| self.means[from..from + self.third()].iter().sum::<f64>() / self.third() as f64;
        let growth = |from: usize, to: usize| (mean(to) - mean(from)) / ((to - from) as f64 * self.block);
        [growth(first, middle), growth(middle, last)]
    }

    /// Slots from the middle of the early growth to the middle of the late growth.
    fn early_to_late(&self) -> f64 {
        let [first, _, last] = self.thirds();
        (last - first) as f64 / 2.0 * self.block
    }

    /// By how much the variance of a step is to be multiplied for that of the late growth less
    /// `share` times the early growth, if the backlog is a random walk.
    ///
    /// Two neighbouring growths share the walk within the middle third: their covariance is s n /
    /// 6, for thirds of n blocks.
    fn bend_factor(&self, share: f64) -> f64 {
        let ([first, _, last], third) = (self.thirds(), self.third() as f64);
        let distance = (last - first) as f64 / 2.0;
        let growths = (1.0 + share * share) * (distance - third / 3.0) - share * third / 3.0;
        let step = STEP as f64 - 1.0 / 3.0;
        growths / step / (distance * self.block * distance * self.block)
    }

    /// How far the backlog moves in four blocks.
    fn steps(&self) -> impl Iterator<Item = f64> {
        self.means.iter().zip(self.means.iter().skip(STEP)).map(|(from, to)| to - from)
    }

    /// By how much the variance of such a step is to be multiplied for that of the drift, if the
    /// backlog is a random walk.
    ///
    /// Of a walk with variance s per block, the means of two stretches of n blocks differ with
    /// variance s (d - n / 3), where d is the distance of their middles: two blocks for the step,
    /// the two halves for the drift.
    fn walk_factor(&self) -> f64 {
        let variance = |distance: usize, stretch: usize| distance as f64 - stretch as f64 / 3.0;
        let halves = variance(self.means.len() - self.half(), self.half());
        halves / variance(STEP, 1) / (self.distance() * self.distance())
    }
}

/// The trend of all runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trend {
    /// Growth in cells per slot. Its interval holds for a backlog that has no memory of any level,
    /// a random walk, and is wider than it need be for one that has.
    pub(super) drift: Estimate,
    /// The half width for a backlog with short memory, which is right if the switch is stable.
    pub(super) half_width_if_stable: f64,
    /// The correlation of neighbouring blocks around the mean of all.
    pub(super) persistence: f64,
    /// The mean backlog.
    pub(super) backlog: f64,
    /// Late growth less [`LASTING`] times early growth. Not below 0 if growth lasts.
    pub(super) lasting: Estimate,
    /// Late growth less [`SLOWING`] times early growth. Below 0 if growth slows down.
    pub(super) slowing: Estimate,
    /// Late growth over early growth.
    pub(super) bend: f64,
    /// Slots from the middle of the early growth to the middle of the late growth.
    pub(super) early_to_late: f64,
    /// Slots of the shortest window.
    pub(super) slots: f64,
    /// Slots from the empty switch to the middle of the window.
    pub(super) age: f64,
    /// Arrivals, in cells per slot.
    pub(super) arrivals: f64,
}

impl Trend {
    /// From all runs that are long enough; `None` if none is.
    pub(super) fn of(runs: &[Observation<'_>]) -> Option<Self> {
        let series: Vec<Series> = runs.iter().filter_map(Series::of).collect();
        let count = series.len() as f64;
        if series.is_empty() {
            return None;
        }
        let average = |of: &dyn Fn(&Series) -> f64| series.iter().map(of).sum::<f64>() / count;
        let drifts: Vec<f64> = series.iter().map(Series::drift).collect();
        let between = Estimate::of(&drifts);
        let persistence = persistence(&series);
        let growths: Vec<[f64; 2]> = series.iter().map(Series::early_and_late).collect();
        let bend = |share: f64| {
            let bends: Vec<f64> = growths.iter().map(|[early, late]| late - share * early).collect();
            Estimate::of(&bends)
        };
        let between_bends = [bend(LASTING), bend(SLOWING)];
        let (drift, [lasting, slowing], half_width_if_stable) = if series.len() >= ENOUGH_RUNS {
            (between, between_bends, between.half_width.unwrap_or_default())
        } else {
            let steps: Vec<f64> = series.iter().flat_map(Series::steps).collect();
            let step_variance = mean_and_variance(&steps).1.unwrap_or_default();
            // Steps overlap: every fourth is a value of its own.
            let walk = |mean: f64, factor: f64| {
                let error = (step_variance * factor / count).sqrt();
                Estimate::known(mean, Some(error), steps.len() / STEP, series.len())
            };
            let drift = walk(between.mean, average(&Series::walk_factor));
            let shares = [(between_bends[0], LASTING), (between_bends[1], SLOWING)];
            let bends = shares.map(|(bend, share)| walk(bend.mean, average(&|run| run.bend_factor(share))));
            (drift, bends, half_width_within(&series, persistence))
        };
        let total = |growth: usize| growths.iter().map(|growths| growths[growth]).sum::<f64>();
        Some(Self {
            drift,
            half_width_if_stable,
            persistence,
            lasting,
            slowing,
            bend: total(1) / total(0),
            early_to_late: average(&Series::early_to_late),
            slots: series.iter().map(|run| run.means.len() as f64 * run.block).fold(f64::INFINITY, f64::min),
            backlog: average(&|run| run.means.iter().sum::<f64>() / run.means.len() as f64),
            age: average(&|run| run.age),
            arrivals: average(&|run| run.arrivals),
        })
    }
}

/// The lag-1 autocorrelation of the blocks of all runs, around the one mean of them all: runs that
/// each stay at a level of their own are persistent, and must not count as independent of their
/// start.
fn persistence(series: &[Series]) -> f64 {
    let all: Vec<f64> = series.iter().flat_map(|run| run.means.iter().copied()).collect();
    let mean = mean_and_variance(&all).0;
    let squares: f64 = all.iter().map(|value| (value - mean) * (value - mean)).sum();
    let products = series.iter().flat_map(|run| run.means.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)));
    // Equal values have no correlation.
    if squares > 0.0 { products.sum::<f64>() / squares } else { 0.0 }
}

/// The half width of the mean drift from the spread of the blocks within their half of the run, as
/// for batch means, widened for the correlation of neighbours.
fn half_width_within(series: &[Series], persistence: f64) -> f64 {
    let correlation = persistence.clamp(0.0, 0.9);
    let variances = series.iter().map(|run| {
        let spread: f64 = run.halves().iter().filter_map(|half| mean_and_variance(half).1).sum();
        spread / run.half() as f64 / (run.distance() * run.distance())
    });
    let error = (variances.sum::<f64>() * (1.0 + correlation) / (1.0 - correlation)).sqrt() / series.len() as f64;
    let freedom = series.iter().map(|run| 2 * (run.half() - 1)).sum();
    error * student_t(freedom)
}
