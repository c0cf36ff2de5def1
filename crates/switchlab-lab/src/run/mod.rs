//! One run: one switch, one replication, from slot 0 on.

mod calibrate;
mod captured_frames;

pub(crate) use calibrate::calibrate;

use crate::class_delays::ClassDelays;
use crate::error::LabError;
use crate::files::DepartureFile;
use crate::hot_spots::HotSpots;
use crate::memory;
use crate::overload::{KindOfOutput, Overload};
use crate::plan::{Plan, SLOT_LIMIT};
use crate::port_delays::PortDelays;
use crate::progress::Progress;
use crate::statistics::{self, fairness};
use std::time::Instant;
use switchlab_core::meter::occupancy::Lengths;
use switchlab_core::meter::{Fingerprint, Histogram, Lags, Meter, Occupancy, OqLag, Timeline};
use switchlab_core::switch::{QueueLengths, Switch};
use switchlab_core::traffic::Arrivals;
use switchlab_core::{Block, Cell, Counter, Dropped, Error, NONE, Port, Seed};

/// A run under way. It can be advanced any number of times; results do not depend on the pieces.
pub struct Run {
    spec: String,
    source: Box<dyn Arrivals>,
    switch: Box<dyn Switch>,
    meter: Meter,
    oq_lag: Option<OqLag>,
    occupancy: Option<Occupancy>,
    port_delays: Option<PortDelays>,
    class_delays: Option<ClassDelays>,
    hot: Option<HotSpots>,
    overload: Option<Overload>,
    arrivals: Block<Port>,
    departures: Block<Cell>,
    dropped: Vec<Dropped>,
    block: usize,
    now: u64,
    most_cells: u64,
    /// When the window was opened, and what the switch had counted by then.
    opened: (u64, Vec<Counter>),
    /// Then also, by output, the slots until cells were out of the last stage, where they wait
    /// behind it.
    waits_then: Vec<(u64, u64)>,
    /// Whether VOQs are counted at the end.
    counts_voqs: bool,
    /// Outputs below this one are hot; 0 if the traffic has no hot spots.
    hot_outputs: usize,
    ended_early: bool,
    fingerprint: Option<Fingerprint>,
}

impl Run {
    /// The run of a switch, by its index in the plan, and of a replication.
    pub fn new(plan: &Plan, switch: usize, replication: u32) -> Result<Self, Error> {
        let seed = Seed { seed: plan.seed, replication };
        let chosen = &plan.switches[switch];
        let switch = plan.build_switch(switch, seed)?;
        let labels = plan.labels.replication(seed);
        let oversubscribed = plan.oversubscribed();
        let block = switch.preferred_block();
        Ok(Self {
            spec: chosen.args.to_string(),
            source: plan.arrivals.build(&plan.traffic, seed),
            meter: Meter::new(plan.ports),
            oq_lag: plan.oq_lag.then(|| OqLag::new(plan.ports)),
            occupancy: plan.occupancy.then(|| Occupancy::new(plan.ports)),
            port_delays: plan.port_delays.map(|by| PortDelays::new(plan.ports, by)),
            class_delays: labels.has_classes().then(|| ClassDelays::new(&labels)),
            hot: plan.hot_outputs().filter(|_| oversubscribed.is_none()).map(HotSpots::new),
            overload: oversubscribed.map(Overload::new),
            arrivals: Block::new(plan.ports, block, NONE),
            departures: Block::new(plan.ports, block, Cell::IDLE),
            dropped: Vec::new(),
            block,
            now: 0,
            most_cells: memory::most_cells(plan, switch.as_ref()),
            opened: (0, counters(switch.as_ref())),
            waits_then: switch.waits_by_output(),
            counts_voqs: switch.stages() > 0 && (plan.occupancy || plan.has_permutations()),
            hot_outputs: plan.hot_outputs().unwrap_or(0),
            switch,
            ended_early: false,
            fingerprint: None,
        })
    }

    /// Takes a fingerprint of every departure from here on: equal departures, equal fingerprints.
    #[must_use]
    pub fn with_fingerprint(mut self) -> Self {
        self.fingerprint = Some(Fingerprint::default());
        self
    }

