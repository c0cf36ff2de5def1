//! The parts of a chart, one by one; whole charts are in `charts`.

mod charts;

use super::geometry::{Rect, thin};
use super::ink::{COLOURS, PAPER};
use super::labels::spread;
use super::scale::{Fit, Mapping};
use super::text::{balanced, escape, px, width, wrap};
use super::ticks::{number, ticks};
use super::{Axis, Scale};

fn mapping(scale: Scale, low: f64, high: f64) -> Mapping {
    Mapping { scale, low, high }
}

fn numbers(axis: &Mapping, wanted: usize) -> String {
    let numbers = ticks(axis, wanted).into_iter().filter_map(|tick| tick.number);
    numbers.map(|number| number.plain()).collect::<Vec<_>>().join(" ")
}

#[test]
fn linear_ticks_are_round() {
    assert_eq!(numbers(&mapping(Scale::Linear, 0.0, 1.0), 5), "0.0 0.2 0.4 0.6 0.8 1.0");
    assert_eq!(numbers(&mapping(Scale::Linear, -3.0, 12.0), 4), "0 5 10");
    assert_eq!(numbers(&mapping(Scale::Linear, -0.1, 0.1), 2), "−0.1 0.0 0.1");
    assert_eq!(numbers(&mapping(Scale::Linear, 0.0, 1_000_000.0), 4), "0 500,000 1,000,000");
    assert_eq!(numbers(&mapping(Scale::Linear, 0.0, 3e9), 3), "0 1×10⁹ 2×10⁹ 3×10⁹");
    assert_eq!(numbers(&mapping(Scale::Linear, 1e-9, 3e-9), 2), "1×10⁻⁹ 2×10⁻⁹ 3×10⁻⁹");
}

#[test]
fn logarithmic_ticks_are_powers_or_plain() {
    assert_eq!(numbers(&mapping(Scale::Log10, 0.1, 1e4), 8), "0.1 1 10 100 1,000 10,000");
    assert_eq!(numbers(&mapping(Scale::Log10, 1e-6, 1.0), 4), "10⁻⁶ 10⁻⁴ 10⁻² 1");
    assert_eq!(numbers(&mapping(Scale::Log10, 1.0, 20.0), 8), "1 2 5 10 20");
    // Too narrow for powers: linear numbers at logarithmic places.
    assert_eq!(numbers(&mapping(Scale::Log10, 1.1, 1.5), 4), "1.1 1.2 1.3 1.4 1.5");
    let minor = ticks(&mapping(Scale::Log10, 1.0, 100.0), 3).into_iter().filter(|t| t.number.is_none()).count();
    assert_eq!(minor, 16);
}

#[test]
fn numbers_read_well() {
    let plain = |value, step, largest| number(value, step, largest).plain();
    assert_eq!(plain(-1234.5, 0.5, 2000.0), "−1,234.5");
    assert_eq!(plain(-0.0, 1.0, 10.0), "0");
    assert_eq!(plain(-123.0, 1.0, 200.0), "−123");
    assert_eq!(plain(2.5e-7, 5e-8, 2.5e-7), "2.5×10⁻⁷");
}

#[test]
fn ranges_come_from_the_data() {
    let range = |axis: &Axis, fit, values: &[f64]| {
        let mapping = Mapping::new(axis, fit, values.iter().copied());
        format!("{} {}", px(mapping.low), px(mapping.high))
    };
    let (linear, log) = (Axis::linear(""), Axis::log(""));
    assert_eq!(range(&linear, Fit::Round, &[2.0, 58.0]), "0 60");
    assert_eq!(range(&linear, Fit::Round, &[0.62, 1.0]), "0.6 1");
    assert_eq!(range(&linear, Fit::Round, &[5.0, f64::NAN]), "0 10");
    assert_eq!(range(&linear, Fit::Round, &[]), "0 1");
    assert_eq!(range(&linear, Fit::Tight, &[0.1, 0.99]), "0.1 1");
    assert_eq!(range(&log, Fit::Round, &[0.3, 1100.0, 0.0, -5.0]), "0.2 2000");
    assert_eq!(range(&log, Fit::Round, &[-1.0]), "1 10");
    // A range that cannot be drawn is ignored.
    assert_eq!(range(&log.clone().range(0.0, 10.0), Fit::Round, &[1.0, 100.0]), "1 100");
    assert_eq!(range(&linear.clone().range(7.0, 3.0), Fit::Round, &[]), "3 7");
    assert_eq!(range(&linear.range(1.0, f64::INFINITY), Fit::Round, &[]), "0 1");
}

#[test]
fn clipping_finds_where_lines_leave() {
    let unit = Rect::UNIT;
    assert_eq!(unit.clip_line(&[(0.5, 0.5), (0.5, 2.0)]), [[(0.5, 0.5), (0.5, 1.0)]]);
    let out_and_back = unit.clip_line(&[(0.0, 0.5), (0.25, 1.5), (0.75, 1.5), (1.0, 0.5)]);
    assert_eq!(out_and_back, [[(0.0, 0.5), (0.125, 1.0)], [(0.875, 1.0), (1.0, 0.5)]]);
    assert!(unit.clip_line(&[(2.0, 0.0), (3.0, 1.0)]).is_empty());
    assert!(unit.clip_line(&[]).is_empty());
    let square = unit.clip_polygon(vec![(-1.0, 0.5), (2.0, 0.5), (2.0, 2.0), (-1.0, 2.0)]);
    assert!(square.iter().all(|place| unit.contains(*place)) && square.len() >= 4, "{square:?}");
}

