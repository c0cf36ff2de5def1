//! Sweeps: units that are missing in the store are run.
//!
//! ```text
//!   points ──units──► is it in the store? ──no──► lease it ──► run it ──► append it
//!                            └──yes──► read it
//! ```
//!
//! Results are always read back from the store, also those that were just run: what a table shows
//! is what the file holds. They are in the order of the points, whichever process ran them.

use crate::calculation;
use crate::error::LabError;
use crate::experiment::{Experiment, PointSpec, ResultPoint, Results};
use crate::export::{CSV, PARQUET};
use crate::files::check;
use crate::manifest::{EXPERIMENT, MANIFEST};
use crate::plan::RUNS_AT_ONCE;
use crate::progress::Progress;
use crate::run::{self, Measured, Run};
use crate::statistics::Verdict;
use crate::status::{note_time, speeds};
use crate::store::{Claimed, Damage, Sharing, Store, UNITS, Unit};
use rayon::ThreadPool;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use switchlab_core::Seed;

/// How often to check whether other processes have finished units that they hold.
const POLL: Duration = Duration::from_millis(100);

/// A directory of results, and the threads that add to it.
#[derive(Debug)]
pub struct Sweep {
    store: Mutex<Store>,
    /// Directories whose results are reused.
    others: Vec<PathBuf>,
    pool: ThreadPool,
    ran: AtomicU64,
    end: End,
}

/// When to begin no more units.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// A flag that is set when the sweep is to stop: by a signal, say.
    pub asked: Option<Arc<AtomicBool>>,
    /// No unit is begun that would not be finished by then, as far as is known how long it takes.
    pub at: Option<Instant>,
}

impl End {
    /// Why a unit that takes so long is not begun; None if it is.
    fn reason(&self, takes: Duration) -> Option<&'static str> {
        if self.asked.as_ref().is_some_and(|asked| asked.load(Ordering::Relaxed)) {
            return Some("stopped");
        }
        let is_late = self.at.is_some_and(|at| Instant::now() + takes >= at);
        is_late.then_some("the time limit leaves no time for another unit")
    }
}

/// A unit that is to be run.
struct Job<'a> {
    key: String,
    unit: Unit,
    point: &'a PointSpec,
    /// The index of the point in the request.
    index: usize,
}

impl Sweep {
    /// Opens a directory, or begins one. All cores by default.
    pub fn open(dir: &Path, threads: Option<usize>) -> Result<Self, LabError> {
        Self::open_as(dir, threads, None)
    }

