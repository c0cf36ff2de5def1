//! Audits: a switch is run slot by slot and held to what it must do and what it promises.
//!
//! In every slot: no cell is lost or made; a matching names no port twice, and the cells that
//! depart are the head-of-line cells of the matched non-empty VOQs; cells of a flow depart in
//! order; the weight of the matching falls by no more than the switch promises (paper 002, appendix
//! H, definitions 1 and 3). An exact search in every slot counts how often the matching has maximum
//! weight (definition 2, property P).
//!
//! Besides, how often an output sends nothing although a cell for it is inside, or has been for
//! some slots: never in a work-conserving switch.
//!
//! With a warm-up the rules are checked from the empty switch on, and the counts, which an empty
//! switch would distort, begin after it: in its first slots any matching has maximum weight.
//!
//! An audit inspects the switch after each slot, at a cost of O(N^2): it is meant for thousands of
//! slots, not millions.

use crate::error::LabError;
use crate::memory;
use crate::plan::{Plan, Request, Warmup};
use crate::progress::Progress;
use std::time::Instant;
use switchlab_core::PortSet;
use switchlab_core::schedule::mwm::Mwm;
use switchlab_core::schedule::{Matching, Scheduler, View};
use switchlab_core::switch::{Promise, QueueLengths, Switch};
use switchlab_core::{Cell, Dropped, NONE, Port, Seed, Slot};

/// Switches of up to this many ports are compared with a matching of maximum weight.
pub const SEARCHED: usize = 64;

/// What an audit found.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// The canonical spec.
    pub spec: String,
    /// Slots that were audited.
    pub slots: u64,
    /// What the switch promises of its matchings.
    pub promise: Promise,
    /// Slots in which the weight fell, and the most that it fell by; None if the switch shows no
    /// matching.
    pub losses: Option<(u64, u64)>,
    /// In how many slots the matching was one of maximum weight, and the sum of all weights over
    /// that of the maxima; None if this was not searched for.
    pub maximum: Option<(u64, f64)>,
    /// The violations in order of slots, at most [`MOST_VIOLATIONS`].
    pub violations: Vec<Violation>,
    /// How many more there were.
    pub more_violations: u64,
    /// How often each rule was broken, in the order of [`Rule::ALL`].
    pub broken: [u64; Rule::ALL.len()],
    /// Slots in which an output was backlogged, over all outputs, and those of them in which it
    /// sent nothing.
    pub backlogged: (u64, u64),
    /// The slot in which the switch stopped, if it did.
    pub stopped: Option<u64>,
}

/// A rule of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Arrived = departed + dropped + queued, and the queues hold what is counted.
    Conservation,
    /// What is inside fits together, by the switch's own check.
    State,
    /// Cells of a flow depart in the order of their arrival.
    Order,
    /// No port is matched twice, and exactly the matched non-empty VOQs send.
    Matching,
    /// The weight of the matching falls by no more than is promised, and exceeds no maximum.
    Weight,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Conservation, Self::State, Self::Order, Self::Matching, Self::Weight];
}

