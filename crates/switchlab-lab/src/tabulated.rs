//! Charts of results.csv: any column against any other, without the experiment.

use crate::error::LabError;
use crate::figure::{label_of, short, short_one};
use crate::plot::{Axis, Chart, Point, Series};
use std::collections::HashMap;
use std::path::Path;
use switchlab_core::nearest;

/// What to draw.
#[derive(Clone, Debug)]
pub struct View {
    /// The column on the horizontal axis.
    pub x: String,
    /// The column on the vertical axis.
    pub y: String,
    /// The column that tells lines apart.
    pub series: String,
    /// Only rows whose column has this value, or another that is given for the same column.
    pub only: Vec<(String, String)>,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
    /// The value of the series column by which a second panel divides the others.
    pub ratio: Option<String>,
}

/// The most lines in a chart. With this many, the names beside the lines already take forty
/// screens.
const MOST_LINES: usize = 2000;
/// The most x values listed in a note about unstable rows: more than there is room for below a
/// chart.
const MOST_LISTED: usize = 400;

/// Whether all numbers of a column are powers of two that reach further than twice: sizes that a
/// logarithmic axis shows best.
pub fn has_powers_of_two(file: &Path, column: &str) -> bool {
    let Some(table) = std::fs::read_to_string(file).ok().and_then(|text| parse(&text).ok()) else { return false };
    let Ok(column) = table.column(column) else { return false };
    let values: Vec<u64> = table.rows.iter().filter_map(|row| row[column].parse().ok()).collect();
    let (least, most) = (values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(0));
    values.len() == table.rows.len() && values.iter().all(|value| value.is_power_of_two()) && most > 2 * least
}

/// Rows of text under named columns.
#[derive(Debug)]
struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The line of the file on which each row starts.
    lines: Vec<u64>,
}

/// The chart of a view of a file. Unstable rows have no delay and no backlog: they are left out,
/// and named below the chart.
pub fn chart(file: &Path, view: &View) -> Result<Chart, LabError> {
    let text = std::fs::read_to_string(file).map_err(|source| LabError::Read { path: file.to_owned(), source })?;
    let bad = |problem: String| LabError::Request(format!("{}: {problem}", file.display()));
    let rows = parse(&text).map_err(bad)?;
    draw(&rows, view).map_err(bad)
}

fn parse(text: &str) -> Result<Table, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().map_err(|error| error.to_string())?.iter().map(str::to_string).collect();
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for record in reader.into_records() {
        let record = record.map_err(|error| error.to_string())?;
        lines.push(record.position().map_or(0, csv::Position::line));
        rows.push(record.iter().map(str::to_string).collect());
    }
    Ok(Table { head, rows, lines })
}

impl Table {
    /// The index of a column; metrics are also known by their names in experiments, as delay.p99,
    /// and percentiles of the delay by those of printed tables, as p99.9.
    fn column(&self, name: &str) -> Result<usize, String> {
        let is = |wanted: &str| self.head.iter().position(|column| column == wanted);
        let percentile = || is(&format!("delay_{}", name.replace('.', "")));
        is(name).or_else(|| is(&name.replace('.', "_"))).or_else(percentile).ok_or_else(|| {
            let names: Vec<&str> = self.head.iter().map(String::as_str).collect();
            let guess = nearest(name, &names);
            let guess = guess.map_or_else(|| "the".to_string(), |guess| format!("did you mean {guess}? The"));
            format!("there is no column {name:?}; {guess} columns are: {}", names.join(", "))
        })
    }

    /// The columns that say what was run: those before the slots, but for the experiment's name.
    fn axes(&self) -> Vec<usize> {
        let end = self.head.iter().position(|column| column == "slots").unwrap_or(0);
        (0..end).filter(|&column| self.head[column] != "experiment").collect()
    }

    /// Refuses NaN and infinity in the columns of a chart. They cannot be drawn, and as the name of
    /// a line they would look like a result.
    fn all_finite(&self, columns: &[usize]) -> Result<(), String> {
        for (row, line) in self.rows.iter().zip(&self.lines) {
            let infinite = |column: usize| row[column].trim().parse::<f64>().is_ok_and(|value| !value.is_finite());
            if let Some(&column) = columns.iter().find(|&&column| infinite(column)) {
                return Err(format!(
                    "line {line}, column {} is {:?}, which cannot be drawn; leave the cell empty or remove the line",
                    self.head[column], row[column]
                ));
            }
        }
        Ok(())
    }
}

