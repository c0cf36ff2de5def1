//! Points of an experiment, before and after they are run.

use super::{Experiment, Select};
use crate::calculation;
use crate::error::LabError;
use crate::files::traffic_path;
use crate::outcome::{Outcome, outcome};
use crate::plan::{Plan, RUNS_AT_ONCE, Request, Warmup};
use crate::run::Measured;
use crate::statistics::{Estimate, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use switchlab_core::registry;
use switchlab_core::spec::Kind;

/// One point of the grid. Its replications are the units of work.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PointSpec {
    /// The canonical switch spec.
    pub switch: String,
    /// The number of ports.
    pub ports: usize,
    /// The canonical traffic spec.
    pub traffic: String,
    /// The canonical arrival process.
    pub arrivals: String,
    /// The load.
    pub load: f64,
    /// The values of the variables.
    pub vary: BTreeMap<String, f64>,
    /// Slots to measure.
    pub slots: u64,
    /// Slots to run before.
    pub warmup: u64,
    /// The seed.
    pub seed: u64,
    /// Whether a run goes on after these slots until the switch is empty, as a trace does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drains: bool,
}

/// What stands for the arrival process of a trace.
pub(super) const TRACE: &str = "trace";

impl PointSpec {
    /// What is asked for at this point. Its replications are not used: a unit is one of them.
    pub(crate) fn request(&self) -> Request {
        Request {
            switches: vec![self.switch.clone()],
            // 0 until the trace has said how many.
            ports: (self.ports > 0 || !self.replays()).then_some(self.ports),
            traffic: self.traffic.clone(),
            // A trace says itself how many cells arrive, and when.
            load: (!self.replays()).then_some(self.load),
            arrivals: (!self.replays()).then(|| self.arrivals.clone()),
            slots: (!self.drains).then_some(self.slots),
            warmup: Some(Warmup::Slots(self.warmup)),
            replications: Some(1),
            seed: self.seed,
            ..Request::default()
        }
    }

    /// The plan of this point, checked.
    pub fn plan(&self) -> Result<Plan, LabError> {
        // Of the default memory, as if it were one of 32 runs at once.
        let plan = self.request().resolve()?;
        Ok(Plan { memory_per_run: plan.memory / RUNS_AT_ONCE as u64, ..plan })
    }

    /// Whether `switch` names a calculation, which has no slots.
    pub fn calculates(&self) -> bool {
        self.traffic == calculation::NONE
    }

    /// Whether the arrivals are those of a trace.
    pub fn replays(&self) -> bool {
        self.arrivals == TRACE
    }

    /// Whether the load is a factor of the rates of a matrix from a file.
    pub fn scales_a_file(&self) -> bool {
        !self.replays() && takes_a_file(&self.traffic)
    }

    /// The value of a numeric axis: `load`, `ports` or a variable.
    pub fn number(&self, axis: &str) -> Option<f64> {
        match axis {
            "load" => Some(self.load),
            "ports" => Some(self.ports as f64),
            _ => self.vary.get(axis).copied(),
        }
    }

    /// The text of any axis: also `switch`, `traffic` and `arrivals`.
    pub fn text(&self, axis: &str) -> Option<String> {
        match axis {
            "switch" => Some(self.switch.clone()),
            "traffic" => Some(self.traffic.clone()),
            "arrivals" => Some(self.arrivals.clone()),
            _ => self.number(axis).map(|number| number.to_string()),
        }
    }
}

impl Experiment {
    /// Whether it calculates, and runs no switch.
    pub fn calculates(&self) -> bool {
        self.traffic.iter().all(|traffic| traffic == calculation::NONE)
    }

    /// Whether its traffic is traces, which have ports, loads and arrivals of their own.
    pub fn replays(&self) -> bool {
        self.arrivals == [TRACE]
    }

    /// Whether runs last until the switch is empty or sends no more.
    pub fn drains(&self) -> bool {
        self.replays() && self.slots == 0
    }

    /// All points, in the order of the lists: variables, traffic, arrivals, ports, load, and
    /// switches innermost, so that paired points are neighbours.
    pub fn points(&self) -> Result<Vec<PointSpec>, LabError> {
        let mut points = Vec::new();
        let mut sources = Sources::default();
        // A trace fills in its own.
        let (own_ports, own_loads) = (vec![0], vec![0.0]);
        let all_ports = if self.replays() && self.ports.is_empty() { &own_ports } else { &self.ports };
        let loads = if self.replays() { &own_loads } else { &self.loads };
        for vary in combinations(&self.vary) {
            for traffic in &self.traffic {
                for arrivals in &self.arrivals {
                    for &ports in all_ports {
                        for &load in loads {
                            for switch in &self.switches {
                                let point = PointSpec {
                                    switch: fill(switch, &vary),
                                    ports,
                                    traffic: fill(traffic, &vary),
                                    arrivals: fill(arrivals, &vary),
                                    load,
                                    vary: vary.clone(),
                                    slots: self.slots,
                                    warmup: self.warmup,
                                    seed: self.seed,
                                    drains: self.drains(),
                                };
                                let mut point = sources.canonical(point)?;
                                if let Some(length) = self.length_of(&point) {
                                    (point.slots, point.warmup) = (length.slots, length.warmup);
                                }
                                points.push(point);
                            }
                        }
                    }
                }
            }
        }
        Ok(points)
    }

