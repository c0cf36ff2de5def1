//! All runs of a page, by number.

use crate::curve::{self, Curve};
use crate::json::{self, Json};
use crate::request::Request;
use crate::sim::Sim;
use switchlab_core::registry::{ARRIVALS, SWITCHES, TRAFFIC};
use switchlab_core::spec::Parameter;

/// The most runs at the same time.
const MOST_RUNS: usize = 8;
/// The most curves at the same time.
const MOST_CURVES: usize = 4;
/// The most slots of a trace that is written out.
const MOST_TRACE: u64 = 100_000;

/// The runs of a page. Every answer is JSON; an error is an object with the key `error`.
#[derive(Default)]
pub struct Host {
    runs: Vec<Option<Sim>>,
    curves: [Option<Curve>; MOST_CURVES],
}

impl Host {
    /// No runs.
    pub const fn new() -> Self {
        Self { runs: Vec::new(), curves: [const { None }; MOST_CURVES] }
    }

    /// Makes run number `run` anew, by the request; what it is a run of.
    pub fn build(&mut self, run: usize, request: &str) -> String {
        if run >= MOST_RUNS {
            return json::error("there are at most 8 runs");
        }
        let sim = Request::parse(request).and_then(|request| Sim::new(&request).map_err(|error| error.to_string()));
        match sim {
            Ok(sim) => {
                let about = sim.about().to_string();
                self.runs.resize_with(self.runs.len().max(run + 1), || None);
                self.runs[run] = Some(sim);
                about
            }
            Err(message) => json::error(&message),
        }
    }

    fn with(&mut self, run: usize, answer: impl FnOnce(&mut Sim) -> Result<String, String>) -> String {
        match self.runs.get_mut(run).and_then(Option::as_mut) {
            Some(sim) => answer(sim).unwrap_or_else(|message| json::error(&message)),
            None => json::error("there is no such run"),
        }
    }

    /// Runs that many slots; where the run then stands.
    pub fn advance(&mut self, run: usize, slots: u64) -> String {
        self.with(run, |sim| match sim.advance(slots) {
            None => Ok(sim.status()),
            Some(reason) => Err(reason),
        })
    }

    /// Runs one slot and tells all of it.
    pub fn slot(&mut self, run: usize) -> String {
        self.with(run, Sim::slot)
    }

    /// Makes curve number `curve` anew: [`Curve::new`]. What is known before its first slot.
    pub fn curve(&mut self, curve: usize, request: &str) -> String {
        match (self.curves.get_mut(curve), Curve::new(request)) {
            (Some(place), Ok(curve)) => place.insert(curve).advance(0),
            (None, _) => json::error("there are at most 4 curves"),
            (_, Err(message)) => json::error(&message),
        }
    }

    /// Runs every run of the curve that many slots more; what is then known.
    pub fn advance_curve(&mut self, curve: usize, slots: u64) -> String {
        let curve = self.curves.get_mut(curve).and_then(Option::as_mut);
        curve.map_or_else(|| json::error("there is no curve"), |curve| curve.advance(slots))
    }

    /// The delays of another curve less those of the first one, with intervals, by load.
    pub fn differences(&mut self, first: usize, other: usize) -> String {
        match self.curves.get_disjoint_mut([first, other]) {
            Ok([Some(first), Some(other)]) => curve::differences(first, other),
            _ => json::error("there are no two such curves"),
        }
    }

    /// The arrivals of the first slots of a request as a trace: an object with the key `csv`.
    pub fn trace(slots: u64, request: &str) -> String {
        let sim = Request::parse(request).and_then(|request| Sim::new(&request).map_err(|error| error.to_string()));
        match sim {
            Ok(_) if slots > MOST_TRACE => json::error("a trace written here has at most 100000 slots"),
            Ok(mut sim) => {
                let mut json = Json::default();
                json.object(|json| json.key("csv").string(&sim.trace(slots)));
                json.finish()
            }
            Err(message) => json::error(&message),
        }
    }

    /// What there is: switches, traffic and arrival processes.
    pub fn list() -> String {
        let mut json = Json::default();
        json.object(|json| {
            let entry = |json: &mut Json, name: &str, about: &str, parameters: &[Parameter]| {
                json.object(|json| {
                    json.key("name").string(name);
                    json.key("about").string(about);
                    json.key("parameters").array(parameters, |json, parameter| {
                        json.object(|json| {
                            json.key("name").string(parameter.name);
                            json.key("about").string(parameter.about);
                        });
                    });
                });
            };
            json.key("switches").array(SWITCHES, |json, e| entry(json, e.name, e.about, e.parameters));
            json.key("traffic").array(TRAFFIC, |json, e| entry(json, e.name, e.about, e.parameters));
            json.key("arrivals").array(ARRIVALS, |json, e| entry(json, e.name, e.about, e.parameters));
        });
        json.finish()
    }
}
