//! Striped flows: against their naive twin; theorems 2 and 3 of paper 000; edge colourings; lags.

use crate::common::{SEED, rows, source};
use crate::naive_flows::{NaiveFlows, Service};
use std::collections::BTreeSet;
use switchlab_core::meter::OqLag;
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::switch::edge_colouring::{EdgeColouring, LevPippengerValiant};
use switchlab_core::switch::shared_memory::Placement;
use switchlab_core::switch::shared_memory_flows::{Config, Discipline, Frame, Speedup, StripedFlows};
use switchlab_core::switch::{Failure, Switch};
use switchlab_core::{Block, Cell, NONE, Port, Seed, Slot};

pub(crate) const TRAFFIC: [(&str, &str, f64); 5] = [
    ("uniform", "bernoulli", 0.9),
    ("diagonal", "bernoulli", 0.95),
    ("hotspot(count=1)", "bernoulli", 0.8),
    ("uniform", "bursty(mean=12)", 0.8),
    ("uniform", "bernoulli", 1.0),
];

pub(crate) fn disciplines(flows: usize) -> Vec<(Discipline, Service)> {
    let weights: Vec<u32> = (0..flows as u32).map(|flow| 1 + (flow + 1) % 3).collect();
    let round = (0..flows).flat_map(|flow| vec![flow; weights[flow] as usize]).collect();
    vec![
        (Discipline::fair(flows), Service::Rounds((0..flows).collect())),
        (Discipline::Weighted(weights), Service::Rounds(round)),
        (Discipline::Priority(flows), Service::Priority(flows)),
    ]
}

fn rng(seed: u64) -> Rng {
    Seed { seed, replication: 0 }.stream(Purpose::Pattern, 0)
}