    /// Changes the number of slots per block, to show that results do not depend on it.
    pub fn set_block(&mut self, slots: usize) {
        self.block = slots.max(1);
    }

    /// Runs `slots` more slots, or fewer if the cells no longer fit the memory. An error if the
    /// switch stops: what it had sent by then is written.
    pub fn advance(
        &mut self,
        slots: u64,
        mut file: Option<&mut DepartureFile>,
        progress: &Progress,
    ) -> Result<(), LabError> {
        let end = self.now + slots;
        let ports = self.switch.ports() as u64;
        let work = progress.work(&self.spec, self.switch.ports());
        // Read once per block, for the prediction alone.
        let mut clock = Instant::now();
        while self.now < end && !self.ended_early {
            progress.check()?;
            let mut block = (self.block as u64).min(end - self.now);
            // Near the limit of memory single slots are run, so that the last slot does not depend
            // on the block.
            let inside = self.oq_lag.as_ref().map_or(0, OqLag::inside).max(self.switch.census().queued);
            let room = self.most_cells.saturating_sub(inside);
            if room < block * ports {
                block = 1;
                if room < ports {
                    self.ended_early = true;
                    progress.skip(&work, end - self.now);
                    break;
                }
            }
            self.arrivals.resize(block as usize, NONE);
            self.departures.resize(block as usize, Cell::IDLE);
            self.arrivals.start = self.now as u32;
            self.source.fill(&mut self.arrivals);
            self.dropped.clear();
            self.switch.run_and_log(&self.arrivals, &mut self.departures, &mut self.dropped);
            self.meter.observe_all(&self.arrivals, &self.departures, &self.dropped);
            if let Some(hot) = &mut self.hot {
                hot.observe(&self.departures);
            }
            if let Some(overload) = &mut self.overload {
                overload.observe(&self.arrivals, &self.departures, &self.dropped);
            }
            if let Some(oq_lag) = &mut self.oq_lag {
                oq_lag.observe(&self.arrivals, &self.departures, self.switch.census().dropped);
            }
            if let Some(occupancy) = &mut self.occupancy {
                occupancy.observe(&self.arrivals, &self.departures, &self.dropped);
            }
            if let Some(port_delays) = &mut self.port_delays {
                port_delays.observe(&self.departures);
            }
            if let Some(class_delays) = &mut self.class_delays {
                class_delays.observe(&self.arrivals, &self.departures, &self.dropped);
            }
            if let Some(fingerprint) = &mut self.fingerprint {
                fingerprint.add(&self.departures);
            }
            if let Some(file) = &mut file {
                file.write(&self.departures);
            }
            // The failure names its slot, and no cell departs from that slot on, so results do not
            // depend on the block.
            if let Some(failure) = self.switch.failure() {
                return Err(LabError::Stopped { switch: self.spec.clone(), failure: Box::new(failure.clone()) });
            }
            self.now += block;
            let began = std::mem::replace(&mut clock, Instant::now());
            progress.advance(&work, block, clock - began);
        }
        Ok(())
    }

    /// Runs on, slot by slot, until the switch is empty or has sent nothing for so long that it
    /// cannot send any more. Slot by slot, so that the last slot does not depend on blocks.
    pub fn drain(&mut self, mut file: Option<&mut DepartureFile>, progress: &Progress) -> Result<(), LabError> {
        let idle_limit = 1000 + 64 * self.switch.ports() as u64;
        let (block, mut idle) = (std::mem::replace(&mut self.block, 1), 0);
        while !self.ended_early && self.switch.census().queued > 0 && idle < idle_limit && self.now < SLOT_LIMIT - 1 {
            let before = self.switch.census().departed;
            self.advance(1, file.as_deref_mut(), progress)?;
            idle = if self.switch.census().departed > before { 0 } else { idle + 1 };
        }
        self.block = block;
        Ok(())
    }

    /// Whether the run has ended because its cells no longer fit the memory.
    pub fn ended_early(&self) -> bool {
        self.ended_early
    }

