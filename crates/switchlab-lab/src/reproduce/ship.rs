//! Points that are missing among the shipped results are measured, and kept as they are finished.
//!
//! ```text
//!   points of an experiment ──► missing replications ──measure──► rows ──► shipped results
//!                ▲                                                              │
//!                └──── more replications ◄── precision, undecided claims ◄─────┘
//! ```
//!
//! The shipped results are their own store: a measurement that takes days is stopped at any time,
//! goes on from the replications that are kept, and ends with those that one run would have.

use super::catalogue::Paper;
use super::run::more_replications;
use crate::claims::evaluate;
use crate::error::LabError;
use crate::experiment::{Experiment, PointSpec, ResultPoint, Results};
use crate::progress::Progress;
use crate::run::Measured;
use crate::shipped::Shipped;
use crate::sweep::{measure, replications_for_precision, worker_threads};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Results are written at least this often, as far as there are new ones.
const BETWEEN_WRITES: Duration = Duration::from_secs(20);

/// How to measure.
#[derive(Clone, Copy, Debug)]
pub struct Measuring {
    /// Threads that run replications; all cores by default.
    pub threads: Option<usize>,
    /// No replication is begun after this.
    pub until: Option<Instant>,
}

/// Measures what is missing among the shipped results of these papers, and drops what no experiment
/// of a paper uses any more; `all` are the experiments of each. `begin` is called with each
/// experiment. False if time ran out before the end.
pub fn ship(
    papers: &[Paper],
    all: &[Paper],
    folder: &Path,
    measuring: Measuring,
    mut begin: impl FnMut(&str, &Experiment),
) -> Result<bool, LabError> {
    for paper in papers {
        let mut shipped = Shipped::read(&folder.join(&paper.id))?;
        let used = all.iter().find(|known| known.id == paper.id).map_or(&[][..], |known| &known.experiments);
        shipped.retain(used)?;
        for experiment in &paper.experiments {
            begin(&paper.id, experiment);
            if !complete(experiment, &mut shipped, measuring)? {
                return Ok(false);
            }
        }
        shipped.write()?;
    }
    Ok(true)
}

/// Measures what an experiment lacks. False if time ran out.
fn complete(experiment: &Experiment, shipped: &mut Shipped, measuring: Measuring) -> Result<bool, LabError> {
    let points = experiment.points()?;
    let mut replications = vec![experiment.replications; points.len()];
    loop {
        if !fill(&points, &replications, shipped, measuring)? {
            return Ok(false);
        }
        let of = |point: &PointSpec| Ok(ResultPoint::new(point.clone(), &shipped.runs(point)?));
        let results = points.iter().map(of).collect::<Result<Results, LabError>>()?;
        // The precision first, then the claims: the order of a full run.
        let has = |result: &ResultPoint| result.outcome.runs.len() as u32;
        let wanted = |result: &ResultPoint| has(result).max(replications_for_precision(experiment, result));
        let precise: Vec<u32> = results.iter().map(wanted).collect();
        if precise != results.iter().map(has).collect::<Vec<_>>() {
            replications = precise;
            continue;
        }
        let evaluations: Vec<_> = experiment.claims.iter().map(|claim| evaluate(claim, &results)).collect();
        match more_replications(experiment, &results, &evaluations) {
            Some(more) => replications = more,
            None => return Ok(true),
        }
    }
}

/// Replications that are being measured, and where their results go.
struct Filling<'a> {
    shipped: &'a mut Shipped,
    jobs: std::vec::IntoIter<(usize, u32)>,
    /// Finished replications behind one that is not.
    ahead: BTreeMap<(usize, u32), Measured>,
    written: Instant,
    failed: Option<LabError>,
}

impl Filling<'_> {
    /// Takes over a finished replication, and those behind it that waited for it.
    fn keep(&mut self, points: &[PointSpec], replications: &[u32], index: usize) -> Result<(), LabError> {
        let mut next = self.shipped.runs(&points[index])?.len() as u32;
        while let Some(measured) = self.ahead.remove(&(index, next)) {
            self.shipped.add(&points[index], &measured, replications[index] == 1)?;
            next += 1;
        }
        if self.written.elapsed() >= BETWEEN_WRITES {
            self.shipped.write()?;
            self.written = Instant::now();
        }
        Ok(())
    }
}

fn lock<'a, 'b>(filling: &'a Mutex<Filling<'b>>) -> MutexGuard<'a, Filling<'b>> {
    filling.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Measures the replications that points lack. False if time ran out.
fn fill(
    points: &[PointSpec],
    replications: &[u32],
    shipped: &mut Shipped,
    measuring: Measuring,
) -> Result<bool, LabError> {
    let progress = Progress::new();
    let mut jobs = Vec::new();
    for (index, (point, &wanted)) in points.iter().zip(replications).enumerate() {
        let known = shipped.runs(point)?.len() as u32;
        jobs.extend((known..wanted).map(|replication| (index, replication)));
        progress.expect(
            &point.switch,
            point.ports,
            u64::from(wanted.saturating_sub(known)),
            point.warmup + point.slots,
        );
    }
    if jobs.is_empty() {
        return Ok(true);
    }
    let threads = worker_threads(measuring.threads)?;
    let is_late = || measuring.until.is_some_and(|until| Instant::now() >= until);
    let (written, jobs) = (Instant::now(), jobs.into_iter());
    let filling = Mutex::new(Filling { shipped, jobs, ahead: BTreeMap::new(), written, failed: None });
    let work = || {
        loop {
            let job = {
                let mut filling = lock(&filling);
                if is_late() || filling.failed.is_some() { None } else { filling.jobs.next() }
            };
            let Some((index, replication)) = job else { break };
            let measured = measure(&points[index], replication, &progress);
            let mut filling = lock(&filling);
            let kept = measured.and_then(|measured| {
                filling.ahead.insert((index, replication), measured);
                filling.keep(points, replications, index)
            });
            if let Err(error) = kept {
                filling.failed = Some(error);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    progress.finish();
    let Filling { shipped, jobs, failed, .. } = filling.into_inner().unwrap_or_else(PoisonError::into_inner);
    shipped.write()?;
    failed.map_or(Ok(jobs.len() == 0), Err)
}