/// No memory and no output twice in a turn, and exactly as many reads of each output and memory as
/// are wanted; a sub-step reads no memory twice for an output.
fn check_frame(frame: &Frame, ports: usize, wanted: &mut Vec<(Port, Port)>) {
    let reads = frame.reads();
    let distinct = |keys: Vec<(u32, Port)>| keys.iter().collect::<BTreeSet<_>>().len() == keys.len();
    assert!(distinct(reads.iter().map(|read| (read.turn, read.memory)).collect()), "a memory is read twice at a time");
    assert!(distinct(reads.iter().map(|read| (read.turn, read.output)).collect()), "an output reads twice at a time");
    assert!(reads.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(reads.iter().all(|read| (read.turn as usize) < frame.substeps() * ports));
    let mut done: Vec<(Port, Port)> = reads.iter().map(|read| (read.output, read.memory)).collect();
    let in_substep: BTreeSet<_> =
        reads.iter().map(|read| (read.turn as usize / ports, read.output, read.memory)).collect();
    assert_eq!(in_substep.len(), reads.len(), "an output reads a memory twice in a sub-step");
    done.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(&done, wanted);
}

#[test]
fn striped_flows_are_as_their_twin() {
    let (mut failed, mut long) = (0, 0);
    for (ports, stripe) in [(1, 1), (2, 2), (3, 3), (4, 4), (4, 2), (5, 9), (8, 8), (3, 1)] {
        for flows in [1, 2, 4] {
            for (turn, (discipline, service)) in disciplines(flows).into_iter().enumerate() {
                let enough = ports + stripe - 1;
                let sufficient = Speedup::sufficient(ports, stripe);
                for (memories, speedup) in [
                    (enough, sufficient),
                    (enough + 3, sufficient),
                    (enough, Speedup::of(1.0)),
                    (enough - 1, sufficient),
                ] {
                    let ratio = (speedup.reads as usize, speedup.slots as usize);
                    let mut twin = NaiveFlows::new(ports, stripe, memories.max(1), ratio, service.clone());
                    let (discipline, memories) = (discipline.clone(), memories.max(1));
                    let mut real =
                        StripedFlows::<1>::new(Config { memories, speedup, ..Config::new(ports, stripe, discipline) });
                    let (pattern, process, load) = TRAFFIC[(ports + flows + turn) % 5];
                    let mut source = source(pattern, process, ports, load, SEED);
                    for (now, arrivals) in rows(&mut *source, ports, 400) {
                        let about = format!(
                            "{ports} ports, stripe {stripe}, {flows} flows, {memories} memories, {speedup:?}, slot {now}"
                        );
                        let before = real.census();
                        let mut sent = vec![Cell::IDLE; ports];
                        real.slot(now, &arrivals, &mut sent);
                        match twin.slot(now, &arrivals) {
                            Ok((placed, departures)) => {
                                let placed: Vec<Port> = placed.iter().map(|m| m.map_or(NONE, |m| m as Port)).collect();
                                assert_eq!(real.written(), placed, "{about}");
                                assert_eq!(sent, departures, "{about}");
                            }
                            Err(input) => {
                                let Some(Failure::Unstriped { slot, input: named, .. }) = real.failure() else {
                                    panic!("{about}")
                                };
                                assert_eq!((*slot, usize::from(*named)), (now, input), "{about}");
                                assert!(memories < enough, "theorem 2: {about}");
                                assert_eq!(real.census(), before, "{about}");
                                failed += 1;
                                break;
                            }
                        }
                    }
                    assert_eq!(real.most_substeps(), twin.substeps.iter().max().copied().unwrap_or(0));
                    let most = ports * real.most_substeps();
                    if speedup == sufficient {
                        // Theorem 3: every frame has time enough, and no output is later than two
                        // frames.
                        assert!(most * ratio.1 <= real.frame_slots() * ratio.0, "{ports} {stripe} {flows}");
                        assert!((real.most_lag() as usize) < 2 * real.frame_slots());
                    } else {
                        long += usize::from(most > real.frame_slots());
                    }
                }
            }
        }
    }
    assert!(failed > 5 && long > 5, "{failed} failed, {long} with long frames");
}

/// Every frame of a run is read without conflicts, all of it in time, and no memory holds more than
/// K + (N-1)f cells if no output has more than K.
#[test]
fn frames_are_read_without_conflicts() {
    for (ports, flows, traffic) in [(2, 2, 0), (4, 4, 3), (5, 3, 4), (8, 2, 2), (8, 1, 1), (6, 6, 0)] {
        for placement in
            [Placement::Lowest, Placement::rotate(2 * ports - 1), Placement::LeastLoaded, Placement::Random(rng(3))]
        {
            let config = Config { placement, ..Config::new(ports, ports, Discipline::fair(flows)) };
            let mut real = StripedFlows::<1>::new(config);
            let (pattern, process, load) = TRAFFIC[traffic];
            let mut source = source(pattern, process, ports, load, SEED);
            for (now, arrivals) in rows(&mut *source, ports, 600) {
                real.slot(now, &arrivals, &mut vec![Cell::IDLE; ports]);
                assert_eq!(real.failure(), None);
                if (now as usize).is_multiple_of(ports * flows) {
                    let mut wanted = real.frame().reads().iter().map(|read| (read.output, read.memory)).collect();
                    check_frame(real.frame(), ports, &mut wanted);
                }
                let inside = real.inspect().unwrap();
                let switchlab_core::switch::QueueLengths::Outputs(lengths) = inside.queues else { panic!() };
                let most = lengths.iter().max().copied().unwrap_or(0) as usize + (ports - 1) * flows;
                assert!(inside.state[0].1.iter().all(|&cells| usize::from(cells) <= most), "slot {now}");
            }
        }
    }
}

/// Colours are proper, and as many as the largest degree; those of Lev, Pippenger and Valiant as
/// many as the next power of two.
fn check_colouring(colouring: &mut EdgeColouring, lefts: usize, rights: usize, edges: &[(Port, Port)]) {
    let degree = |of: &dyn Fn(&(Port, Port)) -> Port, vertex: usize| {
        edges.iter().filter(|e| usize::from(of(e)) == vertex).count()
    };
    let most = (0..lefts).map(|v| degree(&|e| e.0, v)).chain((0..rights).map(|v| degree(&|e| e.1, v))).max();
    let most = most.unwrap_or(0);
    let colours = colouring.colour(edges).to_vec();
    assert_eq!(colouring.colours(), most);
    check_proper(edges, &colours, most);
    let mut halves = LevPippengerValiant::new(lefts, rights, 1, 1);
    let colours = halves.colour(edges).to_vec();
    assert_eq!(halves.colours(), most.next_power_of_two());
    check_proper(edges, &colours, halves.colours());
}

fn check_proper(edges: &[(Port, Port)], colours: &[u32], most: usize) {
    assert!(colours.iter().all(|&colour| (colour as usize) < most));
    let (mut left, mut right) = (BTreeSet::new(), BTreeSet::new());
    for (edge, colour) in edges.iter().zip(colours) {
        assert!(left.insert((edge.0, colour)) && right.insert((edge.1, colour)), "{edges:?}: {edge:?}");
    }
}

#[test]
fn edge_colourings_are_proper_and_need_no_more_colours_than_degrees() {
    // Every graph of 3 and 3 vertices with up to two edges between any two.
    let mut colouring = EdgeColouring::new(3, 3, 3);
    for mut number in 0..3u32.pow(9) {
        let mut edges = Vec::new();
        for pair in 0..9u16 {
            edges.extend(vec![(pair / 3, pair % 3); (number % 3) as usize]);
            number /= 3;
        }
        check_colouring(&mut colouring, 3, 3, &edges);
    }
    let mut rng = rng(1);
    for _ in 0..400 {
        let (lefts, rights) = (1 + rng.below(12), 1 + rng.below(20));
        let count = rng.below(150);
        let edges: Vec<(Port, Port)> =
            (0..count).map(|_| (rng.below(lefts) as Port, rng.below(rights) as Port)).collect();
        check_colouring(&mut EdgeColouring::new(lefts, rights, 4), lefts, rights, &edges);
    }
    // An edge to nowhere has no colour and changes nothing else.
    assert_eq!(EdgeColouring::new(2, 2, 2).colour(&[(0, 0), (2, 0), (0, 9), (1, 0)]), [0, u32::MAX, u32::MAX, 1]);
    let mut halves = LevPippengerValiant::new(2, 2, 2, 4);
    assert_eq!(halves.colour(&[(0, 0), (2, 0), (0, 9), (1, 0)]), [0, u32::MAX, u32::MAX, 1]);
}

/// The memories of consecutive cells of a flow, striped over P of M, at random.
fn striped(rng: &mut Rng, stripe: usize, memories: usize, cells: usize) -> Vec<Port> {
    let mut all: Vec<Port> = Vec::new();
    for _ in 0..cells {
        let last = &all[all.len().saturating_sub(stripe - 1)..];
        let free: Vec<Port> = (0..memories as Port).filter(|memory| !last.contains(memory)).collect();
        all.push(free[rng.below(free.len())]);
    }
    all
}

fn frame_of(ports: usize, lists: &[Vec<Port>]) -> Frame {
    let mut frame = Frame::new(ports, 2 * ports - 1, 1);
    let mut wanted = Vec::new();
    for (output, list) in lists.iter().enumerate() {
        for &memory in list {
            frame.want(output, memory);
            wanted.push((output as Port, memory));
        }
    }
    frame.plan();
    check_frame(&frame, ports, &mut wanted);
    frame
}

/// Theorem 3, for N and f up to 6: an output reads at most floor(f(2N-1)/N) cells of one memory in
/// a frame, and there are frames in which it does.
#[test]
fn theorem_3_is_attained_and_never_exceeded() {
    for ports in 1..=6usize {
        for flows in 1..=6usize {
            let bound = flows * (2 * ports - 1) / ports;
            let mut rng = rng((10 * ports + flows) as u64);
            for _ in 0..150 {
                let lists: Vec<Vec<Port>> = (0..ports)
                    .map(|_| {
                        let mut left = flows * ports;
                        let mut list = Vec::new();
                        for _ in 0..flows {
                            let cells = rng.below(left + 1);
                            left -= cells;
                            list.extend(striped(&mut rng, ports, 2 * ports - 1, cells));
                        }
                        list
                    })
                    .collect();
                let frame = frame_of(ports, &lists);
                assert!(frame.most_of_a_memory() <= bound && frame.substeps() <= bound.max(flows), "{ports} {flows}");
            }
            // One flow has all but one cell of each other: all of these in memory 0, and of the
            // long one as many as can be.
            let around = (0..flows * ports - (flows - 1)).map(|cell| (cell % ports) as Port);
            let list: Vec<Port> = around.chain(vec![0; flows - 1]).collect();
            assert_eq!(list.len(), flows * ports);
            let frame = frame_of(ports, &vec![list; ports]);
            assert_eq!((frame.most_of_a_memory(), frame.substeps()), (bound, bound), "{ports} ports, {flows} flows");
            // A speedup of 2-1/N is enough for every f, and is needed exactly when N divides f.
            assert!(bound * ports <= flows * (2 * ports - 1));
            assert_eq!(bound * ports == flows * (2 * ports - 1), flows.is_multiple_of(ports), "{ports} {flows}");
        }
    }
}

/// All ways to take the cells of a frame from flows whose first cells lie in one memory: the most
/// reads are those of the theorem.
#[test]
fn theorem_3_over_all_frames() {
    fn most(flows: usize, left: usize, ports: usize) -> usize {
        if flows == 0 {
            return 0;
        }
        (0..=left).map(|cells| cells.div_ceil(ports) + most(flows - 1, left - cells, ports)).max().unwrap_or(0)
    }
    for ports in 1..=5usize {
        for flows in 1..=4usize {
            assert_eq!(most(flows, flows * ports, ports), flows * (2 * ports - 1) / ports);
        }
    }
}

/// The paper's example, in the switch: 4 ports, 4 flows, one cell each of three flows and 13 of the
/// fourth. Seven reads of a memory, where a frame has four sub-steps.
#[test]
fn the_four_by_four_example() {
    let run = |speedup: Speedup| {
        let config = Config { speedup, ..Config::new(4, 4, Discipline::fair(4)) };
        let mut switch = StripedFlows::<1>::new(config);
        let mut sent = Vec::new();
        for now in 0..80 {
            let mut arrivals = [NONE; 4];
            match now {
                1..=3 => arrivals[now as usize] = 0,
                4..=16 => arrivals[0] = 0,
                _ => {}
            }
            let mut departures = [Cell::IDLE; 4];
            switch.slot(now, &arrivals, &mut departures);
            sent.extend((!departures[0].is_idle()).then_some((now, departures[0].input)));
            if now == 16 {
                assert_eq!((switch.frame().most_of_a_memory(), switch.frame().substeps()), (7, 7));
            }
        }
        assert_eq!(switch.most_substeps(), 7);
        sent
    };
    let sent = run(Speedup::sufficient(4, 4));
    assert_eq!(Speedup::sufficient(4, 4), Speedup { reads: 7, slots: 4 });
    // One of each flow, then the rest of flow 0; read in slots 16 to 31.
    let inputs: Vec<Port> = [0, 1, 2, 3].into_iter().chain([0; 12]).collect();
    assert_eq!(sent, (32..48).zip(inputs.clone()).collect::<Vec<_>>());
    // Without speedup the seven sub-steps take 28 slots.
    assert_eq!(run(Speedup::of(1.0)), (44..60).zip(inputs).collect::<Vec<_>>());
}

/// The k-th cell of an output is less than two frames behind an ideal one, whatever the discipline
/// and however overloaded an output is; with one flow, so is each cell behind `oq`.
#[test]
fn no_output_is_two_frames_behind() {
    for (ports, flows) in [(2, 1), (4, 1), (8, 1), (16, 1), (4, 3), (8, 4)] {
        for (discipline, _) in disciplines(flows) {
            for (pattern, process, load) in TRAFFIC {
                let mut real = StripedFlows::<1>::new(Config::new(ports, ports, discipline.clone()));
                let mut meter = OqLag::new(ports);
                let mut source = source(pattern, process, ports, load, SEED);
                let (mut row, mut sent) = (Block::new(ports, 1, NONE), Block::new(ports, 1, Cell::IDLE));
                for now in 0..3000 {
                    (row.start, sent.start) = (now as Slot, now as Slot);
                    source.slot(now, &mut row.data);
                    real.run(&row, &mut sent);
                    meter.observe(&row, &sent, 0);
                }
                let two_frames = 2 * real.frame_slots();
                assert!((real.most_lag() as usize) < two_frames, "{pattern}: {}", real.most_lag());
                // And it is nearly that, so the bound says something.
                assert!(real.most_lag() as usize + 2 * ports >= two_frames, "{pattern}: {}", real.most_lag());
                let lags = meter.lags();
                assert!(lags.cells > 500);
                if flows == 1 && real.frame_slots() == ports {
                    assert!(lags.min > 0 && lags.max.unsigned_abs() < two_frames as u64, "{lags:?}");
                    assert_eq!(lags.max, i64::from(real.most_lag()), "first come, first served");
                }
            }
        }
    }
}
