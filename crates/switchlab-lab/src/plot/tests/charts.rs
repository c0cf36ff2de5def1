//! Whole charts: well formed, readable, the same every time, whatever the data.

use proptest::prelude::*;

use crate::plot::text::width;
use crate::plot::{Axis, Chart, Point, Series, Style, Terminal};

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
            (text.into(), [x, y - 0.8 * size, x + width(text, size), y + 0.2 * size])
        })
        .collect()
}

fn assert_readable(svg: &str) {
    let labels = labels(svg);
    for (i, (name, a)) in labels.iter().enumerate() {
        for (other, b) in &labels[..i] {
            let apart = a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] - 0.02 || b[1] >= a[3] - 0.02;
            assert!(apart, "{name} {a:?} covers {other} {b:?}");
        }
    }
}

/// Every number in every attribute is one, and every text is inside the picture.
fn assert_sound(svg: &str) {
    assert!(!svg.contains("NaN") && !svg.contains("inf,") && !svg.contains("\"inf"), "{svg}");
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let size = ["width", "height"].map(|name| root.attribute(name).unwrap().parse::<f64>().unwrap());
    for node in document.descendants().filter(|node| node.has_tag_name("text")) {
        let [x, y] = ["x", "y"].map(|name| node.attribute(name).unwrap().parse::<f64>().unwrap());
        assert!((0.0..=size[0]).contains(&x) && (0.0..=size[1]).contains(&y), "{x}, {y} outside {size:?}");
    }
}

#[test]
fn a_chart_stays_as_it_was() {
    let svg = delays().to_svg_sized(480, 320);
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
            let svg = chart.to_svg_sized(size.0, size.1);
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
    ("\\PC{0,30}|.{0,8}", points, style).prop_map(|(name, points, style)| Series { name, points, style })
}

fn chart() -> impl Strategy<Value = Chart> {
    let text = || prop::option::of(".{0,120}");
    (".{0,80}", text(), axis(), axis(), prop::collection::vec(series(), 0..14), text())
        .prop_map(|(title, subtitle, x, y, series, footer)| Chart { title, subtitle, x, y, series, footer })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_chart_can_be_drawn(chart in chart(), width in 0..1000_u32, height in 0..700_u32) {
        let svg = chart.to_svg_sized(width, height);
        assert_sound(&svg);
        assert_readable(&svg);
        prop_assert_eq!(&svg, &chart.clone().to_svg_sized(width, height));
    }

    #[test]
    fn any_chart_fits_a_terminal(chart in chart(), columns in 0..150_usize, rows in 0..60_usize) {
        let text = chart.to_terminal(&Terminal { columns, rows, colour: false });
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        prop_assert!(longest <= columns.clamp(30, 500), "{}", text);
    }
}