    /// The files that its traffic names. None of them is read.
    pub(crate) fn traffic_paths(&self) -> Result<BTreeSet<String>, LabError> {
        let combinations = combinations(&self.vary);
        let filled = self.traffic.iter().flat_map(|traffic| combinations.iter().map(|vary| fill(traffic, vary)));
        let filled: BTreeSet<String> = filled.collect();
        filled.iter().filter_map(|traffic| traffic_path(traffic).transpose()).collect()
    }
}

/// Traffic and arrivals as written, ports, and the load unless the traffic is a file, whose content
/// does not depend on it.
type Source = (String, String, usize, Option<u64>);

/// Traffic that was found to be possible, with its canonical traffic and arrivals: each matrix is
/// built once and each file is read once, not for every point.
#[derive(Default)]
struct Sources(BTreeMap<Source, Known>);

/// What a point takes over from its traffic.
#[derive(Clone)]
struct Known {
    traffic: String,
    arrivals: String,
    /// Ports, load and slots of a trace.
    trace: Option<(usize, f64, u64)>,
}

impl Known {
    fn fill(self, point: &mut PointSpec) {
        (point.traffic, point.arrivals) = (self.traffic, self.arrivals);
        if let Some((ports, load, slots)) = self.trace {
            (point.ports, point.load) = (ports, load);
            if point.drains {
                point.slots = slots;
            }
        }
    }
}

impl Sources {
    /// The point with specs in canonical form, and everything checked.
    fn canonical(&mut self, mut point: PointSpec) -> Result<PointSpec, LabError> {
        if point.calculates() {
            point.switch = calculation::choose(&point.switch)?.1.to_string();
            return Ok(point);
        }
        let from_file = registry::traffic(&point.traffic)?.entry.parameters.iter().any(|p| p.kind == Kind::File);
        if !from_file {
            registry::check_load(point.load)?;
        }
        // A matrix from a file that is possible as it is written is possible at any lower load.
        let load = (!from_file || point.load > 1.0).then_some(point.load.to_bits());
        let key = (point.traffic.clone(), point.arrivals.clone(), point.ports, load);
        if let Some(known) = self.0.get(&key).cloned() {
            point.switch = crate::registry::switch(&point.switch)?.args.to_string();
            known.fill(&mut point);
            return Ok(point);
        }
        let plan = point.plan()?;
        point.switch = plan.switches[0].args.to_string();
        let trace = plan.is_trace().then_some((plan.ports, plan.load, plan.slots));
        let known = Known { traffic: plan.traffic_spec, arrivals: plan.arrivals_spec, trace };
        self.0.insert(key, known.clone());
        known.fill(&mut point);
        Ok(point)
    }
}

/// Whether a traffic spec names a file.
pub(super) fn takes_a_file(traffic: &str) -> bool {
    traffic_path(traffic).is_ok_and(|path| path.is_some())
}

/// Every combination of the values of the variables.
pub(super) fn combinations(vary: &BTreeMap<String, Vec<f64>>) -> Vec<BTreeMap<String, f64>> {
    vary.iter().fold(vec![BTreeMap::new()], |known, (name, values)| {
        let with = |base: &BTreeMap<String, f64>, value: f64| {
            let mut more = base.clone();
            more.insert(name.clone(), value);
            more
        };
        known.iter().flat_map(|base| values.iter().map(move |&value| with(base, value))).collect()
    })
}

/// A spec with the words in braces replaced by their values.
pub(crate) fn fill(spec: &str, vary: &BTreeMap<String, f64>) -> String {
    vary.iter().fold(spec.to_string(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value.to_string()))
}

/// A point that was run: its replications, and what they amount to.
#[derive(Debug)]
pub struct ResultPoint {
    /// What was run.
    pub spec: PointSpec,
    /// Replications in order, and the figures.
    pub outcome: Outcome,
}

/// All points of an experiment, in the order of [`Experiment::points`].
pub type Results = Vec<ResultPoint>;

