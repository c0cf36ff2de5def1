//! Single slots: arrivals, queues, matching and departures.

use crate::decision::Decision;
use crate::error::LabError;
use crate::memory::{self, Needs};
use crate::plan::{Request, SLOT_LIMIT, Warmup};
use switchlab_core::registry::{BuildSwitch, Chosen, Traffic};
use switchlab_core::schedule::serena::rules::Variant;
use switchlab_core::switch::{Inspection, QueueLengths, Switch};
use switchlab_core::traffic::Arrivals;
use switchlab_core::{Cell, Dropped, Labels, NONE, Port, Seed};
use switchlab_theory::serenade::Network;

/// More slots than this are not shown one by one; `run --departures` is for them.
pub const MOST_SLOTS: u64 = 10_000;

/// What happened in one slot.
#[derive(Clone, Debug)]
pub struct Step {
    /// The slot.
    pub slot: u64,
    /// For each input the output its new cell is for, or [`NONE`].
    pub arrivals: Vec<Port>,
    /// Cells thrown away.
    pub dropped: Vec<Dropped>,
    /// The queues with the arrivals that were not turned away, before the decision, if the switch
    /// shows them.
    pub queues: Option<QueueLengths>,
    /// The state of the scheduler before the decision.
    pub state: Vec<(&'static str, Vec<Port>)>,
    /// How the matching was found, step by step, as far as the switch reports it.
    pub decision: Decision,
    /// The matching, if the switch has one: for each input its output, or [`NONE`].
    pub matching: Option<Vec<Port>>,
    /// Every message of the merge, if they were asked for.
    pub messages: Vec<String>,
    /// For each output the cell that left.
    pub departures: Vec<Cell>,
    /// Cells inside afterwards.
    pub backlog: u64,
}

/// What the slots are of.
#[derive(Clone, Debug)]
pub struct About {
    /// The canonical spec of the switch.
    pub spec: String,
    /// The number of ports.
    pub ports: usize,
    /// The canonical traffic spec.
    pub traffic: String,
    /// The canonical process spec, or "trace".
    pub arrivals: String,
    /// The load.
    pub load: f64,
    /// The seed.
    pub seed: u64,
    /// The labels of the cells.
    pub labels: Labels,
}

/// The slots that were asked for, one after the other. Each is computed on demand, and none is
/// kept.
pub struct Steps {
    /// What the slots are of.
    pub about: About,
    switch: Box<dyn Switch>,
    source: Box<dyn Arrivals>,
    network: Option<Messages>,
    most_cells: u64,
    arrivals: Vec<Port>,
    departures: Vec<Cell>,
    next: u64,
    first: u64,
    end: u64,
}

impl Steps {
    /// Runs the first switch of a request from the empty switch to `first`, and then shows `count`
    /// slots. It is the first replication of `switchlab run`, slot by slot.
    ///
    /// With `messages`, a member of the SERENADE suite is also played message by message on the
    /// same queues, and must come to the same matching.
    pub fn new(request: &Request, first: u64, count: u64, messages: bool) -> Result<Self, LabError> {
        // The length is ours: a trace may be shown beyond its end, while the switch drains.
        let end = first.checked_add(count).filter(|end| *end < SLOT_LIMIT);
        let end =
            end.ok_or_else(|| LabError::Request(format!("a run has fewer than {SLOT_LIMIT} slots; lower --slot")))?;
        if !(1..=MOST_SLOTS).contains(&count) {
            return Err(LabError::Request(format!(
                "--slots must be from 1 to {MOST_SLOTS}; for more, `switchlab run --departures FILE` writes every departure"
            )));
        }
        let length =
            Request { slots: Some(end), warmup: Some(Warmup::Slots(0)), replications: Some(1), ..request.clone() };
        let plan = length.resolve()?;
        Needs::of(&plan)?;
        let chosen = &plan.switches[0];
        let seed = Seed { seed: plan.seed, replication: 0 };
        let switch = plan.build_switch(0, seed)?;
        let network = if messages { Some(Messages::new(chosen, plan.ports, seed)?) } else { None };
        let about = About {
            spec: chosen.args.to_string(),
            ports: plan.ports,
            traffic: plan.traffic_spec.clone(),
            arrivals: plan.arrivals_spec.clone(),
            load: match &plan.traffic {
                // The load of the whole trace, whatever part of it is shown.
                Traffic::Trace(trace) => trace.cells() as f64 / (plan.ports as f64 * trace.slots().max(1) as f64),
                Traffic::Matrix(..) => plan.load,
            },
            seed: plan.seed,
            labels: plan.labels.replication(seed),
        };
        Ok(Self {
            about,
            most_cells: memory::most_cells(&plan, switch.as_ref()),
            switch,
            source: plan.arrivals.build(&plan.traffic, seed),
            network,
            arrivals: vec![NONE; plan.ports],
            departures: vec![Cell::IDLE; plan.ports],
            next: 0,
            first,
            end,
        })
    }

