//! Whole charts: well formed, readable, the same every time, whatever the data.

use proptest::prelude::*;

use crate::plot::text::width;
use crate::plot::{Axis, Chart, Point, Series, Size, Style, Terminal};

/// Delay curves of which two leave the range, with intervals.
fn delays() -> Chart {
    let loads = || (1..=9).map(|i| f64::from(i) / 10.0);
    let delay = |capacity: f64, load: f64| if load < capacity { load / (2.0 * (capacity - load)) } else { 1e5 };
    let mut chart = Chart::new("Mean delay", Axis::linear("Load"), Axis::log("Delay (slots)").range(0.01, 100.0))
        .subtitle("8 ports, uniform traffic")
        .footer("Whiskers: 95 % intervals");
    for (name, capacity) in [("fifo", 0.618), ("pim", 0.85), ("islip(iterations=4)", 1.0)] {
        let points = loads().map(|load| (load, delay(capacity, load)));
        let points =
            points.map(|(load, y)| Point::new(load, y).interval(y * (1.0 - load / 4.0), y * (1.0 + load / 4.0)));
        chart = chart.series(Series::new(name, points));
    }
    chart.series(Series::new("output queueing", loads().map(|load| (load, delay(1.01, load)))).reference())
}

/// The boxes of all names: left, top, right, bottom.
fn labels(svg: &str) -> Vec<(String, [f64; 4])> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.attribute("class") == Some("label"));
    texts
        .map(|node| {
            let number = |name| node.attribute(name).unwrap().parse::<f64>().unwrap();
            let (x, y, size, text) = (number("x"), number("y"), number("font-size"), node.text().unwrap_or(""));
            let left = if node.attribute("text-anchor") == Some("end") { x - width(text, size) } else { x };
            (text.into(), [left, y - 0.8 * size, left + width(text, size), y + 0.2 * size])
        })
        .collect()
}

/// Names do not cover each other, all type is large enough to read, and no leader is inside the
/// plot area.
fn assert_readable(svg: &str) {
    let labels = labels(svg);
    let document = roxmltree::Document::parse(svg).unwrap();
    for node in document.descendants() {
        if let Some(size) = node.attribute("font-size").filter(|_| !node.has_tag_name("tspan")) {
            assert!(size.parse::<f64>().unwrap() >= 7.0 * 4.0 / 3.0, "type of {size} pixels");
        }
    }
    let leaders: Vec<_> = document.descendants().filter(|node| node.attribute("class") == Some("leader")).collect();
    for leader in leaders {
        let right = frame(&document);
        let points = leader.attribute("d").unwrap().split(['M', 'L']).filter(|point| !point.is_empty());
        let xs: Vec<f64> = points.map(|point| point.split(',').next().unwrap().parse().unwrap()).collect();
        assert!(xs.iter().all(|x| *x > right) && leader.attribute("stroke-dasharray").is_some(), "{xs:?}, {right}");
    }
    for (i, (name, a)) in labels.iter().enumerate() {
        for (other, b) in &labels[..i] {
            let apart = a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] - 0.02 || b[1] >= a[3] - 0.02;
            assert!(apart, "{name} {a:?} covers {other} {b:?}");
        }
    }
}

/// The right edge of the plot area, where the horizontal axis ends.
fn frame(document: &roxmltree::Document) -> f64 {
    let axis =
        |node: &roxmltree::Node| node.attribute("stroke") == Some("#8c959f") && node.attribute("class").is_none();
    let paths = document.descendants().filter(axis).filter_map(|node| node.attribute("d"));
    let ends = paths.filter_map(|d| d.split('H').nth(1)?.split('M').next()?.parse::<f64>().ok());
    ends.fold(0.0, f64::max)
}

