//! How often a decision from a part of a cycle is wrong, by how far apart the colours of the whole
//! cycle are: P(wrong | |red - green| / (red + green)), after section 7.2.2 of the paper.

use crate::counter::Counter;

/// The lower edges of the intervals, in per cent. The last one goes up to 100, with it.
const EDGES: [u64; 7] = [0, 1, 2, 5, 10, 20, 50];

/// Names of the counters by interval: the share of the cycles, and the share of wrong decisions.
const NAMES: [(&str, &str); EDGES.len()] = [
    ("share_gap_0", "wrong_gap_0"),
    ("share_gap_1", "wrong_gap_1"),
    ("share_gap_2", "wrong_gap_2"),
    ("share_gap_5", "wrong_gap_5"),
    ("share_gap_10", "wrong_gap_10"),
    ("share_gap_20", "wrong_gap_20"),
    ("share_gap_50", "wrong_gap_50"),
];

#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    decided: [u64; EDGES.len()],
    wrong: [u64; EDGES.len()],
    /// What the wrong decisions lost of the weight of the heavier colour.
    lost: u64,
    /// The weights of the heavier colours.
    heavier: u64,
}

impl Gaps {
    /// A decision on a cycle with these weights.
    pub(super) fn record(&mut self, red: u64, green: u64, is_right: bool) {
        let (gap, sum) = (red.abs_diff(green), red + green);
        let interval = EDGES.iter().rposition(|&edge| gap * 100 >= edge * sum).unwrap_or(0);
        // Without a weight there is no gap.
        let interval = if sum == 0 { 0 } else { interval };
        self.decided[interval] += 1;
        self.heavier += red.max(green);
        if !is_right {
            self.wrong[interval] += 1;
            self.lost += gap;
        }
    }

    pub(super) fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        let all: u64 = self.decided.iter().sum();
        visit(Counter { name: "weight_lost", sum: self.lost, per: self.heavier });
        for (interval, (share, wrong)) in NAMES.into_iter().enumerate() {
            visit(Counter { name: share, sum: self.decided[interval], per: all });
            visit(Counter { name: wrong, sum: self.wrong[interval], per: self.decided[interval] });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_by_hand() {
        let mut gaps = Gaps::default();
        // (red, green): 0, 0; 1/201 below 1 %; 1/99 at 1 %; 2/100; 4/100; 5/100; 1/3; 1/1.
        for (red, green) in [(0, 0), (101, 100), (50, 49), (51, 49), (52, 48), (21, 19), (2, 1), (0, 7)] {
            gaps.record(red, green, red >= green);
        }
        assert_eq!(gaps.decided, [2, 1, 2, 1, 0, 1, 1]);
        assert_eq!(gaps.wrong, [0, 0, 0, 0, 0, 0, 1]);
        assert_eq!((gaps.lost, gaps.heavier), (7, 101 + 50 + 51 + 52 + 21 + 2 + 7));
    }
}
