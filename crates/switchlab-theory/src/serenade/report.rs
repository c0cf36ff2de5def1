//! What a slot cost, and what came of it.

use super::message::{Address, Class, Message};
use super::vertex::Finding;
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::Port;

/// The messages of one class. What a port tells itself is no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Rounds in which there was such a message.
    pub rounds: u32,
    /// Messages; a broadcast counts once for each reader.
    pub messages: u64,
    /// Bits of payload, see [`Message::bits`].
    pub bits: u64,
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
    counts: [Counts; CLASSES],
}

const CLASSES: usize = 5;

impl Report {
    /// What the messages of a class cost.
    pub fn counts(&self, class: Class) -> &Counts {
        &self.counts[class as usize]
    }

    /// All messages of the slot.
    pub fn messages(&self) -> u64 {
        self.counts.iter().map(|counts| counts.messages).sum()
    }

    /// All rounds of the slot in which a message was sent, where a round that has two classes
    /// counts for both.
    pub fn rounds(&self) -> u32 {
        self.counts.iter().map(|counts| counts.rounds).sum()
    }
}

/// Counts messages.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    identity_bits: u32,
    counts: [Counts; CLASSES],
    /// Whether the class has spoken in this round.
    spoke: [bool; CLASSES],
    /// By input and class.
    sent: Vec<[u32; CLASSES]>,
    received: Vec<[u32; CLASSES]>,
    /// Messages of this round by reader: inputs, outputs, the controller.
    in_round: Vec<u32>,
}

impl Tally {
    pub(super) fn new(ports: usize, identity_bits: u32) -> Self {
        Self {
            identity_bits,
            counts: [Counts::default(); CLASSES],
            spoke: [false; CLASSES],
            sent: vec![[0; CLASSES]; ports],
            received: vec![[0; CLASSES]; ports],
            in_round: vec![0; 2 * ports + 1],
        }
    }

    pub(super) fn begin(&mut self) {
        self.counts = [Counts::default(); CLASSES];
        self.sent.fill([0; CLASSES]);
        self.received.fill([0; CLASSES]);
    }

    pub(super) fn next_round(&mut self) {
        self.spoke = [false; CLASSES];
        self.in_round.fill(0);
    }

    pub(super) fn count(&mut self, from: Address, to: Address, message: &Message) {
        let class = message.class() as usize;
        let counts = &mut self.counts[class];
        counts.messages += 1;
        counts.bits += message.bits(self.identity_bits);
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
        let common = self.counts[Class::Common as usize].rounds;
        report.iterations = common.div_ceil(2);
        report.search_length = self.counts[Class::Search as usize].rounds;
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
            counts: [Counts::default(); CLASSES],
        }
    }
}