    /// Runs the next slot, and says what happened if it is one of those that were asked for.
    fn step(&mut self) -> Result<Option<Step>, LabError> {
        let Self { switch, arrivals, departures, .. } = self;
        let slot = self.next;
        self.next += 1;
        if switch.census().queued > self.most_cells {
            return Err(LabError::Request(format!(
                "the queued cells no longer fit the memory after {slot} slots; lower the load or --slot"
            )));
        }
        let before = if slot >= self.first { switch.inspect() } else { None };
        let exact_before = exact_slots(switch.as_ref());
        self.source.slot(slot as u32, arrivals);
        departures.fill(Cell::IDLE);
        let mut decision = Decision::default();
        if slot < self.first {
            switch.slot(slot as u32, arrivals, departures);
        } else {
            switch.slot_observed(slot as u32, arrivals, departures, &mut decision);
        }
        if let Some(failure) = switch.failure() {
            return Err(LabError::Stopped { switch: self.about.spec.clone(), failure: Box::new(failure.clone()) });
        }
        if slot < self.first {
            return Ok(None);
        }
        let dropped = switch.dropped().to_vec();
        let mut entered = arrivals.clone();
        for cell in dropped.iter().filter(|cell| u64::from(cell.born) == slot) {
            entered[usize::from(cell.input)] = NONE;
        }
        let (queues, state, previous) = match before {
            Some(Inspection { mut queues, state, matching }) => {
                queues.arrive(&entered);
                (Some(queues), state, matching)
            }
            None => (None, Vec::new(), None),
        };
        let after = switch.inspect();
        let messages = match (&mut self.network, &queues, &after) {
            (Some(network), Some(QueueLengths::Voqs(lengths)), Some(after)) => {
                let exact = exact_slots(switch.as_ref()) > exact_before;
                network.slot(slot, previous.filter(|_| slot > 0), after, lengths, exact)?
            }
            _ => Vec::new(),
        };
        Ok(Some(Step {
            slot,
            arrivals: arrivals.clone(),
            dropped,
            queues,
            state,
            decision: decision.sorted(),
            matching: after.and_then(|after| after.matching),
            messages,
            departures: departures.clone(),
            backlog: switch.census().queued,
        }))
    }
}

/// Ends after the first error.
impl Iterator for Steps {
    type Item = Result<Step, LabError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.next < self.end {
            let step = self.step();
            if step.is_err() {
                self.end = 0;
            }
            if let Some(step) = step.transpose() {
                return Some(step);
            }
        }
        None
    }
}

/// How many slots so far were E-SERENADE's.
fn exact_slots(switch: &dyn Switch) -> u64 {
    let mut slots = 0;
    switch.counters(&mut |counter| {
        if counter.name == "exact_slots" {
            slots = counter.sum;
        }
    });
    slots
}

/// The SERENADE suite message by message, beside the switch.
struct Messages {
    network: Network,
    variant: Variant,
}

impl Messages {
    fn new(chosen: &Chosen<BuildSwitch>, ports: usize, seed: Seed) -> Result<Self, LabError> {
        let serenade = chosen.serenade(ports, seed).ok_or_else(|| {
            LabError::Request(format!(
                "{} exchanges no messages; --messages is for c-serenade, o-serenade, e-serenade, sc-serenade and so-serenade",
                chosen.args.name()
            ))
        })?;
        let mut network = Network::new(ports, serenade.rules, serenade.key)?;
        network.account(serenade.accounting);
        network.record(true);
        Ok(Self { network, variant: serenade.variant })
    }

    /// Merges R(t), which the scheduler keeps, with the matching of the slot before.
    fn slot(
        &mut self,
        slot: u64,
        previous: Option<Vec<Port>>,
        after: &Inspection,
        lengths: &[u32],
        exact: bool,
    ) -> Result<Vec<String>, LabError> {
        let ports = after.matching.as_ref().map_or(0, Vec::len);
        let green = previous.unwrap_or_else(|| (0..ports as Port).collect());
        let red = after.state.iter().find(|(name, _)| *name == "last R(t)").map_or(&[][..], |(_, red)| red);
        let variant = if exact { Variant::E } else { self.variant };
        let report = self.network.merge(slot as u32, red, &green, lengths, variant)?;
        if Some(&report.matching) != after.matching.as_ref() {
            return Err(LabError::Request(format!(
                "slot {slot}: the messages lead to another matching than the scheduler's; please report this"
            )));
        }
        Ok(self.network.transcript().iter().map(ToString::to_string).collect())
    }
}

#[cfg(test)]
mod tests;