    /// The same, sharing the directory by locks or by files; None to find out whether locks hold.
    pub fn open_as(dir: &Path, threads: Option<usize>, sharing: Option<Sharing>) -> Result<Self, LabError> {
        let threads = worker_threads(threads)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| LabError::Request(format!("cannot start {threads} threads: {error}")))?;
        check_outputs(dir)?;
        Ok(Self {
            store: Mutex::new(Store::open_as(dir, sharing)?),
            others: Vec::new(),
            pool,
            ran: AtomicU64::new(0),
            end: End::default(),
        })
    }

    /// Copies units from other directories, where these have them, instead of running them.
    pub fn reuse_from(&mut self, dirs: &[PathBuf]) {
        self.others = dirs.to_vec();
    }

    /// Begins no unit after this. What is left then is [`LabError::Unfinished`].
    pub fn end(&mut self, end: End) {
        self.end = end;
    }

    /// The store. Not to be held while units are run.
    pub fn store(&self) -> MutexGuard<'_, Store> {
        // A panic elsewhere leaves at worst a line without end, which the store repairs itself.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Damage of the store that was found since the last call.
    pub fn damages(&self) -> Vec<Damage> {
        self.store().damages()
    }

    /// How many units this process has run.
    pub fn ran(&self) -> u64 {
        self.ran.load(Ordering::Relaxed)
    }

    /// The replications of each point, in order, as many as asked for; those that are missing are
    /// run.
    pub fn complete(&self, points: &[(PointSpec, u32)], progress: &Progress) -> Result<Vec<Vec<Measured>>, LabError> {
        // A line without a result is found when it is read, and dropped from the index: a second
        // pass runs its unit.
        for _ in 0..2 {
            self.run_missing(points, None, progress)?;
            if let Some(known) = self.known(points)?.into_iter().collect() {
                return Ok(known);
            }
        }
        Err(missing(self.store().dir()))
    }

    /// The replications of each point, in order; None for a point that has not all of them. Nothing
    /// is run.
    pub fn known(&self, points: &[(PointSpec, u32)]) -> Result<Vec<Option<Vec<Measured>>>, LabError> {
        let of = |(point, replications): &(PointSpec, u32)| {
            let units = Unit::of(point, *replications)?;
            let mut store = self.store();
            // Every unit is read, also behind one that is missing: all damage is found at once.
            let runs = units.iter().map(|unit| store.get(&unit.key())).collect::<Result<Vec<_>, _>>()?;
            Ok(runs.into_iter().collect())
        };
        points.iter().map(of).collect()
    }

    /// Runs what is missing. Of a shard (i, n), only every n-th unit from the i-th on, counted over
    /// all units of the grid, so that shards never overlap.
    pub fn run_missing(
        &self,
        points: &[(PointSpec, u32)],
        shard: Option<(u32, u32)>,
        progress: &Progress,
    ) -> Result<(), LabError> {
        let mut seen = BTreeSet::new();
        let mut jobs = Vec::new();
        for (index, (point, replications)) in points.iter().enumerate() {
            for unit in Unit::of(point, *replications)? {
                let key = unit.key();
                if seen.insert(key.clone()) {
                    jobs.push(Job { key, unit, point, index });
                }
            }
        }
        if let Some((part, parts)) = shard {
            let mut count = 0;
            jobs.retain(|_| {
                count += 1;
                (count - 1) % parts == part - 1
            });
        }
        let mut left = vec![0; points.len()];
        {
            let mut store = self.store();
            store.catch_up()?;
            for dir in &self.others {
                store.take(&Store::read(dir)?, jobs.iter().map(|job| job.key.as_str()))?;
            }
            jobs.retain(|job| !store.has(&job.key));
            // Without leases, processes begin in different places, so that they seldom meet.
            if store.sharing() == Sharing::Files && !jobs.is_empty() {
                let middle = store.offset() % jobs.len();
                jobs.rotate_left(middle);
            }
        }
        for job in &jobs {
            left[job.index] += 1;
            progress.expect(&job.unit.switch, job.unit.ports, 1, job.unit.warmup + job.unit.slots);
        }
        calibrate(&jobs, progress);
        let open = left.iter().filter(|&&units| units > 0).count();
        progress.expect_points(open as u64);
        let state = Mutex::new(left.into_iter().map(|units| (units, Duration::ZERO)).collect::<Vec<_>>());
        while !jobs.is_empty() {
            let before = jobs.len();
            let passed = self.pass(jobs, &state, progress);
            if passed.is_err() {
                self.store().sync()?;
            }
            jobs = passed?;
            if jobs.len() == before {
                progress.check()?;
                std::thread::sleep(POLL);
            }
        }
        self.store().sync()
    }

    /// One pass through the jobs, on all threads, in their order. Returns the jobs that other
    /// processes hold. If one fails, no other is begun.
    ///
    /// Threads take the next job when they have finished one. Splitting the list among them
    /// beforehand, as rayon's iterators do, was rejected: the long units, at high load and many
    /// ports, are neighbours.
    fn pass<'a>(
        &self,
        jobs: Vec<Job<'a>>,
        state: &Mutex<Vec<(u32, Duration)>>,
        progress: &Progress,
    ) -> Result<Vec<Job<'a>>, LabError> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let speeds = Mutex::new(speeds(&[self.store().dir().to_owned()]));
        let locked = || speeds.lock().unwrap_or_else(PoisonError::into_inner);
        let results = self.pool.broadcast(|_| {
            let mut busy = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(index) else { break };
                if let Some(why) = self.end.reason(locked().of(&job.unit)) {
                    stop.store(true, Ordering::Relaxed);
                    return Err(LabError::Unfinished { why, left: 0 });
                }
                let begun = Instant::now();
                match self.run(job, progress) {
                    Ok(true) => {
                        locked().note(&job.unit, begun.elapsed());
                        finished(job, begun.elapsed(), state, progress);
                    }
                    Ok(false) => busy.push(index),
                    Err(error) => {
                        stop.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
            Ok(busy)
        });
        let mut busy = BTreeSet::new();
        for result in results {
            match result {
                Ok(of_thread) => busy.extend(of_thread),
                Err(LabError::Unfinished { why, .. }) => {
                    let store = self.store();
                    let left = jobs.iter().filter(|job| !store.has(&job.key)).count();
                    return Err(LabError::Unfinished { why, left });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(jobs.into_iter().enumerate().filter(|(index, _)| busy.contains(index)).map(|(_, job)| job).collect())
    }

    /// Whether the unit is done now, by this process or another.
    fn run(&self, job: &Job<'_>, progress: &Progress) -> Result<bool, LabError> {
        let claimed = self.store().claim(&job.key)?;
        match claimed {
            Claimed::Done => {
                let work = progress.work(&job.unit.switch, job.unit.ports);
                progress.skip(&work, job.unit.warmup + job.unit.slots);
            }
            Claimed::Busy => return Ok(false),
            Claimed::Leased(lease) => {
                let begun = Instant::now();
                let measured = measure(job.point, job.unit.replication, progress)?;
                let mut store = self.store();
                store.put(lease, &job.unit, &measured)?;
                note_time(store.dir(), &job.unit, begun.elapsed());
                drop(store);
                self.ran.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(true)
    }
}

/// How many threads run units: all cores unless told otherwise.
pub(crate) fn worker_threads(asked: Option<usize>) -> Result<usize, LabError> {
    let threads = asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    if threads == 0 || threads > 4096 {
        return Err(LabError::Request("--threads must be from 1 to 4096".to_string()));
    }
    Ok(threads.min(RUNS_AT_ONCE))
}

/// Estimates the time per slot of each kind of job: slow ones may come last, and without an
/// estimate the prediction would be wrong until then.
fn calibrate(jobs: &[Job<'_>], progress: &Progress) {
    if !progress.is_watched() {
        return;
    }
    let mut kinds = BTreeMap::new();
    for job in jobs.iter().filter(|job| !job.point.calculates()) {
        kinds.entry((&job.point.switch, job.point.ports)).or_insert(job.point);
    }
    // The error of a point without a plan is reported when it is run.
    let plans: Vec<_> = kinds.values().filter_map(|point| point.plan().ok()).collect();
    run::calibrate(plans.iter().map(|plan| (plan, 0)), progress);
}

fn finished(job: &Job<'_>, took: Duration, state: &Mutex<Vec<(u32, Duration)>>, progress: &Progress) {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let (left, spent) = &mut state[job.index];
    *left -= 1;
    *spent += took;
    if *left == 0 {
        progress.point_done(&format!("{} at {}", job.point.switch, job.point.load), *spent);
    }
}

/// Makes sure that the tables of a directory can be written at the end. Without a store beside
/// them, files of these names were not written by switchlab, and are kept.
fn check_outputs(dir: &Path) -> Result<(), LabError> {
    if !dir.exists() {
        return Ok(());
    }
    for name in [CSV, PARQUET, MANIFEST, EXPERIMENT] {
        let path = dir.join(name);
        check(&path)?;
        // In this order: another process may begin the store now, and its `units.jsonl` comes
        // first.
        if path.exists() && !dir.join(UNITS).exists() {
            return Err(LabError::Request(format!(
                "{} would be replaced, and {} holds no results of switchlab; move it, or name another directory",
                path.display(),
                dir.display()
            )));
        }
    }
    Ok(())
}

fn missing(dir: &Path) -> LabError {
    LabError::Request(format!("{}: results were removed while they were being used", dir.display()))
}

/// Runs one unit.
pub fn measure(point: &PointSpec, replication: u32, progress: &Progress) -> Result<Measured, LabError> {
    if point.calculates() {
        return calculation::measure(&point.switch, point.ports, Seed { seed: point.seed, replication });
    }
    let plan = point.plan()?;
    let mut run = Run::new(&plan, 0, replication)?.with_fingerprint();
    run.advance(point.warmup, None, progress)?;
    run.open();
    run.advance(point.slots, None, progress)?;
    if point.drains {
        run.drain(None, progress)?;
    }
    Ok(run.measured())
}

/// Runs an experiment, with more replications where its precision asks for them. A shard (i, n)
/// runs its part of the first replications only, and has no results: which points need more is
/// known when all parts are there.
pub fn run_experiment(
    experiment: &Experiment,
    sweep: &mut Sweep,
    shard: Option<(u32, u32)>,
    progress: &Progress,
) -> Result<Results, LabError> {
    let points: Vec<_> = experiment.points()?.into_iter().map(|point| (point, experiment.replications)).collect();
    let results = if shard.is_some() {
        sweep.run_missing(&points, shard, progress).map(|()| Vec::new())
    } else {
        let complete = |points: &[(PointSpec, u32)]| sweep.complete(points, progress).map(Some);
        refine(experiment, points, complete).map(Option::unwrap_or_default)
    };
    progress.finish();
    results
}

/// The results of an experiment if the store has all of them. Nothing is run.
pub fn known_results(experiment: &Experiment, sweep: &Sweep) -> Result<Option<Results>, LabError> {
    let points = experiment.points()?.into_iter().map(|point| (point, experiment.replications)).collect();
    refine(experiment, points, |points| Ok(sweep.known(points)?.into_iter().collect()))
}

/// Gets results, and again with more replications, until every point is precise enough. How many
/// more depends on the results so far and on nothing else.
fn refine(
    experiment: &Experiment,
    mut points: Vec<(PointSpec, u32)>,
    get: impl Fn(&[(PointSpec, u32)]) -> Result<Option<Vec<Vec<Measured>>>, LabError>,
) -> Result<Option<Results>, LabError> {
    loop {
        let Some(runs) = get(&points)? else {
            return Ok(None);
        };
        let mut results = Vec::new();
        let mut more = false;
        for ((spec, replications), runs) in points.iter_mut().zip(runs) {
            let result = ResultPoint::new(spec.clone(), &runs);
            let wanted = replications_for_precision(experiment, &result);
            if wanted > *replications {
                (*replications, more) = (wanted, true);
            }
            results.push(result);
        }
        if !more {
            return Ok(Some(results));
        }
    }
}

/// How many replications a point should have for the precision that its experiment asks for.
pub(crate) fn replications_for_precision(experiment: &Experiment, result: &ResultPoint) -> u32 {
    let replications = result.outcome.runs.len() as u32;
    let wanted = experiment.precision.map_or(0, |precision| wanted(result, replications, precision));
    wanted.min(experiment.most_replications)
}

/// How many replications a point should have. The half width falls with their square root, but an
/// estimate from a few is rough, so at most twice as many at a time. An unstable point has no mean
/// delay.
fn wanted(result: &ResultPoint, replications: u32, precision: f64) -> u32 {
    let outcome = &result.outcome;
    let Some(delay) = outcome.delay.filter(|_| outcome.stability.verdict != Verdict::Unstable) else {
        return replications;
    };
    match delay.relative() {
        _ if delay.is_known_to(precision) => replications,
        None => replications.saturating_mul(2),
        Some(relative) => {
            let times = relative / precision;
            let needed = (f64::from(replications) * (times * times)).ceil() as u32;
            needed.clamp(replications.saturating_add(1), replications.saturating_mul(2))
        }
    }
}

#[cfg(test)]
mod tests;
