//! The examples of paper 001, figures 1 to 3: states, requests, grants, accepts, and CF after the
//! slot.
//!
//! The schedulers are given queue lengths directly. A state is set up by matches: with a VOQ alone
//! in the switch, a match of an ended frame captures all that is left, so that n + 1 cells leave
//! CF = n.

use crate::common::SEED;
use crate::frames::{Captured, assert_same_frames};
use crate::naive::{Lengths, Pairs, Scheduler as _};
use crate::naive_frames::{Arbiters, Ask, Frames};
use crate::states::matched;
use switchlab_core::rng::Purpose;
use switchlab_core::schedule::{uform::Uform, ufpim::Ufpim};
use switchlab_core::{NONE, Port, Seed};

/// A scheduler of four ports and its twin.
struct Pair<S> {
    real: S,
    /// The tag of each VOQ, which a crossbar would keep.
    tags: Vec<u32>,
    twin: Frames,
}

impl<S: Captured<1>> Pair<S> {
    fn new(replication: u32) -> Self {
        let rng = || Seed { seed: SEED.seed, replication }.stream(Purpose::Scheduler, 0);
        Self { real: S::build(4, 1, 0, rng()), tags: vec![0; 16], twin: S::twin(4, 1, 0, rng()) }
    }

    /// Runs a slot of both, which must agree, and returns the pairs.
    fn slot(&mut self, lengths: &Lengths) -> Pairs {
        let pairs = matched(&mut self.real, 0, lengths);
        assert_eq!(pairs, self.twin.schedule(0, lengths));
        for (input, output) in pairs.iter().enumerate() {
            if let &Some(output) = output {
                let tag = &mut self.tags[input * 4 + output];
                *tag = self.real.on_dequeue(input, output, lengths[input][output] as u32, *tag);
            }
        }
        assert_same_frames((&self.tags, self.real.serving()), &self.twin, &|| format!("after {pairs:?}"));
        pairs
    }

    /// Matches VOQ `(input, output)` alone; the number is its length before the slot.
    fn alone(&mut self, input: usize, output: usize, cells: usize) {
        let pairs = self.slot(&voqs(&[(input, output, cells)]));
        assert_eq!(pairs[input], Some(output));
    }

    fn size(&self, input: usize, output: usize) -> u32 {
        self.tags[input * 4 + output]
    }

    fn serving(&self) -> Vec<Port> {
        self.real.serving().to_vec()
    }

    /// What is asked with these lengths.
    fn requests(&self, lengths: &Lengths) -> Vec<Ask> {
        self.twin.requests(lengths, &vec![None; 4])
    }
}

/// Four ports with these numbers of cells in these VOQs.
fn voqs(cells: &[(usize, usize, usize)]) -> Lengths {
    let mut lengths = vec![vec![0; 4]; 4];
    for &(input, output, count) in cells {
        lengths[input][output] = count;
    }
    lengths
}

const ON: bool = true;
const OFF: bool = false;

/// A frame of four cells from its first match to the next capture, of two cells: two cells arrive
/// while it is served.
///
/// The figure prints four cells at t + 1 as well as at t; the text says three, as CF - 1 must be. A
/// rival for the output and another VOQ of the input, which the figure has not, are held off until
/// t + 4.
fn figure_1<S: Captured<1>>() -> (Pair<S>, Lengths) {
    let mut pair = Pair::<S>::new(0);
    pair.alone(0, 0, 5);
    // t: alone.
    assert_eq!((pair.size(0, 0), pair.serving()[0]), (4, NONE));
    let lengths = voqs(&[(0, 0, 4)]);
    assert_eq!(pair.requests(&lengths), [(0, 0, OFF)]);
    assert_eq!(pair.slot(&lengths), [Some(0), None, None, None]);
    // t + 1 to t + 3: on service; one cell arrives at t + 2, one at t + 3.
    for (size, cells) in [(3, 3), (2, 3), (1, 3)] {
        assert_eq!((pair.size(0, 0), pair.serving()[0]), (size, 0));
        let lengths = voqs(&[(0, 0, cells), (0, 1, 7), (1, 0, 7)]);
        assert_eq!(pair.requests(&lengths), [(0, 0, ON), (1, 0, OFF)]);
        assert_eq!(pair.slot(&lengths), [Some(0), None, None, None]);
    }
    // t + 4: the two cells left are the new frame.
    assert_eq!((pair.size(0, 0), pair.serving()), (2, vec![NONE; 4]));
    let lengths = voqs(&[(0, 0, 2), (0, 1, 7), (1, 0, 7)]);
    assert_eq!(pair.requests(&lengths), [(0, 0, OFF), (0, 1, OFF), (1, 0, OFF)]);
    (pair, lengths)
}

