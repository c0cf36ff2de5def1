//! Captured frames (paper 001): uFORM and uFPIM against their twins, with the frames compared after
//! every slot, and the examples of the paper's figures.

use crate::common::{SEED, rows, source, switch};
use crate::naive::{self, Twin as _};
use crate::naive_frames::Frames;
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::schedule::{Scheduler, uform::Uform, ufpim::Ufpim};
use switchlab_core::switch::Switch;
use switchlab_core::switch::crossbar::{Crossbar, voq::Linked};
use switchlab_core::{Cell, NONE, Port, Seed, Slot};

/// A scheduler of captured frames, and its twin.
pub(crate) trait Captured<const W: usize>: Scheduler<W> + Send {
    const NAME: &str;

    /// The scheduler; `frame` of 0 is unlimited.
    fn build(ports: usize, iterations: usize, frame: usize, rng: Rng) -> Self;

    /// Its twin.
    fn twin(ports: usize, iterations: usize, frame: usize, rng: Rng) -> Frames;

    /// The output on service by input.
    fn serving(&self) -> &[Port];
}

impl<const W: usize> Captured<W> for Uform<W> {
    const NAME: &str = "uform";

    fn build(ports: usize, iterations: usize, frame: usize, _rng: Rng) -> Self {
        Self::new(ports, iterations, frame)
    }

    fn twin(ports: usize, iterations: usize, frame: usize, _rng: Rng) -> Frames {
        Frames::uform(ports, iterations, frame)
    }

    fn serving(&self) -> &[Port] {
        self.on_service()
    }
}

impl<const W: usize> Captured<W> for Ufpim<W> {
    const NAME: &str = "ufpim";

    fn build(ports: usize, iterations: usize, frame: usize, rng: Rng) -> Self {
        Self::new(ports, iterations, frame, rng)
    }

    fn twin(ports: usize, iterations: usize, frame: usize, rng: Rng) -> Frames {
        Frames::ufpim(ports, iterations, frame, rng)
    }

    fn serving(&self) -> &[Port] {
        self.on_service()
    }
}

/// By input, the output on service or none.
fn on_service(twin: &Frames) -> impl Iterator<Item = Port> {
    twin.flags.iter().map(|row| row.iter().position(|&flag| flag).map_or(NONE, |output| output as Port))
}

/// CF and service status are those of the twin.
pub(crate) fn assert_same_frames(state: (&[u32], &[Port]), twin: &Frames, say: &dyn Fn() -> String) {
    let (sizes, serving) = state;
    let expected = twin.sizes.iter().flatten().map(|&size| size as u32);
    assert!(expected.eq(sizes.iter().copied()), "CF, {}: {sizes:?} instead of {:?}", say(), twin.sizes);
    assert!(on_service(twin).eq(serving.iter().copied()), "service, {}: {serving:?}, {:?}", say(), twin.flags);
}

/// The switch of the registry, a crossbar that can be looked into, and the twin, side by side.
struct Trio<S, const W: usize> {
    spec: String,
    built: Box<dyn Switch>,
    real: Crossbar<S, Linked, W>,
    twin: naive::Crossbar<Frames>,
    /// The largest CF so far.
    largest: usize,
    /// How many inputs were on service after a slot, added up.
    served: usize,
}

impl<S: Captured<W>, const W: usize> Trio<S, W> {
    fn new(ports: usize, iterations: usize, frame: usize, seed: Seed) -> Self {
        let name = S::NAME;
        let spec = match frame {
            0 => format!("{name}(iterations={iterations})"),
            _ => format!("{name}(iterations={iterations},frame={frame})"),
        };
        let rng = || seed.stream(Purpose::Scheduler, 0);
        Self {
            built: switch(&spec, ports, seed),
            real: Crossbar::new(ports, S::build(ports, iterations, frame, rng())),
            twin: naive::Crossbar::new(ports, S::twin(ports, iterations, frame, rng())),
            spec,
            largest: 0,
            served: 0,
        }
    }

