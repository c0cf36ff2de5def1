//! One switch under way, slot by slot.

use crate::fabric::fabric;
use crate::json::Json;
use crate::memories::Memories;
use crate::queued::Queued;
use crate::recorder::Recorder;
use crate::request::{Added, Request};
use core::fmt::Write;
use switchlab_core::meter::{Fingerprint, Meter};
use switchlab_core::observe::{Event, Observer};
use switchlab_core::registry::{self, Traffic};
use switchlab_core::switch::{QueueLengths, Switch};
use switchlab_core::traffic::Arrivals;
use switchlab_core::{Block, Cell, Dropped, Error, NONE, Port, Seed, Slot};

/// The most cells inside a switch on a page.
const MOST_QUEUED: u64 = 4_000_000;
/// The most slots of a run on a page.
const MOST_SLOTS: u64 = 1 << 31;
/// The most ports whose rates are told.
const MOST_RATES: usize = 16;
/// The most ports of a fabric that is told.
const MOST_FABRIC: usize = 16;
/// The cells of a VOQ whose arrival slots are shown.
const MOST_SHOWN: usize = 8;

/// A run of one switch.
pub struct Sim {
    about: String,
    ports: usize,
    switch: Box<dyn Switch>,
    source: Box<dyn Arrivals>,
    added: Vec<Added>,
    meter: Meter,
    queued: Queued,
    memories: Option<Memories>,
    fingerprint: Fingerprint,
    arrivals: Block<Port>,
    departures: Block<Cell>,
    dropped: Vec<Dropped>,
    now: u64,
    departed: u64,
    delays: u64,
}

impl Sim {
    /// The run before its first slot, or why there is none.
    pub fn new(request: &Request) -> Result<Self, Error> {
        let ports = request.ports;
        let seed = Seed { seed: request.seed, replication: 0 };
        let source = request.source()?;
        let chosen = registry::switch(&request.switch)?;
        let mut switch = chosen.build(ports, seed)?;
        let labels = source.chosen.labels(Some(&source.traffic));
        if labels != switchlab_core::Labels::NONE {
            switch.use_labels(&labels.replication(seed))?;
        }
        let mut json = Json::default();
        json.object(|json| {
            json.key("switch").string(&chosen.args.to_string());
            json.key("name").string(chosen.entry.name);
            json.key("about").string(chosen.entry.about);
            json.key("traffic").string(&source.traffic_spec);
            json.key("arrivals").string(&source.arrivals_spec);
            json.key("ports").value(ports);
            json.key("stages").value(switch.stages());
            if let Traffic::Matrix(matrix, load) = &source.traffic
                && ports <= MOST_RATES
            {
                let rate = |place: usize| matrix.rate(place / ports, place % ports) * load;
                json.key("rates").numbers((0..ports * ports).map(rate));
            }
        });
        Ok(Self {
            about: json.finish(),
            ports,
            source: source.arrivals.build(&source.traffic, seed),
            added: request.added.clone(),
            meter: Meter::new(ports),
            queued: Queued::new(ports),
            memories: (chosen.entry.name == "psm").then(Memories::default),
            fingerprint: Fingerprint::default(),
            arrivals: Block::new(ports, 1, NONE),
            departures: Block::new(ports, 1, Cell::IDLE),
            dropped: Vec::new(),
            now: 0,
            departed: 0,
            delays: 0,
            switch,
        })
    }

    /// What it is a run of, as JSON.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The slot that is next.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The hash of all departures so far.
    pub fn hash(&self) -> u64 {
        self.fingerprint.value()
    }

    /// Why there is no next slot, if there is none.
    fn halted(&self) -> Option<String> {
        if let Some(failure) = self.switch.failure() {
            return Some(failure.to_string());
        }
        if self.switch.census().queued > MOST_QUEUED {
            return Some(format!("more than {MOST_QUEUED} cells are queued; lower the load"));
        }
        (self.now >= MOST_SLOTS).then(|| format!("a run on a page has at most {MOST_SLOTS} slots"))
    }

    /// Draws the arrivals of the block, and puts in the cells of the viewer.
    fn draw(&mut self, slots: usize) {
        self.arrivals.resize(slots, NONE);
        self.departures.resize(slots, Cell::IDLE);
        self.arrivals.start = self.now as Slot;
        self.departures.start = self.now as Slot;
        self.source.fill(&mut self.arrivals);
        for cell in &self.added {
            if let Some(row) = u64::from(cell.slot).checked_sub(self.now).filter(|&row| row < slots as u64) {
                self.arrivals.data[row as usize * self.ports + usize::from(cell.input)] = cell.output;
            }
        }
    }