fn draw(table: &Table, view: &View) -> Result<Chart, String> {
    let (x, y, series) = (table.column(&view.x)?, table.column(&view.y)?, table.column(&view.series)?);
    let width = table.column(&format!("{}_ci95", table.head[y])).ok();
    // A percentile has the ends of its interval in two columns.
    let end = |word: &str| table.column(&format!("{}_{word}", table.head[y])).ok();
    let ends = end("low").zip(end("high"));
    let verdict = table.column("verdict").ok();
    let intervals = width.into_iter().chain(ends.into_iter().flat_map(|(low, high)| [low, high]));
    let drawn = table.axes().into_iter().chain([x, y, series]).chain(intervals).chain(table.column("experiment").ok());
    table.all_finite(&drawn.collect::<Vec<_>>())?;
    let mut rows: Vec<&Vec<String>> = table.rows.iter().collect();
    for (name, _) in &view.only {
        let column = table.column(name)?;
        let same = |cell: &str, value: &str| {
            cell == value
                || cell.split('(').next() == Some(value)
                || cell.parse::<f64>().is_ok_and(|cell| value.parse() == Ok(cell))
        };
        let values = || view.only.iter().filter(|(other, _)| other == name).map(|(_, value)| value);
        rows.retain(|row| values().any(|value| same(&row[column], value)));
    }
    if rows.is_empty() {
        return Err("no row is left to draw; widen --where".to_string());
    }
    let number = |row: &[String], column: usize| row[column].parse::<f64>().ok().filter(|value| value.is_finite());
    if !rows.iter().any(|row| number(row, x).is_some()) {
        return Err(format!("the column {} holds no numbers for the horizontal axis", view.x));
    }

    let metric = &table.head[y];
    let needs_stability = metric.starts_with("delay") || metric == "backlog";
    let parts = disputed(table, &rows, x, series);
    let words = Words::new(table, &rows);
    let switch = table.column("switch").ok();
    let mut lines: Vec<Series> = Vec::new();
    let mut unstable: Vec<(String, Vec<f64>)> = Vec::new();
    // By name, the index of a line and of a list of unstable places.
    let (mut line_of, mut list_of) = (HashMap::new(), HashMap::new());
    for row in &rows {
        let Some(place) = number(row, x) else { continue };
        let joined = |short: bool| {
            let word = |&column: &usize| words.name(table, column, &row[column], short);
            parts.iter().map(word).collect::<Vec<_>>().join(", ")
        };
        let name = joined(true);
        if needs_stability && verdict.is_some_and(|verdict| row[verdict] == "unstable") {
            let index = *list_of.entry(name.clone()).or_insert(unstable.len());
            if index == unstable.len() {
                unstable.push((name, Vec::new()));
            }
            unstable[index].1.push(place);
            continue;
        }
        let Some(value) = number(row, y) else { continue };
        let around = width.and_then(|width| number(row, width)).map(|width| (value - width, value + width));
        let between = ends.and_then(|(low, high)| number(row, low).zip(number(row, high)));
        let point = Point::new(place, value);
        let point = around.or(between).map_or(point, |(low, high)| point.interval(low, high));
        let index = *line_of.entry(name.clone()).or_insert(lines.len());
        if index == lines.len() {
            let line = Series::new(name, [point]);
            lines.push(match switch {
                Some(switch) => line.of_switch(&row[switch], joined(false)),
                None => line,
            });
        } else {
            lines[index].points.push(point);
        }
    }
    let most = lines.len().max(unstable.len());
    if most > MOST_LINES {
        return Err(format!(
            "this chart would have {most} lines, and {MOST_LINES} are the most; narrow it with --where, or choose another --series"
        ));
    }
    let mut notes = Vec::new();
    if lines.iter().flat_map(|line| &line.points).any(|point| point.interval.is_some()) {
        notes.push("Whiskers and bands: 95 % confidence intervals".to_string());
    }
    notes.extend(unstable_notes(&table.head[x], unstable, &lines));

    let axis = |column: usize, log: bool| {
        let label = label_of(&table.head[column].replace("delay_", "delay."));
        let axis = if log { Axis::log(label) } else { Axis::linear(label) };
        axis.word(&table.head[column])
    };
    let label = label_of(&metric.replace("delay_", "delay."));
    let quantity = label.split(" (").next().unwrap_or(&label);
    let experiment = table.column("experiment").ok().map(|column| rows[0][column].clone());
    let title = match experiment.filter(|id| !id.is_empty()) {
        // `run --out` names no experiment.
        Some(id) if id != "run" => format!("{id}: {}", lower(quantity)),
        _ => quantity.to_string(),
    };
    let mut chart = Chart::new(title, axis(x, view.log_x), axis(y, view.log_y));
    chart.subtitle = Some(circumstances(table, &rows, &[x, series], &words)).filter(|text| !text.is_empty());
    chart.ratio = view.ratio.as_ref().map(|base| base_of(base, &lines)).transpose()?;
    chart.series = lines;
    chart.footer = Some(notes.join("\n")).filter(|text| !text.is_empty());
    Ok(chart)
}