/// Every number in every attribute is one, and every text is inside the picture, also in a font a
/// quarter wider than Helvetica, which is what browsers take that have none of its kind.
fn assert_sound(svg: &str) {
    assert!(!svg.contains("NaN") && !svg.contains("inf,") && !svg.contains("\"inf"), "{svg}");
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let view: Vec<f64> = root.attribute("viewBox").unwrap().split(' ').map(|it| it.parse().unwrap()).collect();
    let size = [view[2], view[3]];
    for node in document.descendants().filter(|node| node.has_tag_name("text")) {
        let [x, y] = ["x", "y"].map(|name| node.attribute(name).unwrap().parse::<f64>().unwrap());
        assert!((0.0..=size[0]).contains(&x) && (0.0..=size[1]).contains(&y), "{x}, {y} outside {size:?}");
        // Numbers along an axis have the size of their group, and room around them.
        let Some(size_of_type) = node.attribute("font-size") else { continue };
        let text = node.text().unwrap_or("");
        let wide = width(text, size_of_type.parse().unwrap()) / 1.04 * 1.25;
        let wide = node.attribute("textLength").map_or(wide, |length| length.parse().unwrap());
        let left = match node.attribute("text-anchor") {
            Some("end") => x - wide,
            Some("middle") => x - wide / 2.0,
            _ => x,
        };
        assert!(left > -0.02 && left + wide < size[0] + 0.02, "{text}: {left} to {} of {size:?}", left + wide);
    }
}

#[test]
fn a_chart_stays_as_it_was() {
    let svg = delays().to_svg_sized(&Size::screen(480, 320));
    if std::env::var_os("SWITCHLAB_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/plot/tests/delays.svg");
        std::fs::write(path, &svg).unwrap();
    }
    let hint = "look at the new chart; if it is better, run again with SWITCHLAB_BLESS=1";
    assert!(svg == include_str!("delays.svg"), "{hint}:\n{svg}");
}

#[test]
fn lines_that_leave_are_named_where_they_leave() {
    let svg = delays().to_svg();
    let labels = labels(&svg);
    let at = |name: &str| labels.iter().find(|(text, _)| text == name).map(|(_, area)| *area).unwrap();
    // fifo leaves at a load of about 0.6, high up; the reference ends at the right edge.
    let (fifo, reference) = (at("fifo"), at("output queueing"));
    assert!(fifo[0] > 300.0 && fifo[2] < 560.0 && fifo[3] < 200.0, "{fifo:?}");
    assert!(reference[0] > 600.0, "{reference:?}");
    assert_readable(&svg);
}

#[test]
fn many_equal_ends_are_told_apart() {
    for count in [2, 10, 60] {
        let names = (0..count).map(|i| format!("scheduler number {i}"));
        let series =
            names.enumerate().map(|(i, name)| Series::new(name, [(0.0, i as f64), (1.0, 5.0 + 1e-3 * i as f64)]));
        let chart = Chart { series: series.collect(), ..Chart::new("Ends", Axis::linear("x"), Axis::linear("y")) };
        for size in [(800, 500), (400, 300), (240, 0)] {
            let svg = chart.to_svg_sized(&Size::screen(size.0, size.1));
            assert!(labels(&svg).len() >= count, "a name is missing");
            assert_readable(&svg);
            assert_sound(&svg);
        }
    }
}

#[test]
fn nothing_vanishes_without_a_word() {
    let series = [
        Series::new("empty", Vec::<Point>::new()),
        Series::new("nan", [(1.0, f64::NAN), (f64::INFINITY, 1.0)]),
        Series::new("above", [(1.0, 50.0), (2.0, 60.0)]),
        Series::new("<single> & \"only\"", [(1.0, 5.0)]),
    ];
    let axes = (Axis::linear("x"), Axis::log("y").range(1.0, 10.0));
    let chart = Chart { series: series.into(), ..Chart::new("Odd\u{0}ities", axes.0, axes.1) };
    let svg = chart.to_svg();
    assert_sound(&svg);
    for text in ["Nothing to draw for: empty, nan", "above ↑", "&lt;single&gt; &amp; &quot;only&quot;"] {
        assert!(svg.contains(text), "{text} not in {svg}");
    }
}

/// A line that ends early is named at its end, however full the chart is, or in a key: never by a
/// line across the plot area.
#[test]
fn names_of_lines_that_end_early_cross_nothing() {
    // All on one level, each ending before the other.
    let rows = |i: usize| (0..8 - i).map(move |k| (k as f64, if k == 0 { i as f64 } else { 5.0 + 0.001 * i as f64 }));
    let series = (0..6).map(|i| Series::new(format!("scheduler({i})"), rows(i)));
    let chart = Chart { series: series.collect(), ..Chart::new("Ends", Axis::linear("x"), Axis::linear("y")) };
    for size in [Size::default(), Size::screen(360, 300), Size::print(88.0)] {
        let svg = chart.to_svg_sized(&size);
        assert_readable(&svg);
        assert_eq!(svg.matches("class=\"sample\"").count(), 6, "a key with a sample for each");
        assert!(!svg.contains("class=\"leader\""));
    }
}

