//! Results as text: a table that fits the terminal, and below it the evidence of the verdicts.

use super::json::{CoarseFigures, PairFigures, PortFigures, classes, kinds, pairs, ports};
use crate::compare::Comparison;
use crate::experiment::{Experiment, ResultPoint};
use crate::export::Table;
use crate::numbers::{percent, significant, with_interval};
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::port_delays::By;
use crate::prose::wrap;
use crate::statistics::percentiles::{Percentile, STANDARD, with_standard};
use crate::statistics::{Share, Verdict};
use crate::text_table::{Column, TextTable};
use std::fmt::Write;
use switchlab_core::meter::Lags;

/// How results are shown.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent wishes of the user, each an option")]
pub struct Style {
    /// The width of the terminal, in columns.
    pub width: usize,
    /// Whether switches are named by their full canonical specs.
    pub long: bool,
    /// Whether the switches' own counters are shown.
    pub counters: bool,
    /// Whether counts for each port are shown.
    pub per_port: bool,
    /// Whether nothing but the table is shown.
    pub quiet: bool,
    /// Whether tables are in Markdown, with all their columns.
    pub markdown: bool,
}

impl Style {
    /// The line between a caption and its table: Markdown needs an empty one.
    fn gap(self) -> &'static str {
        if self.markdown { "\n" } else { "" }
    }

    /// A table as it is shown, and the columns that are left out of it.
    fn show(self, table: TextTable) -> (String, Vec<String>) {
        if self.markdown {
            return (table.markdown(), Vec::new());
        }
        let (table, left_out) = table.fit(self.width);
        (table.to_string(), left_out)
    }
}

impl Default for Style {
    fn default() -> Self {
        Self { width: 100, long: false, counters: false, per_port: false, quiet: false, markdown: false }
    }
}

/// Prose is not wider than this, however wide the terminal is.
const WIDEST_PROSE: usize = 100;