/// From which place on each line is unstable, if it is so everywhere from there, or where. Lines
/// that agree share a note.
fn unstable_notes(axis: &str, unstable: Vec<(String, Vec<f64>)>, lines: &[Series]) -> Vec<String> {
    let mut grouped: Vec<(String, Vec<String>)> = Vec::new();
    for (name, mut places) in unstable {
        places.sort_by(f64::total_cmp);
        let points = lines.iter().filter(|line| line.name == name).flat_map(|line| &line.points);
        let last = points.map(|point| point.x).max_by(f64::total_cmp);
        let place = if places.len() > 1 && last.is_none_or(|last| last < places[0]) {
            format!("Unstable from {axis} {} on", places[0])
        } else {
            let more = places.len().saturating_sub(MOST_LISTED);
            let mut places: Vec<_> = places.iter().take(MOST_LISTED).map(f64::to_string).collect();
            if more > 0 {
                places.push(format!("and {more} more"));
            }
            format!("Unstable at {axis} {}", places.join(", "))
        };
        match grouped.iter_mut().find(|(known, _)| *known == place) {
            Some((_, names)) => names.push(name),
            None => grouped.push((place, vec![name])),
        }
    }
    grouped.into_iter().map(|(place, names)| format!("{place}: {}", names.join("; "))).collect()
}

/// The name of the line that is named by its label, by its full name or by the spec of its switch.
fn base_of(base: &str, lines: &[Series]) -> Result<String, String> {
    let full = crate::registry::switch(base).map_or_else(|_| base.to_string(), |it| it.args.to_string());
    let is = |line: &&Series| [base, &full].iter().any(|it| *it == line.name || Some(*it) == line.full.as_deref());
    lines.iter().find(is).map(|line| line.name.clone()).ok_or_else(|| {
        let names: Vec<_> = lines.iter().map(|line| line.name.as_str()).collect();
        format!("--ratio {base}: there is no such line; there is: {}", names.join(", "))
    })
}

/// The series column, and the axes that still differ between rows of the same x: a line must not
/// jump back and forth.
fn disputed(table: &Table, rows: &[&Vec<String>], x: usize, series: usize) -> Vec<usize> {
    let mut parts = vec![series];
    for axis in table.axes().into_iter().filter(|&axis| axis != x && axis != series) {
        // Of each group of rows that are alike so far, the value of the first row.
        let mut first: HashMap<Vec<&str>, &str> = HashMap::new();
        let differs = rows.iter().any(|row| {
            let group = parts.iter().chain([&x]).map(|&part| row[part].as_str()).collect();
            *first.entry(group).or_insert(&row[axis]) != row[axis]
        });
        if differs {
            parts.push(axis);
        }
    }
    parts
}

fn circumstances(table: &Table, rows: &[&Vec<String>], drawn: &[usize], words: &Words) -> String {
    let same = |axis: &usize| !drawn.contains(axis) && rows.iter().all(|row| row[*axis] == rows[0][*axis]);
    let common = table.axes().into_iter().filter(same);
    let say = |axis: usize| match table.head[axis].as_str() {
        column @ ("traffic" | "arrivals") => format!("{} {column}", short_one(&rows[0][axis])),
        _ => words.name(table, axis, &rows[0][axis], true),
    };
    common.map(say).collect::<Vec<_>>().join(", ")
}

