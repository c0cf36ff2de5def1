//! Literal first arrivals of every traffic and process, so that no number changes unnoticed.

use crate::common::{SEED, rows, source};
use switchlab_core::NONE;

/// The first eight slots with arrivals, seed 1, four ports, load 0.6: the slot, and the output each
/// input's cell is for.
fn first_rows(traffic: &str, process: &str) -> String {
    let mut source = source(traffic, process, 4, 0.6, SEED);
    let text = |(now, row): (u32, Vec<u16>)| {
        let cells = row.iter().map(|&output| if output == NONE { "-".to_string() } else { output.to_string() });
        format!("{now}:{}", cells.collect::<String>())
    };
    let nonempty = rows(&mut *source, 4, 1000).filter(|(_, row)| row.iter().any(|&output| output != NONE));
    nonempty.map(text).take(8).collect::<Vec<_>>().join(" ")
}

const PINS: [(&str, &str, &str); 30] = [
    ("uniform", "bernoulli", "0:3-32 1:3-32 2:001- 3:0020 4:0121 5:--31 6:2-3- 7:010-"),
    ("unbalanced(w=0.5)", "bernoulli", "0:0-23 1:0-23 2:013- 3:0123 4:0100 5:--13 6:2-2- 7:022-"),
    ("chang", "bernoulli", "0:2-00 1:2-01 2:303- 3:3002 4:3200 5:--10 6:2-0- 7:321-"),
    ("asymmetric(ratio=100)", "bernoulli", "0:1-30 1:1-30 2:123- 3:1230 4:1200 5:--30 6:1-3- 7:123-"),
    ("po2", "bernoulli", "0:1-33 1:1-33 2:012- 3:0123 4:0103 5:--13 6:2-3- 7:012-"),
    ("quasi-diagonal", "bernoulli", "0:0-23 1:0-11 2:013- 3:0103 4:0100 5:--13 6:2-2- 7:022-"),
    ("log-diagonal", "bernoulli", "0:1-33 1:1-33 2:012- 3:0123 4:0103 5:--13 6:2-3- 7:012-"),
    ("diagonal", "bernoulli", "0:1-33 1:1-33 2:012- 3:0123 4:0123 5:--33 6:0-3- 7:012-"),
    ("hotspot(count=1)", "bernoulli", "0:3-32 1:3-32 2:001- 3:0020 4:0101 5:--21 6:2-3- 7:0103"),
    ("permutation", "bernoulli", "0:2-01 1:2-03 2:210- 3:3120 4:2310 5:--21 6:2-1- 7:213-"),
    ("uniform", "bursty(mean=3)", "2:001- 3:0010 4:--10 5:101- 6:101- 7:-0-- 8:-000 9:-0-0"),
    ("unbalanced(w=0.5)", "bursty(mean=3)", "2:012- 3:0123 4:--23 5:012- 6:012- 7:-1-- 8:-123 9:-1-3"),
    ("chang", "bursty(mean=3)", "2:303- 3:3032 4:--32 5:103- 6:103- 7:-0-- 8:-012 9:-0-2"),
    ("asymmetric(ratio=100)", "bursty(mean=3)", "2:123- 3:1230 4:--30 5:123- 6:123- 7:-2-- 8:-230 9:-2-0"),
    ("po2", "bursty(mean=3)", "2:012- 3:0123 4:--23 5:012- 6:012- 7:-1-- 8:-123 9:-1-3"),
    ("quasi-diagonal", "bursty(mean=3)", "2:013- 3:0133 4:--33 5:013- 6:013- 7:-1-- 8:-123 9:-1-3"),
    ("log-diagonal", "bursty(mean=3)", "2:012- 3:0123 4:--23 5:012- 6:012- 7:-1-- 8:-123 9:-1-3"),
    ("diagonal", "bursty(mean=3)", "2:012- 3:0123 4:--23 5:012- 6:012- 7:-1-- 8:-123 9:-1-3"),
    ("hotspot(count=1)", "bursty(mean=3)", "0:---1 1:---0 2:0010 3:001- 4:0-1- 5:001- 6:0010 7:-0-0"),
    ("permutation", "bursty(mean=3)", "2:210- 3:2100 4:--00 5:300- 6:300- 7:-0-- 8:-023 9:-0-3"),
    ("uniform", "onoff(mean=3)", "0:-2-- 1:-2-- 2:-2-0 3:-0-0 4:-0-- 5:10-- 6:10-1 7:10-1"),
    ("unbalanced(w=0.5)", "onoff(mean=3)", "0:-1-- 1:-1-- 2:-1-3 3:-1-3 4:-1-- 5:11-- 6:11-0 7:11-0"),
    ("chang", "onoff(mean=3)", "0:-2-- 1:-2-- 2:-2-2 3:-0-2 4:-0-- 5:10-- 6:10-0 7:10-0"),
    ("asymmetric(ratio=100)", "onoff(mean=3)", "0:-2-- 1:-2-- 2:-2-0 3:-2-0 4:-2-- 5:12-- 6:12-0 7:12-0"),
    ("po2", "onoff(mean=3)", "0:-1-- 1:-1-- 2:-1-3 3:-1-3 4:-1-- 5:01-- 6:01-0 7:01-0"),
    ("quasi-diagonal", "onoff(mean=3)", "0:-1-- 1:-1-- 2:-1-3 3:-1-3 4:-1-- 5:11-- 6:11-0 7:11-0"),
    ("log-diagonal", "onoff(mean=3)", "0:-1-- 1:-1-- 2:-1-3 3:-1-3 4:-1-- 5:01-- 6:01-0 7:01-0"),
    ("diagonal", "onoff(mean=3)", "0:-1-- 1:-1-- 2:-1-3 3:-1-3 4:-1-- 5:01-- 6:01-0 7:01-0"),
    ("hotspot(count=1)", "onoff(mean=3)", "0:202- 1:202- 2:2020 3:-020 4:-02- 5:-02- 6:-00- 7:300-"),
    ("permutation", "onoff(mean=3)", "0:-3-- 1:-3-- 2:-3-3 3:-1-3 4:-1-- 5:31-- 6:31-3 7:31-3"),
];

#[test]
fn first_arrivals() {
    for (traffic, process, expected) in PINS {
        assert_eq!(first_rows(traffic, process), expected, "{traffic}, {process}");
    }
}