/// The result of a comparison as text.
pub fn table(plan: &Plan, comparison: &Comparison, style: Style) -> String {
    let outcomes = &comparison.switches;
    let mut text = String::new();
    if !style.quiet {
        text += &head(plan, comparison, style);
        text.push('\n');
    }
    let names: Vec<String> = outcomes.iter().map(|outcome| name(outcome, style)).collect();
    let first = names.first().filter(|_| outcomes.len() > 1);
    let columns = Columns::of(outcomes.iter(), first, &plan.percentiles, plan.drains);
    let mut table = TextTable::new(std::iter::once(Column::left("switch")).chain(columns.columns()));
    for (outcome, name) in outcomes.iter().zip(&names) {
        table.push(std::iter::once(name.clone()).chain(columns.row(outcome, plan.is_trace())));
    }
    let (table, left_out) = style.show(table);
    text += &table;
    if style.quiet {
        return text;
    }
    let width = style.width.min(WIDEST_PROSE);
    let mut line = |prose: &str| {
        text.push('\n');
        text += &wrap(prose, width, 2);
    };
    for (outcome, name) in outcomes.iter().zip(&names) {
        if outcome.stability.verdict != Verdict::Stable && !plan.is_trace() {
            line(&format!("{name}: {}, {}", outcome.stability.verdict, outcome.stability.evidence));
        }
        if let Some(lags) = outcome.oq_lag() {
            line(&format!("{name}: {}", behind(&lags)));
        }
    }
    if let Some([hot, _]) = outcomes.iter().find_map(kinds) {
        line(&format!(
            "{} of {} outputs are oversubscribed, and their queues grow in any switch: verdicts are about the others, and delays are below",
            hot.outputs, plan.ports
        ));
    }
    if !left_out.is_empty() {
        line(&format!("not shown for want of room: {}; --json has everything", left_out.join(", ")));
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if let Some(percentiles) = percentiles_table(outcomes, &names, plan) {
        let caption = "percentiles of the delay, with 95 % intervals";
        let _ = write!(text, "\n{caption}\n{}{}", style.gap(), style.show(percentiles).0);
    }
    if let Some(occupancy) = occupancy_table(outcomes, &names) {
        let _ = write!(text, "\n{OCCUPANCY}\n{}{}", style.gap(), style.show(occupancy).0);
    }
    if let Some(by_kind) = kinds_table(outcomes, &names, plan.is_trace()) {
        let _ = write!(text, "\ncells by kind of output\n{}{}", style.gap(), style.show(by_kind).0);
    }
    if let Some(by_class) = classes_table(outcomes, &names, plan.is_trace()) {
        let _ = write!(text, "\ncells by class\n{}{}", style.gap(), style.show(by_class).0);
    }
    if style.counters {
        let outcomes: Vec<&Outcome> = outcomes.iter().collect();
        text +=
            &counters_table(&outcomes, &names).map_or_else(String::new, |table| format!("\n{}", style.show(table).0));
    }
    for (outcome, name) in outcomes.iter().zip(&names) {
        let grows = outcome.stability.verdict == Verdict::Unstable && !plan.is_trace();
        let note = if grows { " (unstable: some delays grow with the length of the run)" } else { "" };
        for (what, table) in port_tables(outcome, plan, style) {
            let _ = write!(text, "\n{name}, {what}{note}\n{}{}", style.gap(), style.show(table).0);
        }
    }
    text
}

/// The tables by port and by pair that were asked for, and what each is of.
fn port_tables(outcome: &Outcome, plan: &Plan, style: Style) -> Vec<(&'static str, TextTable)> {
    let mut tables = Vec::new();
    let delays = |delay: &CoarseFigures| {
        let whole = |value: Option<u32>| value.map_or_else(|| "none".to_string(), |value| value.to_string());
        let mean = delay.mean.map_or_else(|| "none".to_string(), significant);
        [mean, whole(delay.p50), whole(delay.p99), whole(delay.max)]
    };
    let sides = ports(outcome, plan.ports).filter(|_| style.per_port);
    for (side, figures) in ["input", "output"].into_iter().zip(sides.into_iter().flatten()) {
        let mut table = TextTable::of_figures([side, "arrived", "departed", "mean delay", "p50", "p99", "max"]);
        for port in figures {
            let counts = [port.port as u64, port.arrived, port.departed].map(|count| count.to_string());
            table.push(counts.into_iter().chain(delays(&port.delay)));
        }
        tables.push((if side == "input" { "cells by input" } else { "cells by output" }, table));
    }
    if let Some(figures) = pairs(outcome, plan.ports) {
        let mut table = TextTable::of_figures(["input", "output", "departed", "mean delay", "p50", "p99", "max"]);
        for pair in figures {
            let counts = [pair.input as u64, pair.output as u64, pair.departed].map(|count| count.to_string());
            table.push(counts.into_iter().chain(delays(&pair.delay)));
        }
        tables.push(("cells by input and output", table));
    }
    tables
}

/// The most detailed table that was asked for, for programs: by pair, by port, or by switch.
pub fn data(plan: &Plan, comparison: &Comparison) -> Table {
    match plan.port_delays {
        None => Table::of_comparison(plan, comparison),
        Some(By::Port) => {
            let of = |outcome: &Outcome| {
                let sides = ports(outcome, plan.ports).into_iter().flatten().zip(["input", "output"]);
                let rows = sides.flat_map(|(figures, side)| figures.into_iter().map(move |port| (side, port)));
                rows.map(|(side, port)| (outcome.spec.clone(), side, port)).collect::<Vec<_>>()
            };
            let rows: Vec<(String, &str, PortFigures)> = comparison.switches.iter().flat_map(of).collect();
            let mut table = Table::new(rows.len());
            table.text("switch", &rows, |row| row.0.clone());
            table.text("side", &rows, |row| row.1.to_string());
            table.count("port", &rows, |row| Some(row.2.port as u64));
            table.count("arrived", &rows, |row| Some(row.2.arrived));
            table.count("departed", &rows, |row| Some(row.2.departed));
            delay_columns(&mut table, &rows, |row| &row.2.delay);
            table
        }
        Some(By::Pair) => {
            let of = |outcome: &Outcome| {
                let pairs = pairs(outcome, plan.ports).into_iter().flatten();
                pairs.map(|pair| (outcome.spec.clone(), pair)).collect::<Vec<_>>()
            };
            let rows: Vec<(String, PairFigures)> = comparison.switches.iter().flat_map(of).collect();
            let mut table = Table::new(rows.len());
            table.text("switch", &rows, |row| row.0.clone());
            table.count("input", &rows, |row| Some(row.1.input as u64));
            table.count("output", &rows, |row| Some(row.1.output as u64));
            table.count("departed", &rows, |row| Some(row.1.departed));
            delay_columns(&mut table, &rows, |row| &row.1.delay);
            table
        }
    }
}

fn delay_columns<T>(table: &mut Table, rows: &[T], delay: impl Fn(&T) -> &CoarseFigures) {
    table.real("delay", rows, |row| delay(row).mean);
    table.count("delay_p50", rows, |row| delay(row).p50.map(u64::from));
    table.count("delay_p99", rows, |row| delay(row).p99.map(u64::from));
    table.count("delay_max", rows, |row| delay(row).max.map(u64::from));
}

fn name(outcome: &Outcome, style: Style) -> String {
    if style.long { outcome.spec.clone() } else { outcome.label() }
}

/// What was run, in lines that fit.
fn head(plan: &Plan, comparison: &Comparison, style: Style) -> String {
    let width = style.width.min(WIDEST_PROSE);
    let what = format!(
        "{} ports, traffic {}, arrivals {}, {}, seed {}",
        plan.ports,
        plan.traffic_spec,
        plan.arrivals_spec,
        load(plan),
        plan.seed
    );
    let slots = if plan.drains {
        format!(
            "{} x {} slots of the trace, then until the switch is empty or sends no more",
            comparison.replications, plan.slots
        )
    } else {
        let (replications, slots, warmup) = (comparison.replications, comparison.slots, comparison.warmup);
        format!("{replications} x {slots} slots after a warm-up of {warmup}")
    };
    let slots = format!("{slots}; delays in slots, backlog in cells");
    format!("{}\n{}\n", wrap(&what, width, 2), wrap(&slots, width, 2))
}

/// The load of a line; of a matrix from a file, also its scale and its busiest lines.
pub(crate) fn load(plan: &Plan) -> String {
    match (plan.scale, plan.traffic.busiest()) {
        (Some(scale), Some((input, output))) => {
            let rates = if scale == 1.0 { String::from("rates as in the file") } else { format!("rates x {scale}") };
            format!("{rates}, busiest input {}, busiest output {}", significant(input), significant(output))
        }
        _ => format!("load {}", significant(plan.load)),
    }
}

/// The columns of a table of results, but for the switch and what else a row is named by.
struct Columns {
    first: Option<String>,
    /// Whether the first switch is unstable: nothing can be said of a difference to its delay.
    first_is_unstable: bool,
    /// The share of its cells that the first switch still has at the end.
    first_inside: f64,
    percentiles: Vec<Share>,
    has_loss: bool,
    /// Whether a run lasts until the switch is empty. Runs then differ in length, and a rate or
    /// mean over time says more of the length than of the switch.
    drains: bool,
}

/// The share of the cells that are still inside at the end.
fn inside(outcome: &Outcome) -> f64 {
    let cells = outcome.cells();
    cells.queued as f64 / cells.arrived.max(1) as f64
}

/// Delays of which so different shares of the cells are missing are not compared.
const MOST_INSIDE: f64 = 1e-3;

impl Columns {
    fn of<'a>(
        outcomes: impl Iterator<Item = &'a Outcome>,
        first: Option<&String>,
        more: &[Share],
        drains: bool,
    ) -> Self {
        let mut outcomes = outcomes.peekable();
        let first_is_unstable = outcomes.peek().is_some_and(|outcome| outcome.stability.verdict == Verdict::Unstable);
        let first_inside = outcomes.peek().map_or(0.0, |outcome| inside(outcome));
        let has_loss = outcomes.any(|outcome| outcome.cells().dropped > 0);
        let percentiles = with_standard(more);
        Self { first: first.cloned(), first_is_unstable, first_inside, percentiles, has_loss, drains }
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::right("mean delay")];
        columns.extend(self.first.as_ref().map(|first| Column::right(versus(first)).optional(1)));
        columns.extend(self.percentiles.iter().map(|share| {
            let column = Column::right(share.label());
            // Those of the user are shown; of the others p99 stays longest.
            match STANDARD.iter().position(|standard| standard == share) {
                Some(rank) => column.optional([5, 7, 0, 2, 4][rank]),
                None => column,
            }
        }));
        columns.push(Column::right("max").optional(6));
        columns.extend((!self.drains).then(|| Column::right("throughput")));
        columns.extend(self.has_loss.then(|| Column::right("loss")));
        columns.extend((!self.drains).then(|| Column::right("backlog").optional(3)));
        columns.push(Column::right("verdict"));
        columns
    }

    /// The cells of a switch. An unstable switch has no delay: its mean grows with the length of
    /// the run; nor has one with oversubscribed outputs, over all its cells. A trace is finite, so
    /// its delays are shown in any case.
    fn row(&self, outcome: &Outcome, is_trace: bool) -> Vec<String> {
        let unstable = outcome.stability.verdict == Verdict::Unstable && !is_trace;
        let overload = outcome.is_oversubscribed();
        // A run that ended for want of memory measured only the beginning of what it was to
        // measure.
        let cut_short = outcome.stability.evidence.ended_early > 0;
        let grows = unstable || overload || cut_short;
        let delay = |value: Option<String>| match value {
            _ if grows => "-".to_string(),
            Some(value) => value,
            None => "none".to_string(),
        };
        let mut cells = vec![match outcome.delay {
            _ if unstable => "unstable".to_string(),
            _ if cut_short => "ended early".to_string(),
            mean => delay(mean.map(with_interval)),
        }];
        if self.first.is_some() {
            let comparable = (inside(outcome) - self.first_inside).abs() <= MOST_INSIDE || !is_trace;
            cells.push(match outcome.versus_first {
                Some(difference) if !grows && comparable && (is_trace || !self.first_is_unstable) => {
                    with_interval(difference)
                }
                _ => "-".to_string(),
            });
        }
        for &share in &self.percentiles {
            cells.push(delay(outcome.percentile(share).map(|percentile| percentile.value.to_string())));
        }
        cells.push(delay((outcome.delays.count() > 0).then(|| outcome.delays.max().to_string())));
        cells.extend((!self.drains).then(|| with_interval(outcome.throughput)));
        cells.extend(self.has_loss.then(|| percent(outcome.loss())));
        if !self.drains {
            let backlogs = outcome.runs.iter().map(crate::run::Measured::mean_backlog);
            let backlog = backlogs.sum::<f64>() / outcome.runs.len() as f64;
            cells.push(if grows { "-".to_string() } else { significant(backlog) });
        }
        cells.push(match (is_trace, outcome.cells().queued) {
            (false, _) => outcome.stability.verdict.to_string(),
            (true, 0) => "drained".to_string(),
            (true, inside) => format!("{inside} inside"),
        });
        cells
    }
}