#[test]
fn figure_1_of_uform() {
    let (mut pair, lengths) = figure_1::<Uform<1>>();
    // The pointer of output 0 is at 1.
    assert_eq!(pair.slot(&lengths), [Some(1), Some(0), None, None]);
    // Both VOQs were never captured before, so that all they hold but the cell that leaves is
    // captured.
    assert_eq!((pair.size(0, 0), pair.size(0, 1), pair.size(1, 0), pair.serving()), (2, 6, 6, vec![NONE; 4]));
}

#[test]
fn figure_1_of_ufpim() {
    let (mut pair, lengths) = figure_1::<Ufpim<1>>();
    pair.slot(&lengths);
}

/// The input contents of figures 2 and 3, where only VOQ 3,0 is on service: input, output and CF.
const CONTENTS: [(usize, usize, usize); 7] =
    [(0, 3, 3), (1, 0, 1), (1, 2, 2), (1, 3, 3), (2, 1, 2), (3, 0, 5), (3, 1, 2)];

/// The requests of figures 2 and 3: VOQ 3,1 is held back.
const REQUESTS: [Ask; 6] = [(0, 3, OFF), (1, 0, OFF), (1, 2, OFF), (1, 3, OFF), (2, 1, OFF), (3, 0, ON)];

/// CF of VOQ by VOQ as in the figure, with a number of cells beyond each frame.
///
/// The order leaves the pointers of figure 3 where its text needs them: output 3 comes to input 1
/// before input 0 and input 1 to output 3 before output 2, while output 0 would come to input 1
/// before input 3.
fn contents<S: Captured<1>>(replication: u32, more: usize) -> (Pair<S>, Lengths) {
    let mut pair = Pair::<S>::new(replication);
    for (input, output, cells) in
        [(1, 0, 2), (1, 3, 4), (0, 3, 4), (1, 2, 3), (2, 1, 3), (3, 1, 3), (3, 0, 7), (3, 0, 6)]
    {
        pair.alone(input, output, cells);
    }
    for (input, row) in pair.twin.sizes.iter().enumerate() {
        for (output, &size) in row.iter().enumerate() {
            let shown = CONTENTS.iter().find(|voq| (voq.0, voq.1) == (input, output));
            assert_eq!(size, shown.map_or(0, |voq| voq.2), "CF of {input}, {output}");
            assert_eq!(pair.size(input, output) as usize, size);
        }
    }
    assert_eq!(pair.serving(), [NONE, NONE, NONE, 0]);
    (pair, voqs(&CONTENTS.map(|(input, output, size)| (input, output, size + more))))
}

/// CF by VOQ after the slot: as before but for the matched VOQs, each now on service or captured
/// anew.
fn assert_after<S: Captured<1>>(pair: &Pair<S>, matched: &[(usize, usize, u32)], serving: [Port; 4]) {
    for (input, output, size) in CONTENTS {
        let after = matched.iter().find(|voq| (voq.0, voq.1) == (input, output)).map_or(size as u32, |voq| voq.2);
        assert_eq!(pair.size(input, output), after, "CF of {input}, {output}");
    }
    assert_eq!(pair.serving(), serving);
}

/// The outcome that figures 2 and 3 show.
const SHOWN: [Option<usize>; 4] = [None, Some(3), Some(1), Some(0)];

