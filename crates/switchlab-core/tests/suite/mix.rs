//! MIX against its twin, against SERENA, and how gossip comes nearer to the central merge.

use crate::common::{SEED, SIZES, departures, rows, source, switch};
use crate::naive::Twin;
use crate::naive_mix::{Method, NaiveMix};
use switchlab_core::rng::Purpose;
use switchlab_core::schedule::serena::rules::Populate;
use switchlab_core::switch::Switch;
use switchlab_core::{Cell, Slot};

fn counter(switch: &dyn Switch, name: &str) -> (u64, u64) {
    let mut found = None;
    switch.counters(&mut |counter| {
        if counter.name == name {
            found = Some((counter.sum, counter.per));
        }
    });
    found.unwrap_or_else(|| panic!("there is no counter {name}"))
}

/// The twin of a spec: its method, and how ports that are left over are paired.
fn method(spec: &str, ports: usize, rounds: u32, codewords: u32) -> Method {
    if spec.contains("gossip") {
        Method::Gossip { rounds, rng: SEED.stream(Purpose::Scheduler, 1) }
    } else if spec.contains("idempotent") {
        Method::Idempotent { rounds, codewords, key: SEED.stream(Purpose::Scheduler, 2).next() }
    } else {
        assert!(ports > 0);
        Method::Central
    }
}

fn same(spec: &str, ports: usize, slots: Slot, method: Method, populate: Option<Populate>, traffic: (&str, f64)) {
    let mut real = switch(spec, ports, SEED);
    let mut naive = NaiveMix::new(ports, method, populate, SEED);
    naive.split_stays_green = spec.contains("split=green");
    let mut arrivals = source(traffic.0, "bernoulli", ports, traffic.1, SEED);
    for (now, row) in rows(&mut *arrivals, ports, slots) {
        let mut got = [vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]];
        real.slot(now, &row, &mut got[0]);
        naive.slot(now, &row, &mut got[1]);
        assert_eq!(got[0], got[1], "{spec}, {ports} ports, {traffic:?}, slot {now}");
    }
    let expected = (naive.right as u64, naive.components as u64);
    assert_eq!(counter(&*real, "right_components"), expected, "{spec}, {ports} ports");
}

/// Every variant, every way to populate, at the sizes that the twin can do.
#[test]
fn every_variant_is_its_twin() {
    for ports in SIZES.into_iter().filter(|&ports| ports <= 65) {
        let slots = (40_000 / (ports * ports)).clamp(12, 300) as Slot;
        for traffic in [("uniform", 0.9), ("diagonal", 0.6)] {
            for (populate, rule) in [("none", None), ("rank", Some(Populate::Rank)), ("random", Some(Populate::Random))]
            {
                let spec = format!("mix(populate={populate})");
                same(&spec, ports, slots, method(&spec, ports, 0, 0), rule, traffic);
                for rounds in [1, 7] {
                    let spec = format!("mix(variant=gossip,rounds={rounds},populate={populate})");
                    same(&spec, ports, slots, method(&spec, ports, rounds, 0), rule, traffic);
                    let spec = format!("mix(variant=idempotent,rounds={rounds},codewords=70,populate={populate})");
                    let slots = slots.min(30);
                    same(&spec, ports, slots, method(&spec, ports, rounds, 70), rule, traffic);
                }
            }
        }
    }
}

/// A path or cycle whose ports disagree stays green, and no edge is lost.
#[test]
fn split_components_stay_green_if_asked() {
    for ports in [2, 3, 8, 20, 33] {
        let slots = (20_000 / (ports * ports)).clamp(12, 200) as Slot;
        for rounds in [1, 7] {
            let spec = format!("mix(variant=gossip,rounds={rounds},split=green)");
            same(&spec, ports, slots, method(&spec, ports, rounds, 0), None, ("uniform", 0.9));
            let spec = format!("mix(variant=idempotent,rounds={rounds},codewords=5,split=green)");
            same(&spec, ports, slots.min(30), method(&spec, ports, rounds, 5), None, ("uniform", 0.9));
        }
    }
}