/// The head of the column of differences. A long name would take the room of several columns.
fn versus(first: &str) -> String {
    if first.len() <= 8 { format!("vs {first}") } else { "vs first".to_string() }
}

/// The percentiles that the user named, with their intervals.
fn percentiles_table(outcomes: &[Outcome], names: &[String], plan: &Plan) -> Option<TextTable> {
    let first = plan.percentiles.first()?;
    let head = [Column::left("switch"), Column::right(first.label())];
    let more = plan.percentiles[1..].iter().map(|share| Column::right(share.label()));
    let mut table = TextTable::new(head.into_iter().chain(more));
    for (outcome, name) in outcomes.iter().zip(names) {
        let grows = outcome.stability.verdict == Verdict::Unstable && !plan.is_trace() || outcome.is_oversubscribed();
        let cell = |share: &Share| match outcome.percentile(*share) {
            _ if grows => "-".to_string(),
            None => "none".to_string(),
            Some(Percentile { value, interval: Some([low, high]), .. }) => format!("{value} ({low} to {high})"),
            Some(Percentile { value, interval: None, .. }) => value.to_string(),
        };
        table.push(std::iter::once(name.clone()).chain(plan.percentiles.iter().map(cell)));
    }
    Some(table)
}

/// What the table of queue lengths shows. A switch may keep cells of an input in several places.
const OCCUPANCY: &str = "cells inside at the end of a slot, wherever the switch keeps them: of an input for an output (VOQ),\nof an input, for an output, in all";

