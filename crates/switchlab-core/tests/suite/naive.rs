//! Naive simulators, written from the pages of the real ones and as plainly as they can be: a
//! `VecDeque` for each queue, nested loops, nothing remembered that can be counted again.

use crate::naive_frames::Frames;
use crate::naive_serena::NaiveSerena;
use crate::naive_stable::{GsLqf, GsOcf};
use std::collections::VecDeque;
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::{Cell, NONE, Port, Seed, Slot};

/// A naive switch.
pub(crate) trait Twin {
    /// Runs one slot; `departures` comes idle.
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]);
}

/// Builds the twin that belongs to a name.
pub(crate) fn twin(name: &str, ports: usize, iterations: usize, seed: Seed) -> Box<dyn Twin> {
    let rng = seed.stream(Purpose::Scheduler, 0);
    match name {
        "oq" => Box::new(OutputQueued { queues: vec![VecDeque::new(); ports] }),
        "fifo" => Box::new(Fifo { queues: vec![VecDeque::new(); ports], rng }),
        "islip" => Box::new(Crossbar::new(ports, Islip::new(ports, iterations))),
        "rrm" => Box::new(Crossbar::new(ports, Rrm::new(ports, iterations))),
        "srr" => Box::new(Crossbar::new(ports, Srr { rounds: Rounds::new(ports, iterations) })),
        "drrm" => Box::new(Crossbar::new(ports, Drrm::new(ports, false))),
        "edrrm" => Box::new(Crossbar::new(ports, Drrm::new(ports, true))),
        "pim" => Box::new(Crossbar::new(ports, Pim { rounds: Rounds::new(ports, iterations), rng })),
        "uform" => Box::new(Crossbar::new(ports, Frames::uform(ports, iterations, 0))),
        "ufpim" => Box::new(Crossbar::new(ports, Frames::ufpim(ports, iterations, 0, rng))),
        "ilqf" => Box::new(Crossbar::new(ports, Ilqf { rounds: Rounds::new(ports, iterations) })),
        "gs-lqf" => Box::new(Crossbar::new(ports, GsLqf)),
        "gs-ocf" => Box::new(GsOcf::new(ports)),
        "tdm" => Box::new(Crossbar::new(ports, Tdm)),
        _ if name.contains("seren") => Box::new(NaiveSerena::new(name, ports, seed)),
        _ => panic!("{name} has no twin"),
    }
}

/// Output queueing: cells of a slot enter in the order of their inputs, and each queue sends its
/// first cell.
struct OutputQueued {
    queues: Vec<VecDeque<Cell>>,
}

impl Twin for OutputQueued {
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        for (input, &output) in arrivals.iter().enumerate() {
            if output != NONE {
                self.queues[usize::from(output)].push_back(Cell { born: now, input: input as Port });
            }
        }
        for (queue, departure) in self.queues.iter_mut().zip(departures) {
            if let Some(cell) = queue.pop_front() {
                *departure = cell;
            }
        }
    }
}

/// One queue per input, of outputs and arrival slots; each requested output takes one of the
/// head-of-line cells at random.
struct Fifo {
    queues: Vec<VecDeque<(Port, Slot)>>,
    rng: Rng,
}

impl Twin for Fifo {
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        for (input, &output) in arrivals.iter().enumerate() {
            if output != NONE {
                self.queues[input].push_back((output, now));
            }
        }
        let first: Vec<Option<Port>> = self.queues.iter().map(|queue| queue.front().map(|cell| cell.0)).collect();
        for (output, departure) in departures.iter_mut().enumerate() {
            let wanting: Vec<usize> = (0..first.len()).filter(|&input| first[input] == Some(output as Port)).collect();
            if !wanting.is_empty() {
                let winner = wanting[self.rng.below(wanting.len())];
                let (_, born) = self.queues[winner].pop_front().unwrap();
                *departure = Cell { born, input: winner as Port };
            }
        }
    }
}

/// By input and output, how many cells wait.
pub(crate) type Lengths = Vec<Vec<usize>>;

/// By input, its output.
pub(crate) type Pairs = Vec<Option<usize>>;

/// A naive crossbar scheduler.
pub(crate) trait Scheduler {
    fn schedule(&mut self, now: Slot, lengths: &Lengths) -> Pairs;
}

/// A queue for each input and output, how long each is, a scheduler, and what it last decided.
pub(crate) struct Crossbar<S> {
    queues: Vec<Vec<VecDeque<Slot>>>,
    pub(crate) lengths: Lengths,
    pub(crate) scheduler: S,
    pub(crate) pairs: Pairs,
}

