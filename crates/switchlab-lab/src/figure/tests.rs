use super::*;
use crate::experiment::Select;
use crate::testing::{figure, results};
use std::collections::BTreeMap;

#[test]
fn lines_intervals_and_what_is_missing() {
    let results = results(&["oq", "fifo"], &[0.3, 0.5, 0.8, 0.9], 3);
    let mut figure = figure("delay");
    figure.references.push(("closed form".to_string(), vec![(0.3, 0.19), (0.31, 0.2), (0.9, 3.9)]));
    let chart = chart(&figure, &results);
    let names: Vec<_> = chart.series.iter().map(|series| (series.name.as_str(), series.points.len())).collect();
    assert_eq!(names, [("oq", 4), ("fifo", 2), ("closed form", 3)]);
    assert!(chart.series[..2].iter().flat_map(|series| &series.points).all(|point| point.interval.is_some()));
    let footer = chart.footer.clone().unwrap();
    assert!(footer.contains("Unstable from load 0.8 on: fifo"), "{footer}");
    assert!(footer.contains("95 % confidence intervals over 3 replications"), "{footer}");
    assert_eq!(chart.subtitle.as_deref(), Some("8 ports, uniform traffic, bernoulli arrivals"));

    let table = table(&figure, &results);
    assert_eq!(table[0], ["load", "oq", "fifo", "closed form"]);
    assert_eq!(table.len(), 5);
    assert_eq!((table[3][0].as_str(), table[3][2].as_str(), table[3][3].as_str()), ("0.8", "unstable", ""));
    assert!(table[1][1].contains(" ±") && table[1][3] == "0.19", "{table:?}");

    let csv = csv(&figure, &results);
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines[0], "load,oq,oq ci95,fifo,fifo ci95,closed form");
    assert_eq!(lines.len(), 6, "{csv}"); // One more than the table: a reference stands alone at 0.31.
    assert!(lines[2].starts_with("0.31,,,,,0.2"), "{csv}");
}

#[test]
fn throughput_has_a_value_where_delay_has_none() {
    let results = results(&["fifo"], &[0.5, 1.0], 2);
    let chart = chart(&figure("throughput"), &results);
    assert_eq!(chart.series[0].points.len(), 2);
    assert!(!chart.footer.unwrap().contains("nstable"));
}

#[test]
fn an_axis_that_is_not_fixed_joins_the_name() {
    let mut results = results(&["oq"], &[0.3, 0.5], 1);
    results.extend(crate::testing::results_on("diagonal", &["oq"], &[0.3, 0.5], 1));
    let chart = chart(&figure("delay"), &results);
    let names: Vec<_> = chart.series.iter().map(|series| (series.name.as_str(), series.points.len())).collect();
    assert_eq!(names, [("oq, uniform", 2), ("oq, diagonal", 2)]);
    let mut only = figure("delay");
    only.select = Select(BTreeMap::from([("traffic".to_string(), vec!["diagonal".to_string()])]));
    assert_eq!(super::chart(&only, &results).series[0].name, "oq");
}

#[test]
fn a_spec_with_the_x_variable_is_one_line() {
    let mut results = Vec::new();
    for w in [0.0, 0.5, 1.0] {
        let mut more = crate::testing::results_on(&format!("unbalanced(w={w})"), &["oq"], &[0.5], 1);
        more[0].spec.vary.insert("w".to_string(), w);
        results.extend(more);
    }
    let mut figure = figure("throughput");
    (figure.x, figure.series) = ("w".to_string(), "traffic".to_string());
    let chart = chart(&figure, &results);
    assert_eq!((chart.series.len(), chart.series[0].name.as_str()), (1, "unbalanced(w=w)"));
    figure.series = "switch".to_string();
    let chart = super::chart(&figure, &results);
    assert_eq!(chart.series[0].points.len(), 3);
    assert_eq!(chart.subtitle.as_deref(), Some("8 ports, unbalanced traffic, bernoulli arrivals, load 0.5"));
}

#[test]
fn nothing_to_draw_is_no_fault() {
    let mut none = figure("counters.none");
    none.x = "nonsense".to_string();
    let empty = chart(&none, &results(&["oq"], &[0.3], 1));
    assert!(empty.series.is_empty() && empty.to_svg().starts_with("<svg"));
    assert_eq!(table(&none, &[]), [["nonsense"]]);
    assert_eq!(csv(&none, &[]), "nonsense\n");
}

/// A calculation has no traffic to name, and an exact one no interval.
#[test]
fn a_calculation_is_drawn_as_one() {
    let text = "title = \"t\"\ncalculate = \"ouroboros\"\nports = [64, 128]\n[[figure]]\nid = \"f\"\nx = \"ports\"\ny = \"counters.numbers\"\n";
    let experiment =
        crate::experiment::Loaded::parse(text, "t.toml", "t", crate::experiment::Mode::Full).unwrap().experiment;
    let measured = |spec| {
        let runs =
            [0, 1].map(|replication| crate::sweep::measure(&spec, replication, &crate::Progress::none()).unwrap());
        ResultPoint::new(spec, &runs)
    };
    let results: Vec<_> = experiment.points().unwrap().into_iter().map(measured).collect();
    let chart = chart(&experiment.figures[0], &results);
    assert_eq!(chart.series[0].points.iter().map(|point| point.y).collect::<Vec<_>>(), [36.0, 52.0]);
    assert_eq!(chart.subtitle.as_deref(), Some("calculated"));
    assert!(!chart.footer.unwrap_or_default().contains("confidence"));
}

#[test]
fn ratios_are_to_the_line_that_is_named() {
    let results = results(&["oq", "islip(iterations=1)"], &[0.3, 0.5], 2);
    let mut figure = figure("delay");
    figure.ratio = Some("islip".to_string());
    let chart = chart(&figure, &results);
    assert_eq!((chart.ratio.as_deref(), chart.series[1].name.as_str()), (Some("islip"), "islip"));
    assert!(chart.to_svg().contains("Ratio to islip"));
    figure.ratio = Some("nothing".to_string());
    assert_eq!(super::chart(&figure, &results).ratio, None);
}

/// A title that names the circumstances is not repeated below it.
#[test]
fn the_subtitle_does_not_repeat_the_title() {
    let mut figure = figure("delay");
    figure.title = "8 ports, uniform traffic, populate=rank".to_string();
    let chart = chart(&figure, &results(&["oq"], &[0.3, 0.5], 1));
    assert_eq!(chart.subtitle.as_deref(), Some("bernoulli arrivals"));
}