impl Audit {
    /// A short name: the spec without the parameters that have their default value.
    pub fn label(&self) -> String {
        crate::registry::short(&self.spec)
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The slot.
    pub slot: u64,
    /// What was wrong, as a sentence.
    pub what: String,
}

/// More are counted but not kept.
pub const MOST_VIOLATIONS: usize = 20;

/// Slots between two readings of the clock.
const PIECE: u64 = 16;

/// What an audit of a request runs. Without a warm-up of its own it has none.
pub fn plan(request: &Request) -> Result<Plan, LabError> {
    let warmup = request.warmup.unwrap_or(Warmup::Slots(0));
    if warmup == Warmup::Auto {
        return Err(LabError::Request("an audit takes a warm-up in slots, as --warmup 10000".to_string()));
    }
    Request { warmup: Some(warmup), replications: Some(1), ..request.clone() }.resolve()
}

/// The slots before those that are counted.
fn warmup(plan: &Plan) -> u64 {
    match plan.warmup {
        Warmup::Slots(slots) => slots,
        Warmup::Auto => 0,
    }
}

/// Audits every switch of a plan over its slots.
pub fn audit(plan: &Plan, progress: &Progress) -> Result<Vec<Audit>, LabError> {
    let seed = Seed { seed: plan.seed, replication: 0 };
    let warmup = warmup(plan);
    let slots = warmup + plan.slots;
    plan.switches.iter().for_each(|chosen| progress.expect(&chosen.args.to_string(), plan.ports, 1, slots));
    let audits = (0..plan.switches.len()).map(|index| audit_switch(plan, index, seed, 0, progress)).collect();
    progress.finish();
    audits
}

/// Audits one switch of a plan, by its index. An output is backlogged if a cell for it arrived
/// `patience` slots ago or before.
pub fn audit_switch(
    plan: &Plan,
    index: usize,
    seed: Seed,
    patience: usize,
    progress: &Progress,
) -> Result<Audit, LabError> {
    let spec = plan.switches[index].args.to_string();
    let work = progress.work(&spec, plan.ports);
    let mut clock = Instant::now();
    let mut switch = plan.build_switch(index, seed)?;
    let mut source = plan.arrivals.build(&plan.traffic, seed);
    let mut auditor = Auditor::new(spec, switch.as_ref());
    let mut backlog = Backlog::new(plan.ports, patience);
    let most_cells = memory::most_cells(plan, switch.as_ref());
    let mut arrivals = vec![NONE; plan.ports];
    let mut departures = vec![Cell::IDLE; plan.ports];
    let warmup = warmup(plan);
    for slot in 0..warmup + plan.slots {
        if slot == warmup {
            auditor.begin();
        }
        if switch.census().queued > most_cells {
            let problem =
                format!("the queued cells no longer fit the memory after {slot} slots; lower the load or --slots");
            return Err(LabError::Request(problem));
        }
        source.slot(slot as u32, &mut arrivals);
        departures.fill(Cell::IDLE);
        switch.slot(slot as u32, &arrivals, &mut departures);
        auditor.inspect(slot, switch.as_ref(), &departures);
        let (backlogged, idle) = backlog.observe(slot as u32, &arrivals, &departures, switch.dropped());
        let counted = &mut auditor.audit.backlogged;
        *counted = (counted.0 + backlogged, counted.1 + idle);
        if (slot + 1) % PIECE == 0 {
            progress.check()?;
            let began = std::mem::replace(&mut clock, Instant::now());
            progress.advance(&work, PIECE, clock - began);
        }
    }
    Ok(auditor.audit)
}

/// The cells inside a switch that have waited for some slots, by output.
struct Backlog {
    /// For each of the last slots, in a ring as long as the patience, the cells of each output that
    /// arrived in it and are still inside.
    recent: Vec<Vec<u32>>,
    /// Those that arrived before, by output.
    old: Vec<u32>,
}

impl Backlog {
    fn new(ports: usize, patience: usize) -> Self {
        Self { recent: vec![vec![0; ports]; patience], old: vec![0; ports] }
    }

    /// Takes a slot into account. Returns how many outputs have an old cell before this slot's
    /// departures, and how many of them send nothing.
    fn observe(&mut self, now: Slot, arrivals: &[Port], departures: &[Cell], dropped: &[Dropped]) -> (u64, u64) {
        let ring = self.recent.len();
        // The entry of this slot is also that of the slot that becomes old now.
        if let Some(aged) = (now as usize).checked_rem(ring).map(|index| &mut self.recent[index]) {
            self.old.iter_mut().zip(aged).for_each(|(old, aged)| *old += std::mem::take(aged));
        }
        for &output in arrivals.iter().filter(|output| **output != NONE) {
            *self.count(now, now, output as usize) += 1;
        }
        for cell in dropped {
            let count = self.count(now, cell.born, cell.output as usize);
            *count = count.saturating_sub(1);
        }
        let (mut backlogged, mut idle) = (0, 0);
        for (output, cell) in departures.iter().enumerate() {
            backlogged += u64::from(self.old[output] > 0);
            idle += u64::from(self.old[output] > 0 && cell.is_idle());
            if !cell.is_idle() {
                let count = self.count(now, cell.born, output);
                *count = count.saturating_sub(1);
            }
        }
        (backlogged, idle)
    }