impl<S> Crossbar<S> {
    pub(crate) fn new(ports: usize, scheduler: S) -> Self {
        Self {
            queues: vec![vec![VecDeque::new(); ports]; ports],
            lengths: vec![vec![0; ports]; ports],
            scheduler,
            pairs: vec![None; ports],
        }
    }
}

impl<S: Scheduler> Twin for Crossbar<S> {
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        for (input, &output) in arrivals.iter().enumerate() {
            if output != NONE {
                self.queues[input][usize::from(output)].push_back(now);
                self.lengths[input][usize::from(output)] += 1;
            }
        }
        self.pairs = self.scheduler.schedule(now, &self.lengths);
        for (input, &output) in self.pairs.iter().enumerate() {
            let Some(output) = output else { continue };
            if let Some(born) = self.queues[input][output].pop_front() {
                assert!(departures[output].is_idle(), "two inputs are matched with output {output}");
                departures[output] = Cell { born, input: input as Port };
                self.lengths[input][output] -= 1;
            }
        }
    }
}

/// Request, grant and accept over the unmatched ports, and room for the lists.
pub(crate) struct Rounds {
    most: usize,
    /// By output: the inputs that ask it, ascending.
    asking: Vec<Vec<usize>>,
    /// By input: the outputs that grant it, ascending.
    granting: Vec<Vec<usize>>,
}

impl Rounds {
    /// At most `most` iterations.
    pub(crate) fn new(ports: usize, most: usize) -> Self {
        Self { most, asking: vec![Vec::new(); ports], granting: vec![Vec::new(); ports] }
    }

    /// Iterates until an iteration adds nothing or `most` are done.
    ///
    /// `choose` is only asked where there is something to choose: first by the outputs, ascending,
    /// then by the inputs. `first` is told of the pairs of the first iteration.
    fn run(
        &mut self,
        lengths: &Lengths,
        mut choose: impl FnMut(Choice, &[usize]) -> usize,
        mut first: impl FnMut(usize, usize),
    ) -> Pairs {
        let ports = lengths.len();
        let mut pairs = vec![None; ports];
        let mut taken = vec![false; ports];
        for iteration in 0..self.most {
            self.asking.iter_mut().chain(&mut self.granting).for_each(Vec::clear);
            for input in (0..ports).filter(|&input| pairs[input].is_none()) {
                for (output, &length) in lengths[input].iter().enumerate() {
                    if length > 0 && !taken[output] {
                        self.asking[output].push(input);
                    }
                }
            }
            for (output, asking) in self.asking.iter().enumerate() {
                if !asking.is_empty() {
                    self.granting[choose(Choice::Grant(output), asking)].push(output);
                }
            }
            if self.granting.iter().all(Vec::is_empty) {
                break;
            }
            for (input, granting) in self.granting.iter().enumerate() {
                if !granting.is_empty() {
                    let output = choose(Choice::Accept(input), granting);
                    pairs[input] = Some(output);
                    taken[output] = true;
                    if iteration == 0 {
                        first(input, output);
                    }
                }
            }
        }
        pairs
    }
}

/// Which port chooses.
#[derive(Clone, Copy)]
enum Choice {
    /// This output chooses among the inputs that ask it.
    Grant(usize),
    /// This input chooses among the outputs that grant it.
    Accept(usize),
}

/// The port at or next after the pointer, cyclically.
pub(crate) fn round_robin(ports: &[usize], pointer: usize) -> usize {
    *ports.iter().find(|&&port| port >= pointer).unwrap_or(&ports[0])
}

/// The port with the longest queue, the lowest among equals.
fn longest(ports: &[usize], length: impl Fn(usize) -> usize) -> usize {
    let mut best = ports[0];
    for &port in ports {
        if length(port) > length(best) {
            best = port;
        }
    }
    best
}

/// Round robin; pointers move one beyond the partner, only for pairs of the first iteration.
pub(crate) struct Islip {
    rounds: Rounds,
    pub(crate) grant: Vec<usize>,
    pub(crate) accept: Vec<usize>,
}

impl Islip {
    pub(crate) fn new(ports: usize, iterations: usize) -> Self {
        Self { rounds: Rounds::new(ports, iterations), grant: vec![0; ports], accept: vec![0; ports] }
    }
}

impl Scheduler for Islip {
    fn schedule(&mut self, _now: Slot, lengths: &Lengths) -> Pairs {
        let ports = lengths.len();
        let (grant, accept) = (self.grant.clone(), self.accept.clone());
        let choose = |port, among: &[usize]| match port {
            Choice::Grant(output) => round_robin(among, grant[output]),
            Choice::Accept(input) => round_robin(among, accept[input]),
        };
        self.rounds.run(lengths, choose, |input, output| {
            self.grant[output] = (input + 1) % ports;
            self.accept[input] = (output + 1) % ports;
        })
    }
}