/// Percentiles and maxima of queue lengths, if they were measured.
fn occupancy_table(outcomes: &[Outcome], names: &[String]) -> Option<TextTable> {
    let mut table = None;
    for (outcome, name) in outcomes.iter().zip(names) {
        let Some(lengths) = outcome.occupancy() else { continue };
        let table = table.get_or_insert_with(|| {
            let percentiles = STANDARD.iter().map(|share| Column::right(share.label()));
            let head = [Column::left("switch"), Column::left("queue"), Column::right("mean")];
            TextTable::new(head.into_iter().chain(percentiles).chain([Column::right("max")]))
        });
        let kinds =
            [("VOQ", &lengths.voq), ("input", &lengths.input), ("output", &lengths.output), ("total", &lengths.total)];
        for (kind, lengths) in kinds {
            let mean = lengths.sum() as f64 / lengths.count().max(1) as f64;
            let percentile = |share: &Share| share.of(lengths).unwrap_or(0).to_string();
            let first = [name.clone(), kind.to_string(), significant(mean)];
            table.push(first.into_iter().chain(STANDARD.iter().map(percentile)).chain([lengths.max().to_string()]));
        }
    }
    table
}

/// Utilisation and delays of oversubscribed outputs and of the others.
fn kinds_table(outcomes: &[Outcome], names: &[String], is_trace: bool) -> Option<TextTable> {
    let mut table = None;
    for (outcome, name) in outcomes.iter().zip(names) {
        let of_both = kinds(outcome)?;
        let table = table.get_or_insert_with(|| {
            let figures = ["outputs", "offered", "utilisation", "mean delay", "p50", "p99", "max"].map(Column::right);
            TextTable::new([Column::left("switch"), Column::left("kind")].into_iter().chain(figures))
        });
        let unstable = outcome.stability.verdict == Verdict::Unstable && !is_trace;
        for (kind, figures, grows) in of_both
            .iter()
            .zip([("oversubscribed", true), ("other", unstable)])
            .map(|(figures, (kind, grows))| (kind, figures, grows))
        {
            let whole = |value: Option<u32>| match value {
                _ if grows => "-".to_string(),
                value => value.map_or_else(|| "none".to_string(), |value| value.to_string()),
            };
            let mean = if grows {
                "grows".to_string()
            } else {
                figures.delay.mean.map_or_else(|| "none".to_string(), significant)
            };
            let rates = [figures.offered, figures.utilisation].map(significant);
            let delay = [mean, whole(figures.delay.p50), whole(figures.delay.p99), whole(figures.delay.max)];
            let first = [name.clone(), kind.to_string(), figures.outputs.to_string()];
            table.push(first.into_iter().chain(rates).chain(delay));
        }
    }
    table
}

