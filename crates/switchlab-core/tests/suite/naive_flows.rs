//! Striped flows, too simple to be wrong: every memory a flow ever used, every cell with its
//! memory, frames as lists.

use crate::naive_memory::{Compatible, NaiveMatcher};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use switchlab_core::{Cell, Labels, NONE, Port, Slot};

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
    /// A matcher of all cells of a slot; without it the lowest memory for each in turn.
    pub(crate) matcher: Option<NaiveMatcher>,
    /// The cells of an output that there may be in the memories.
    pub(crate) capacity: Option<usize>,
    /// The labels that say of which flow a cell is; without them it is its input mod f.
    pub(crate) labels: Option<Labels>,
    /// The inputs whose cells of the last slot were dropped.
    pub(crate) dropped: Vec<Port>,
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
            matcher: None,
            capacity: None,
            labels: None,
            dropped: Vec::new(),
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
        let arrivals = self.admit(arrivals);
        let own = |i: usize| match &self.labels {
            Some(labels) => usize::from(labels.of(i as Port, now).flow),
            None => i % self.flows,
        };
        let flows: Vec<Option<usize>> = (0..self.ports)
            .map(|i| (arrivals[i] != NONE).then(|| usize::from(arrivals[i]) * self.flows + own(i)))
            .collect();
        let placed = match self.matcher {
            None => self.one_by_one(&flows)?,
            Some(matcher) => {
                let placed = matcher(&self.compatible(&flows), now)?;
                if let Some(input) = (0..self.ports).find(|&i| flows[i].is_some() && placed[i].is_none()) {
                    return Err(input);
                }
                placed
            }
        };
        let written: BTreeSet<usize> = placed.iter().flatten().copied().collect();
        assert_eq!(written.len(), placed.iter().flatten().count(), "slot {now}: a memory is written twice");
        for input in 0..self.ports {
            let (Some(flow), Some(memory)) = (flows[input], placed[input]) else { continue };
            self.history[flow].push(memory);
            self.stored[flow].push_back((Cell { born: now, input: input as Port }, memory));
            let last: BTreeSet<&usize> = self.history[flow].iter().rev().take(self.stripe).collect();
            assert_eq!(last.len(), self.stripe.min(self.history[flow].len()), "slot {now}: flow {flow} is not striped");
        }
        if now == self.ends {
            self.begin(now);
        }
        let sent = self.leaving.iter_mut().map(|cells| cells.pop_front().unwrap_or(Cell::IDLE)).collect();
        Ok((placed, sent))
    }

    /// The arrivals without those for an output that has K cells in the memories: not yet in a
    /// frame, or in the one that is being read.
    fn admit(&mut self, arrivals: &[Port]) -> Vec<Port> {
        self.dropped.clear();
        let mut inside: Vec<usize> = (0..self.ports)
            .map(|output| {
                let own = &self.stored[output * self.flows..(output + 1) * self.flows];
                own.iter().map(VecDeque::len).sum::<usize>() + self.reading[output].len()
            })
            .collect();
        let mut admitted = arrivals.to_vec();
        for (input, output) in (0..).zip(&mut admitted).filter(|(_, output)| **output != NONE) {
            let inside = &mut inside[usize::from(*output)];
            if self.capacity.is_some_and(|capacity| *inside >= capacity) {
                self.dropped.push(input);
                *output = NONE;
            } else {
                *inside += 1;
            }
        }
        admitted
    }

    /// Theorem 2: the lowest memory that was given none of the last P-1 cells of the flow.
    fn one_by_one(&self, flows: &[Option<usize>]) -> Result<Vec<Option<usize>>, usize> {
        let (mut history, mut written) = (self.history.clone(), BTreeSet::new());
        let mut placed = vec![None; self.ports];
        for (input, flow) in flows.iter().enumerate().filter_map(|(input, flow)| Some((input, (*flow)?))) {
            let last: Vec<usize> = history[flow].iter().rev().take(self.stripe - 1).copied().collect();
            let memory = (0..self.memories).find(|memory| !last.contains(memory) && !written.contains(memory));
            written.insert(memory.ok_or(input)?);
            history[flow].push(memory.ok_or(input)?);
            placed[input] = memory;
        }
        Ok(placed)
    }

    /// Section V-B: a memory is compatible with a cell if it was given none of the last P-1 cells
    /// of its flow. Those of this slot are among them, and get other memories anyway.
    fn compatible(&self, flows: &[Option<usize>]) -> Compatible {
        let row = |input: usize| {
            let Some(flow) = flows[input] else { return vec![false; self.memories] };
            let now = flows[..input].iter().filter(|other| **other == Some(flow)).count();
            let last = self.history[flow].iter().rev().take((self.stripe - 1).saturating_sub(now));
            let last: BTreeSet<&usize> = last.collect();
            (0..self.memories).map(|memory| !last.contains(&memory)).collect()
        };
        (0..self.ports).map(row).collect()
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