/// Two averages of 64 bits for each port with a neighbour and round; two minima of 64 bits for each
/// codeword, edge and direction.
#[test]
fn bits_are_those_of_the_numbers() {
    for (spec, numbers) in
        [("mix(variant=gossip,rounds=5)", 2), ("mix(variant=idempotent,rounds=5,codewords=7)", 14), ("mix", 0)]
    {
        let (ports, mut mix) = (8, switch(spec, 8, SEED));
        let mut arrivals = source("uniform", "bernoulli", ports, 0.8, SEED);
        for (now, row) in rows(&mut *arrivals, ports, 50) {
            mix.slot(now, &row, &mut [Cell::IDLE; 8]);
        }
        let (messages, bits) = (counter(&*mix, "messages_per_vertex"), counter(&*mix, "bits_merge"));
        assert_eq!((bits.0, bits.1), (messages.0 * numbers * 64, messages.1 / 2), "{spec}");
        assert_eq!(bits.0 > 0, numbers > 0, "{spec}");
    }
}

/// Minima after as many rounds as the longest walk has ports: those of all.
#[test]
fn minima_of_many_rounds_are_their_twins() {
    for ports in [3, 8, 20] {
        let spec = "mix(variant=idempotent,rounds=40,codewords=3)";
        same(spec, ports, 60, method(spec, ports, 40, 3), None, ("uniform", 0.8));
    }
}

/// On full matchings the central merge is SERENA's, in every slot.
#[test]
fn central_on_full_matchings_is_serena() {
    for ports in SIZES.into_iter().filter(|&ports| ports <= 257) {
        for populate in ["rank", "random", "rotate"] {
            for tie in ["green", "red"] {
                let run = |spec: &str| {
                    let mut arrivals = source("diagonal", "bernoulli", ports, 0.9, SEED);
                    departures(&mut *switch(spec, ports, SEED), &mut *arrivals, 300)
                };
                let serena = run(&format!("serena(populate={populate},tie={tie})"));
                assert_eq!(
                    run(&format!("mix(populate={populate},tie={tie})")),
                    serena,
                    "{ports} ports, {populate}, {tie}"
                );
            }
        }
    }
}

/// The share of components that are decided as the whole weights say.
fn quality(spec: &str) -> f64 {
    let mut switch = switch(spec, 16, SEED);
    let mut arrivals = source("uniform", "bernoulli", 16, 0.8, SEED);
    departures(&mut *switch, &mut *arrivals, 1000);
    let (right, all) = counter(&*switch, "right_components");
    assert!(all > 3000, "{spec}: {all} components");
    right as f64 / all as f64
}

/// Gossip comes nearer to the central merge with every round that it gets. It does not get there:
/// averages of colours that weigh the same are never quite equal, so that ports of such a component
/// decide by chance. Fixed seed, and so no false alarm of the same program.
#[test]
fn gossip_converges() {
    let gossip = [1, 16, 256, 4096].map(|rounds| quality(&format!("mix(variant=gossip,rounds={rounds})")));
    assert!(gossip.is_sorted(), "{gossip:?}");
    assert!(gossip[3] > 0.98, "{gossip:?}");
    let minima = [1, 64].map(|rounds| quality(&format!("mix(variant=idempotent,rounds={rounds},codewords=64)")));
    let words = [2, 32, 512].map(|words| quality(&format!("mix(variant=idempotent,codewords={words})")));
    assert!(minima.is_sorted() && words.is_sorted(), "{minima:?} {words:?}");
    assert_eq!(quality("mix"), 1.0);
}

/// What is sent, counted by hand: two inputs with red edges to outputs 0 and 1, whose green edges,
/// the identity's, cross them.
#[test]
fn messages_by_hand() {
    let count = |spec: &str| {
        let mut switch = switch(spec, 3, SEED);
        switch.slot(0, &[1, 0, 2], &mut [Cell::IDLE; 3]);
        let of = |name| counter(&*switch, name);
        [of("messages_per_vertex").0, of("numbers_per_message").0, of("rounds").0, of("components").0]
    };
    // A cycle of four ports; the edge from input 2 to output 2 has both colours.
    assert_eq!(count("mix"), [0, 0, 4, 1]);
    assert_eq!(count("mix(variant=gossip,rounds=5)"), [5 * 4, 2, 5, 1]);
    assert_eq!(count("mix(variant=idempotent,rounds=5,codewords=9)"), [5 * 8, 18, 5, 1]);
}