    /// Counts what the block sent.
    fn count(&mut self) {
        self.meter.observe_all(&self.arrivals, &self.departures, &self.dropped);
        self.fingerprint.add(&self.departures);
        let mut dropped = &self.dropped[..];
        let ports = self.ports;
        for ((slot, arrivals), departures) in self.arrivals.rows().zip(self.departures.data.chunks_exact(ports)) {
            self.queued.arrive(slot, arrivals);
            let of_slot = dropped.iter().take_while(|cell| cell.slot == slot).count();
            self.queued.depart(departures, &dropped[..of_slot]);
            dropped = &dropped[of_slot..];
            for cell in departures.iter().filter(|cell| !cell.is_idle()) {
                self.departed += 1;
                self.delays += u64::from(slot - cell.born);
            }
        }
        self.now += self.arrivals.slots() as u64;
    }

    /// Runs that many slots, or fewer if it cannot go on; what stops it.
    pub fn advance(&mut self, slots: u64) -> Option<String> {
        let end = self.now.saturating_add(slots);
        let most = self.switch.preferred_block().max(1) as u64;
        while self.now < end {
            if let Some(reason) = self.halted() {
                return Some(reason);
            }
            self.draw(most.min(end - self.now) as usize);
            self.dropped.clear();
            if self.memories.is_some() {
                self.run_observed();
                continue;
            }
            self.switch.run_and_log(&self.arrivals, &mut self.departures, &mut self.dropped);
            self.count();
        }
        self.halted()
    }

    /// Runs the block slot by slot, and keeps what is written to the memories.
    fn run_observed(&mut self) {
        let Some(memories) = &mut self.memories else { return };
        let rows = self.arrivals.data.chunks_exact(self.ports).zip(self.departures.data.chunks_exact_mut(self.ports));
        for (slot, (arrivals, departures)) in (self.now as Slot..).zip(rows) {
            departures.fill(Cell::IDLE);
            self.switch.slot_observed(slot, arrivals, departures, &mut memories.writing(slot));
            self.dropped.extend_from_slice(self.switch.dropped());
            memories.read(slot);
        }
        self.count();
    }

    /// Runs the next slot and tells all of it, as JSON.
    pub fn slot(&mut self) -> Result<String, String> {
        if let Some(reason) = self.halted() {
            return Err(reason);
        }
        let slot = self.now;
        let before = self.switch.inspect();
        let tags = self.switch.tags();
        let shows_fabric = self.ports <= MOST_FABRIC;
        let fabric_before = self.switch.fabric().filter(|_| shows_fabric);
        let mut memories = Json::default();
        if let Some(inside) = &self.memories {
            inside.tell(&mut memories);
        }
        self.draw(1);
        self.departures.data.fill(Cell::IDLE);
        let mut recorder = Recorder::default();
        if let Some(memories) = &mut self.memories {
            let mut both = Both(&mut recorder, memories.writing(slot as Slot));
            self.switch.slot_observed(slot as Slot, &self.arrivals.data, &mut self.departures.data, &mut both);
            memories.read(slot as Slot);
        } else {
            self.switch.slot_observed(slot as Slot, &self.arrivals.data, &mut self.departures.data, &mut recorder);
        }
        if let Some(failure) = self.switch.failure() {
            return Err(failure.to_string());
        }
        self.dropped.clear();
        self.dropped.extend_from_slice(self.switch.dropped());
        // The cells as the decision sees them: with those of this slot.
        self.queued.arrive(slot as Slot, &self.arrivals.data);
        let cells: Vec<Vec<Slot>> = self.queued.first(MOST_SHOWN).collect();
        let inside: Vec<usize> = self.queued.lengths().collect();
        self.queued.depart(&self.departures.data, &self.dropped);
        self.meter.observe_all(&self.arrivals, &self.departures, &self.dropped);
        self.fingerprint.add(&self.departures);
        self.now += 1;
        for cell in self.departures.data.iter().filter(|cell| !cell.is_idle()) {
            self.departed += 1;
            self.delays += slot - u64::from(cell.born);
        }
        let after = self.switch.inspect();
        let mut json = Json::default();
        json.object(|json| {
            json.key("slot").value(slot);
            json.key("arrivals").ports(&self.arrivals.data);
            json.key("dropped").array(&self.dropped, |json, cell| {
                json.object(|json| {
                    json.key("input").value(cell.input);
                    json.key("output").value(cell.output);
                    json.key("arrived").value(cell.born);
                });
            });
            json.key("cells").array(&cells, Json::numbers);
            json.key("inside").numbers(&inside);
            if let Some(inspection) = &before {
                let mut lengths = inspection.queues.clone();
                let mut entered = self.arrivals.data.clone();
                for cell in self.dropped.iter().filter(|cell| u64::from(cell.born) == slot) {
                    entered[usize::from(cell.input)] = NONE;
                }
                lengths.arrive(&entered);
                queues(json.key("queues"), &lengths);
                state(json.key("state"), &inspection.state);
            }
            if self.memories.is_some() {
                json.key("memories").value(memories.finish());
            }
            if !tags.is_empty() {
                json.key("frames").numbers(&tags);
                json.key("frames_after").numbers(self.switch.tags());
            }
            if let Some(before) = &fabric_before {
                fabric(json.key("fabric"), before);
            }
            if let Some(after) = self.switch.fabric().filter(|_| shows_fabric) {
                fabric(json.key("fabric_after"), &after);
            }
            json.key("steps").array(recorder.steps(), Json::value);
            if let Some(inspection) = &after {
                if let Some(matching) = &inspection.matching {
                    json.key("matching").ports(matching);
                }
                queues(json.key("queues_after"), &inspection.queues);
                state(json.key("state_after"), &inspection.state);
            }
            json.key("departures").array(&self.departures.data, |json, cell| {
                json.object(|json| {
                    json.key("input").value(if cell.is_idle() { -1 } else { i32::from(cell.input) });
                    json.key("arrived").value(cell.born);
                });
            });
            self.totals(json);
        });
        Ok(json.finish())
    }

