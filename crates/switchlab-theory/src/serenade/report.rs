//! What a slot cost, and what came of it.

use super::message::{Address, Bits, Class, Message, Round};
use super::vertex::Finding;
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::Port;
use switchlab_core::schedule::serena::accounting::Widths;

/// The messages of one class. What a port tells itself is no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Rounds in which there was such a message.
    pub rounds: u32,
    /// Messages; a broadcast counts once for each reader.
    pub messages: u64,
    /// Their bits, see [`Message::bits`].
    pub bits: Bits,
    /// The most that one input sent.
    pub most_sent: u32,
    /// The most that one input received.
    pub most_received: u32,
    /// The most that one port, or the controller, received in one round.
    pub most_in_round: u32,
}

/// What came of a slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The output of each input: S(t).
    pub matching: Vec<Port>,
    /// The output of each input in R(t).
    pub red: Vec<Port>,
    /// What each vertex found out.
    pub findings: Vec<Finding>,
    /// Iterations of SERENADE-common in which a message was sent, iteration 0 included: at most
    /// 1 + K.
    pub iterations: u32,
    /// The number of decisions in the controller's broadcast, one for each cycle that is not
    /// ouroboros and has a leader.
    pub broadcast: u32,
    /// The time of the binary searches: the moves of the longest one.
    pub search_length: u32,
    /// How many messages each input sent in SERENADE-common, searches and reports.
    pub sent: Vec<u32>,
    /// Rounds of pruning and POPULATE in which there was a message, and of the merge.
    pub phases: Phases,
    counts: [Counts; CLASSES],
}

/// Rounds in which there was a message, each counted once, whatever its classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Phases {
    /// Of pruning and POPULATE.
    pub populate: u32,
    /// Of the merge.
    pub merge: u32,
}

const CLASSES: usize = 6;

impl Report {
    /// What the messages of a class cost.
    pub fn counts(&self, class: Class) -> &Counts {
        &self.counts[class as usize]
    }

    /// All messages of the slot.
    pub fn messages(&self) -> u64 {
        self.counts.iter().map(|counts| counts.messages).sum()
    }

    /// All rounds of the slot in which a message was sent.
    pub fn rounds(&self) -> u32 {
        self.phases.populate + self.phases.merge
    }
}

/// Counts messages.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    widths: Widths,
    counts: [Counts; CLASSES],
    phases: Phases,
    iterations: u32,
    search_length: u32,
    /// Whether anybody has spoken in this round.
    is_heard: bool,
    /// Whether the class has spoken in this round.
    spoke: [bool; CLASSES],
    /// By input and class.
    sent: Vec<[u32; CLASSES]>,
    received: Vec<[u32; CLASSES]>,
    /// Messages of this round by reader: inputs, outputs, the controller.
    in_round: Vec<u32>,
}

impl Tally {
    pub(super) fn new(ports: usize, widths: Widths) -> Self {
        Self {
            widths,
            counts: [Counts::default(); CLASSES],
            phases: Phases::default(),
            iterations: 0,
            search_length: 0,
            is_heard: false,
            spoke: [false; CLASSES],
            sent: vec![[0; CLASSES]; ports],
            received: vec![[0; CLASSES]; ports],
            in_round: vec![0; 2 * ports + 1],
        }
    }

    pub(super) fn begin(&mut self) {
        self.counts = [Counts::default(); CLASSES];
        self.phases = Phases::default();
        (self.iterations, self.search_length) = (0, 0);
        self.sent.fill([0; CLASSES]);
        self.received.fill([0; CLASSES]);
    }

    pub(super) fn next_round(&mut self) {
        self.spoke = [false; CLASSES];
        self.is_heard = false;
        self.in_round.fill(0);
    }

    /// From now on messages are charged by other widths.
    pub(super) fn charge(&mut self, widths: Widths) {
        self.widths = widths;
    }

    fn time(&mut self, round: Round, class: Class) {
        match round {
            Round::First(iteration) | Round::Second(iteration) => self.iterations = self.iterations.max(iteration + 1),
            Round::Search(step) if class == Class::Search => self.search_length = self.search_length.max(step),
            _ => {}
        }
        if !self.is_heard {
            self.is_heard = true;
            let phase = if round.is_of_merge() { &mut self.phases.merge } else { &mut self.phases.populate };
            *phase += 1;
        }
    }

    pub(super) fn count(&mut self, round: Round, from: Address, to: Address, message: &Message) {
        self.time(round, message.class());
        let class = message.class() as usize;
        let counts = &mut self.counts[class];
        counts.messages += 1;
        counts.bits += message.bits(&self.widths);
        counts.rounds += u32::from(!self.spoke[class]);
        self.spoke[class] = true;
        if let Address::Input(input) = from {
            let sent = &mut self.sent[input as usize][class];
            *sent += 1;
            counts.most_sent = counts.most_sent.max(*sent);
        }
        let ports = self.sent.len();
        let reader = match to {
            Address::Input(input) => {
                let received = &mut self.received[input as usize][class];
                *received += 1;
                counts.most_received = counts.most_received.max(*received);
                input as usize
            }
            Address::Output(output) => ports + output as usize,
            Address::Controller => 2 * ports,
        };
        self.in_round[reader] += 1;
        counts.most_in_round = counts.most_in_round.max(self.in_round[reader]);
    }

    /// Writes what was counted; the rest of the report is there already.
    pub(super) fn write(&self, report: &mut Report) {
        report.counts = self.counts;
        (report.iterations, report.search_length, report.phases) = (self.iterations, self.search_length, self.phases);
        let merge = [Class::Common, Class::Search, Class::Controller];
        report.sent.clear();
        report.sent.extend(self.sent.iter().map(|sent| merge.iter().map(|&class| sent[class as usize]).sum::<u32>()));
    }
}

impl Default for Report {
    fn default() -> Self {
        Self {
            matching: Vec::new(),
            red: Vec::new(),
            findings: Vec::new(),
            iterations: 0,
            broadcast: 0,
            search_length: 0,
            sent: Vec::new(),
            phases: Phases::default(),
            counts: [Counts::default(); CLASSES],
        }
    }
}
