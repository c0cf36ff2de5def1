//! The delay of one switch at several loads, with intervals and verdicts.
//!
//! Each load has some replications, which are those of `switchlab run` with the same seed. They run
//! side by side and are measured from the end of the warm-up on, so that at every moment there is
//! an interval and a verdict for what has been seen. The statistics are those of the lab.

use crate::json::Json;
use crate::request::Request;
use switchlab_core::meter::Meter;
use switchlab_core::registry;
use switchlab_core::switch::Switch;
use switchlab_core::traffic::Arrivals;
use switchlab_core::{Block, Cell, Dropped, Error, NONE, Port, Seed, Slot};
use switchlab_statistics::{Estimate, Observation, Verdict, assess};

/// The most loads of a curve.
const MOST_LOADS: usize = 40;
/// The most replications.
const MOST_REPLICATIONS: u32 = 10;
/// The most slots of a run.
const MOST_SLOTS: u64 = 1_000_000;
/// The most bytes that the switches of a curve take before their first cell.
const MOST_BYTES: u64 = 1 << 30;
/// A run with more cells inside than this for each port is not continued.
const MOST_QUEUED: u64 = 20_000;

/// One replication at one load.
struct Run {
    switch: Box<dyn Switch>,
    source: Box<dyn Arrivals>,
    meter: Meter,
    now: u64,
    warmup: u64,
    /// Why it does not go on before its last slot.
    stopped: Option<String>,
}

impl Run {
    fn new(request: &Request, load: f64, replication: u32, warmup: u64) -> Result<Self, Error> {
        let request = Request { load: Some(load), ..request.clone() };
        let seed = Seed { seed: request.seed, replication };
        let source = request.source()?;
        let mut switch = registry::switch(&request.switch)?.build(request.ports, seed)?;
        let labels = source.chosen.labels(Some(&source.traffic));
        if labels != switchlab_core::Labels::NONE {
            switch.use_labels(&labels.replication(seed))?;
        }
        Ok(Self {
            source: source.arrivals.build(&source.traffic, seed),
            meter: Meter::new(request.ports),
            switch,
            now: 0,
            warmup,
            stopped: None,
        })
    }

    /// Runs to a slot, by blocks that end where the warm-up does.
    fn advance(&mut self, end: u64, scratch: &mut Scratch) {
        let most = self.switch.preferred_block().max(1) as u64;
        while self.now < end && self.stopped.is_none() {
            let stop = if self.now < self.warmup { end.min(self.warmup) } else { end };
            let slots = most.min(stop - self.now) as usize;
            let Scratch { arrivals, departures, dropped } = scratch;
            arrivals.resize(slots, NONE);
            departures.resize(slots, Cell::IDLE);
            (arrivals.start, departures.start) = (self.now as Slot, self.now as Slot);
            self.source.fill(arrivals);
            dropped.clear();
            self.switch.run_and_log(arrivals, departures, dropped);
            self.meter.observe_all(arrivals, departures, dropped);
            self.now += slots as u64;
            if self.now == self.warmup {
                self.meter.open(self.now as Slot);
            }
            if let Some(failure) = self.switch.failure() {
                self.stopped = Some(failure.to_string());
            } else if self.switch.census().queued > MOST_QUEUED * self.switch.ports() as u64 {
                self.stopped = Some("its queues are too long to go on here".into());
            }
        }
    }

    /// The slots measured.
    fn measured(&self) -> u64 {
        self.now.saturating_sub(self.warmup)
    }

    /// The mean delay of the window.
    fn mean_delay(&mut self) -> Option<f64> {
        let delays = self.meter.delays();
        (delays.count() > 0).then(|| delays.sum() as f64 / delays.count() as f64)
    }

    fn throughput(&self) -> f64 {
        let slots = self.measured().max(1) as f64 * self.switch.ports() as f64;
        self.meter.timeline.total().departures as f64 / slots
    }
}

/// Blocks for all runs.
struct Scratch {
    arrivals: Block<Port>,
    departures: Block<Cell>,
    dropped: Vec<Dropped>,
}

/// A load.
struct Point {
    load: f64,
    runs: Vec<Run>,
}

/// The curve of one switch.
pub struct Curve {
    ports: usize,
    points: Vec<Point>,
    scratch: Scratch,
    end: u64,
}

