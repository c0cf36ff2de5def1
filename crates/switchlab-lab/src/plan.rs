//! From a request to a plan: every default is filled in, and everything is checked before the first
//! slot.

use crate::error::LabError;
use crate::files::{Disk, refuse_input, same_file, traffic_path};
use crate::port_delays::By;
use crate::statistics::Share;
use std::path::{Path, PathBuf};
use switchlab_core::registry::{self, BuildArrivals, BuildSwitch, Chosen, Traffic};
use switchlab_core::spec::Spec;
use switchlab_core::switch::Switch;
use switchlab_core::traffic::LoadMatrix;
use switchlab_core::{Error, Labels, Seed};

/// Slots to measure by default.
pub const SLOTS: u64 = 200_000;
/// Independent replications by default; a trace is run once.
pub const REPLICATIONS: u32 = 10;
/// The most replications. More would not narrow an interval noticeably, and all are kept until the
/// end.
pub const MOST_REPLICATIONS: u32 = 10_000;
/// Memory for all runs at once by default: 1 GiB.
pub const MEMORY: u64 = 1 << 30;
/// Runs that may share the memory at once. Fixed, so that the slot in which a run ends for lack of
/// memory does not depend on the machine.
pub const RUNS_AT_ONCE: usize = 32;
/// A run is shorter than this, warm-up included.
pub const SLOT_LIMIT: u64 = 1 << 32;

/// How many slots to run before measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmup {
    /// This many.
    Slots(u64),
    /// As many as MSER-5 finds in a pilot run of each switch.
    Auto,
}

/// What a user asks for. `None` takes the default.
#[derive(Clone, Debug)]
pub struct Request {
    /// Specs of the switches to compare.
    pub switches: Vec<String>,
    /// The number of ports; a trace or a matrix from a file has its own.
    pub ports: Option<usize>,
    /// The traffic spec.
    pub traffic: String,
    /// Whether the outputs of a matrix from a file may be oversubscribed.
    pub overload: bool,
    /// The load, from 0 to 1; a trace needs none.
    pub load: Option<f64>,
    /// The arrival process.
    pub arrivals: Option<String>,
    /// Slots to measure.
    pub slots: Option<u64>,
    /// Slots to run before; a fifth of the measured ones by default, none for a trace.
    pub warmup: Option<Warmup>,
    /// Independent replications.
    pub replications: Option<u32>,
    /// The seed.
    pub seed: u64,
    /// Go on until the relative half-width of the mean delay is this small.
    pub until: Option<f64>,
    /// Bytes for all runs at once.
    pub memory: u64,
    /// Where to write the departures of the first replication.
    pub departures: Option<PathBuf>,
    /// Worker threads; all cores by default. Results do not depend on it.
    pub threads: Option<usize>,
    /// Whether to measure how far cells are behind the ideal output-queued switch.
    pub oq_lag: bool,
    /// Whether to measure how long queues are, by VOQ, input, output and in all.
    pub occupancy: bool,
    /// What delays are measured of besides all cells together.
    pub port_delays: Option<By>,
    /// Percentiles of the delay to report besides those that always are, in per cent.
    pub percentiles: Vec<f64>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            switches: Vec::new(),
            ports: None,
            traffic: "uniform".to_string(),
            overload: false,
            load: None,
            arrivals: None,
            slots: None,
            warmup: None,
            replications: None,
            seed: 1,
            until: None,
            memory: MEMORY,
            departures: None,
            threads: None,
            oq_lag: false,
            occupancy: false,
            port_delays: None,
            percentiles: Vec::new(),
        }
    }
}

