//! Striped flows, too simple to be wrong: every memory a flow ever used, every cell with its
//! memory, frames as lists.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use switchlab_core::{Cell, NONE, Port, Slot};

/// What an output does.
#[derive(Clone, Debug)]
pub(crate) enum Service {
    /// The flows of a round: a flow once for each cell that it may send in a round.
    Rounds(Vec<usize>),
    /// The lowest first; the number of flows.
    Priority(usize),
}

pub(crate) struct NaiveFlows {
    ports: usize,
    flows: usize,
    stripe: usize,
    memories: usize,
    /// Reads of a memory in this number of slots.
    speedup: (usize, usize),
    service: Service,
    /// By output and flow: the memories of all its cells so far.
    history: Vec<Vec<usize>>,
    /// By output and flow: its cells that are not yet in a frame, with their memories.
    stored: Vec<VecDeque<(Cell, usize)>>,
    /// By output: where in the round it is.
    next: Vec<usize>,
    ends: Slot,
    reading: Vec<VecDeque<Cell>>,
    leaving: Vec<VecDeque<Cell>>,
    /// The sub-steps of every frame.
    pub(crate) substeps: Vec<usize>,
}

impl NaiveFlows {
    pub(crate) fn new(ports: usize, stripe: usize, memories: usize, speedup: (usize, usize), service: Service) -> Self {
        let flows = match &service {
            Service::Rounds(round) => round.iter().max().unwrap() + 1,
            Service::Priority(flows) => *flows,
        };
        Self {
            ports,
            flows,
            stripe,
            memories,
            speedup,
            service,
            history: vec![Vec::new(); ports * flows],
            stored: vec![VecDeque::new(); ports * flows],
            next: vec![0; ports],
            ends: 0,
            reading: vec![VecDeque::new(); ports],
            leaving: vec![VecDeque::new(); ports],
            substeps: Vec::new(),
        }
    }

    /// The slots of a frame: N for each cell of a round, or for each flow.
    pub(crate) fn frame(&self) -> usize {
        match &self.service {
            Service::Rounds(round) => self.ports * round.len(),
            Service::Priority(flows) => self.ports * flows,
        }
    }

    /// For each input its memory, and the departures; an error is an input whose cell has no
    /// memory.
    pub(crate) fn slot(&mut self, now: Slot, arrivals: &[Port]) -> Result<(Vec<Option<usize>>, Vec<Cell>), usize> {
        let mut written = BTreeSet::new();
        let mut placed = vec![None; self.ports];
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            let flow = usize::from(output) * self.flows + input % self.flows;
            let last: Vec<usize> = self.history[flow].iter().rev().take(self.stripe - 1).copied().collect();
            let memory = (0..self.memories).find(|memory| !last.contains(memory) && !written.contains(memory));
            let memory = memory.ok_or(input)?;
            written.insert(memory);
            self.history[flow].push(memory);
            self.stored[flow].push_back((Cell { born: now, input: input as Port }, memory));
            placed[input] = Some(memory);
        }
        if now == self.ends {
            self.begin(now);
        }
        let sent = self.leaving.iter_mut().map(|cells| cells.pop_front().unwrap_or(Cell::IDLE)).collect();
        Ok((placed, sent))
    }

    fn begin(&mut self, now: Slot) {
        assert!(self.leaving.iter().all(VecDeque::is_empty), "slot {now}: cells of the last frame have not left");
        self.leaving = std::mem::replace(&mut self.reading, vec![VecDeque::new(); self.ports]);
        let mut substeps = 0;
        for output in 0..self.ports {
            let mut by_memory: BTreeMap<usize, usize> = BTreeMap::new();
            while self.reading[output].len() < self.frame() {
                let Some(flow) = self.choose(output) else { break };
                let (cell, memory) = self.stored[output * self.flows + flow].pop_front().unwrap();
                self.reading[output].push_back(cell);
                *by_memory.entry(memory).or_default() += 1;
            }
            let most = by_memory.values().max().copied().unwrap_or(0);
            substeps = substeps.max(most).max(self.reading[output].len().div_ceil(self.ports));
        }
        self.substeps.push(substeps);
        // The first length of at least a frame in which every memory can be read N times for each
        // sub-step.
        let mut slots = self.frame();
        while slots * self.speedup.0 < substeps * self.ports * self.speedup.1 {
            slots += 1;
        }
        self.ends = now + slots as Slot;
    }

    fn choose(&mut self, output: usize) -> Option<usize> {
        let has = |flow: usize| !self.stored[output * self.flows + flow].is_empty();
        match &self.service {
            Service::Priority(flows) => (0..*flows).find(|&flow| has(flow)),
            Service::Rounds(round) => {
                let step = (0..round.len()).find(|step| has(round[(self.next[output] + step) % round.len()]))?;
                let place = (self.next[output] + step) % round.len();
                self.next[output] = (place + 1) % round.len();
                Some(round[place])
            }
        }
    }
}