    /// Where it stands, as JSON.
    pub fn status(&mut self) -> String {
        let p99 = self.meter.delays().quantile(990).unwrap_or_default();
        let mut json = Json::default();
        json.object(|json| {
            json.key("now").value(self.now);
            self.totals(json);
            json.key("p99").value(p99);
            if let Some(inspection) = self.switch.inspect() {
                if let Some(matching) = &inspection.matching {
                    json.key("matching").ports(matching);
                }
                queues(json.key("queues"), &inspection.queues);
            }
            json.key("inside").numbers(self.queued.lengths());
        });
        json.finish()
    }

    fn totals(&self, json: &mut Json) {
        let census = self.switch.census();
        json.key("backlog").value(census.queued);
        json.key("arrived").value(census.arrived);
        json.key("departed").value(census.departed);
        json.key("lost").value(census.dropped);
        json.key("delays").value(self.delays);
        json.key("hash").string(&format!("{:016x}", self.hash()));
    }

    /// The arrivals of the first slots as a trace, header included. Draws those of the run itself:
    /// ask a run that has not begun, and drop it.
    pub fn trace(&mut self, slots: u64) -> String {
        let mut text = String::from("slot,input,output\n");
        for _ in 0..slots {
            self.draw(1);
            for (input, &output) in self.arrivals.data.iter().enumerate().filter(|(_, output)| **output != NONE) {
                let _ = writeln!(text, "{},{input},{output}", self.now);
            }
            self.now += 1;
        }
        text
    }
}

/// Two observers of the same steps.
struct Both<'a, A, B>(&'a mut A, B);

impl<A: Observer, B: Observer> Observer for Both<'_, A, B> {
    fn observe(&mut self, event: Event<'_>) {
        self.0.observe(event);
        self.1.observe(event);
    }
}

fn queues(json: &mut Json, lengths: &QueueLengths) {
    json.object(|json| match lengths {
        QueueLengths::Voqs(voqs) => json.key("voqs").numbers(voqs),
        QueueLengths::Inputs { lengths, first } => {
            json.key("inputs").numbers(lengths);
            json.key("first").ports(first);
        }
        QueueLengths::Outputs(outputs) => json.key("outputs").numbers(outputs),
        QueueLengths::VoqsAndOutputs { voqs, outputs } => {
            json.key("voqs").numbers(voqs);
            json.key("outputs").numbers(outputs);
        }
        _ => (),
    });
}

fn state(json: &mut Json, state: &[(&'static str, Vec<Port>)]) {
    json.array(state, |json, (name, values)| {
        json.object(|json| {
            json.key("name").string(name);
            json.key("values").ports(values);
        });
    });
}