/// What will be run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The switches, checked.
    pub switches: Vec<Chosen<BuildSwitch>>,
    /// The number of ports.
    pub ports: usize,
    /// The matrix with its scale, or the trace.
    pub traffic: Traffic,
    /// The labels of its cells; those of a replication are had with its seed.
    pub labels: Labels,
    /// The canonical traffic spec.
    pub traffic_spec: String,
    /// The process; not used by a trace.
    pub arrivals: Chosen<BuildArrivals>,
    /// The canonical process spec, or "trace".
    pub arrivals_spec: String,
    /// The load of a line: the one asked for; of a matrix from a file, that of its busiest line; of
    /// a trace, the cells per input and slot of its own span.
    pub load: f64,
    /// What the rates of a matrix from a file are multiplied by; None for other traffic.
    pub scale: Option<f64>,
    /// Slots to measure. A trace that is drained takes more.
    pub slots: u64,
    /// Whether a run goes on after these slots until the switch is empty, as a trace does.
    pub drains: bool,
    /// Slots to run before.
    pub warmup: Warmup,
    /// Independent replications to begin with.
    pub replications: u32,
    /// The seed.
    pub seed: u64,
    /// The relative half-width to reach.
    pub until: Option<f64>,
    /// Bytes for all runs at once.
    pub memory: u64,
    /// The most bytes for the queued cells of one run; see [`crate::memory`].
    pub memory_per_run: u64,
    /// Where to write departures.
    pub departures: Option<PathBuf>,
    /// Worker threads.
    pub threads: usize,
    /// Whether to measure how far cells are behind the ideal output-queued switch.
    pub oq_lag: bool,
    /// Whether to measure how long queues are.
    pub occupancy: bool,
    /// What delays are measured of besides all cells together.
    pub port_delays: Option<By>,
    /// Percentiles of the delay to report besides those that always are.
    pub percentiles: Vec<Share>,
    /// Notes for the user that are no errors.
    pub notes: Vec<String>,
}

impl Plan {
    /// Builds a switch, by its index, and gives it the labels of the replication if there are any.
    pub fn build_switch(&self, index: usize, seed: Seed) -> Result<Box<dyn Switch>, Error> {
        let mut switch = self.switches[index].build(self.ports, seed)?;
        if self.labels != Labels::NONE {
            switch.use_labels(&self.labels.replication(seed))?;
        }
        Ok(switch)
    }

    /// How many outputs are hot spots, from 0 on; None if the traffic has none.
    pub fn hot_outputs(&self) -> Option<usize> {
        let chosen = registry::traffic(&self.traffic_spec).ok().filter(|chosen| chosen.entry.name == "hotspot")?;
        Some(chosen.args.count("count"))
    }

    /// Whether every slot has a permutation of its own.
    pub(crate) fn has_permutations(&self) -> bool {
        matches!(self.traffic, Traffic::Matrix(LoadMatrix::Permutation(_), _))
    }

    /// By output, whether it is oversubscribed; None if none is.
    pub fn oversubscribed(&self) -> Option<Vec<bool>> {
        self.traffic.oversubscribed()
    }

    /// Refuses an output file that this plan reads or writes itself.
    pub fn refuse_output(&self, path: &Path) -> Result<(), LabError> {
        if let Some(input) = traffic_path(&self.traffic_spec)? {
            refuse_input(path, Path::new(&input))?;
        }
        match &self.departures {
            Some(departures) if same_file(path, departures) => Err(LabError::Request(format!(
                "{} is the file of the departures already; name another file",
                path.display()
            ))),
            _ => Ok(()),
        }
    }

    /// Arrivals per output and slot that the traffic asks for; None for a trace.
    pub fn offered(&self) -> Option<f64> {
        match &self.traffic {
            Traffic::Matrix(matrix, scale) => {
                let rates: f64 = (0..self.ports).map(|input| matrix.row_sum(input)).sum();
                Some(scale * rates / self.ports as f64)
            }
            Traffic::Trace(_) => None,
        }
    }

    /// Whether the arrivals are replayed.
    pub fn is_trace(&self) -> bool {
        matches!(self.traffic, Traffic::Trace(_))
    }
}

impl Request {
    /// The traffic spec, with overload if that was asked for.
    pub(crate) fn traffic_spec(&self) -> Result<String, LabError> {
        if self.overload { with_overload(&self.traffic) } else { Ok(self.traffic.clone()) }
    }