    /// Opens the window: earlier measurements are discarded. A run that has ended within its
    /// warm-up keeps them, since no others will follow.
    pub fn open(&mut self) {
        if self.ended_early {
            return;
        }
        self.meter.open(self.now as u32);
        if let Some(hot) = &mut self.hot {
            hot.open(self.now as u32);
        }
        if let Some(overload) = &mut self.overload {
            overload.open(self.now as u32);
        }
        if let Some(oq_lag) = &mut self.oq_lag {
            oq_lag.open(self.now as u32);
        }
        if let Some(occupancy) = &mut self.occupancy {
            occupancy.open(self.now as u32);
        }
        if let Some(port_delays) = &mut self.port_delays {
            port_delays.open(self.now as u32);
        }
        if let Some(class_delays) = &mut self.class_delays {
            class_delays.open(self.now as u32);
        }
        self.opened = (self.now, counters(self.switch.as_ref()));
        self.waits_then = self.switch.waits_by_output();
    }

    /// Delays as counters: less the stages of a fabric; if some outputs are hot, theirs and those
    /// of the others; if cells have classes, those of each class.
    fn delay_counters(&self, delays: &Histogram) -> impl Iterator<Item = Counter> {
        let stages = u64::from(self.switch.stages());
        let less = delays.sum().saturating_sub(stages * delays.count());
        let own = Counter { name: "delay_minus_stages", sum: less, per: delays.count() };
        let overload = self.overload.as_ref().map(|overload| overload.counters(stages));
        let hot = self.hot.as_ref().map(|hot| hot.counters(stages)).or(overload);
        let classes = self.class_delays.as_ref().map(|classes| classes.counters(self.switch.ports()));
        let own = (stages > 0).then_some(own).into_iter();
        own.chain(hot.into_iter().flatten()).chain(classes.into_iter().flatten())
    }

    /// The mean slots until a cell is out of the last stage, less the stages, for hot and for other
    /// outputs, where cells wait behind it too and some outputs are hot.
    fn exit_counters(&self) -> Vec<Counter> {
        if self.hot_outputs == 0 {
            return Vec::new();
        }
        let stages = u64::from(self.switch.stages());
        let now = self.switch.waits_by_output();
        let since = |(now, then): (&(u64, u64), &(u64, u64))| (now.0 - then.0, now.1 - then.1);
        let waits: Vec<(u64, u64)> = now.iter().zip(&self.waits_then).map(since).collect();
        let (hot, other) = waits.split_at(self.hot_outputs.min(waits.len()));
        let kinds = [("wait_until_exit_hot", hot), ("wait_until_exit_other", other)];
        let counter = |(name, waits): (&'static str, &[(u64, u64)])| {
            let (slots, cells) = waits.iter().fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
            Counter { name, sum: slots - stages * cells, per: cells }
        };
        kinds.into_iter().filter(|_| !waits.is_empty()).map(counter).collect()
    }

    /// The VOQs of a fabric at the end: how many have a cell, and the most cells of one.
    fn voq_counters(&self) -> Vec<Counter> {
        let inspection = if self.counts_voqs { self.switch.inspect() } else { None };
        let Some(QueueLengths::VoqsAndOutputs { voqs, .. }) = inspection.map(|inspection| inspection.queues) else {
            return Vec::new();
        };
        let with_cells = voqs.iter().filter(|&&length| length > 0).count() as u64;
        let longest = u64::from(voqs.iter().copied().max().unwrap_or(0));
        let counter = |name, sum| Counter { name, sum, per: 1 };
        vec![counter("voqs_with_cells", with_cells), counter("longest_voq", longest)]
    }

