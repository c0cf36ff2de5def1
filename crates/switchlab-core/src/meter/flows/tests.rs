use super::*;
use crate::meter::delays::Delays;
use crate::meter::histogram::Histogram;
use alloc::collections::{BTreeMap, BTreeSet};
use proptest::prelude::*;

#[test]
fn lines_add_up() {
    let mut flows = Flows::new(2);
    for (input, output) in [(0, 0), (0, 1), (0, 1), (1, 1)] {
        flows.arrived[input * flows.pitch + output] += 1;
    }
    // From input 0 to output 1.
    flows.sent[flows.pitch].departed += 1;
    assert_eq!(flows.by_input(), [(3, 1), (1, 0)]);
    assert_eq!(flows.by_output(), [(1, 0), (3, 1)]);
    assert_eq!((flows.arrived(), flows.departed()), (4, 1));
    assert_eq!(flows.served().collect::<Vec<_>>(), [(1, 0), (2, 1), (1, 0)]);
    flows.rebase(9);
    assert_eq!(flows.served().collect::<Vec<_>>(), [(1, 0), (2, 1), (1, 0)]);
    flows.open(9);
    assert_eq!(flows.served().count(), 0);
}

#[test]
fn a_switch_without_ports_has_no_flows() {
    let mut flows = Flows::new(0);
    flows.observe(&Block::new(0, 4, NONE), &Block::new(0, 4, Cell::IDLE), &mut Delays::new().open(), &mut []);
    assert_eq!((flows.arrived(), flows.departed(), flows.out_of_order()), (0, 0, 0));
}

/// What is to be counted, from its definition: sets of all that has left, and a look through them.
#[derive(Default)]
struct Naive {
    arrived: BTreeMap<(usize, usize), u32>,
    departed: BTreeMap<(usize, usize), u32>,
    left: BTreeMap<(usize, usize), BTreeSet<Slot>>,
    out_of_order: u64,
    delays: Vec<Slot>,
}

impl Naive {
    /// Says what has left.
    fn slot(&mut self, (now, opened): (Slot, Slot), arrivals: &[Port], departures: &[Cell]) -> Departed {
        let mut departed = Departed::default();
        for (input, &output) in arrivals.iter().enumerate() {
            if output != NONE {
                *self.arrived.entry((input, output as usize)).or_default() += 1;
            }
        }
        for (output, cell) in departures.iter().enumerate() {
            if cell.is_idle() {
                continue;
            }
            let flow = (cell.input as usize, output);
            *self.departed.entry(flow).or_default() += u32::from(cell.born >= opened);
            let left = self.left.entry(flow).or_default();
            self.out_of_order += u64::from(left.range(cell.born + 1..).next().is_some());
            left.insert(cell.born);
            departed.cells += 1;
            if cell.born >= opened {
                departed.counted += 1;
                departed.delay_sum += u64::from(now - cell.born);
                self.delays.push(now - cell.born);
            }
        }
        departed
    }

    fn open(&mut self) {
        *self = Self { left: core::mem::take(&mut self.left), ..Self::default() };
    }
}

/// A block of slots that is drawn at random.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    /// Slots since the block before.
    pause: Slot,
    slots: usize,
    /// Cells leave that are younger than this.
    ages: Slot,
    bits: u64,
}

/// Counts blocks, with a window that opens at one of them, and compares.
fn check(ports: usize, blocks: &[Drawn], opens: usize) {
    let (mut flows, mut naive, mut delays) = (Flows::new(ports), Naive::default(), Delays::new());
    let (mut now, mut opened) = (0, 0);
    for (place, &Drawn { pause, slots, ages, mut bits }) in blocks.iter().enumerate() {
        now += pause;
        if place == opens {
            opened = now;
            naive.open();
            flows.flush(&mut delays.open());
            flows.open(now);
            delays = Delays::new();
        }
        let mut draw = |bound: u32| {
            bits = crate::rng::mix(bits);
            (bits % u64::from(bound)) as u32
        };
        let mut arrivals = Block { start: now, ..Block::new(ports, slots, NONE) };
        let mut departures = Block { start: now, ..Block::new(ports, slots, Cell::IDLE) };
        let mut expected = Vec::new();
        for row in 0..slots {
            for port in 0..ports {
                let place = row * ports + port;
                if draw(10) > 0 {
                    arrivals.data[place] = draw(ports as u32) as Port;
                }
                // A small range of inputs and ages, so that flows recur.
                if draw(10) > 0 {
                    let age = [draw(3), draw(ages.min(40_000)), draw(ages)][draw(3) as usize];
                    let born = (now + row as Slot).saturating_sub(age);
                    let input = draw(ports.min(3) as u32) as Port;
                    // A flow has at most one cell of each age.
                    if !naive.left.get(&(input as usize, port)).is_some_and(|left| left.contains(&born)) {
                        departures.data[place] = Cell { born, input };
                    }
                }
            }
            let range = row * ports..(row + 1) * ports;
            let slot = (now + row as Slot, opened);
            expected.push(naive.slot(slot, &arrivals.data[range.clone()], &departures.data[range]));
        }
        let mut departed = vec![Departed::default(); slots];
        flows.observe(&arrivals, &departures, &mut delays.open(), &mut departed);
        assert_eq!(departed, expected);
        now += slots as Slot;
    }
    flows.flush(&mut delays.open());
    assert_eq!(flows.out_of_order(), naive.out_of_order);
    for (flow, counts) in flows.counts().enumerate() {
        let flow = (flow / ports, flow % ports);
        let expected = [&naive.arrived, &naive.departed].map(|count| count.get(&flow).copied().unwrap_or(0));
        assert_eq!([counts.0, counts.1], expected, "{flow:?}");
    }
    let mut histogram = Histogram::new();
    for &delay in &naive.delays {
        histogram.add(delay, 1);
    }
    assert_eq!(delays.histogram(), histogram);
}

/// Lists of a large switch that are counted when they are full, in blocks of any length, with a
/// window that opens while lists are half full, and with some cells that are too old for lists.
#[test]
fn lists_that_fill() {
    let block = |pause, slots, ages| Drawn { pause, slots, ages, bits: u64::from(pause) + slots as u64 };
    let blocks = [block(0, 1, 1), block(0, 63, 50), block(0, 700, 500), block(0, 65, 70), block(40_000, 130, 30_000)];
    for opens in [1, 2, 3, 5] {
        check(259, &blocks, opens);
    }
    check(257, &[block(0, 600, 500), block(70_000, 64, 100_000), block(3, 600, 600)], 1);
    check(288, &[block(5, 448, 300), block(0, 1, 500), block(0, 64, 90_000), block(0, 449, 600)], 2);
    // Enough ports that lists are longer: 640 slots, which are counted when 576 of them are
    // exceeded.
    check(1160, &[block(0, 570, 300), block(0, 9, 400), block(0, 50, 600)], 1);
}

proptest! {
    /// Cells of any age leave in blocks that are far apart, so that the base moves between them; in
    /// large switches and small ones.
    #[test]
    fn against_sets_of_what_has_left(
        ports in prop_oneof![1usize..9, 62usize..=67, 257usize..=270],
        blocks in prop::collection::vec((0u32..70_000, 1usize..4, prop_oneof![Just(3u32), Just(200_000)], any::<u64>()), 1..20),
        opens in 0usize..20,
    ) {
        let drawn = |&(pause, slots, ages, bits): &(Slot, usize, Slot, u64)| Drawn { pause, slots, ages, bits };
        check(ports, &blocks.iter().map(drawn).collect::<Vec<_>>(), opens);
    }
}
