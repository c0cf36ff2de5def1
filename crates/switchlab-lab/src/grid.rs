//! Lists on the command line: the experiment that `run` makes of several loads, ports, traffics or
//! arrival processes, and the comparison of switches at each point of an experiment.
//!
//! ```text
//!   lists ──experiment──► Experiment ──sweep──► Results ──comparisons──► a Comparison per point
//! ```
//!
//! The experiment goes through the store like one from a file of the same content, and has the same
//! units.

use crate::compare::{Comparison, UNTIL_LIMIT, conclude};
use crate::error::LabError;
use crate::experiment::{Experiment, Figure, PointSpec, ResultPoint, Select, braced, fill, known_metric};
use crate::figure::label_of;
use crate::numbers::significant;
use crate::plan::{MEMORY, MOST_REPLICATIONS, Plan, REPLICATIONS, Request, SLOTS, Warmup};
use crate::run::Measured;
use std::collections::BTreeMap;

/// What a user asks for, with lists of what may be varied. An empty list takes the default.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// Everything else; its ports, traffic, load and arrivals are not used.
    pub request: Request,
    /// Numbers of ports; a matrix from a file has its own.
    pub ports: Vec<usize>,
    /// Traffic specs.
    pub traffic: Vec<String>,
    /// Arrival processes.
    pub arrivals: Vec<String>,
    /// Loads.
    pub loads: Vec<f64>,
    /// Values of variables: words in braces in specs, as in `unbalanced(w={w})`.
    pub vary: BTreeMap<String, Vec<f64>>,
}

impl Grid {
    /// The request of the only point; None if there are several.
    pub fn single(&self) -> Option<Request> {
        let several = [self.ports.len(), self.traffic.len(), self.arrivals.len(), self.loads.len()];
        (self.vary.is_empty() && several.iter().all(|values| *values < 2)).then(|| self.first())
    }

    /// An error if a spec cannot be had because it has a variable without values. The name of a
    /// file may have braces too.
    pub fn check_variables(&self) -> Result<(), LabError> {
        let specs = self.request.switches.iter().chain(&self.traffic).chain(&self.arrivals);
        let words = specs.flat_map(|spec| braced(spec).into_iter().map(move |word| (spec, word)));
        match words.into_iter().find(|(_, word)| !self.vary.contains_key(*word)) {
            Some((spec, word)) if self.first().resolve().is_err() => {
                Err(LabError::Request(format!("{{{word}}} in {spec} has no values; add --vary {word}=LIST")))
            }
            _ => Ok(()),
        }
    }

    /// A spec with the first value of each variable.
    fn filled(&self, spec: &str) -> String {
        let first = |(name, values): (&String, &Vec<f64>)| Some((name.clone(), *values.first()?));
        fill(spec, &self.vary.iter().filter_map(first).collect())
    }

    /// The request of the first point.
    fn first(&self) -> Request {
        Request {
            switches: self.request.switches.iter().map(|switch| self.filled(switch)).collect(),
            ports: self.ports.first().copied(),
            traffic: self.traffic.first().map_or_else(|| Request::default().traffic, |traffic| self.filled(traffic)),
            arrivals: self.arrivals.first().map(|arrivals| self.filled(arrivals)),
            load: self.loads.first().copied(),
            ..self.request.clone()
        }
    }

