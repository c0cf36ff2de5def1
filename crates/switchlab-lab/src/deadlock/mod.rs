//! Whether a small Benes fabric can deadlock: a search of its model, and a trace for the real one.

mod drawing;

pub use drawing::draw;

use crate::error::LabError;
use crate::progress::SearchProgress;
use indicatif::HumanCount;
use std::time::Instant;
use switchlab_core::rng::Purpose;
use switchlab_core::switch::failure::Wait;
use switchlab_core::{Seed, registry};
use switchlab_theory::deadlock::replay::replay_from;
use switchlab_theory::deadlock::search::{Outcome, Pointers, Search, search_from};
use switchlab_theory::deadlock::stress::{Found, shrink, stress};
use switchlab_theory::deadlock::walk::walk;
use switchlab_theory::deadlock::{Distribution, Merge, Model};

/// The question.
#[derive(Clone, Debug)]
pub struct Inquiry {
    /// N.
    pub ports: usize,
    /// P.
    pub radix: usize,
    /// rr or ic.
    pub distribution: Distribution,
    /// How input buffers are merged: any, random, fixed or round-robin.
    pub merge: String,
    /// Cells in an input buffer of a distribution element.
    pub distribution_buffer: usize,
    /// Cells in an input buffer of a routing element; as the theorem asks for if there is none.
    pub routing_buffer: Option<usize>,
    /// Cells in an output buffer of a distribution element, and of a routing element.
    pub output_buffers: (usize, usize),
    /// The pointers that the model begins with.
    pub pointers: Pointers,
    /// States to keep at most.
    pub states: usize,
    /// Steps of random walks, where there are more states.
    pub steps: u64,
    /// Slots with arrivals to try on the fabric itself.
    pub slots: u64,
    /// The seed of walks, arrivals and the fabric.
    pub seed: u64,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The question, with the routing buffer that it has.
    pub inquiry: Inquiry,
    /// The search.
    pub search: Search,
    /// Seconds that it took.
    pub seconds: f64,
    /// Steps of random walks; 0 if there were none.
    pub walked: u64,
    /// Steps from the empty fabric into the deadlock of the model, and its cycle of waiting cells.
    pub circle: Option<(usize, Vec<Wait>)>,
    /// The fabric that was put under stress, for how many slots, and the trace that stops it, if
    /// one was found.
    pub fabric: Option<(String, u64, Option<Found>)>,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

/// Traces that are found and made shorter; the shortest is shown.
const TRIES: usize = 8;

impl Inquiry {
    fn routing(&self) -> usize {
        let more = usize::from(self.distribution == Distribution::ImbalanceCount);
        self.routing_buffer.unwrap_or(self.distribution_buffer.saturating_add(more))
    }

    /// The fabric with this merge. For `any` the fixed merge is used: it is one of the choices, and
    /// with it a trace determines everything.
    fn spec(&self) -> String {
        let distribution = if self.distribution == Distribution::RoundRobin { "rr" } else { "ic" };
        let merge = if self.merge == "any" { "fixed" } else { &self.merge };
        let outputs = match self.output_buffers {
            (1, 1) => String::new(),
            (distribution, routing) => format!(",distribution-output={distribution},routing-output={routing}"),
        };
        format!(
            "benes(radix={},distribution={distribution},distribution-buffer={},routing-buffer={},merge={merge},pointers=zero{outputs})",
            self.radix,
            self.distribution_buffer,
            self.routing()
        )
    }

    /// A description of the search.
    pub fn announcement(&self) -> String {
        let (states, steps, slots) = (HumanCount(self.states as u64), HumanCount(self.steps), HumanCount(self.slots));
        format!(
            "note: searching up to {states} states of the model; if that decides nothing, {steps} random steps and {slots} slots of the fabric follow. Ctrl-C stops with what is known."
        )
    }

    /// Searches, and returns what is known if it is stopped.
    pub fn answer(mut self, progress: &mut SearchProgress) -> Result<Finding, LabError> {
        let merge = match self.merge.as_str() {
            "any" | "random" => Merge::Any,
            "fixed" => Merge::Fixed,
            "round-robin" => Merge::RoundRobin,
            other => {
                return Err(LabError::Request(format!(
                    "no merge is called {other:?}; any, random, fixed and round-robin are"
                )));
            }
        };
        self.routing_buffer = Some(self.routing());
        let model =
            Model::new(self.ports, self.radix, self.distribution, merge, self.distribution_buffer, self.routing())?
                .with_output_buffers(self.output_buffers.0, self.output_buffers.1)?;
        let start = Instant::now();
        let most = HumanCount(self.states as u64);
        let search = search_from(&model, self.pointers, self.states, &mut |states| {
            progress.goes_on(|| format!("{} of at most {most} states, no deadlock so far", HumanCount(states)))
        });
        let seconds = start.elapsed().as_secs_f64();
        let seed = Seed { seed: self.seed, replication: 0 };
        let (walked, steps) = match &search.outcome {
            Outcome::Free => (0, None),
            Outcome::Deadlock(steps) => (0, Some(steps.clone())),
            Outcome::Undecided => {
                let most = HumanCount(self.steps);
                walk(&model, &mut seed.stream(Purpose::Scheduler, 1), self.steps, &mut |steps| {
                    progress.goes_on(|| format!("{} of {most} random steps, no deadlock so far", HumanCount(steps)))
                })
            }
        };
        let circle = match steps {
            Some(steps) => {
                Some((steps.len(), replay_from(&model, &search.pointers, &steps).map_err(LabError::Request)?))
            }
            None => None,
        };
        let fabric = if search.outcome == Outcome::Free || progress.is_stopped() {
            None
        } else {
            Some(self.stress(seed, progress)?)
        };
        progress.finish();
        // A search that has visited every state is finished, even if a later part was stopped.
        let stopped = progress.is_stopped() && search.outcome != Outcome::Free;
        Ok(Finding { inquiry: self, search, seconds, walked, circle, fabric, stopped })
    }

    /// Searches for a short trace that stops the fabric.
    fn stress(&self, seed: Seed, progress: &mut SearchProgress) -> Result<(String, u64, Option<Found>), LabError> {
        let chosen = registry::switch(&self.spec())?;
        let build = || chosen.build(self.ports, seed);
        let mut rng = seed.stream(Purpose::Pattern, 1);
        let mut tried = 0;
        let mut best: Option<Found> = None;
        let most = HumanCount(self.slots);
        for _ in 0..TRIES {
            let (slots, found) = stress(&build, &mut rng, self.slots.saturating_sub(tried), &mut |slots| {
                progress.goes_on(|| format!("{} of {most} slots of hostile arrivals", HumanCount(tried + slots)))
            })?;
            tried += slots;
            let Some(found) = found else { break };
            let found = shrink(&build, found, &mut |cells| {
                progress
                    .goes_on(|| format!("a trace of {} cells stops the fabric; making it shorter", HumanCount(cells)))
            })?;
            if best.as_ref().is_none_or(|best| found.arrivals.len() < best.arrivals.len()) {
                best = Some(found);
            }
        }
        Ok((chosen.args.to_string(), tried, best))
    }
}