    /// The measurements so far.
    pub fn measured(&mut self) -> Measured {
        let (dropped, delays) = (self.meter.dropped(), self.meter.delays());
        let flows = self.meter.flows();
        let (arrived, departed) = (flows.arrived(), flows.departed());
        let (jain, out_of_order) = (fairness(flows), flows.out_of_order());
        let (by_input, by_output) = (flows.by_input(), flows.by_output());
        let (opened, counted) = &self.opened;
        let counters = counters(self.switch.as_ref()).into_iter().zip(counted);
        let counters = counters.map(|(now, then)| Counter { sum: now.sum - then.sum, per: now.per - then.per, ..now });
        Measured {
            ports: self.switch.ports(),
            slots: self.now - opened,
            warmup: *opened,
            delays: delays.trimmed(),
            timeline: self.meter.timeline.clone(),
            cells: Cells { arrived, departed, dropped, queued: arrived - departed - dropped, out_of_order },
            backlog_end: self.meter.backlog(),
            jain,
            by_input,
            by_output,
            counters: captured_frames::with_equation(
                counters
                    .chain(self.delay_counters(&delays))
                    .chain(self.exit_counters())
                    .chain(self.voq_counters())
                    .collect(),
                (self.switch.ports(), self.now - opened, arrived),
            ),
            ended_early: self.ended_early.then_some(self.now),
            fingerprint: self.fingerprint.map(Fingerprint::value),
            oq_lag: self.oq_lag.as_ref().map(OqLag::lags),
            occupancy: self.occupancy.as_mut().map(Occupancy::lengths),
            port_delays: self.port_delays.clone(),
            class_delays: self.class_delays.clone(),
            within: self.overload.as_ref().map(|overload| overload.within().clone()),
            kinds: self.overload.as_ref().map(|overload| overload.kinds().clone()),
        }
    }
}

fn counters(switch: &dyn Switch) -> Vec<Counter> {
    let mut counters = Vec::new();
    switch.counters(&mut |counter| counters.push(counter));
    counters
}

/// The cells that arrived in the window, by what happened to them. `arrived = departed + dropped +
/// queued`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cells {
    /// Cells that arrived in the window.
    pub arrived: u64,
    /// Those of them that left in it.
    pub departed: u64,
    /// Those that were dropped.
    pub dropped: u64,
    /// Those that were inside at the end.
    pub queued: u64,
    /// Cells that left in the window after a younger cell of their flow.
    pub out_of_order: u64,
}

impl std::ops::Add for Cells {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            arrived: self.arrived + other.arrived,
            departed: self.departed + other.departed,
            dropped: self.dropped + other.dropped,
            queued: self.queued + other.queued,
            out_of_order: self.out_of_order + other.out_of_order,
        }
    }
}

/// The measured window of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The number of ports.
    pub ports: usize,
    /// Slots in the window.
    pub slots: u64,
    /// Slots before it.
    pub warmup: u64,
    /// Delays of cells that arrived and left in the window.
    pub delays: Histogram,
    /// The window over time.
    pub timeline: Timeline,
    /// The cells that arrived in the window.
    pub cells: Cells,
    /// Cells inside at the end, those of the warm-up included.
    pub backlog_end: u64,
    /// Jain's fairness index over flows.
    pub jain: Option<f64>,
    /// By input: cells that arrived in the window, and those of them that left in it.
    pub by_input: Vec<(u64, u64)>,
    /// By output: cells that arrived in the window, and those of them that left in it.
    pub by_output: Vec<(u64, u64)>,
    /// The switch's own counters in the window.
    pub counters: Vec<Counter>,
    /// After how many slots the run ended because the cells no longer fitted the memory.
    pub ended_early: Option<u64>,
    /// A fingerprint of every departure, those of the warm-up included, if one was taken.
    pub fingerprint: Option<u64>,
    /// How far cells were behind the ideal output-queued switch, if that was measured.
    pub oq_lag: Option<Lags>,
    /// Slots spent at each queue length, if that was measured.
    pub occupancy: Option<Lengths>,
    /// Delays by port, if they were measured.
    pub port_delays: Option<PortDelays>,
    /// Cells by class, if they have classes.
    pub class_delays: Option<ClassDelays>,
    /// The outputs within their share over time, if others are oversubscribed.
    pub within: Option<Timeline>,
    /// Then also the oversubscribed outputs, and the others; not kept in a store.
    pub kinds: Option<[KindOfOutput; 2]>,
}

impl Measured {
    /// The course of what the verdict is about: of all cells, or, where outputs are oversubscribed,
    /// of the cells for the others.
    pub fn judged(&self) -> &Timeline {
        self.within.as_ref().unwrap_or(&self.timeline)
    }