#[test]
fn thinning_keeps_the_shape() {
    let line: Vec<_> =
        (0..20_000).map(|i| f64::from(i) * 0.03).map(|x| (x, 100.0 + 80.0 * libm::sin(x / 40.0))).collect();
    let thinned = thin(line.clone(), 400);
    assert!(thinned.len() <= 400 && thinned.first() == line.first() && thinned.last() == line.last());
    for pair in thinned.windows(2) {
        for &(x, y) in line.iter().filter(|p| (pair[0].0..=pair[1].0).contains(&p.0)) {
            let there = pair[0].1 + (pair[1].1 - pair[0].1) * (x - pair[0].0) / (pair[1].0 - pair[0].0);
            assert!((there - y).abs() < 0.5, "{x}: {y} drawn at {there}");
        }
    }
    // Noise keeps its extremes.
    let noise: Vec<_> = (0..20_000_u64).map(|i| (i as f64 * 0.03, (i * i * 7919 % 1009) as f64)).collect();
    let extremes = |line: &[(f64, f64)]| line.iter().fold((0.0_f64, 0.0_f64), |e, p| (e.0.min(p.1), e.1.max(p.1)));
    let thinned = thin(noise.clone(), 400);
    assert!(thinned.len() <= 400, "{}", thinned.len());
    assert_eq!(extremes(&thinned), extremes(&noise));
}

#[test]
fn labels_share_what_they_want() {
    assert_eq!(spread(&[(10.0, 4.0), (50.0, 4.0)], 0.0, 100.0), [10.0, 50.0]);
    assert_eq!(spread(&[(50.0, 4.0), (50.0, 4.0), (50.0, 4.0)], 0.0, 100.0), [46.0, 50.0, 54.0]);
    assert_eq!(spread(&[(0.0, 4.0), (0.0, 8.0)], 0.0, 100.0), [2.0, 8.0]);
    assert_eq!(spread(&[(99.0, 4.0), (100.0, 4.0)], 0.0, 100.0), [94.0, 98.0]);
    assert_eq!(spread(&[], 0.0, 1.0), [0.0; 0]);
}

#[test]
fn text_breaks_where_it_reads_well() {
    assert_eq!(wrap("islip(iterations=4)", 14.0, 100.0, 2), ["islip", "(iterations=4)"]);
    assert_eq!(wrap("one two three", 10.0, 40.0, 9), ["one two", "three"]);
    assert_eq!(wrap("", 10.0, 40.0, 2), [""; 0]);
    let cut = wrap("incomprehensibilities", 10.0, 40.0, 2);
    assert!(cut[0].ends_with('…') && width(&cut[0], 10.0) <= 40.0, "{cut:?}");
    assert_eq!(balanced("aaaa bbbb cccc d", 10.0, width("aaaa bbbb cccc", 10.0), 3), ["aaaa bbbb", "cccc d"]);
    assert_eq!(escape("a<b & \"c\"\u{1}\n"), "a&lt;b &amp; &quot;c&quot;\u{fffd} ");
}

/// The channels of a colour as light, not as code.
fn light(colour: &str) -> [f64; 3] {
    let code = u32::from_str_radix(&colour[1..], 16).unwrap();
    [16, 8, 0].map(|shift| {
        let c = f64::from(code >> shift & 255) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
    })
}

#[test]
fn names_contrast_with_the_paper() {
    let luminance =
        |colour| light(colour).iter().zip([0.2126, 0.7152, 0.0722]).map(|(c, weight)| c * weight).sum::<f64>();
    for (_, text) in COLOURS {
        let contrast = (luminance(PAPER) + 0.05) / (luminance(text) + 0.05);
        assert!(contrast >= 4.5, "{text} has a contrast of {contrast:.2}");
    }
}

/// Differences in Oklab, as seen with and without red or green cones (Machado, Oliveira and
/// Fernandes 2009).
#[test]
fn colours_differ_for_the_colour_blind() {
    type Matrix = [[f64; 3]; 3];
    let eyes: [(&str, f64, Matrix); 3] = [
        ("all cones", 0.12, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "no red",
            0.09,
            [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
        ),
        (
            "no green",
            0.07,
            [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
        ),
    ];
    let times = |m: &Matrix, v: [f64; 3]| m.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>());
    let oklab = |rgb| {
        let lms = [
            [0.412_221_5, 0.536_332_5, 0.051_446],
            [0.211_903_5, 0.680_699_5, 0.107_397],
            [0.088_302_5, 0.281_718_8, 0.629_978_7],
        ];
        let lab = [
            [0.210_454_3, 0.793_617_8, -0.004_072],
            [1.977_998_5, -2.428_592_2, 0.450_593_7],
            [0.025_904, 0.782_771_8, -0.808_675_8],
        ];
        times(&lab, times(&lms, rgb).map(libm::cbrt))
    };
    for (eye, least, matrix) in eyes {
        let seen = COLOURS.map(|(line, _)| oklab(times(&matrix, light(line)).map(|c| c.clamp(0.0, 1.0))));
        for (i, j) in (0..COLOURS.len()).flat_map(|i| (0..i).map(move |j| (j, i))) {
            let difference = seen[i].iter().zip(seen[j]).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            assert!(difference >= least, "{eye}: {} and {} differ by {difference:.3}", COLOURS[i].0, COLOURS[j].0);
        }
    }
}