    /// The experiment of all points, checked.
    pub fn experiment(&self) -> Result<Experiment, LabError> {
        let request = &self.request;
        self.refuse_what_is_for_one_point()?;
        // Each traffic by itself, so that what is missing is named as it is for one point.
        let first = self.first();
        let traffic = if self.traffic.is_empty() { vec![first.traffic.clone()] } else { self.traffic.clone() };
        let resolve = |traffic: &String| Request { traffic: self.filled(traffic), ..first.clone() }.resolve();
        let plans = traffic.iter().map(resolve).collect::<Result<Vec<Plan>, LabError>>()?;
        let traffic = traffic_as_resolved(&first, traffic, &plans);
        let replays = plans.iter().all(Plan::is_trace);
        if !replays && plans.iter().any(Plan::is_trace) {
            return Err(LabError::Request(
                "a trace has its own ports, load and arrivals, so other traffic cannot stand beside it; run it by itself"
                    .to_string(),
            ));
        }
        if replays && !self.loads.is_empty() {
            return Err(LabError::Request("a trace has its own load; leave out --load".to_string()));
        }
        let replications = request.replications.unwrap_or(if replays { 1 } else { REPLICATIONS });
        let slots = request.slots.unwrap_or(if replays { 0 } else { SLOTS });
        let times = if request.until.is_some() { UNTIL_LIMIT } else { 4 };
        let experiment = Experiment {
            id: "run".to_string(),
            title: request.switches.join(", "),
            source: String::new(),
            switches: request.switches.clone(),
            ports: if self.ports.is_empty() && !replays { vec![plans[0].ports] } else { self.ports.clone() },
            traffic,
            arrivals: match &self.arrivals[..] {
                _ if replays => vec!["trace".to_string()],
                [] => vec!["bernoulli".to_string()],
                some => some.to_vec(),
            },
            // Only matrices from files, which stand as they are written, and traces need no load.
            loads: if self.loads.is_empty() && !replays { vec![1.0] } else { self.loads.clone() },
            vary: self.vary.clone(),
            slots,
            lengths: Vec::new(),
            warmup: match request.warmup {
                Some(Warmup::Slots(warmup)) => warmup,
                _ if replays => 0,
                _ => slots / 5,
            },
            replications,
            precision: request.until,
            most_replications: replications.saturating_mul(times).min(MOST_REPLICATIONS),
            seed: request.seed,
            figures: Vec::new(),
            claims: Vec::new(),
        };
        experiment.check_as(|key| match key {
            "ports" => "--ports",
            "loads" => "--load",
            "arrivals" => "--arrivals",
            "vary" => "--vary",
            "switches" => "the switches",
            _ => "--traffic",
        })?;
        Ok(experiment)
    }

    /// Options that are about one point, or about what a store does not keep.
    fn refuse_what_is_for_one_point(&self) -> Result<(), LabError> {
        let request = &self.request;
        let refused = [
            (
                request.overload && !self.vary.is_empty(),
                "--overload is for specs without variables; write overload=yes",
            ),
            (request.departures.is_some(), "--departures records one point"),
            (request.oq_lag, "--oq-lag is measured at one point"),
            (request.occupancy, "--occupancy and --kind voq are measured at one point"),
            (request.port_delays.is_some(), "--per-port and --per-pair are measured at one point"),
            (request.warmup == Some(Warmup::Auto), "--warmup auto finds the warm-up of one point"),
            (request.memory != MEMORY, "--memory is for one point; with several, each run has 32 MiB for its cells"),
        ];
        match refused.into_iter().find(|(asked, _)| *asked) {
            Some((_, problem)) => Err(LabError::Request(format!(
                "{problem}; leave it out, or give one load, one number of ports, one traffic and no --out"
            ))),
            None => Ok(()),
        }
    }
}

/// The switches of an experiment compared at each of its points, in order: as `run` compares them.
/// None of a calculation, which compares nothing. One comparison is made at a time, since each has
/// a copy of its runs.
pub fn comparisons<'a>(
    experiment: &'a Experiment,
    results: &'a [ResultPoint],
    percentiles: &'a [f64],
) -> impl Iterator<Item = Result<(Plan, Comparison), LabError>> + 'a {
    // Switches are the innermost axis.
    let points = results.chunks(experiment.switches.len().max(1)).filter(|_| !experiment.calculates());
    points.map(|points| {
        let plan = Request {
            switches: points.iter().map(|point| point.spec.switch.clone()).collect(),
            until: experiment.precision,
            percentiles: percentiles.to_vec(),
            ..points[0].spec.request()
        };
        let plan = plan.resolve()?;
        let runs: Vec<Vec<Measured>> = points.iter().map(|point| point.outcome.runs.clone()).collect();
        let replications = runs.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let spec = &points[0].spec;
        let comparison = conclude(&plan, &runs, spec.warmup, spec.slots, replications);
        Ok((plan, comparison))
    })
}

/// More warnings than this are counted, not printed.
const MOST_WARNINGS: usize = 10;

