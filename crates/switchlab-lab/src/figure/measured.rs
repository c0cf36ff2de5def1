//! Pictures of the runs themselves, beyond one value for each: distributions, courses, matrices.

use super::names::{short, short_one};
use crate::compare::Comparison;
use crate::error::LabError;
use crate::experiment::{PointSpec, ResultPoint};
use crate::files::without_folders;
use crate::numbers::percent;
use crate::outcome::Outcome;
use crate::picture::Picture;
use crate::plan::Plan;
use crate::plot::{Axis, Chart, HeatMap, Point, Series};
use crate::statistics::{Estimate, Verdict};
use switchlab_core::meter::Histogram;
use switchlab_core::registry::Traffic;
use switchlab_core::{Block, NONE, Seed};

/// What a picture of runs shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A metric; for a comparison, the mean delay of each switch.
    Curve,
    /// For each switch, the share of cells that wait longer than d slots.
    Ccdf,
    /// For each switch, the backlog over time.
    Backlog,
    /// The rates from inputs to outputs.
    Matrix,
    /// The mean number of cells inside of each input for each output, of the first switch.
    Voq,
}

/// The mean number of cells inside of each input for each output, of the first switch.
pub(super) fn voqs(lines: &[Measurement], ports: usize) -> HeatMap {
    let lengths = lines.first().and_then(|line| line.outcome.occupancy());
    let values = lengths.map_or_else(Vec::new, |lengths| {
        let slots = lengths.total.count().max(1) as f64;
        let mean = |row: &[u64]| row.iter().map(|&sum| sum as f64 / slots).collect();
        lengths.voq_sums.chunks(ports).map(mean).collect()
    });
    let title =
        lines.first().map_or_else(String::new, |line| format!("Cells inside by input and output, {}", line.name));
    HeatMap::new(title, "Cells, mean over slots", values)
}

/// The most lines of a picture of a folder. More cannot be told apart.
const MOST_LINES: usize = 24;
/// The most points at which a distribution is evaluated.
const MOST_POINTS: usize = 400;

/// The runs of one line.
pub(super) struct Measurement<'a> {
    pub(super) name: String,
    full: String,
    /// Whether its cells are those of a trace.
    of_trace: bool,
    pub(super) outcome: &'a Outcome,
}

pub(super) fn measurements<'a>(plan: &Plan, comparison: &'a Comparison) -> Vec<Measurement<'a>> {
    let names = short(comparison.switches.iter().map(|outcome| outcome.spec.as_str()));
    let lines = comparison.switches.iter().zip(names).map(|(outcome, name)| {
        let full = outcome.spec.clone();
        Measurement { name, full, of_trace: plan.is_trace(), outcome }
    });
    lines.collect()
}

/// A picture of a comparison.
pub fn of_comparison(kind: Kind, plan: &Plan, comparison: &Comparison) -> Picture {
    let subtitle = format!(
        "{} ports, {} traffic, {} arrivals, load {}",
        plan.ports,
        short_one(&without_folders(&plan.traffic_spec)),
        short_one(&plan.arrivals_spec),
        brief(plan.load)
    );
    if kind == Kind::Matrix {
        return Picture::HeatMap(HeatMap { subtitle: Some(subtitle), ..matrix(plan) });
    }
    let lines = measurements(plan, comparison);
    if kind == Kind::Voq {
        return Picture::HeatMap(HeatMap { subtitle: Some(subtitle), ..voqs(&lines, plan.ports) });
    }
    let chart = match kind {
        Kind::Ccdf => ccdf(&lines),
        Kind::Backlog => backlog(&lines),
        Kind::Curve | Kind::Matrix | Kind::Voq => means(&lines, plan.load),
    };
    Picture::Chart(chart.subtitle(subtitle))
}

/// A picture of points of an experiment.
pub fn of_results(kind: Kind, points: &[&ResultPoint]) -> Result<Picture, LabError> {
    if kind == Kind::Matrix {
        let plan = matrix_plan(points)?;
        let subtitle = format!(
            "{} ports, {} traffic, load {}",
            plan.ports,
            short_one(&without_folders(&plan.traffic_spec)),
            brief(plan.load)
        );
        return Ok(Picture::HeatMap(HeatMap { subtitle: Some(subtitle), ..matrix(&plan) }));
    }
    let (lines, shared) = lines(kind, points)?;
    let chart = match kind {
        Kind::Backlog => backlog(&lines),
        Kind::Ccdf | Kind::Curve | Kind::Matrix | Kind::Voq => ccdf(&lines),
    };
    Ok(Picture::Chart(chart.subtitle(shared)))
}