/// Cells and delays of each class, if cells have classes. The mean of a class that is served first
/// exists even where the switch is unstable as a whole, so it is shown in any case.
fn classes_table(outcomes: &[Outcome], names: &[String], is_trace: bool) -> Option<TextTable> {
    let mut table = None;
    for (outcome, name) in outcomes.iter().zip(names) {
        let table = table.get_or_insert_with(|| {
            let figures = ["arrived", "departed", "dropped", "mean delay", "p50", "p99", "max"].map(Column::right);
            let head = [Column::left("switch"), Column::right("class")];
            TextTable::new(head.into_iter().chain(figures))
        });
        for class in classes(outcome)? {
            let whole = |value: Option<u32>| value.map_or_else(|| "none".to_string(), |value| value.to_string());
            let mean = outcome.class_delay(class.class).map_or_else(|| "none".to_string(), with_interval);
            let grows = outcome.stability.verdict == Verdict::Unstable && !is_trace;
            let mean = if grows { format!("{mean} (unstable)") } else { mean };
            let counts = [class.arrived, class.departed, class.dropped].map(|count| count.to_string());
            let delay = [mean, whole(class.delay.p50), whole(class.delay.p99), whole(class.delay.max)];
            table.push([name.clone(), class.class.to_string()].into_iter().chain(counts).chain(delay));
        }
    }
    table
}

/// What the switches count of themselves, one line for each counter.
fn counters_table(outcomes: &[&Outcome], names: &[String]) -> Option<TextTable> {
    let mut table = TextTable::new([Column::left("switch"), Column::left("counter"), Column::right("value")]);
    let mut any = false;
    for (outcome, name) in outcomes.iter().zip(names) {
        for (counter, value) in outcome.counters() {
            table.push([name.clone(), counter.to_string(), significant(value)]);
            any = true;
        }
    }
    any.then_some(table)
}

/// How far behind output queueing, in a line.
fn behind(lags: &Lags) -> String {
    let Lags { cells, sum, min, max, late, early, unmatched } = *lags;
    if cells == 0 && unmatched == 0 {
        return "lag behind oq: no cell arrived and left".to_string();
    }
    if lags.is_emulation() {
        return format!("lag behind oq: none, each of {cells} cells left in the same slot");
    }
    let mean = significant(sum as f64 / cells.max(1) as f64);
    let unmatched = if unmatched > 0 { format!(", {unmatched} unmatched") } else { String::new() };
    format!("lag behind oq: mean {mean}, from {min} to {max}; of {cells} cells {late} late, {early} early{unmatched}")
}

/// That some points have a length of their own, and how long the longest runs are.
fn other_lengths(experiment: &Experiment) -> String {
    match experiment.lengths.iter().map(|length| length.slots).max() {
        Some(most) => format!(", at some points up to {most} slots"),
        None => String::new(),
    }
}