impl Curve {
    /// The curve before its first slot. The request has a line `curve=` before those of a run:
    /// loads separated by spaces, a semicolon, replications, slots and warm-up.
    pub fn new(text: &str) -> Result<Self, String> {
        let wrong = "a curve begins with a line curve=loads;replications;slots;warm-up";
        let (line, rest) = text.split_once('\n').ok_or(wrong)?;
        let mut words = line.strip_prefix("curve=").ok_or(wrong)?.split(';');
        let loads: Option<Vec<f64>> =
            words.next().ok_or(wrong)?.split_whitespace().map(|word| word.parse().ok()).collect();
        let loads = loads.filter(|loads| loads.iter().all(|load| (0.0..=1.0).contains(load)));
        let loads = loads.ok_or("a load of a curve is a number from 0 to 1")?;
        let mut number = || words.next()?.parse::<u64>().ok();
        let (replications, slots, warmup) = (number().ok_or(wrong)?, number().ok_or(wrong)?, number().ok_or(wrong)?);
        let replications = u32::try_from(replications).unwrap_or(u32::MAX);
        if loads.is_empty() || loads.len() > MOST_LOADS || !(2..=MOST_REPLICATIONS).contains(&replications) {
            return Err(format!("a curve has 1 to {MOST_LOADS} loads and 2 to {MOST_REPLICATIONS} replications"));
        }
        if slots == 0 || slots.saturating_add(warmup) > MOST_SLOTS {
            return Err(format!("a curve has 1 to {MOST_SLOTS} slots, those of the warm-up included"));
        }
        let request = Request::parse(rest)?;
        // All runs of a curve are there at the same time.
        let one = Run::new(&request, loads[0], 0, warmup).map_err(|error| error.to_string())?;
        let runs = loads.len() as u64 * u64::from(replications);
        if one.switch.fixed_bytes().saturating_mul(runs) > MOST_BYTES {
            return Err(
                "the runs of a curve of this switch need too much memory here; lower the ports or the capacity".into(),
            );
        }
        drop(one);
        let point = |load: f64| {
            let runs: Result<Vec<Run>, Error> =
                (0..replications).map(|own| Run::new(&request, load, own, warmup)).collect();
            Ok(Point { load, runs: runs? })
        };
        let points: Result<Vec<Point>, Error> = loads.into_iter().map(point).collect();
        Ok(Self {
            ports: request.ports,
            points: points.map_err(|error| error.to_string())?,
            scratch: Scratch {
                arrivals: Block::new(request.ports, 1, NONE),
                departures: Block::new(request.ports, 1, Cell::IDLE),
                dropped: Vec::new(),
            },
            end: slots + warmup,
        })
    }

    /// Runs every run that many slots more, at most to its end. What is then known, as JSON.
    pub fn advance(&mut self, slots: u64) -> String {
        for run in self.points.iter_mut().flat_map(|point| &mut point.runs) {
            run.advance(run.now.saturating_add(slots).min(self.end), &mut self.scratch);
        }
        let mut json = Json::default();
        let (ports, end) = (self.ports, self.end);
        json.object(|json| {
            let runs = || self.points.iter().flat_map(|point| &point.runs);
            json.key("done").value(runs().all(|run| run.now == end || run.stopped.is_some()));
            json.key("now").value(runs().map(|run| run.now).max().unwrap_or(0));
            json.key("end").value(end);
            json.key("points").array(&mut self.points, |json, point| tell(json, ports, point));
        });
        json.finish()
    }
}

/// The mean delay of each load in `other` less that in `first`, replication by replication: all
/// runs of a replication have the same arrivals. An object with the key `differences`, by load.
pub(crate) fn differences(first: &mut Curve, other: &mut Curve) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("differences").array(first.points.iter_mut().zip(&mut other.points), |json, (a, b)| {
            let both = a.runs.iter_mut().zip(&mut b.runs).filter_map(|(a, b)| Some((a.mean_delay()?, b.mean_delay()?)));
            let (a, b): (Vec<f64>, Vec<f64>) = both.unzip();
            let difference = Estimate::paired(&b, &a);
            json.object(|json| {
                if difference.mean.is_finite() {
                    json.key("mean").value(difference.mean);
                }
                if let Some(width) = difference.half_width {
                    json.key("ci95").value(width);
                }
            });
        });
    });
    json.finish()
}

fn tell(json: &mut Json, ports: usize, point: &mut Point) {
    let delays: Vec<f64> = point.runs.iter_mut().filter_map(Run::mean_delay).collect();
    let throughputs: Vec<f64> = point.runs.iter().map(Run::throughput).collect();
    let windows: Vec<Observation<'_>> = point
        .runs
        .iter()
        .map(|run| Observation {
            timeline: &run.meter.timeline,
            before: run.warmup,
            ended_early: run.stopped.is_some(),
            ports,
        })
        .collect();
    let is_measured = point.runs.iter().all(|run| run.measured() > 0);
    json.object(|json| {
        json.key("load").value(point.load);
        let mut estimate = |name: &str, values: &[f64]| {
            let estimate = Estimate::of(values);
            if is_measured && !values.is_empty() && estimate.mean.is_finite() {
                json.key(name).object(|json| {
                    json.key("mean").value(estimate.mean);
                    if let Some(width) = estimate.half_width {
                        json.key("ci95").value(width);
                    }
                });
            }
        };
        estimate("delay", &delays);
        estimate("throughput", &throughputs);
        let verdict = if is_measured { assess(&windows).verdict } else { Verdict::Undecided };
        json.key("verdict").string(verdict.name());
        json.key("slots").value(point.runs.iter().map(Run::measured).min().unwrap_or(0));
        if let Some(reason) = point.runs.iter().find_map(|run| run.stopped.as_ref()) {
            json.key("stopped").string(reason);
        }
    });
}