    /// Runs a slot; cells, matchings, CF and service status must be the same.
    fn slot(&mut self, now: Slot, arrivals: &[Port], say: &dyn Fn() -> String) {
        let ports = arrivals.len();
        let say = || format!("{} of {ports} ports, {}, slot {now}", self.spec, say());
        let serving: Vec<Port> = on_service(&self.twin.scheduler).collect();
        let mut expected = vec![Cell::IDLE; ports];
        self.twin.slot(now, arrivals, &mut expected);
        let mut got = vec![Cell::IDLE; ports];
        self.built.slot(now, arrivals, &mut got);
        assert_eq!(got, expected, "from the registry, {}", say());
        got.fill(Cell::IDLE);
        self.real.slot(now, arrivals, &mut got);
        assert_eq!(got, expected, "{}", say());
        let pairs = self.twin.pairs.iter().map(|output| output.map_or(NONE, |output| output as Port));
        assert!(pairs.eq(self.real.matching().outputs().iter().copied()), "{}: {:?}", say(), self.real.matching());
        assert_same_frames((&self.real.tags(), self.real.scheduler().serving()), &self.twin.scheduler, &say);
        // A match is kept while its frame lasts (section III), and a frame never promises cells
        // that are not there.
        for (input, &output) in serving.iter().enumerate() {
            assert!(output == NONE || self.twin.pairs[input] == Some(usize::from(output)), "{}: {input} lost", say());
        }
        for (sizes, lengths) in self.twin.scheduler.sizes.iter().zip(&self.twin.lengths) {
            assert!(sizes.iter().zip(lengths).all(|(size, length)| size <= length), "{}: CF beyond the VOQ", say());
            self.largest = self.largest.max(sizes.iter().copied().max().unwrap_or(0));
        }
        self.served += on_service(&self.twin.scheduler).filter(|&output| output != NONE).count();
    }
}

const TRAFFIC: [&str; 4] = ["uniform", "unbalanced(w=0.5)", "log-diagonal", "diagonal"];

/// Every combination of traffic, load, iterations and frame: 72, of 1,400 slots each.
fn random<S: Captured<W>, const W: usize>(ports: usize) {
    let (mut turn, mut largest, mut served) = (0, 0, [0; 4]);
    for traffic in TRAFFIC {
        for load in [0.5, 0.9, 1.0] {
            for iterations in [1, 3] {
                for frame in [0, 1, 3] {
                    turn += 1;
                    let seed = Seed { seed: SEED.seed, replication: turn };
                    let mut trio = Trio::<S, W>::new(ports, iterations, frame, seed);
                    let mut source = source(traffic, "bernoulli", ports, load, seed);
                    let say = || format!("{traffic}, load {load}");
                    for (now, arrivals) in rows(&mut *source, ports, 1400) {
                        trio.slot(now, &arrivals, &say);
                    }
                    let said = format!("{}, {ports} ports, {}", trio.spec, say());
                    // A frame of one cell is never on service.
                    assert!(frame != 1 || trio.served == 0, "{said}");
                    assert!(frame == 0 || trio.largest <= frame, "{said}: CF {}", trio.largest);
                    largest = largest.max(trio.largest);
                    served[frame] += trio.served;
                }
            }
        }
    }
    assert!(largest > 10 && served[0] > 0 && served[3] > 0, "nothing was compared: {largest}, {served:?}");
}

#[test]
fn uform_and_its_frames() {
    random::<Uform<1>, 1>(4);
    random::<Uform<1>, 1>(8);
    random::<Uform<1>, 1>(33);
    random::<Uform<1>, 1>(64);
    random::<Uform<2>, 2>(65);
}

#[test]
fn ufpim_and_its_frames() {
    random::<Ufpim<1>, 1>(4);
    random::<Ufpim<1>, 1>(8);
    random::<Ufpim<1>, 1>(33);
    random::<Ufpim<1>, 1>(64);
    random::<Ufpim<2>, 2>(65);
}

/// Nine patterns in each of five slots (each input: none, 0 or 1), then enough empty slots for all
/// cells to leave.
fn every_arrival_pattern<S: Captured<1>>() {
    const SLOTS: u32 = 5;
    const DRAIN: u32 = 12;
    for (iterations, frame) in [(1, 0), (2, 0), (1, 1), (1, 2)] {
        let (mut largest, mut served) = (0, 0);
        for sequence in 0..9u32.pow(SLOTS) {
            let mut trio = Trio::<S, 1>::new(2, iterations, frame, Seed { seed: SEED.seed, replication: sequence });
            let mut rest = sequence;
            for now in 0..SLOTS + DRAIN {
                let arrivals =
                    [rest % 3, rest / 3 % 3].map(|digit| if digit == 0 { NONE } else { (digit - 1) as Port });
                rest /= 9;
                trio.slot(now, &arrivals, &|| format!("sequence {sequence}"));
            }
            assert_eq!(trio.built.census().queued, 0, "{}, sequence {sequence}", trio.spec);
            largest = largest.max(trio.largest);
            served += trio.served;
        }
        assert_eq!(served > 0, frame != 1, "{} with iterations={iterations},frame={frame}", S::NAME);
        assert!(frame == 0 && largest > 1 || largest == frame, "CF up to {largest} with frame={frame}");
    }
}

#[test]
fn every_arrival_pattern_of_uform() {
    every_arrival_pattern::<Uform<1>>();
}

#[test]
fn every_arrival_pattern_of_ufpim() {
    every_arrival_pattern::<Ufpim<1>>();
}