    /// Fills in the defaults and checks everything.
    pub fn resolve(&self) -> Result<Plan, LabError> {
        let request = |problem: &str| LabError::Request(problem.to_string());
        if self.switches.is_empty() {
            return Err(request("name at least one switch; `switchlab list` shows what there is"));
        }
        let chosen = self.switches.iter().map(|spec| crate::registry::switch(spec));
        let switches: Vec<_> = chosen.collect::<Result<_, _>>()?;
        let traffic_chosen = registry::traffic(&self.traffic_spec()?)?;
        let arrivals = registry::arrivals(self.arrivals.as_deref().unwrap_or("bernoulli"))?;
        let traffic = traffic_chosen.build(self.ports, self.load, &Disk)?;
        let trace = match &traffic {
            Traffic::Trace(trace) => Some(trace),
            Traffic::Matrix(..) => None,
        };
        let mut notes = Vec::new();
        for (index, switch) in switches.iter().enumerate() {
            let same = |other: &&Chosen<BuildSwitch>| other.args == switch.args;
            if switches[..index].iter().filter(same).count() == 1 {
                notes.push(format!("{} is named more than once; its rows are the same", switch.args.short()));
            }
        }
        let labels = traffic_chosen.labels(Some(&traffic));
        notes.extend(switches.iter().filter(|switch| labels.has_classes() && has_own_classes(switch)).map(|switch| {
            format!(
                "{}: its classes are input modulo the number of classes, and not those that the traffic gives its cells",
                switch.args.short()
            )
        }));
        if trace.is_some() && self.arrivals.is_some() {
            return Err(request("a trace says itself when cells arrive; leave out --arrivals"));
        }
        if trace.is_some() && self.load.is_some() {
            notes.push("--load is ignored: a trace has a fixed load".to_string());
        }
        if self.departures.is_some() && switches.len() > 1 {
            return Err(request("--departures records one switch; name only one, or run the others separately"));
        }
        if let (Some(departures), Some(input)) = (&self.departures, traffic_path(&self.traffic)?) {
            refuse_input(departures, Path::new(&input))?;
        }
        let replications = self.replications.unwrap_or(if trace.is_some() { 1 } else { REPLICATIONS });
        if !(1..=MOST_REPLICATIONS).contains(&replications) {
            return Err(LabError::Request(format!("--replications must be from 1 to {MOST_REPLICATIONS}")));
        }
        let (slots, warmup) = self.length(trace.map(switchlab_core::traffic::Trace::slots))?;
        if let Some(until) = self.until
            && !(until > 0.0 && until < 1.0)
        {
            return Err(request("--until takes a relative half-width above 0 and below 1, such as 1% or 0.01"));
        }
        if self.memory < 1 << 20 {
            return Err(request("--memory must be at least 1 MiB"));
        }
        let threads = self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        if threads == 0 || threads > 4096 {
            return Err(request("--threads must be from 1 to 4096"));
        }
        // With a single replication, all switches are in memory at once.
        let most = if replications == 1 { switches.len() } else { RUNS_AT_ONCE };
        let runs_at_once = (switches.len() * replications as usize).min(most) as u64;
        let ports = traffic.ports();
        let is_file = traffic_path(&self.traffic)?.is_some();
        let (load, scale) = match &traffic {
            Traffic::Trace(trace) => (trace.cells() as f64 / (ports as f64 * trace.slots().max(1) as f64), None),
            Traffic::Matrix(matrix, scale) if is_file => {
                let (input, output) = matrix.busiest();
                (scale * input.max(output), Some(*scale))
            }
            Traffic::Matrix(..) => (self.load.unwrap_or_default(), None),
        };
        let percentiles = percentiles(&self.percentiles)?;
        Ok(Plan {
            ports,
            load,
            scale,
            drains: trace.is_some() && self.slots.is_none(),
            occupancy: self.occupancy,
            port_delays: self.port_delays,
            percentiles,
            labels,
            traffic_spec: traffic_chosen.args.to_string(),
            arrivals_spec: if trace.is_some() { "trace".to_string() } else { arrivals.args.to_string() },
            switches,
            traffic,
            arrivals,
            slots,
            warmup,
            replications,
            seed: self.seed,
            until: self.until,
            memory: self.memory,
            memory_per_run: self.memory / runs_at_once,
            departures: self.departures.clone(),
            threads: threads.min(RUNS_AT_ONCE),
            oq_lag: self.oq_lag,
            notes,
        })
    }