    /// The number of cells inside that arrived together with one, or are old as it is.
    fn count(&mut self, now: Slot, born: Slot, output: usize) -> &mut u32 {
        let ring = self.recent.len();
        if now.saturating_sub(born) as usize >= ring {
            &mut self.old[output]
        } else {
            &mut self.recent[born as usize % ring][output]
        }
    }
}

/// State from slot to slot.
struct Auditor {
    audit: Audit,
    ports: usize,
    previous: Option<Vec<Port>>,
    /// By flow, one more than the arrival slot of the youngest cell that has departed.
    youngest: Vec<u32>,
    search: Option<Mwm<1>>,
    weights: (u64, u64),
}

impl Auditor {
    fn new(spec: String, switch: &dyn Switch) -> Self {
        let ports = switch.ports();
        Self {
            audit: Audit {
                spec,
                slots: 0,
                promise: switch.promise(),
                losses: None,
                maximum: None,
                violations: Vec::new(),
                more_violations: 0,
                broken: [0; Rule::ALL.len()],
                backlogged: (0, 0),
                stopped: None,
            },
            ports,
            previous: None,
            youngest: vec![0; ports * ports],
            search: (ports <= SEARCHED).then(|| Mwm::new(ports)),
            weights: (0, 0),
        }
    }

    /// Begins to count. Violations that were found before stay.
    fn begin(&mut self) {
        self.audit.slots = 0;
        self.audit.losses = None;
        self.audit.maximum = None;
        self.audit.backlogged = (0, 0);
        self.weights = (0, 0);
    }

    fn complain(&mut self, slot: u64, rule: Rule, what: String) {
        self.audit.broken[rule as usize] += 1;
        if self.audit.violations.len() < MOST_VIOLATIONS {
            self.audit.violations.push(Violation { slot, what });
        } else {
            self.audit.more_violations += 1;
        }
    }

    fn inspect(&mut self, slot: u64, switch: &dyn Switch, departures: &[Cell]) {
        self.audit.slots += 1;
        let census = switch.census();
        if census.arrived != census.departed + census.dropped + census.queued {
            self.complain(slot, Rule::Conservation, format!("cells are not conserved: {census:?}"));
        }
        if let Err(what) = switch.audit() {
            self.complain(slot, Rule::State, what);
        }
        self.audit.stopped = switch.failure().map(|failure| u64::from(failure.slot()));
        for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            let youngest = &mut self.youngest[cell.input as usize * self.ports + output];
            if cell.born < *youngest {
                let what = format!(
                    "a cell from input {} to output {output}, born in {}, left after a younger one",
                    cell.input, cell.born
                );
                self.complain(slot, Rule::Order, what);
                continue;
            }
            *youngest = cell.born + 1;
        }
        let Some(inspection) = switch.inspect() else { return };
        if inspection.queues.total() != census.queued {
            self.complain(
                slot,
                Rule::Conservation,
                format!("{} cells are in queues, {} are counted", inspection.queues.total(), census.queued),
            );
        }
        let (QueueLengths::Voqs(mut lengths), Some(matching)) = (inspection.queues, inspection.matching) else {
            return;
        };
        // The lengths that the scheduler saw: the departures of this slot are added back.
        for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            lengths[cell.input as usize * self.ports + output] += 1;
        }
        self.check_transfer(slot, &matching, &lengths, departures);
        self.check_weight(slot, matching, &lengths);
    }

    /// A matching names no output twice, and exactly its non-empty VOQs have sent.
    fn check_transfer(&mut self, slot: u64, matching: &[Port], lengths: &[u32], departures: &[Cell]) {
        let mut from = vec![NONE; self.ports];
        for (input, &output) in matching.iter().enumerate().filter(|(_, output)| **output != NONE) {
            if from[output as usize] != NONE {
                self.complain(slot, Rule::Matching, format!("output {output} is matched twice"));
            }
            if lengths[input * self.ports + output as usize] > 0 {
                from[output as usize] = input as Port;
            }
        }
        for (output, (&input, cell)) in from.iter().zip(departures).enumerate() {
            if cell.input != input {
                self.complain(
                    slot,
                    Rule::Matching,
                    format!("output {output} sent a cell of input {}, its match is {input}", cell.input),
                );
            }
        }
    }

    fn check_weight(&mut self, slot: u64, matching: Vec<Port>, lengths: &[u32]) {
        let weight = weight(&matching, lengths);
        if let Some(previous) = &self.previous {
            let before = self::weight(previous, lengths);
            let loss = before.saturating_sub(weight);
            let (times, most) = self.audit.losses.get_or_insert((0, 0));
            *times += u64::from(loss > 0);
            *most = loss.max(*most);
            if self.audit.promise.allowed_loss().is_some_and(|allowed| loss > allowed) {
                self.complain(
                    slot,
                    Rule::Weight,
                    format!("the matching weighs {weight}, the one before {before}: it lost more than promised"),
                );
            }
        }
        if let Some(search) = &mut self.search {
            let most = maximum(search, self.ports, slot, lengths);
            if weight > most {
                self.complain(
                    slot,
                    Rule::Weight,
                    format!("the matching weighs {weight}, more than the maximum, {most}"),
                );
            }
            self.weights = (self.weights.0 + weight, self.weights.1 + most);
            let times = self.audit.maximum.map_or(0, |(times, _)| times) + u64::from(weight == most);
            let share = if self.weights.1 == 0 { 1.0 } else { self.weights.0 as f64 / self.weights.1 as f64 };
            self.audit.maximum = Some((times, share));
        }
        self.previous = Some(matching);
    }
}