/// The results of an experiment as text: of the parameters, those that differ between points.
/// `more` are percentiles besides those that always are shown.
pub fn results(experiment: &Experiment, results: &[ResultPoint], more: &[Share], style: Style) -> String {
    let variables = experiment.vary.keys().map(String::as_str);
    let axes: Vec<&str> = ["traffic", "arrivals", "ports", "load"].into_iter().chain(variables).collect();
    // A spec with variables is told once; its variables have columns of their own.
    let template = |specs: &[String]| specs.first().filter(|spec| specs.len() == 1 && spec.contains('{')).cloned();
    let (traffic, arrivals) = (template(&experiment.traffic), template(&experiment.arrivals));
    let text = |point: &ResultPoint, axis: &str| match (axis, &traffic, &arrivals) {
        ("traffic", Some(template), _) | ("arrivals", _, Some(template)) => template.clone(),
        // That of a trace is a quotient with many digits.
        ("load", ..) if point.spec.replays() => significant(point.spec.load),
        _ => point.spec.text(axis).unwrap_or_default(),
    };
    let (varied, fixed): (Vec<&str>, Vec<&str>) =
        axes.into_iter().partition(|axis| results.windows(2).any(|pair| text(&pair[0], axis) != text(&pair[1], axis)));
    let columns = Columns::of(results.iter().map(|point| &point.outcome), None, more, experiment.drains());
    let scales = results.iter().filter(|point| point.spec.scales_a_file()).count();
    // A matrix from a file has rates of its own, which the load multiplies.
    let head = |axis| if axis == "load" && scales == results.len() { "rates x" } else { axis };
    let named = std::iter::once(Column::left("switch")).chain(varied.iter().map(|axis| Column::right(head(axis))));
    let mut table = TextTable::new(named.chain(columns.columns()));
    for point in results {
        let first = std::iter::once(name(&point.outcome, style)).chain(varied.iter().map(|axis| text(point, axis)));
        table.push(first.chain(columns.row(&point.outcome, point.spec.replays())));
    }
    let (table, left_out) = style.show(table);
    if style.quiet {
        return table;
    }
    let fixed: Vec<String> = results
        .first()
        .map_or(Vec::new(), |point| fixed.iter().map(|axis| format!("{} {}", head(axis), text(point, axis))).collect());
    let length = match (experiment.slots, experiment.warmup) {
        (0, 0) if experiment.replays() => "the whole trace, then until the switch is empty".to_string(),
        (0, warmup) if experiment.replays() => {
            format!("the trace after a warm-up of {warmup}, then until the switch is empty")
        }
        (slots, warmup) => format!("{slots} slots after a warm-up of {warmup}{}", other_lengths(experiment)),
    };
    let what = format!("{}, seed {}, {length}; delays in slots, backlog in cells", fixed.join(", "), experiment.seed);
    let width = style.width.min(WIDEST_PROSE);
    let mut said = format!("{}\n{}\n\n{table}", wrap(&experiment.title, width, 0), wrap(&what, width, 2));
    if results.iter().any(|point| point.outcome.is_oversubscribed()) {
        let note =
            "some outputs are oversubscribed: verdicts are about the others; their delay is the counter delay_other";
        said += &wrap(note, width, 2);
    }
    if style.counters {
        let place = |point: &ResultPoint| {
            let values = varied.iter().map(|axis| match point.spec.number(axis) {
                Some(_) => format!("{axis} {}", text(point, axis)),
                None => text(point, axis),
            });
            std::iter::once(name(&point.outcome, style)).chain(values).collect::<Vec<_>>().join(", ")
        };
        let names: Vec<String> = results.iter().map(place).collect();
        let outcomes: Vec<&Outcome> = results.iter().map(|point| &point.outcome).collect();
        let counters = counters_table(&outcomes, &names).map(|table| style.show(table).0);
        said += &counters.map_or_else(String::new, |table| format!("\n{table}"));
    }
    if scales > 0 && scales < results.len() {
        let note = "load: for a matrix from a file, the factor of its rates";
        let _ = write!(said, "\n{}\n", wrap(note, width, 2));
    }
    if !left_out.is_empty() {
        let note = format!("not shown for want of room: {}; --json has everything", left_out.join(", "));
        let _ = write!(said, "\n{}", wrap(&note, width, 2));
        if !said.ends_with('\n') {
            said.push('\n');
        }
    }
    said
}