/// A text that begins with a small letter.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// Short forms of the specs in a table.
struct Words(HashMap<(usize, String), String>);

impl Words {
    fn new(table: &Table, rows: &[&Vec<String>]) -> Self {
        let mut words = HashMap::new();
        for column in ["switch", "traffic", "arrivals"].iter().filter_map(|name| table.column(name).ok()) {
            let mut texts: Vec<&str> = rows.iter().map(|row| row[column].as_str()).collect();
            texts.sort_unstable();
            texts.dedup();
            let names = short(texts.iter().copied());
            words.extend(texts.into_iter().zip(names).map(|(text, name)| ((column, text.to_string()), name)));
        }
        Self(words)
    }

    /// How a value of a column is called, in short or in full.
    fn name(&self, table: &Table, column: usize, value: &str, short: bool) -> String {
        let word = self.0.get(&(column, value.to_string())).filter(|_| short);
        name(&table.head[column], word.map_or(value, String::as_str))
    }
}

fn name(column: &str, value: &str) -> String {
    match column {
        "switch" | "traffic" | "arrivals" => value.to_string(),
        "ports" => format!("{value} ports"),
        "load" => format!("load {value}"),
        _ => format!("{column} = {value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: &str = "experiment,switch,ports,traffic,arrivals,load,slots,verdict,delay,delay_ci95,delay_p99,throughput,throughput_ci95\n\
        e,oq,8,uniform,bernoulli,0.5,9,stable,1.5,0.1,7,0.5,0.01\n\
        e,fifo,8,uniform,bernoulli,0.5,9,stable,2.5,0.2,9,0.5,0.01\n\
        e,oq,8,uniform,bernoulli,0.9,9,stable,4.5,,30,0.9,0.01\n\
        e,fifo,8,uniform,bernoulli,0.9,9,unstable,999,50,2000,0.6,0.01\n";

    fn view(y: &str) -> View {
        let (x, series) = ("load".to_string(), "switch".to_string());
        View { x, y: y.to_string(), series, only: Vec::new(), log_x: false, log_y: true, ratio: None }
    }

    #[test]
    fn columns_become_lines() {
        let rows = parse(CSV).unwrap();
        let chart = draw(&rows, &view("delay")).unwrap();
        assert_eq!(chart.series.iter().map(|line| line.points.len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(chart.series[0].points[0].interval, Some((1.4, 1.6)));
        assert_eq!(chart.subtitle.as_deref(), Some("8 ports, uniform traffic, bernoulli arrivals"));
        assert!(chart.footer.unwrap().contains("Unstable at load 0.9: fifo"));
        assert_eq!(draw(&rows, &view("throughput")).unwrap().series[1].points.len(), 2);
        let percentile = draw(&rows, &view("delay.p99")).unwrap().series[0].points[1];
        assert_eq!((percentile.y, percentile.interval), (30.0, None));
        let ends = CSV.replace("throughput_ci95\n", "throughput_ci95,delay_p99_low,delay_p99_high\n");
        let ends = parse(&ends.replace("0.01\n", "0.01,6,8\n")).unwrap();
        let chart = draw(&ends, &view("p99")).unwrap();
        assert_eq!(chart.series[0].points[0].interval, Some((6.0, 8.0)));
        assert!(chart.footer.unwrap().contains("95 % confidence intervals"));
        let mut by_traffic = view("delay");
        by_traffic.series = "traffic".to_string();
        assert_eq!(draw(&rows, &by_traffic).unwrap().series[0].name, "uniform, oq");
        by_traffic.only = vec![("load".to_string(), "0.90".to_string())];
        assert_eq!(draw(&rows, &by_traffic).unwrap().series.len(), 1);
    }

    #[test]
    fn mistakes_are_named() {
        let rows = parse(CSV).unwrap();
        assert!(draw(&rows, &view("dely")).unwrap_err().contains("did you mean delay?"));
        let mut none = view("delay");
        none.only = vec![("switch".to_string(), "pim".to_string())];
        assert!(draw(&rows, &none).unwrap_err().contains("no row"));
        none = view("delay");
        none.x = "switch".to_string();
        assert!(draw(&rows, &none).unwrap_err().contains("no numbers"));
        assert!(parse("a,b\n1\n").is_err());
    }
}
