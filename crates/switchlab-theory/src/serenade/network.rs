//! Delivers messages in synchronous rounds, and looks at them: it counts and records, but never
//! changes or makes one.

use super::controller::Controller;
use super::message::{Address, Delivery, Message, Round};
use super::output::OutputPort;
use super::report::{Report, Tally};
use super::vertex::Vertex;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::Error;
use switchlab_core::rng::Rng;
use switchlab_core::schedule::serena::accounting::{Accounting, Bypass};
use switchlab_core::schedule::serena::ouroboros::last_iteration;
use switchlab_core::schedule::serena::rules::{Populate, Rules, Variant};
use switchlab_core::{MAX_PORTS, NONE, Port, Slot};

/// The ports of a switch, its controller, and the wires between them.
#[derive(Clone, Debug)]
pub struct Network {
    rules: Rules,
    accounting: Accounting,
    vertices: Vec<Vertex>,
    outputs: Vec<OutputPort>,
    controller: Controller,
    wire: Vec<(Address, Address, Message)>,
    tally: Tally,
    recording: bool,
    transcript: Vec<Delivery>,
    report: Report,
}

impl Network {
    /// A switch that starts from the identity. `key` is that of the codewords
    /// ([`switchlab_core::schedule::serena::sketch`]); who uses no sketch may give any.
    pub fn new(ports: usize, rules: Rules, key: u64) -> Result<Self, Error> {
        if ports == 0 || ports > MAX_PORTS {
            return Err(Error::Ports { ports, most: MAX_PORTS });
        }
        let all = 0..ports as Port;
        Ok(Self {
            rules,
            accounting: Accounting::default(),
            vertices: all.clone().map(|input| Vertex::new(input, ports, rules, key)).collect(),
            outputs: all.map(|output| OutputPort::new(output, ports, rules)).collect(),
            controller: Controller::default(),
            wire: Vec::new(),
            tally: Tally::new(ports, Accounting::default().widths(ports)),
            recording: false,
            transcript: Vec::new(),
            report: Report::default(),
        })
    }

    /// How messages are sent and what they are charged at from now on. It changes no decision.
    pub fn account(&mut self, accounting: Accounting) {
        self.accounting = accounting;
        self.tally.charge(accounting.widths(self.vertices.len()));
        self.vertices.iter_mut().for_each(|vertex| vertex.count_by(accounting.prefix));
        self.outputs.iter_mut().for_each(|output| output.count_by(accounting.prefix));
    }

    /// Whether the messages of each slot are kept, for [`Network::transcript`].
    pub fn record(&mut self, on: bool) {
        self.recording = on;
    }

    /// The messages of the last slot, in order of delivery, if they were recorded.
    pub fn transcript(&self) -> &[Delivery] {
        &self.transcript
    }

    /// What came of the last slot.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// One slot: from the arrivals (for each input an output, or [`NONE`]) and the lengths of the
    /// VOQs with those arrivals (row by row) to the output of each input.
    ///
    /// Random numbers are drawn from `rng` first by outputs with equally heavy arrivals, in
    /// ascending order of inputs, and then by the controller's shuffle.
    pub fn slot(
        &mut self,
        slot: Slot,
        arrived: &[Port],
        lengths: &[u32],
        variant: Variant,
        rng: &mut Rng,
    ) -> Result<&[Port], Error> {
        let ports = self.vertices.len();
        self.check_lengths(lengths)?;
        if arrived.len() != ports || arrived.iter().any(|&output| output != NONE && output as usize >= ports) {
            return Err(impossible(&format!("give {ports} arrivals, each an output below {ports} or none")));
        }
        self.begin(slot, variant, arrived, lengths);
        self.populate(rng);
        self.merge_red_and_green(variant);
        Ok(&self.report.matching)
    }

    /// MERGE alone, for matchings that are given to both of their ends. The merged matching is the
    /// green one of the next slot.
    pub fn merge(
        &mut self,
        slot: Slot,
        red: &[Port],
        green: &[Port],
        lengths: &[u32],
        variant: Variant,
    ) -> Result<&Report, Error> {
        let ports = self.vertices.len();
        self.check_lengths(lengths)?;
        for matching in [red, green] {
            let mut taken = vec![false; ports];
            for &output in matching {
                if let Some(taken) = taken.get_mut(output as usize) {
                    *taken = true;
                }
            }
            if matching.len() != ports || taken.contains(&false) {
                return Err(impossible(&format!(
                    "a matching to be merged must be a permutation of 0 to {}",
                    ports - 1
                )));
            }
        }
        self.begin(slot, variant, &vec![NONE; ports], lengths);
        for (vertex, (&red, &green)) in self.vertices.iter_mut().zip(red.iter().zip(green)) {
            let weight = vertex.pair(red, green);
            self.outputs[red as usize].pair(vertex.identity(), weight);
            self.outputs[green as usize].connect(vertex.identity());
        }
        self.merge_red_and_green(variant);
        Ok(&self.report)
    }

    fn check_lengths(&self, lengths: &[u32]) -> Result<(), Error> {
        let queues = self.vertices.len() * self.vertices.len();
        if lengths.len() == queues {
            Ok(())
        } else {
            Err(impossible(&format!("{} VOQ lengths were given; give {queues}, row by row", lengths.len())))
        }
    }

    fn begin(&mut self, slot: Slot, variant: Variant, arrived: &[Port], lengths: &[u32]) {
        self.transcript.clear();
        self.tally.begin();
        self.controller.begin();
        self.outputs.iter_mut().for_each(OutputPort::begin);
        let rows = lengths.chunks_exact(self.vertices.len());
        for ((vertex, row), &arrived) in self.vertices.iter_mut().zip(rows).zip(arrived) {
            vertex.begin(slot, variant, arrived, row);
        }
    }