/// Every choice of the figure is possible, in its share: output 3 picks input 0 or 1, and input 1,
/// if granted twice, output 2 or 3; nothing else is open. "Three VOQs become on service" counts VOQ
/// 3,0, which was so already.
///
/// False alarms: less than 1 in 10^6 (5 standard deviations, 3 shares).
#[test]
fn figure_2() {
    const SEEDS: u32 = 4000;
    let mut counts = [0; 3];
    for replication in 0..SEEDS {
        let (mut pair, lengths) = contents::<Ufpim<1>>(replication, replication as usize % 3);
        assert_eq!(pair.requests(&lengths), REQUESTS);
        let mut again = contents::<Ufpim<1>>(replication, 0).0.twin;
        let grants = again.grants(&REQUESTS);
        let third = grants[3].0;
        assert_eq!(grants, [(3, 0, ON), (2, 1, OFF), (1, 2, OFF), (third, 3, OFF)]);
        assert!(third < 2);
        let accepts = again.accepts(&grants);
        let pairs = pair.slot(&lengths);
        assert_eq!(accepts.len(), pairs.iter().flatten().count());
        assert!(accepts.iter().all(|&(input, output, on)| pairs[input] == Some(output) && on == (input == 3)));
        let kept = [(2, 1, 1), (3, 0, 4)];
        if pairs == SHOWN {
            assert_eq!(third, 1);
            counts[0] += 1;
            assert_after(&pair, &[(1, 3, 2), kept[0], kept[1]], [NONE, 3, 1, 0]);
        } else if third == 1 {
            counts[1] += 1;
            assert_eq!(pairs, [None, Some(2), Some(1), Some(0)]);
            assert_after(&pair, &[(1, 2, 1), kept[0], kept[1]], [NONE, 2, 1, 0]);
        } else {
            counts[2] += 1;
            assert_eq!(pairs, [Some(3), Some(2), Some(1), Some(0)]);
            assert_after(&pair, &[(0, 3, 2), (1, 2, 1), kept[0], kept[1]], [3, 2, 1, 0]);
        }
    }
    for (count, share) in counts.into_iter().zip([0.25, 0.25, 0.5]) {
        let (mean, variance) = (f64::from(SEEDS) * share, f64::from(SEEDS) * share * (1.0 - share));
        assert!((f64::from(count) - mean).abs() < 5.0 * variance.sqrt(), "{counts:?}");
    }
}

/// Where the figure's pointers are is only drawn; here they are where the text needs them, and
/// those it does not mention anywhere.
#[test]
fn figure_3() {
    for more in 0..3 {
        let (mut pair, lengths) = contents::<Uform<1>>(0, more);
        let Arbiters::RoundRobin { grant, accept } = &pair.twin.arbiters else { panic!("uFORM is round robin") };
        assert_eq!((&grant[..], &accept[..]), (&[0, 0, 2, 1][..], &[0, 3, 2, 1][..]));
        assert_eq!(pair.requests(&lengths), REQUESTS);
        let mut again = contents::<Uform<1>>(0, more).0.twin;
        let grants = again.grants(&REQUESTS);
        assert_eq!(grants, [(3, 0, ON), (2, 1, OFF), (1, 2, OFF), (1, 3, OFF)]);
        assert_eq!(again.accepts(&grants), [(1, 3, OFF), (2, 1, OFF), (3, 0, ON)]);
        assert_eq!(pair.slot(&lengths), SHOWN);
        assert_after(&pair, &[(1, 3, 2), (2, 1, 1), (3, 0, 4)], [NONE, 3, 1, 0]);
        // "The input and output arbiters for the on-service ports (input 3 and output 0) are
        // updated", like the others.
        let Arbiters::RoundRobin { grant, accept } = &pair.twin.arbiters else { panic!("uFORM is round robin") };
        assert_eq!((&grant[..], &accept[..]), (&[0, 3, 2, 2][..], &[0, 0, 2, 1][..]));
    }
}

/// The slot after figure 3: on-service inputs ask for nothing else, and the frame of VOQ 2,1 ends
/// and is captured anew.
#[test]
fn figure_3_goes_on() {
    let (mut pair, lengths) = contents::<Uform<1>>(0, 0);
    pair.slot(&lengths);
    // One cell each is gone from VOQs 1,3, 2,1 and 3,0; two have arrived for VOQ 2,1.
    let lengths = voqs(&[(0, 3, 3), (1, 0, 1), (1, 2, 2), (1, 3, 2), (2, 1, 3), (3, 0, 4), (3, 1, 2)]);
    assert_eq!(pair.requests(&lengths), [(0, 3, OFF), (1, 3, ON), (2, 1, ON), (3, 0, ON)]);
    assert_eq!(pair.slot(&lengths), SHOWN);
    assert_after(&pair, &[(1, 3, 1), (2, 1, 2), (3, 0, 3)], [NONE, 3, NONE, 0]);
}