/// The warnings of all points, each with what tells its point from the others.
pub fn warnings(experiment: &Experiment, results: &[ResultPoint]) -> Result<Vec<String>, LabError> {
    let variables = experiment.vary.keys().map(String::as_str);
    let axes = ["ports", "traffic", "arrivals", "load"].into_iter().chain(variables);
    let differs = |axis: &&str| results.windows(2).any(|pair| pair[0].spec.text(axis) != pair[1].spec.text(axis));
    let told: Vec<&str> = axes.filter(differs).collect();
    let place = |spec: &PointSpec| {
        let value = |axis: &&str| match (*axis, spec.text(axis).unwrap_or_default()) {
            ("traffic" | "arrivals", text) => text,
            ("ports", text) => format!("{text} ports"),
            ("load", _) => format!("load {}", significant(spec.load)),
            (variable, text) => format!("{variable} = {text}"),
        };
        told.iter()
            .map(value)
            .fold(String::new(), |text, value| if text.is_empty() { value } else { text + ", " + &value })
    };
    let first = results.iter().step_by(experiment.switches.len().max(1));
    let (mut warnings, mut more) = (Vec::new(), 0);
    for (compared, point) in comparisons(experiment, results, &[]).zip(first) {
        let place = place(&point.spec);
        for warning in compared?.1.warnings {
            if warnings.len() == MOST_WARNINGS {
                more += 1;
                continue;
            }
            warnings.push(if place.is_empty() { warning.to_string() } else { format!("{place}: {warning}") });
        }
    }
    warnings.extend((more > 0).then(|| format!("there are {more} more warnings like these, at other points")));
    Ok(warnings)
}

/// A metric, the mean delay unless named, against the axis of an experiment that has several
/// values: the load, else the ports, else a variable.
pub fn figure(experiment: &Experiment, metric: Option<&str>) -> Result<Figure, LabError> {
    let y = known_metric(metric.unwrap_or("delay")).map_err(|problem| LabError::Request(format!("--y: {problem}")))?;
    let variable = experiment.vary.iter().find(|(_, values)| values.len() > 1);
    let x = match variable {
        _ if experiment.loads.len() > 1 => "load",
        _ if experiment.ports.len() > 1 => "ports",
        Some((name, _)) => name,
        None => "load",
    };
    let powers = experiment.ports.iter().all(|ports| ports.is_power_of_two());
    let label = label_of(&y);
    Ok(Figure {
        id: "run".to_string(),
        title: label.split(" (").next().unwrap_or_default().to_string(),
        x: x.to_string(),
        log_x: x == "ports" && powers,
        log_y: y.starts_with("delay") || y == "backlog",
        y,
        series: "switch".to_string(),
        x_label: String::new(),
        y_label: String::new(),
        select: Select::default(),
        references: Vec::new(),
        ratio: None,
    })
}