    /// The number of slots to measure and the warm-up. Those of a trace end with its last arrival
    /// unless told otherwise; then the switch is drained.
    fn length(&self, trace: Option<u64>) -> Result<(u64, Warmup), LabError> {
        let warmup = match (self.warmup, trace) {
            (Some(warmup), _) => warmup,
            (None, Some(_)) => Warmup::Slots(0),
            (None, None) => Warmup::Slots(self.slots.unwrap_or(SLOTS) / 5),
        };
        let before = match warmup {
            Warmup::Slots(slots) => slots,
            Warmup::Auto => 0,
        };
        let slots = match (self.slots, trace) {
            (Some(slots), _) => slots,
            (None, Some(trace)) if before > 0 && before >= trace => {
                return Err(LabError::Request(format!(
                    "the trace ends after {trace} slots, within the warm-up of {before}; shorten --warmup or give --slots"
                )));
            }
            (None, Some(trace)) => trace - before,
            (None, None) => SLOTS,
        };
        if slots == 0 && trace.is_none() {
            return Err(LabError::Request("--slots must be at least 1".to_string()));
        }
        // Auto finds at most half of the measured slots.
        let longest = if warmup == Warmup::Auto { slots / 2 } else { before };
        if slots.checked_add(longest).is_none_or(|total| total >= SLOT_LIMIT) {
            return Err(LabError::Request(format!(
                "a run has fewer than {SLOT_LIMIT} slots, warm-up included; use more --replications instead"
            )));
        }
        Ok((slots, warmup))
    }
}

/// Whether a switch serves classes of its own making.
fn has_own_classes(switch: &Chosen<BuildSwitch>) -> bool {
    let spec = switch.args.to_string();
    switch.args.declares("classes") && spec.contains("discipline=priority")
}

/// A traffic spec whose outputs may be oversubscribed, asked for by an option.
fn with_overload(traffic: &str) -> Result<String, LabError> {
    let chosen = registry::traffic(traffic)?;
    if !chosen.args.declares("overload") {
        return Err(LabError::Request(format!(
            "--overload is for matrix(file=...), whose outputs may then be sent more than 1; hotspot(rate=2) asks for that itself, and {} oversubscribes nothing",
            chosen.entry.name
        )));
    }
    let mut spec = Spec::parse(traffic)?;
    spec.arguments.retain(|(key, _)| key != "overload");
    for (key, _) in spec.arguments.iter_mut().filter(|(key, _)| key.is_empty()) {
        *key = "file".to_string();
    }
    spec.arguments.push(("overload".to_string(), "yes".to_string()));
    Ok(spec.to_string())
}

/// Percentiles of delays, from numbers in per cent.
pub fn percentiles(percent: &[f64]) -> Result<Vec<Share>, LabError> {
    let share = |&percent: &f64| {
        Share::of_percent(percent).ok_or_else(|| {
            LabError::Request(format!("{percent} is no percentile: write a number above 0 and below 100, such as 99.9"))
        })
    };
    percent.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request { switches: vec!["islip".to_string()], ports: Some(4), load: Some(0.5), ..Request::default() }
    }

    #[test]
    fn defaults_are_those_of_the_contract() {
        let plan = request().resolve().unwrap();
        assert_eq!(plan.switches[0].args.to_string(), "islip(iterations=1)");
        assert_eq!((plan.slots, plan.warmup, plan.replications), (200_000, Warmup::Slots(40_000), 10));
        assert_eq!((plan.traffic_spec.as_str(), plan.arrivals_spec.as_str()), ("uniform", "bernoulli"));
    }

    #[test]
    fn nonsense_is_refused() {
        let nonsense = [
            Request { switches: vec![], ..request() },
            Request { ports: Some(0), ..request() },
            Request { ports: Some(usize::MAX), ..request() },
            Request { ports: None, ..request() },
            Request { load: None, ..request() },
            Request { load: Some(f64::NAN), ..request() },
            Request { load: Some(1.01), ..request() },
            Request { load: Some(-0.1), ..request() },
            Request { slots: Some(0), ..request() },
            Request { slots: Some(u64::MAX), ..request() },
            Request { warmup: Some(Warmup::Slots(u64::MAX)), ..request() },
            Request { replications: Some(0), ..request() },
            Request { replications: Some(u32::MAX), ..request() },
            Request { until: Some(0.0), ..request() },
            Request { until: Some(f64::NAN), ..request() },
            Request { memory: 0, ..request() },
            Request { threads: Some(0), ..request() },
            Request { traffic: "trace(file=nowhere.csv)".to_string(), ..request() },
        ];
        for bad in nonsense {
            assert!(bad.resolve().is_err(), "{bad:?}");
        }
    }
}