/// The traffic that points share, at the highest load of them.
pub(super) fn matrix_plan(points: &[&ResultPoint]) -> Result<Plan, LabError> {
    let first = first(points)?;
    let same = |spec: &PointSpec| (&spec.traffic, spec.ports) == (&first.spec.traffic, first.spec.ports);
    if !points.iter().all(|point| same(&point.spec)) {
        return Err(LabError::Request(
            "there are several matrices; choose one with --where traffic=SPEC and --where ports=N".to_string(),
        ));
    }
    let load = points.iter().map(|point| point.spec.load).fold(0.0, f64::max);
    PointSpec { load, ..first.spec.clone() }.plan()
}

fn first<'a>(points: &[&'a ResultPoint]) -> Result<&'a ResultPoint, LabError> {
    let request = |problem: &str| Err(LabError::Request(problem.to_string()));
    match points.first() {
        None => request("no result is left to draw; widen --where"),
        Some(first) if first.spec.calculates() => request("a calculation has no runs to draw; leave out --kind"),
        Some(first) => Ok(first),
    }
}

/// The lines of a picture of points of an experiment, and in words what the points share.
pub(super) fn lines<'a>(kind: Kind, points: &[&'a ResultPoint]) -> Result<(Vec<Measurement<'a>>, String), LabError> {
    let request = |problem: String| Err(LabError::Request(problem));
    if kind == Kind::Voq {
        return request(
            "a sweep does not keep queues; draw them with `switchlab run SWITCH --plot FILE --kind voq`".to_string(),
        );
    }
    let first = first(points)?;
    if points.len() > MOST_LINES {
        return request(format!(
            "this picture would have {} lines, and {MOST_LINES} are the most; narrow it, as with --where load=0.9",
            points.len()
        ));
    }
    // What differs between points is in their names, what they share in the subtitle.
    let mut axes: Vec<String> = ["switch", "ports", "traffic", "arrivals", "load"].map(str::to_string).to_vec();
    axes.extend(first.spec.vary.keys().cloned());
    let mut names: Vec<Vec<String>> = vec![Vec::new(); points.len()];
    let mut shared = Vec::new();
    for axis in &axes {
        let texts: Vec<String> = points.iter().map(|point| point.spec.text(axis).unwrap_or_default()).collect();
        let words = short(texts.iter().map(String::as_str));
        let say = |word: &String| match axis.as_str() {
            "switch" => word.clone(),
            "traffic" | "arrivals" => format!("{word} {axis}"),
            "ports" => format!("{word} ports"),
            _ => format!("{axis} {word}"),
        };
        if axis != "switch" && texts.iter().all(|text| *text == texts[0]) {
            shared.push(say(&words[0]));
        } else {
            names.iter_mut().zip(&words).for_each(|(name, word)| name.push(say(word)));
        }
    }
    let line = |(point, name): (&&'_ ResultPoint, &Vec<String>)| (name.join(", "), point.spec.switch.clone());
    let named: Vec<_> = points.iter().zip(&names).map(line).collect();
    let lines = points.iter().zip(named);
    let measurement = |(point, (name, full)): (&&'a ResultPoint, (String, String))| {
        let of_trace = point.spec.replays();
        Measurement { name, full, of_trace, outcome: &point.outcome }
    };
    let lines = lines.map(measurement).collect();
    Ok((lines, shared.join(", ")))
}

/// A number of at most four significant digits, for a subtitle.
fn brief(value: f64) -> String {
    crate::numbers::significant(value)
}

fn series(line: &Measurement, points: impl IntoIterator<Item = Point>) -> Series {
    Series::new(&line.name, points).of_switch(&line.outcome.spec, &line.full)
}

/// Whether bands are drawn, in words.
fn bands(lines: &[Measurement]) -> Option<String> {
    let runs = lines.iter().map(|line| line.outcome.runs.len()).max().filter(|runs| *runs > 1)?;
    Some(format!("Bands: 95 % confidence intervals over {runs} replications"))
}

/// The mean delays of switches at one load.
fn means(lines: &[Measurement], load: f64) -> Chart {
    let y = Axis::linear("Mean delay (slots)");
    let mut chart = Chart::new("Mean delay", Axis::linear("Load of each input").word("load"), y);
    let (unstable, stable): (Vec<_>, Vec<_>) =
        lines.iter().partition(|line| line.outcome.stability.verdict == Verdict::Unstable);
    for line in stable {
        let point = line.outcome.delay.map(|delay| super::plotted(load, delay));
        chart = chart.series(series(line, point));
    }
    let notes: Vec<String> = left_out(&unstable).into_iter().chain(cautions(lines)).collect();
    chart.footer = (!notes.is_empty()).then(|| notes.join("\n"));
    chart
}

/// What a reader must know before he compares the lines: which lose cells, and of which it is not
/// known whether they are stable.
fn cautions(lines: &[Measurement]) -> Vec<String> {
    let lossy = lines.iter().filter(|line| line.outcome.cells().dropped > 0);
    let lossy: Vec<String> = lossy.map(|line| format!("{} {}", line.name, percent(line.outcome.loss()))).collect();
    let undecided = lines.iter().filter(|line| line.outcome.stability.verdict == Verdict::Undecided);
    // A trace ends, so that there is nothing to decide; what never leaves is to be said.
    let (traces, open): (Vec<_>, Vec<_>) = undecided.partition(|line| line.of_trace);
    let names = |lines: &[&Measurement]| lines.iter().map(|line| line.name.as_str()).collect::<Vec<_>>().join(", ");
    let inside: Vec<String> = traces
        .iter()
        .filter(|line| line.outcome.cells().queued > 0)
        .map(|line| format!("{} {}", line.name, line.outcome.cells().queued))
        .collect();
    let mut notes = Vec::new();
    notes
        .extend((!lossy.is_empty()).then(|| format!("Of the cells that are not lost. Lost are: {}", lossy.join(", "))));
    notes.extend((!open.is_empty()).then(|| format!("Too short to tell whether stable: {}", names(&open))));
    notes.extend((!inside.is_empty()).then(|| format!("Of the cells that leave. Never left: {}", inside.join(", "))));
    notes
}

fn left_out(unstable: &[&Measurement]) -> Option<String> {
    let names: Vec<&str> = unstable.iter().map(|line| line.name.as_str()).collect();
    (!names.is_empty()).then(|| format!("Unstable at this load, and so without such a value: {}", names.join(", ")))
}

/// Distributions of delays. Unstable switches have none and are left out; the footer names them.
fn ccdf(lines: &[Measurement]) -> Chart {
    let (unstable, shown): (Vec<_>, Vec<_>) =
        lines.iter().partition(|line| line.outcome.stability.verdict == Verdict::Unstable);
    let y = Axis::log("Share of cells that wait longer than d").word("a share of");
    let mut chart = Chart::new("How long cells wait", Axis::log("Delay d (slots)").word("delay"), y);
    let mut hidden = false;
    for line in shown {
        let points = distribution(line.outcome);
        hidden |= points.iter().any(|point| point.x == 0.0);
        chart = chart.series(series(line, points.into_iter().filter(|point| point.x > 0.0)).step());
    }
    let banded = chart.series.iter().flat_map(|series| &series.points).any(|point| point.interval.is_some());
    let mut notes: Vec<String> = bands(lines).filter(|_| banded).into_iter().collect();
    notes.extend(hidden.then(|| "The logarithmic axis begins at 1 slot; a delay of 0 is left of it".to_string()));
    notes.extend(left_out(&unstable));
    notes.extend(cautions(lines));
    chart.footer = (!notes.is_empty()).then(|| notes.join("\n"));
    chart
}

/// How many steps of a share that falls to a tenth are told apart.
const STEPS_PER_DECADE: f64 = 40.0;

/// Of many increasing delays with the shares of cells that wait longer, some: evenly spaced on two
/// logarithmic axes. A tail that is steep has its points by its height. The ends are kept, and so
/// is the first that the axis shows: 0 has no place on it.
fn thinned(delays: &[u32], shares: &[f64]) -> Vec<u32> {
    let Some(last) = delays.last().copied().filter(|_| delays.len() > MOST_POINTS) else { return delays.to_vec() };
    let most = libm::log(f64::from(last.max(1)));
    let place = |delay: u32| (libm::log(f64::from(delay.max(1))) / most * MOST_POINTS as f64) as u32;
    let height = |share: f64| (-libm::log10(share.max(1e-18)) * STEPS_PER_DECADE) as u32;
    let mut kept: Vec<(u32, f64)> = delays.iter().copied().zip(shares.iter().copied()).collect();
    kept.dedup_by_key(|(delay, share)| (*delay == 0, place(*delay), height(*share), *delay == last));
    kept.into_iter().map(|(delay, _)| delay).collect()
}

/// The share of cells that wait longer than each delay, with its interval over replications. The
/// last point is the longest delay: the share before it holds up to there.
fn distribution(outcome: &Outcome) -> Vec<Point> {
    let delays: Vec<u32> = outcome.delays.buckets().map(|(delay, _)| delay).collect();
    let delays = thinned(&delays, &shares(&outcome.delays, &delays));
    let all = shares(&outcome.delays, &delays);
    let each: Vec<Vec<f64>> = outcome.runs.iter().map(|run| shares(&run.delays, &delays)).collect();
    let mut points: Vec<Point> = Vec::with_capacity(delays.len());
    for (index, delay) in delays.iter().enumerate() {
        let x = f64::from(*delay);
        if all[index] <= 0.0 {
            // On a logarithmic axis there is no zero; the line ends here at the height it had.
            points.extend(points.last().copied().map(|before| Point { x, ..before }));
            break;
        }
        let values: Vec<f64> = each.iter().map(|shares| shares[index]).collect();
        let estimate = Estimate::of(&values);
        let point = Point::new(x, all[index]);
        points.push(match (estimate.low(), estimate.high()) {
            (Some(low), Some(high)) if values.len() > 1 => point.interval(low.max(0.0), high),
            _ => point,
        });
    }
    points
}

/// For each of some increasing delays, the share of cells that wait longer.
pub(super) fn shares(histogram: &Histogram, delays: &[u32]) -> Vec<f64> {
    let (all, mut longer) = (histogram.count(), histogram.count());
    let mut buckets = histogram.buckets().peekable();
    let share = |delay: &u32| {
        while let Some((_, count)) = buckets.next_if(|(bucket, _)| bucket <= delay) {
            longer -= count;
        }
        if all == 0 { 0.0 } else { longer as f64 / all as f64 }
    };
    delays.iter().map(share).collect()
}

/// The backlog over time, with its interval over replications. Unstable switches are shown: their
/// growth is what the picture is for.
fn backlog(lines: &[Measurement]) -> Chart {
    let x = Axis::linear("Time (slots)").word("time");
    let mut chart = Chart::new("Backlog over time", x, Axis::linear("Backlog (cells)").word("backlog"));
    for line in lines {
        chart = chart.series(series(line, course(line.outcome)));
    }
    chart.footer = bands(lines);
    chart
}

pub(super) fn course(outcome: &Outcome) -> Vec<Point> {
    let (width, means) = outcome.backlogs();
    let bins = means.iter().map(Vec::len).max().unwrap_or(0);
    let warmup = outcome.runs.first().map_or(0, |run| run.warmup);
    (0..bins)
        .map(|bin| {
            let values: Vec<f64> = means.iter().filter_map(|means| means.get(bin).copied()).collect();
            let middle = warmup as f64 + (bin as f64 + 0.5) * width as f64;
            let point = super::plotted(middle, Estimate::of(&values));
            // An interval around a small mean may reach below nothing; a backlog does not.
            Point { interval: point.interval.map(|(low, high)| (low.max(0.0), high)), ..point }
        })
        .collect()
}

/// The rates of the traffic of a plan.
pub(super) fn matrix(plan: &Plan) -> HeatMap {
    let ports = plan.ports;
    let mut values = vec![vec![0.0; ports]; ports];
    let title = match &plan.traffic {
        Traffic::Matrix(matrix, load) => {
            for (input, row) in values.iter_mut().enumerate() {
                row.iter_mut().enumerate().for_each(|(output, rate)| *rate = matrix.rate(input, output) * load);
            }
            "Rates from inputs to outputs"
        }
        Traffic::Trace(trace) => {
            let slots = trace.slots();
            let mut source = plan.arrivals.build(&plan.traffic, Seed { seed: plan.seed, replication: 0 });
            let mut block = Block::new(ports, 1, NONE);
            for now in 0..slots {
                block.start = now as u32;
                source.fill(&mut block);
                for (_, row) in block.rows() {
                    for (input, output) in row.iter().enumerate().filter(|(_, output)| **output != NONE) {
                        values[input][usize::from(*output)] += 1.0 / slots as f64;
                    }
                }
            }
            "Rates from inputs to outputs in the trace"
        }
    };
    HeatMap::new(title, "Rate (cells per slot)", values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::results;

    fn chart(kind: Kind, switches: &[&str], load: f64) -> Chart {
        let results = results(switches, &[load], 3);
        match of_results(kind, &results.iter().collect::<Vec<_>>()).unwrap() {
            Picture::Chart(chart) => chart,
            Picture::HeatMap(_) => panic!("a chart"),
        }
    }

    #[test]
    fn distributions_fall_and_have_bands() {
        let chart = chart(Kind::Ccdf, &["oq", "islip"], 0.7);
        for series in &chart.series {
            assert!(series.points.windows(2).all(|pair| pair[1].x > pair[0].x && pair[1].y <= pair[0].y));
            assert!(series.points.iter().all(|point| point.y > 0.0 && point.x > 0.0));
            assert!(series.points[0].interval.is_some_and(|(low, high)| low <= high));
        }
        assert_eq!(chart.series[1].switch.as_deref(), Some("islip"));
        assert!(chart.footer.unwrap().contains("delay of 0"));
    }

    #[test]
    fn of_many_delays_the_first_and_the_last_are_kept() {
        let even = |count: u32| -> (Vec<u32>, Vec<f64>) {
            (0..count).map(|delay| (delay, 1.0 - f64::from(delay + 1) / f64::from(count))).unzip()
        };
        let thin = |count| {
            let (delays, shares) = even(count);
            thinned(&delays, &shares)
        };
        let some = thin(5000);
        assert_eq!((some[..4].to_vec(), some.last()), (vec![0, 1, 2, 3], Some(&4999)));
        assert!(some.len() <= 2 * MOST_POINTS && some.windows(2).all(|pair| pair[0] < pair[1]));
        // The last of them differ by little in delay, and by much in share.
        assert!(some.iter().filter(|delay| **delay > 4900).count() > 40, "{some:?}");
        assert_eq!(thin(400).len(), 400);
        assert!(thin(0).is_empty());
    }

    #[test]
    fn without_a_stable_switch_there_are_words() {
        let chart = chart(Kind::Ccdf, &["fifo"], 0.95);
        assert!(chart.series.is_empty());
        let svg = chart.to_svg();
        assert!(svg.contains("nothing to draw") && svg.contains("Unstable at this load"), "{svg}");
    }

    #[test]
    fn backlogs_grow_where_a_switch_is_unstable() {
        let chart = chart(Kind::Backlog, &["fifo", "oq"], 0.95);
        let ends = |series: &Series| (series.points[0].y, series.points[series.points.len() - 1].y);
        let (first, last) = ends(&chart.series[0]);
        assert!(last > 2.0 * first && first > 0.0);
        assert!(chart.series[0].points[0].x >= 2000.0, "after the warm-up");
        assert!(ends(&chart.series[1]).1 < last / 2.0);
    }

    #[test]
    fn a_matrix_has_the_rates_of_the_load() {
        let results = results(&["oq"], &[0.6], 1);
        let picture = of_results(Kind::Matrix, &results.iter().collect::<Vec<_>>()).unwrap();
        let Picture::HeatMap(map) = picture else { panic!("a heat map") };
        assert_eq!((map.values.len(), map.values[0].len()), (8, 8));
        assert!(map.values.iter().flatten().all(|rate| (rate - 0.075).abs() < 1e-12));
    }
}