/// The traffic as it was written; where overload was asked for by an option, as the specs have it.
fn traffic_as_resolved(first: &Request, written: Vec<String>, plans: &[Plan]) -> Vec<String> {
    if first.overload { plans.iter().map(|plan| plan.traffic_spec.clone()).collect() } else { written }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare;
    use crate::experiment::{Loaded, Mode};
    use crate::progress::Progress;
    use crate::report::Report;
    use crate::store::Unit;
    use crate::sweep::{Sweep, run_experiment};

    fn grid() -> Grid {
        Grid {
            request: Request {
                switches: vec!["oq".to_string(), "islip".to_string()],
                slots: Some(2000),
                replications: Some(3),
                ..Request::default()
            },
            ports: vec![4, 8],
            traffic: vec!["uniform".to_string(), "diagonal".to_string()],
            arrivals: Vec::new(),
            loads: vec![0.3, 0.8],
            vary: BTreeMap::new(),
        }
    }

    /// The units of all points, and the text of their results.
    fn run(experiment: &Experiment) -> (Vec<String>, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        let mut sweep = Sweep::open(dir.path(), Some(2)).unwrap();
        run_experiment(experiment, &mut sweep, None, &Progress::none()).unwrap();
        let points = experiment.points().unwrap();
        let units = points.iter().flat_map(|point| Unit::of(point, experiment.replications).unwrap());
        let keys: Vec<String> = units.map(|unit| unit.key()).collect();
        let mut lines: Vec<String> =
            std::fs::read_to_string(dir.path().join("units.jsonl")).unwrap().lines().map(str::to_string).collect();
        lines.sort();
        (keys, lines)
    }

    #[test]
    fn lists_are_the_experiment_of_a_file() {
        let file = "title = 'x'\nswitches = ['oq', 'islip']\nports = [4, 8]\ntraffic = ['uniform', 'diagonal']
            loads = [0.3, 0.8]\nslots = 2000\nreplications = 3\n";
        let of_file = Loaded::parse(file, "x.toml", "x", Mode::Full).unwrap().experiment;
        let of_lists = grid().experiment().unwrap();
        assert_eq!(run(&of_lists), run(&of_file));
        let same = Experiment { id: "x".to_string(), title: "x".to_string(), ..of_lists };
        assert_eq!(same, of_file);
    }

    /// Variables are those of a file, and the axis of a figure where loads and ports are not.
    #[test]
    fn variables_are_those_of_a_file() {
        let file = "title = 'x'\nswitches = ['oq', 'islip(iterations={k})']\nports = 4
            traffic = 'unbalanced(w={w})'\nloads = 1\nvary = { k = 2, w = [0, 0.5] }\nslots = 2000\nreplications = 3\n";
        let of_file = Loaded::parse(file, "x.toml", "x", Mode::Full).unwrap().experiment;
        let varied = Grid {
            request: Request {
                switches: vec!["oq".to_string(), "islip(iterations={k})".to_string()],
                ..grid().request
            },
            ports: vec![4],
            traffic: vec!["unbalanced(w={w})".to_string()],
            loads: vec![1.0],
            vary: BTreeMap::from([("k".to_string(), vec![2.0]), ("w".to_string(), vec![0.0, 0.5])]),
            ..grid()
        };
        assert!(varied.single().is_none());
        let of_lists = varied.experiment().unwrap();
        assert_eq!(run(&of_lists), run(&of_file));
        let throughput = figure(&of_lists, Some("throughput")).unwrap();
        assert_eq!((throughput.x.as_str(), throughput.title.as_str(), throughput.log_y), ("w", "Throughput", false));
        let delay = figure(&grid().experiment().unwrap(), None).unwrap();
        assert_eq!((delay.x.as_str(), delay.y.as_str(), delay.title.as_str()), ("load", "delay", "Mean delay"));
        for (named, metric) in [("delay_p99", "delay.p99"), ("p99", "delay.p99"), ("p99.9", "delay.p999")] {
            assert_eq!(figure(&of_lists, Some(named)).unwrap().y, metric);
        }
        assert!(figure(&of_lists, Some("throughputs")).unwrap_err().to_string().contains("did you mean throughput?"));
        let unused = Grid { vary: BTreeMap::from([("j".to_string(), vec![1.0])]), ..grid() };
        assert!(unused.experiment().unwrap_err().to_string().contains("--vary: no spec uses the variable j"));
    }

    /// A comparison at a point of the grid is that of the point by itself.
    #[test]
    fn each_point_is_what_it_is_by_itself() {
        let grid = grid();
        let experiment = grid.experiment().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let mut sweep = Sweep::open(dir.path(), Some(2)).unwrap();
        let results = run_experiment(&experiment, &mut sweep, None, &Progress::none()).unwrap();
        let found = comparisons(&experiment, &results, &[95.0]).collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(found.len(), 8);
        for (plan, comparison) in &found {
            let alone = Request {
                ports: Some(plan.ports),
                traffic: plan.traffic_spec.clone(),
                load: Some(plan.load),
                percentiles: vec![95.0],
                ..grid.request.clone()
            };
            let alone = alone.resolve().unwrap();
            let other = compare(&alone, &Progress::none()).unwrap();
            let text = |reports: Vec<Report>| serde_json::to_string(&reports).unwrap();
            assert_eq!(text(Report::all(plan, comparison, true)), text(Report::all(&alone, &other, true)));
            assert_eq!(comparison.warnings, other.warnings);
        }
    }

    #[test]
    fn one_value_of_each_is_one_point() {
        let one = Grid { ports: vec![4], traffic: vec!["uniform".to_string()], loads: vec![0.5], ..grid() };
        let request = one.single().unwrap();
        assert_eq!((request.ports, request.load, request.traffic.as_str()), (Some(4), Some(0.5), "uniform"));
        assert_eq!(grid().single().map(|request| request.ports), None);
    }

    #[test]
    fn what_is_for_one_point_is_refused() {
        let changes: [fn(&mut Grid); 9] = [
            |grid| grid.request.departures = Some("d.csv".into()),
            |grid| grid.request.oq_lag = true,
            |grid| grid.request.occupancy = true,
            |grid| grid.request.warmup = Some(Warmup::Auto),
            |grid| grid.request.memory = 1 << 20,
            |grid| grid.ports = vec![0, 4],
            |grid| grid.loads = vec![0.5, 1.5],
            |grid| grid.loads.clear(),
            |grid| grid.ports.clear(),
        ];
        let says =
            ["--departures", "--oq-lag", "--occupancy", "--warmup", "--memory", "0 ports", "1.5", "load", "ports"];
        for (change, says) in changes.into_iter().zip(says) {
            let mut grid = grid();
            change(&mut grid);
            let error = grid.experiment().unwrap_err().to_string();
            assert!(error.contains(says), "{says}: {error}");
        }
    }
}