    /// The window as input of the verdict. Oversubscribed outputs fill any memory, so that a run
    /// with some that ended early says nothing of the others.
    pub fn window(&self) -> statistics::Observation<'_> {
        statistics::Observation {
            timeline: self.judged(),
            before: self.warmup,
            ended_early: self.ended_early.is_some() && self.within.is_none(),
            ports: self.ports,
        }
    }

    /// The mean delay.
    pub fn mean_delay(&self) -> Option<f64> {
        (self.delays.count() > 0).then(|| self.delays.sum() as f64 / self.delays.count() as f64)
    }

    /// The mean delay by Little's law: the mean backlog over the cells that were accepted per slot.
    /// Unlike [`Self::mean_delay`], it counts cells that are still inside at the end.
    pub fn little_delay(&self) -> Option<f64> {
        let accepted = self.cells.arrived - self.cells.dropped;
        (accepted > 0).then(|| self.timeline.total().backlog_sum as f64 / accepted as f64)
    }

    /// Departures per output and slot.
    pub fn throughput(&self) -> f64 {
        let departures = self.timeline.total().departures;
        if self.slots == 0 { 0.0 } else { departures as f64 / (self.slots as f64 * self.ports as f64) }
    }

    /// The mean backlog at the end of a slot.
    pub fn mean_backlog(&self) -> f64 {
        if self.slots == 0 { 0.0 } else { self.timeline.total().backlog_sum as f64 / self.slots as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Request;

    fn measure(memory: u64, block: usize, pieces: &[u64]) -> Measured {
        measure_of("pim", 0.9, memory, block, pieces)
    }

    fn measure_of(switch: &str, load: f64, memory: u64, block: usize, pieces: &[u64]) -> Measured {
        let request = Request {
            switches: vec![switch.to_string()],
            ports: Some(8),
            load: Some(load),
            slots: Some(6000),
            memory,
            oq_lag: true,
            ..Request::default()
        };
        let mut run = Run::new(&request.resolve().unwrap(), 0, 0).unwrap().with_fingerprint();
        run.set_block(block);
        run.advance(1000, None, &Progress::none()).unwrap();
        run.open();
        for &slots in pieces {
            run.advance(slots, None, &Progress::none()).unwrap();
        }
        run.measured()
    }

    #[test]
    fn results_do_not_depend_on_blocks_or_pieces() {
        for (memory, ends) in [(1 << 30, false), (3 << 20, true)] {
            let whole = measure(memory, 64, &[6000]);
            assert_eq!(whole.ended_early.is_some(), ends);
            assert!(whole.oq_lag.is_some_and(|lags| lags.cells == whole.delays.count() && lags.late > 0));
            for (block, pieces) in
                [(1, &[6000][..]), (7, &[6000]), (1000, &[6000]), (64, &[1, 999, 5000]), (13, &[3000, 3000])]
            {
                assert_eq!(measure(memory, block, pieces), whole, "blocks of {block}, pieces {pieces:?}");
            }
        }
    }

    /// A full load and room for three cells at each output: every fourth cell or so is dropped.
    /// Then the backlog stays below 24, which arrivals less departures would not, and the books of
    /// the window balance although it opens on a switch that is not empty.
    #[test]
    fn dropped_cells_are_neither_backlog_nor_instability() {
        let whole = measure_of("oq(capacity=3)", 1.0, 1 << 30, 64, &[6000]);
        let cells = whole.cells;
        assert!(cells.dropped > 1000 && cells.queued <= 24 && whole.backlog_end <= 24, "{cells:?}");
        assert_eq!(cells.arrived, 8 * 6000);
        assert_eq!(cells.arrived, cells.departed + cells.dropped + cells.queued);
        assert!(whole.mean_backlog() > 1.0 && whole.mean_backlog() < 24.0, "{}", whole.mean_backlog());
        assert_eq!(statistics::assess(&[whole.window()]).verdict, statistics::Verdict::Stable);
        for (block, pieces) in [(1, &[6000][..]), (7, &[6000]), (1000, &[6000]), (13, &[1, 2999, 3000])] {
            assert_eq!(measure_of("oq(capacity=3)", 1.0, 1 << 30, block, pieces), whole, "blocks of {block}");
        }
    }

    /// The delay of a fabric less its stages is the delay of the same cells less its stages, in the
    /// same window.
    #[test]
    fn the_stages_are_taken_off_the_same_delay() {
        let traffic = |traffic: &str| Request {
            switches: vec!["benes(radix=2)".to_string(), "oq".to_string()],
            ports: Some(8),
            traffic: traffic.to_string(),
            load: Some(0.6),
            slots: Some(3000),
            replications: Some(3),
            ..Request::default()
        };
        let comparison = crate::compare(&traffic("uniform").resolve().unwrap(), &Progress::none()).unwrap();
        let [fabric, ideal] = &comparison.switches[..] else { panic!("two switches") };
        let less = fabric.counters()["delay_minus_stages"];
        let mean = fabric.delay.unwrap().mean;
        assert!((mean - 6.0 - less).abs() < 1e-9 && less > 0.5, "{mean}, {less}");
        assert!(ideal.counters().is_empty());
        // With hot spots, hot and other cells make up all cells.
        let comparison = crate::compare(&traffic("hotspot(count=2)").resolve().unwrap(), &Progress::none()).unwrap();
        for outcome in &comparison.switches {
            for run in &outcome.runs {
                let of = |name| run.counters.iter().find(|counter| counter.name == name).unwrap();
                let stages = if outcome.spec == "oq" { 0 } else { 6 };
                let (hot, other) = (of("delay_hot"), of("delay_other"));
                assert_eq!(hot.per + other.per, run.delays.count());
                assert_eq!(hot.sum + other.sum + stages * run.delays.count(), run.delays.sum());
                let most = of("delay_hot_max").sum.max(of("delay_other_max").sum) + stages;
                assert_eq!(most, u64::from(run.delays.max()));
                let used = of("utilisation_hot");
                assert!(used.sum * 10 > used.per * 8 && used.sum <= used.per, "{}", outcome.spec);
            }
        }
    }

    fn measured(traffic: &str, switch: &str, slots: u64, memory: u64, block: usize) -> Measured {
        let request = Request {
            switches: vec![switch.to_string()],
            ports: Some(16),
            traffic: traffic.to_string(),
            load: Some(0.5),
            slots: Some(slots),
            memory,
            ..Request::default()
        };
        let mut run = Run::new(&request.resolve().unwrap(), 0, 0).unwrap().with_fingerprint();
        run.set_block(block);
        run.advance(500, None, &Progress::none()).unwrap();
        run.open();
        run.advance(slots, None, &Progress::none()).unwrap();
        run.measured()
    }

    /// Labels change no departure, and classes make up all cells, whatever the blocks.
    #[test]
    fn labels_change_nothing_but_what_is_reported() {
        for switch in ["islip", "oq(capacity=2)", "benes"] {
            let plain = measured("uniform", switch, 3000, 1 << 30, 64);
            let labelled = measured("uniform(classes=1:3,flows=5)", switch, 3000, 1 << 30, 64);
            assert_eq!(labelled.fingerprint, plain.fingerprint, "{switch}");
            assert_eq!(measured("uniform(classes=1:3,flows=5)", switch, 3000, 1 << 30, 7), labelled, "{switch}");
            assert_eq!(plain.class_delays, None);
            let classes = labelled.class_delays.unwrap().classes;
            assert_eq!(classes.iter().map(|class| class.arrived).sum::<u64>(), plain.cells.arrived);
            assert_eq!(classes.iter().map(|class| class.dropped).sum::<u64>(), plain.cells.dropped);
            assert_eq!(classes.iter().map(|class| class.delays.cells()).sum::<u64>(), plain.cells.departed);
            // Binomial: a quarter of some 24,000 cells, deviation 67; six deviations.
            assert!(classes[0].arrived.abs_diff(plain.cells.arrived / 4) < 420, "{switch}");
        }
    }

    /// Two outputs are sent twice what they can send. The others are served as if it were not so,
    /// and the verdict is about them, also where the memory ends the run.
    #[test]
    fn oversubscribed_outputs_are_told_apart() {
        let traffic = "hotspot(count=2,rate=2)";
        for switch in ["oq", "islip(iterations=4)", "benes"] {
            let whole = measured(traffic, switch, 4000, 1 << 30, 64);
            assert_eq!(measured(traffic, switch, 4000, 1 << 30, 13), whole, "{switch}");
            let of = |name| whole.counters.iter().find(|counter| counter.name == name).unwrap();
            let used = of("utilisation_hot");
            assert!(used.sum * 100 >= used.per * 97, "{switch}");
            let within = whole.within.as_ref().unwrap();
            let [hot, other] = whole.kinds.as_ref().unwrap();
            assert_eq!((hot.outputs, other.outputs), (2, 14));
            assert_eq!(hot.arrived + other.arrived, whole.cells.arrived);
            assert_eq!(other.departures, within.total().departures);
            assert!(whole.backlog_end > 7000 && within.total().backlog_sum < 4000 * 500, "{switch}");
            let early = measured(traffic, switch, 40_000, 1 << 20, 64);
            assert!(early.ended_early.is_some(), "{switch}");
            for run in [&whole, &early] {
                assert_eq!(statistics::assess(&[run.window()]).verdict, statistics::Verdict::Stable, "{switch}");
            }
        }
    }

    #[test]
    fn exits_and_voqs_are_counted_where_they_are_asked_for() {
        let of = |measured: &Measured, name: &str| {
            measured.counters.iter().find(|counter| counter.name == name).map(|counter| (counter.sum, counter.per))
        };
        let last = measured("hotspot(count=2)", "benes(resequencing=final)", 3000, 1 << 30, 64);
        let (all, hot, other) = (
            of(&last, "wait_until_exit").unwrap(),
            of(&last, "wait_until_exit_hot").unwrap(),
            of(&last, "wait_until_exit_other").unwrap(),
        );
        assert_eq!((hot.1 + other.1, hot.1 > 0), (all.1, true));
        // The stages count cells that are still inside, the exit those that have come out.
        assert!((hot.0 + other.0).abs_diff(all.0) * 20 < all.0, "{hot:?} {other:?} {all:?}");
        assert_eq!(measured("hotspot(count=2)", "benes(resequencing=final)", 3000, 1 << 30, 9), last);
        assert_eq!(of(&measured("hotspot(count=2)", "benes", 1000, 1 << 30, 64), "wait_until_exit_hot"), None);
        let permutation = measured("permutation", "benes", 1000, 1 << 30, 64);
        let (with_cells, longest) = (of(&permutation, "voqs_with_cells"), of(&permutation, "longest_voq"));
        assert!(with_cells.is_some_and(|(count, per)| per == 1 && count <= 256));
        assert!(longest.is_some_and(|(cells, _)| cells <= 3), "{longest:?}");
        assert_eq!(of(&measured("uniform", "benes", 1000, 1 << 30, 64), "longest_voq"), None);
    }

    /// Two memories are too few for two ports at full load. When the switch stops, and what it has
    /// sent by then, does not depend on blocks.
    #[test]
    fn a_switch_that_stops_says_when() {
        let folder = tempfile::tempdir().unwrap();
        let stopped = |block: usize, piece: u64| {
            let path = folder.path().join("d.csv");
            let request = Request {
                switches: vec!["psm(memories=2,capacity=8,matcher=maximum)".to_string()],
                ports: Some(2),
                load: Some(1.0),
                slots: Some(2000),
                ..Request::default()
            };
            let mut run = Run::new(&request.resolve().unwrap(), 0, 0).unwrap();
            run.set_block(block);
            let mut file = DepartureFile::create(&path).unwrap();
            let advanced = (0..2000 / piece).try_for_each(|_| run.advance(piece, Some(&mut file), &Progress::none()));
            file.finish().unwrap();
            (advanced.unwrap_err().to_string(), std::fs::read_to_string(path).unwrap())
        };
        let (message, departures) = stopped(64, 2000);
        assert!(
            message.starts_with("psm(memories=2,capacity=8,matcher=maximum,placement=lowest) stopped: slot "),
            "{message}"
        );
        assert!(message.contains("the 2 cells from inputs 0, 1 fit only 1 memories together"), "{message}");
        let slot: usize = message.split(' ').nth(3).unwrap().trim_end_matches(':').parse().unwrap();
        assert!(slot > 1 && departures.lines().count() > slot, "{message}");
        for (block, piece) in [(1, 2000), (7, 2000), (1000, 2000), (64, 1), (13, 5)] {
            assert_eq!(stopped(block, piece), (message.clone(), departures.clone()), "blocks of {block}");
        }
    }
}
