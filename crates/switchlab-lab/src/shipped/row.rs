//! What is shipped of one replication.

use crate::run::{Cells, Measured};
use crate::statistics::block_length;
use crate::store::intern;
use serde::{Deserialize, Serialize};
use switchlab_core::Counter;
use switchlab_core::meter::{Bin, Histogram, Timeline};

/// The percentiles that metrics name, in parts of 10^9.
const SHARES: [u64; 5] = [500_000_000, 900_000_000, 990_000_000, 999_000_000, 999_900_000];

/// One replication. Keys are short: there are tens of thousands of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Slots of the window, and before it.
    #[serde(rename = "s")]
    slots: (u64, u64),
    /// Cells that arrived, departed, were dropped, are queued, left out of order.
    #[serde(rename = "c")]
    cells: [u64; 5],
    /// The sum of the delays and the largest.
    #[serde(rename = "d")]
    delays: (u64, u32),
    /// The delay at each percentile and at the maximum, and the cells up to it that are not counted
    /// before.
    #[serde(rename = "q")]
    quantiles: Vec<(u32, u64)>,
    #[serde(rename = "t")]
    course: Course,
    /// Of the outputs within their share, where others are oversubscribed.
    #[serde(rename = "w", skip_serializing_if = "Option::is_none", default)]
    within: Option<Course>,
    #[serde(rename = "e")]
    backlog_end: u64,
    #[serde(rename = "f", skip_serializing_if = "Option::is_none", default)]
    fairness: Option<f64>,
    /// Sum, and what to divide by, in the order of the names that stand with the point.
    #[serde(rename = "n")]
    counters: Vec<(u64, u64)>,
    #[serde(rename = "x", skip_serializing_if = "Option::is_none", default)]
    ended_early: Option<u64>,
    /// Of every departure, as hexadecimal digits.
    #[serde(rename = "h", skip_serializing_if = "Option::is_none", default)]
    fingerprint: Option<String>,
}

/// A timeline by the blocks of the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Course {
    /// How many bins there are, the slots of a bin, and those in the last one.
    #[serde(rename = "b")]
    bins: (usize, u64, u64),
    /// The sum of backlogs: in the bins before the first block, in each block, and in a last bin
    /// that is not full. Each less the one before.
    #[serde(rename = "l")]
    backlogs: Vec<i64>,
    /// Arrivals, departures, sum of delays and their number, in the same pieces; of several
    /// replications, whose means need no batches, over all of them.
    #[serde(rename = "m")]
    others: Vec<[u64; 4]>,
}

/// Pieces of a timeline, as ranges of bins: what is before the first block, the blocks, and a last
/// bin that is not full. Some may be empty.
fn pieces(bins: usize, full: usize) -> Vec<std::ops::Range<usize>> {
    let each = block_length(full);
    let lead = full % each;
    let blocks = (lead..full).step_by(each).map(|from| from..from + each);
    std::iter::once(0..lead).chain(blocks).chain(std::iter::once(full..bins)).collect()
}

impl Course {
    fn of(timeline: &Timeline, is_alone: bool) -> Self {
        let (bins, width, filled) = timeline.parts();
        let sums: Vec<Bin> = pieces(bins.len(), timeline.full_bins().len())
            .into_iter()
            .map(|piece| bins[piece].iter().fold(Bin::default(), |sum, &bin| sum.plus(bin)))
            .collect();
        let others = |bin: &Bin| [bin.arrivals, bin.departures, bin.delay_sum, bin.delays];
        let mut before = 0;
        let less = sums.iter().map(|sum| {
            let step = sum.backlog_sum.wrapping_sub(before).cast_signed();
            before = sum.backlog_sum;
            step
        });
        Self {
            bins: (bins.len(), width, filled),
            backlogs: less.collect(),
            others: if is_alone { sums.iter().map(others).collect() } else { vec![others(&timeline.total())] },
        }
    }