/// Round robin; with every choice, accepted or not, in whatever iteration, a pointer moves one
/// beyond what it has chosen.
pub(crate) struct Rrm {
    rounds: Rounds,
    grant: Vec<usize>,
    accept: Vec<usize>,
}

impl Rrm {
    pub(crate) fn new(ports: usize, iterations: usize) -> Self {
        Self { rounds: Rounds::new(ports, iterations), grant: vec![0; ports], accept: vec![0; ports] }
    }
}

impl Scheduler for Rrm {
    fn schedule(&mut self, _now: Slot, lengths: &Lengths) -> Pairs {
        let (grant, accept) = (&mut self.grant, &mut self.accept);
        let choose = |who, among: &[usize]| {
            let pointer = match who {
                Choice::Grant(output) => &mut grant[output],
                Choice::Accept(input) => &mut accept[input],
            };
            let chosen = round_robin(among, *pointer);
            *pointer = (chosen + 1) % lengths.len();
            chosen
        };
        self.rounds.run(lengths, choose, |_, _| {})
    }
}

/// Round robin; in slot t the pointer of output j is at input (j + t) mod N, and that of input i at
/// the output whose pointer is at i.
struct Srr {
    rounds: Rounds,
}

impl Scheduler for Srr {
    fn schedule(&mut self, now: Slot, lengths: &Lengths) -> Pairs {
        let ports = lengths.len();
        let grant = |output: usize| (output + now as usize) % ports;
        let accept = |input: usize| (0..ports).find(|&output| grant(output) == input).unwrap();
        let choose = |port, among: &[usize]| match port {
            Choice::Grant(output) => round_robin(among, grant(output)),
            Choice::Accept(input) => round_robin(among, accept(input)),
        };
        self.rounds.run(lengths, choose, |_, _| {})
    }
}

/// Each input asks one output, by round robin over its queues; each output grants one input. With
/// exhaustive service a pair lasts until its queue is empty.
struct Drrm {
    exhaustive: bool,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl Drrm {
    fn new(ports: usize, exhaustive: bool) -> Self {
        Self { exhaustive, inputs: vec![0; ports], outputs: vec![0; ports] }
    }
}

impl Scheduler for Drrm {
    fn schedule(&mut self, _now: Slot, lengths: &Lengths) -> Pairs {
        let ports = lengths.len();
        let asked: Pairs = (0..ports)
            .map(|input| {
                let queued: Vec<usize> = (0..ports).filter(|&output| lengths[input][output] > 0).collect();
                (!queued.is_empty()).then(|| round_robin(&queued, self.inputs[input]))
            })
            .collect();
        let mut pairs: Pairs = vec![None; ports];
        for output in 0..ports {
            let asking: Vec<usize> = (0..ports).filter(|&input| asked[input] == Some(output)).collect();
            if !asking.is_empty() {
                let input = round_robin(&asking, self.outputs[output]);
                pairs[input] = Some(output);
                self.outputs[output] = if self.exhaustive { input } else { (input + 1) % ports };
            }
        }
        for input in 0..ports {
            let Some(output) = asked[input] else { continue };
            let granted = pairs[input].is_some();
            let moves = if self.exhaustive { !granted || lengths[input][output] == 1 } else { granted };
            if moves {
                self.inputs[input] = (output + 1) % ports;
            } else if granted {
                self.inputs[input] = output;
            }
        }
        pairs
    }
}

/// At random; one draw for each choice.
pub(crate) struct Pim {
    pub(crate) rounds: Rounds,
    pub(crate) rng: Rng,
}

impl Scheduler for Pim {
    fn schedule(&mut self, _now: Slot, lengths: &Lengths) -> Pairs {
        let choose = |_, among: &[usize]| among[self.rng.below(among.len())];
        self.rounds.run(lengths, choose, |_, _| {})
    }
}

/// The longest queue, the lowest port among equals.
pub(crate) struct Ilqf {
    pub(crate) rounds: Rounds,
}

impl Scheduler for Ilqf {
    fn schedule(&mut self, _now: Slot, lengths: &Lengths) -> Pairs {
        let choose = |port, among: &[usize]| match port {
            Choice::Grant(output) => longest(among, |input| lengths[input][output]),
            Choice::Accept(input) => longest(among, |output| lengths[input][output]),
        };
        self.rounds.run(lengths, choose, |_, _| {})
    }
}

/// In slot t, input i goes to output (i + t) mod N.
struct Tdm;

impl Scheduler for Tdm {
    fn schedule(&mut self, now: Slot, lengths: &Lengths) -> Pairs {
        let ports = lengths.len();
        (0..ports).map(|input| Some((input + now as usize) % ports)).collect()
    }
}