impl ResultPoint {
    /// From the replications, in order.
    pub fn new(spec: PointSpec, runs: &[Measured]) -> Self {
        let mut outcome = outcome(spec.switch.clone(), runs, None);
        if spec.replays() {
            outcome.of_a_trace();
        }
        Self { spec, outcome }
    }

    /// The half width of the mean delay's 95 % interval as a share of the mean delay: a figure of
    /// all replications together.
    pub const PRECISION: &'static str = "delay.precision";

    /// The names that [`Self::metric`] knows, besides `counters.NAME`.
    pub const METRICS: &'static [&'static str] = &[
        "delay",
        "delay.p50",
        "delay.p90",
        "delay.p99",
        "delay.p999",
        "delay.p9999",
        "delay.max",
        "delay.little",
        Self::PRECISION,
        "delay.less-stages",
        "delay.less-stages-plus-one",
        "delay.other",
        "delay.fabric-other",
        "throughput",
        "backlog",
        "fairness",
        "loss",
    ];

    /// A metric of each replication, in order; empty if it has none, or not in every replication.
    pub fn values(&self, metric: &str) -> Vec<f64> {
        let of = |run: &Measured| -> Option<f64> {
            let quantile = |per_mille| run.delays.quantile(per_mille).map(f64::from);
            let counter = |name: &str| {
                let counter = run.counters.iter().find(|counter| counter.name == name)?;
                (counter.per > 0).then(|| counter.sum as f64 / counter.per as f64)
            };
            match metric {
                "delay" => run.mean_delay(),
                "delay.p50" => quantile(500),
                "delay.p90" => quantile(900),
                "delay.p99" => quantile(990),
                "delay.p999" => quantile(999),
                "delay.p9999" => run.delays.quantile_per_billion(999_900_000).map(f64::from),
                "delay.max" => (run.delays.count() > 0).then(|| f64::from(run.delays.max())),
                "delay.little" => run.little_delay(),
                // Of a switch without stages, the delay itself; so a fabric and an output queue can
                // be compared.
                "delay.less-stages" => counter("delay_minus_stages").or_else(|| run.mean_delay()),
                "delay.less-stages-plus-one" => {
                    counter("delay_minus_stages").or_else(|| run.mean_delay()).map(|delay| delay + 1.0)
                }
                // With hot spots, of cells for the other outputs.
                "delay.other" => {
                    counter("delay_other").or_else(|| counter("delay_minus_stages")).or_else(|| run.mean_delay())
                }
                // The same until they are out of the last stage, where cells are put in order
                // behind it.
                "delay.fabric-other" => counter("wait_until_exit_other")
                    .or_else(|| counter("delay_other"))
                    .or_else(|| counter("wait_until_exit"))
                    .or_else(|| counter("delay_minus_stages"))
                    .or_else(|| run.mean_delay()),
                "throughput" => Some(run.throughput()),
                "backlog" => Some(run.mean_backlog()),
                "fairness" => run.jain,
                "loss" => Some(run.cells.dropped as f64 / run.cells.arrived.max(1) as f64),
                _ => counter(metric.strip_prefix("counters.")?),
            }
        };
        self.outcome.runs.iter().map(of).collect::<Option<Vec<f64>>>().unwrap_or_default()
    }

    /// A metric with its interval over replications (or batches, for a single one); None if the
    /// switch is unstable and the metric a delay or the backlog, which have no value then, or if
    /// there is none.
    pub fn metric(&self, metric: &str) -> Option<Estimate> {
        if self.is_unbounded(metric) {
            return None;
        }
        match (metric, self.outcome.runs.len()) {
            ("delay", 1) => self.outcome.delay,
            (Self::PRECISION, count) => {
                let share = self.metric("delay")?.relative()?;
                Some(Estimate { mean: share, half_width: Some(0.0), count })
            }
            ("throughput", 1) => Some(self.outcome.throughput),
            _ => Some(Estimate::of(&self.values(metric))).filter(|estimate| !estimate.mean.is_nan()),
        }
    }

    /// Whether a metric grows with the length of the run: a delay or the backlog, of a switch that
    /// is unstable.
    pub fn is_unbounded(&self, metric: &str) -> bool {
        self.needs_stability(metric) && self.outcome.stability.verdict == Verdict::Unstable
    }

    /// Whether a metric has a value only where the switch is stable: a delay or the backlog. An
    /// overloaded hot spot does not make the delays of other outputs grow, and a trace is finite.
    pub fn needs_stability(&self, metric: &str) -> bool {
        let grows = !metric.ends_with("other") && (metric.starts_with("delay") || metric == "backlog");
        grows && !self.spec.replays()
    }

    /// Whether a selection includes this point.
    pub fn is_in(&self, select: &Select) -> bool {
        select.includes(&self.spec)
    }
}