    /// A timeline with the same blocks, totals and lengths: what is known of a piece stands in its
    /// first bin. None if there is none.
    fn timeline(&self) -> Option<Timeline> {
        let (count, width, filled) = self.bins;
        let full = count - usize::from(count > 0 && filled < width);
        let pieces = pieces(count, full);
        let are_whole = self.others.len() == pieces.len();
        if self.backlogs.len() != pieces.len() || !(are_whole || self.others.len() == 1) {
            return None;
        }
        let mut bins = vec![Bin::default(); count];
        let mut backlog = 0_u64;
        for (index, piece) in pieces.iter().enumerate() {
            backlog = backlog.wrapping_add_signed(self.backlogs[index]);
            let others = if are_whole { self.others[index] } else { [0; 4] };
            match bins.get_mut(piece.start).filter(|_| !piece.is_empty()) {
                Some(bin) => *bin = with(backlog, others),
                None if backlog == 0 && others == [0; 4] => {}
                None => return None,
            }
        }
        if let ([others], Some(first)) = (&self.others[..], bins.first_mut())
            && !are_whole
        {
            *first = with(first.backlog_sum, *others);
        }
        Timeline::from_parts(bins, width, filled)
    }
}

fn with(backlog_sum: u64, [arrivals, departures, delay_sum, delays]: [u64; 4]) -> Bin {
    Bin { backlog_sum, arrivals, departures, delay_sum, delays }
}

impl Row {
    /// Of a replication. One that is alone keeps the batches that its intervals are from.
    pub fn of(measured: &Measured, is_alone: bool) -> Self {
        let Cells { arrived, departed, dropped, queued, out_of_order } = measured.cells;
        Self {
            slots: (measured.slots, measured.warmup),
            cells: [arrived, departed, dropped, queued, out_of_order],
            delays: (measured.delays.sum(), measured.delays.max()),
            quantiles: quantiles(&measured.delays),
            course: Course::of(&measured.timeline, is_alone),
            within: measured.within.as_ref().map(|within| Course::of(within, is_alone)),
            backlog_end: measured.backlog_end,
            fairness: measured.jain,
            counters: measured.counters.iter().map(|counter| (counter.sum, counter.per)).collect(),
            ended_early: measured.ended_early,
            fingerprint: measured.fingerprint.map(|fingerprint| format!("{fingerprint:016x}")),
        }
    }

    /// Keeps some of the counters, which have these names.
    pub(super) fn keep_counters(&mut self, names: &[String], is_kept: impl Fn(&str) -> bool) {
        let mut names = names.iter();
        self.counters.retain(|_| names.next().is_some_and(|name| is_kept(name)));
    }

    /// A replication with the same means, percentiles, counters, intervals and verdict; None if no
    /// run can have had this row. It has no departures by port.
    pub fn measured(&self, ports: usize, names: &[String]) -> Option<Measured> {
        let [arrived, departed, dropped, queued, out_of_order] = self.cells;
        let delays = Histogram::from_parts(&self.quantiles, self.delays.0, self.delays.1)?;
        let is_whole = delays.count() == departed
            && [departed, dropped, queued].into_iter().try_fold(0, u64::checked_add) == Some(arrived)
            && self.counters.len() == names.len();
        is_whole.then_some(())?;
        let counter = |(name, &(sum, per)): (&String, &(u64, u64))| Counter { name: intern(name.clone()), sum, per };
        Some(Measured {
            ports,
            slots: self.slots.0,
            warmup: self.slots.1,
            delays,
            timeline: self.course.timeline()?,
            cells: Cells { arrived, departed, dropped, queued, out_of_order },
            backlog_end: self.backlog_end,
            jain: self.fairness,
            by_input: Vec::new(),
            by_output: Vec::new(),
            counters: names.iter().zip(&self.counters).map(counter).collect(),
            ended_early: self.ended_early,
            fingerprint: match &self.fingerprint {
                Some(digits) => Some(u64::from_str_radix(digits, 16).ok()?),
                None => None,
            },
            oq_lag: None,
            occupancy: None,
            port_delays: None,
            class_delays: None,
            within: match &self.within {
                Some(within) => Some(within.timeline()?),
                None => None,
            },
            kinds: None,
        })
    }
}

/// The buckets in which the percentiles are, and that of the maximum; each counts the cells of the
/// buckets before it that none of them is in. So every percentile of the list is what it was.
fn quantiles(delays: &Histogram) -> Vec<(u32, u64)> {
    let count = u128::from(delays.count());
    let ranks = SHARES.map(|share| (count * u128::from(share)).div_ceil(1_000_000_000).max(1));
    let (mut kept, mut seen, mut since) = (Vec::new(), 0_u128, 0_u64);
    let mut buckets = delays.buckets().peekable();
    while let Some((delay, cells)) = buckets.next() {
        let before = seen;
        seen += u128::from(cells);
        since += cells;
        if buckets.peek().is_none() || ranks.iter().any(|rank| (before + 1..=seen).contains(rank)) {
            kept.push((delay, since));
            since = 0;
        }
    }
    kept
}