fn weight(matching: &[Port], lengths: &[u32]) -> u64 {
    let pairs = matching.iter().enumerate().filter(|(_, output)| **output != NONE);
    pairs.map(|(input, &output)| u64::from(lengths[input * matching.len() + output as usize])).sum()
}

/// The weight of a matching of maximum weight.
fn maximum(search: &mut Mwm<1>, ports: usize, slot: u64, lengths: &[u32]) -> u64 {
    let mut rows = vec![PortSet::<1>::EMPTY; ports];
    let mut columns = rows.clone();
    for (voq, _) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
        rows[voq / ports].insert(voq % ports);
        columns[voq % ports].insert(voq / ports);
    }
    let mut matching = Matching::new(ports);
    let nothing = vec![NONE; ports];
    let mut view = View::nothing(ports, slot as u32);
    (view.rows, view.columns, view.lengths, view.arrived) = (&rows, &columns, lengths, &nothing);
    search.schedule(&view, &mut matching);
    weight(matching.outputs(), lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audited(switches: &[&str], ports: usize, slots: u64) -> Vec<Audit> {
        let request = Request {
            switches: switches.iter().map(|spec| (*spec).to_string()).collect(),
            ports: Some(ports),
            load: Some(0.9),
            slots: Some(slots),
            ..Request::default()
        };
        audit(&plan(&request).unwrap(), &Progress::none()).unwrap()
    }

    #[test]
    fn every_switch_passes() {
        for entry in switchlab_core::registry::SWITCHES {
            for ports in [3, 16] {
                let Ok(chosen) = switchlab_core::registry::switch(entry.name) else { continue };
                if chosen.build(ports, Seed { seed: 1, replication: 0 }).is_err() {
                    continue;
                }
                let audit = &audited(&[entry.name], ports, 400)[0];
                assert_eq!((&audit.violations, audit.slots), (&Vec::new(), 400), "{}", entry.name);
            }
        }
    }

    /// Appendix H: SERENA, E, C and SC never lose weight; O does, and so shows that the check can
    /// fail; SO loses at most N times `cow`.
    #[test]
    fn serena_keeps_its_weight() {
        let audits = audited(
            &["serena", "e-serenade", "c-serenade", "sc-serenade", "o-serenade", "so-serenade(cow=5)"],
            32,
            3000,
        );
        for audit in &audits {
            assert_eq!(audit.violations, [], "{}", audit.spec);
        }
        let losses: Vec<_> = audits.iter().map(|audit| audit.losses.unwrap()).collect();
        assert_eq!(losses[..4], [(0, 0); 4]);
        assert!(losses[4].0 > 0, "{losses:?}");
        assert_eq!(audits[5].promise, Promise::Degenerative(160));
    }

    /// The counts of a window are those of the whole less those of its beginning.
    #[test]
    fn counts_begin_after_the_warm_up() {
        let of = |warmup: u64, slots: u64| {
            let request = Request {
                switches: vec!["o-serenade".to_string()],
                ports: Some(16),
                load: Some(0.9),
                slots: Some(slots),
                warmup: Some(Warmup::Slots(warmup)),
                ..Request::default()
            };
            audit(&plan(&request).unwrap(), &Progress::none()).unwrap().remove(0)
        };
        let (whole, start, rest) = (of(0, 3000), of(0, 500), of(500, 2500));
        assert_eq!((rest.slots, &rest.violations), (2500, &Vec::new()));
        assert_eq!(whole.losses.unwrap().0, start.losses.unwrap().0 + rest.losses.unwrap().0);
        assert_eq!(whole.maximum.unwrap().0, start.maximum.unwrap().0 + rest.maximum.unwrap().0);
        // An empty switch begins with matchings of maximum weight.
        assert!(start.maximum.unwrap().0 > 0);
        let auto = Request { warmup: Some(Warmup::Auto), ..Request::default() };
        assert!(plan(&auto).is_err());
    }

    #[test]
    fn maximum_weight_is_maximum_weight() {
        let audits = audited(&["mwm", "serena", "tdm"], 8, 2000);
        assert_eq!(audits[0].maximum, Some((2000, 1.0)));
        let (times, share) = audits[1].maximum.unwrap();
        assert!((1..2000).contains(&times) && share > 0.5 && share < 1.0, "{times} {share}");
        assert!(audits[2].maximum.unwrap().1 < share);
    }

    /// A broken promise is reported.
    #[test]
    fn a_broken_promise_is_found() {
        let request =
            Request { switches: vec!["tdm".to_string()], ports: Some(4), load: Some(0.9), ..Request::default() };
        let plan = request.resolve().unwrap();
        let seed = Seed { seed: 1, replication: 0 };
        let mut switch = plan.switches[0].build(4, seed).unwrap();
        let mut source = plan.arrivals.build(&plan.traffic, seed);
        let mut auditor = Auditor::new("tdm".to_string(), switch.as_ref());
        auditor.audit.promise = Promise::NonDegenerative;
        let (mut arrivals, mut departures) = (vec![NONE; 4], vec![Cell::IDLE; 4]);
        for slot in 0..100 {
            source.slot(slot as u32, &mut arrivals);
            departures.fill(Cell::IDLE);
            switch.slot(slot as u32, &arrivals, &mut departures);
            auditor.inspect(slot, switch.as_ref(), &departures);
        }
        let audit = auditor.audit;
        assert_eq!(audit.violations.len() as u64 + audit.more_violations, audit.losses.unwrap().0);
        assert!(audit.violations[0].what.contains("more than promised"));
        assert_eq!(audit.broken[Rule::Weight as usize], audit.losses.unwrap().0);
        assert_eq!(audit.broken.iter().sum::<u64>(), audit.losses.unwrap().0);
        // So is a departure without a match.
        let mut auditor = Auditor::new("tdm".to_string(), switch.as_ref());
        departures.rotate_left(1);
        auditor.inspect(100, switch.as_ref(), &departures);
        assert!(auditor.audit.violations.iter().any(|violation| violation.what.contains("its match is")));
    }

    /// By hand: a cell is old from the slot of its arrival on, or from as many slots later as the
    /// patience.
    #[test]
    fn a_backlog_is_counted_by_age() {
        for (patience, expected) in [(0, (4, 3)), (1, (3, 2)), (2, (2, 1)), (3, (1, 0)), (4, (0, 0))] {
            let mut backlog = Backlog::new(2, patience);
            let mut counted = (0, 0);
            let idle = [Cell::IDLE; 2];
            // A cell for output 1 arrives in slot 0 and leaves in slot 3; one in slot 1 is dropped.
            let slots: [(&[Port], [Cell; 2], &[Dropped]); 5] = [
                (&[1, NONE], idle, &[]),
                (&[1, NONE], idle, &[Dropped { slot: 1, born: 1, input: 0, output: 1 }]),
                (&[NONE, NONE], idle, &[]),
                (&[NONE, NONE], [Cell::IDLE, Cell { input: 0, born: 0 }], &[]),
                (&[NONE, NONE], idle, &[]),
            ];
            for (now, (arrivals, departures, dropped)) in (0..).zip(slots) {
                let (backlogged, idle) = backlog.observe(now, arrivals, &departures, dropped);
                counted = (counted.0 + backlogged, counted.1 + idle);
            }
            assert_eq!(counted, expected, "patience {patience}");
            assert_eq!(backlog.old, [0, 0]);
        }
    }

    /// Output queueing never idles with backlog; a crossbar without speedup does.
    #[test]
    fn output_queueing_is_work_conserving() {
        let audits = audited(&["oq", "psm", "islip"], 8, 2000);
        assert!(audits.iter().all(|audit| audit.backlogged.0 > 0), "{audits:?}");
        assert_eq!((audits[0].backlogged.1, audits[1].backlogged.1), (0, 0));
        assert_eq!(audits[0].backlogged.0, audits[1].backlogged.0);
        assert!(audits[2].backlogged.1 > 0);
    }
}