    /// Pruning (section 3.1.1) and POPULATE (appendix A).
    fn populate(&mut self, rng: &mut Rng) {
        let levels = last_iteration(self.vertices.len());
        self.round(Round::Announce, Some(rng));
        self.round(Round::Accept, None);
        let steps = self.accounting.prefix.steps(self.vertices.len());
        (0..steps).for_each(|step| self.round(Round::Count(step), None));
        match self.rules.populate {
            Populate::Rank => {}
            Populate::Rotate => (0..levels).for_each(|level| self.round(Round::Total(level), None)),
            Populate::Random => {
                self.round(Round::Free, None);
                self.controller.shuffle(rng);
                self.round(Round::Shuffle, None);
            }
        }
        for round in [Round::Ask, Round::Offer, Round::Introduce, Round::Claim] {
            self.round(round, None);
        }
    }

    /// MERGE: SERENADE-common and what the variant adds to it.
    fn merge_red_and_green(&mut self, variant: Variant) {
        let last = last_iteration(self.vertices.len());
        for iteration in 0..=last {
            self.round(Round::First(iteration), None);
            self.round(Round::Second(iteration), None);
            self.vertices.iter_mut().for_each(|vertex| vertex.conclude(iteration));
        }
        if variant.election().is_some() {
            self.round(Round::Register, None);
            // A search halves its interval of 2^K edges in each step; its leader reports in the
            // step after.
            for step in 1..=last + 1 {
                if self.controller.waits() {
                    self.round(Round::Search(step), None);
                }
            }
            self.round(Round::Broadcast, None);
        }
        self.connect();
    }

    /// One round. Inputs speak in ascending order, then outputs, then the controller, and are heard
    /// in that order; only pruning, with its random ties, depends on it.
    fn round(&mut self, round: Round, mut rng: Option<&mut Rng>) {
        for vertex in &mut self.vertices {
            let from = Address::Input(vertex.identity());
            self.wire.extend(vertex.send(round).map(|(to, message)| (from, to, message)));
        }
        for (output, port) in (0..).zip(&mut self.outputs) {
            let from = Address::Output(output);
            self.wire.extend(port.send(round).map(|(to, message)| (from, to, message)));
        }
        let broadcast = self.controller.send(round, self.vertices.len()).into_iter();
        self.wire.extend(broadcast.map(|(to, message)| (Address::Controller, to, message)));

        self.tally.next_round();
        let mut on_the_way = Vec::new();
        for (from, to, message) in core::mem::take(&mut self.wire) {
            if let Some(relay) = self.relay(from, to) {
                let passed_on = Message::PassOn { to: number(to), message: Box::new(message.clone()) };
                self.note(round, from, relay, &passed_on);
                on_the_way.push((from, relay, to, message));
            } else {
                self.note(round, from, to, &message);
                self.deliver(round, (from, to), message, rng.as_deref_mut());
            }
        }
        if on_the_way.is_empty() {
            return;
        }
        self.tally.next_round();
        for (from, relay, to, message) in on_the_way {
            self.note(round, relay, to, &message);
            // It is read as what its first sender says.
            self.deliver(round, (from, to), message, rng.as_deref_mut());
        }
    }

    /// Without a local bypass, the port that passes a message on: that of the sender's number on
    /// the other side of the switch (section 4.3.3).
    fn relay(&self, from: Address, to: Address) -> Option<Address> {
        match (self.accounting.bypass, from, to) {
            _ if from == to => None,
            (Bypass::Absent, Address::Input(port), Address::Input(_)) => Some(Address::Output(port)),
            (Bypass::Absent, Address::Output(port), Address::Output(_)) => Some(Address::Input(port)),
            _ => None,
        }
    }

    /// Counts a message, and writes it down if that was asked for. What a port tells itself is
    /// none.
    fn note(&mut self, round: Round, from: Address, to: Address, message: &Message) {
        if from != to {
            self.tally.count(round, from, to, message);
            if self.recording {
                self.transcript.push(Delivery { round, from, to, message: message.clone() });
            }
        }
    }

    fn deliver(&mut self, round: Round, (from, to): (Address, Address), message: Message, rng: Option<&mut Rng>) {
        match to {
            Address::Input(input) => self.vertices[input as usize].receive(round, from, message),
            Address::Output(output) => self.outputs[output as usize].receive(from, &message, rng),
            Address::Controller => self.controller.receive(from, &message),
        }
    }

    /// The crossbar is set as the inputs ask, each output sees who it is connected to, and the slot
    /// is reported.
    fn connect(&mut self) {
        let report = &mut self.report;
        report.matching.clear();
        report.red.clear();
        report.findings.clear();
        for vertex in &mut self.vertices {
            report.findings.push(vertex.finding());
            report.red.push(vertex.red());
            let output = vertex.connect();
            report.matching.push(output);
            self.outputs[output as usize].connect(vertex.identity());
        }
        report.broadcast = self.controller.decisions().len() as u32;
        self.tally.write(report);
    }
}

/// The number of a port; the controller has none, and nothing is passed on to it.
fn number(address: Address) -> Port {
    match address {
        Address::Input(port) | Address::Output(port) => port,
        Address::Controller => NONE,
    }
}

fn impossible(problem: &str) -> Error {
    Error::Impossible { name: "serenade".to_string(), problem: problem.to_string() }
}