#[test]
fn one_x_is_a_dot_chart() {
    let series = |name: &str, y: f64| Series::new(name, [Point::new(0.99, y).interval(y - 0.01, y + 0.01)]);
    let chart = Chart::new("Throughput", Axis::linear("Load of each input").word("load"), Axis::linear("Throughput"))
        .series(series("oq", 0.98))
        .series(series("islip", 0.95))
        .series(Series::new("printed", [(0.5, 0.5), (0.99, 0.97)]).reference());
    let svg = chart.to_svg();
    assert_sound(&svg);
    assert_readable(&svg);
    assert!(svg.contains("Throughput, at load 0.99") && svg.contains("Dot chart"), "{svg}");
    assert_eq!(labels(&svg).len(), 3);
    assert!(!svg.contains(">1.2<") && !svg.contains(">1.4<"), "no loads beyond 1: {svg}");
    // A delay of 0 is a value, and a quotient has few digits.
    let series = |name: &str, y: f64| Series::new(name, [(0.501_824_218_75, y)]);
    let chart = Chart::new("Delay", Axis::linear("Load").word("load"), Axis::log("Delay"));
    let svg = chart.series(series("oq", 0.0)).series(series("islip", 250.0)).to_svg();
    assert!(svg.contains("Delay, at load 0.5018<") && !svg.contains(">none<"), "{svg}");
}

#[test]
fn a_chart_without_data_has_no_axis() {
    let chart = Chart::new("How long cells wait", Axis::log("d"), Axis::log("share")).footer("Unstable: pim");
    let svg = chart.to_svg();
    assert!(svg.contains("nothing to draw") && svg.contains("Unstable: pim"), "{svg}");
    assert!(!svg.contains("<path") && !svg.contains(">10<"), "{svg}");
    assert!(chart.to_terminal(&Terminal::default()).contains("nothing to draw"));
}

#[test]
fn zero_on_a_logarithmic_axis_is_said() {
    let chart = Chart::new("t", Axis::linear("x"), Axis::log("Delay (slots)").word("delay"))
        .series(Series::new("a", [(1.0, 0.0), (2.0, 3.0), (3.0, 5.0)]));
    assert!(chart.to_svg().contains("The logarithmic axis has no place for delay 0: 1 value not shown"));
}

/// Lines that coincide: markers side by side, a dashed line over a solid one, and the ratio.
#[test]
fn lines_that_coincide_can_be_told_apart() {
    let line = |name: &str| Series::new(name, [(1.0, 2.0), (2.0, 3.0), (3.0, 5.0)]).of_switch(name, name);
    let chart = Chart::new("t", Axis::linear("x"), Axis::linear("y")).series(line("islip")).series(line("pim"));
    let svg = chart.to_svg();
    assert!(svg.contains("Markers of equal values stand side by side"), "{svg}");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let dashes: Vec<bool> = document
        .descendants()
        .filter(|node| node.attribute("stroke-linejoin").is_some() && node.attribute("d").is_some())
        .map(|node| node.attribute("stroke-dasharray").is_some())
        .collect();
    assert_eq!(dashes, [false, true], "the solid one first");
    let with_ratio = chart.ratio("islip").to_svg();
    assert!(with_ratio.contains("Ratio to islip") && with_ratio.contains(">1<"), "{with_ratio}");
    assert_sound(&with_ratio);
}

#[test]
fn a_figure_for_a_column_has_its_width_and_no_title() {
    let mut chart = delays();
    chart.titled = false;
    let svg = chart.to_svg_sized(&Size::print(88.0));
    assert!(svg.contains("width=\"88mm\"") && !svg.contains(">8 ports, uniform traffic<"), "{svg}");
    assert!(svg.contains("<title>Mean delay</title>"), "the description keeps it");
    assert_readable(&svg);
    assert_sound(&svg);
}

#[test]
fn long_lines_are_thinned() {
    let points = (1..=50_000).map(f64::from).map(|d| (d, libm::exp(-d / 4000.0)));
    let chart = Chart::new("CCDF", Axis::log("d"), Axis::log("P")).series(Series::new("oq", points).step());
    let svg = chart.to_svg();
    assert!(svg.len() < 16_000, "{} bytes", svg.len());
    assert_sound(&svg);
}

#[test]
fn terminals_get_letters_and_no_surprises() {
    let text = delays().to_terminal(&Terminal { columns: 60, rows: 20, colour: false });
    assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    assert!(text.contains("c islip(iterations=4)") && text.contains("100 ┤") && text.contains('⣀'), "{text}");
    assert!(!text.contains('\x1b'));
    let hostile = Chart::new("\x1b[2Jgone", Axis::linear("x"), Axis::linear("y"));
    assert!(!hostile.to_terminal(&Terminal::default()).contains('\x1b'));
    assert!(delays().to_terminal(&Terminal { colour: true, ..Terminal::default() }).contains("\x1b[38;5;32m"));
}

/// Bars from a common beginning, with their values; notes about intervals are for pictures.
#[test]
fn terminals_draw_bars_where_there_is_one_x() {
    let chart =
        Chart::new("Mean delay", Axis::linear("Load of each input").word("load"), Axis::linear("Delay (slots)"))
            .series(Series::new("oq", [(0.9, 5.0)]))
            .series(Series::new("islip", [(0.9, 10.0)]))
            .footer("Whiskers and bands: 95 % confidence intervals over 3 replications\npim: unstable");
    let text = chart.to_terminal(&Terminal { columns: 30, ..Terminal::default() });
    let expected =
        "Mean delay\nDelay (slots), at load 0.9\noq    │██████████ 5\nislip │████████████████████ 10\npim: unstable\n";
    assert_eq!(text, expected);
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => 0.0..1.0_f64,
        3 => -1e3..1e6_f64,
        1 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::MAX, f64::MIN, 5e-324, 1e300, 1e-300]),
    ]
}

fn axis() -> impl Strategy<Value = Axis> {
    (".{0,12}", any::<bool>(), prop::option::weighted(0.3, (value(), value()))).prop_map(|(label, log, range)| {
        let axis = if log { Axis::log(label) } else { Axis::linear(label) };
        Axis { range, ..axis }
    })
}

fn series() -> impl Strategy<Value = Series> {
    let point = (value(), value(), prop::option::of((value(), value())));
    let point = point.prop_map(|(x, y, interval)| Point { x, y, interval }).boxed();
    let points =
        prop_oneof![9 => prop::collection::vec(point.clone(), 0..30), 1 => prop::collection::vec(point, 500..600)];
    let style = prop::sample::select(vec![Style::Line, Style::Step, Style::Reference]);
    let switch = prop::option::of(prop::sample::select(vec!["oq".to_string(), "islip".to_string(), "x".to_string()]));
    ("\\PC{0,30}|.{0,8}", points, style, switch).prop_map(|(name, points, style, switch)| Series {
        name,
        switch,
        full: None,
        points,
        style,
    })
}

fn chart() -> impl Strategy<Value = Chart> {
    let text = || prop::option::of(".{0,120}");
    (".{0,80}", any::<bool>(), text(), axis(), axis(), prop::collection::vec(series(), 0..14), any::<bool>(), text())
        .prop_map(|(title, titled, subtitle, x, y, series, ratio, footer)| {
            let ratio = series.first().filter(|_| ratio).map(|series| series.name.clone());
            Chart { title, titled, subtitle, x, y, series, ratio, footer }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_chart_can_be_drawn(chart in chart(), width in 0..1000_u32, height in 0..700_u32) {
        for size in [Size::screen(width, height), Size::print(f64::from(width) / 4.0)] {
            let svg = chart.to_svg_sized(&size);
            assert_sound(&svg);
            assert_readable(&svg);
            prop_assert_eq!(&svg, &chart.clone().to_svg_sized(&size));
        }
    }

    #[test]
    fn any_chart_fits_a_terminal(chart in chart(), columns in 0..150_usize, rows in 0..60_usize) {
        let text = chart.to_terminal(&Terminal { columns, rows, colour: false });
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        prop_assert!(longest <= columns.clamp(30, 500), "{}", text);
    }
}
