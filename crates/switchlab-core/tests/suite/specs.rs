//! Hostile specs: whatever is written, nothing panics, and what is accepted has one canonical text.

use crate::common::SEED;
use proptest::prelude::*;
use switchlab_core::registry::{self, NoFiles};
use switchlab_core::spec::Spec;
use switchlab_core::{Cell, Error, NONE};

/// The canonical text of a spec, by each of the three lists that accepts it.
fn canonical(text: &str) -> [Result<String, Error>; 3] {
    [
        registry::switch(text).map(|chosen| chosen.args.to_string()),
        registry::traffic(text).map(|chosen| chosen.args.to_string()),
        registry::arrivals(text).map(|chosen| chosen.args.to_string()),
    ]
}

/// Parses, chooses, builds with sane and mad sizes, runs a little; canonical texts must read back
/// to themselves.
fn survives(text: &str) {
    if let Err(error) = Spec::parse(text) {
        assert!(!error.to_string().is_empty());
    }
    for (list, result) in canonical(text).into_iter().enumerate() {
        match result {
            Ok(once) => assert_eq!(canonical(&once)[list].as_ref(), Ok(&once), "{text:?} became {once:?}"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    for ports in [0, 1, 3, 70, 4097, usize::MAX] {
        if let Ok(chosen) = registry::switch(text) {
            let built = chosen.build(ports, SEED);
            match &built {
                Ok(_) => assert!((1..=4096).contains(&ports), "{text:?} with {ports} ports"),
                Err(Error::Ports { .. }) => assert!(!(1..=4096).contains(&ports), "{text:?} with {ports} ports"),
                // A switch may not exist in every size or with every combination of arguments; it
                // says so.
                Err(error) => {
                    assert!(matches!(error, Error::Impossible { .. }), "{text:?} with {ports} ports: {error}");
                }
            }
            if let Ok(mut switch) = built {
                let mut departures = vec![Cell::IDLE; ports];
                for now in 0..3 {
                    departures.fill(Cell::IDLE);
                    switch.slot(now, &vec![0; ports], &mut departures);
                }
            }
        }
        for load in [0.0, 0.5, 1.0, -0.0, 1e-12, -1e-9, 1.000_000_1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            if let Ok(chosen) = registry::traffic(text) {
                let built = chosen.build(Some(ports), Some(load), &NoFiles);
                let possible = (1..=4096).contains(&ports) && (0.0..=1.0).contains(&load);
                assert!(possible || built.is_err(), "{text:?} with {ports} ports and load {load}");
                if let Ok(traffic) = built {
                    let mut source = registry::arrivals("bursty").unwrap().build(&traffic, SEED);
                    let mut row = vec![NONE; ports];
                    (0..5).for_each(|now| source.slot(now, &mut row));
                }
            }
            if let Ok(chosen) = registry::arrivals(text) {
                let diagonal = registry::traffic("diagonal").unwrap().build(Some(ports), Some(load), &NoFiles);
                if let Ok(traffic) = diagonal {
                    let mut source = chosen.build(&traffic, SEED);
                    let mut row = vec![NONE; ports];
                    (0..5).for_each(|now| source.slot(now, &mut row));
                }
            }
        }
    }
}

fn names() -> Vec<&'static str> {
    let switches = registry::SWITCHES.iter().map(|entry| entry.name);
    let traffic = registry::TRAFFIC.iter().map(|entry| entry.name);
    let arrivals = registry::ARRIVALS.iter().map(|entry| entry.name);
    switches.chain(traffic).chain(arrivals).collect()
}

fn keys() -> Vec<&'static str> {
    let switches = registry::SWITCHES.iter().flat_map(|entry| entry.parameters);
    let traffic = registry::TRAFFIC.iter().flat_map(|entry| entry.parameters);
    let arrivals = registry::ARRIVALS.iter().flat_map(|entry| entry.parameters);
    switches.chain(traffic).chain(arrivals).map(|parameter| parameter.name).collect()
}

/// Numbers that break things, and words.
const VALUES: [&str; 30] = [
    "0",
    "1",
    "4",
    "4096",
    "4097",
    "-1",
    "+3",
    "007",
    "0.5",
    ".5",
    "5.",
    "1e3",
    "1e-3",
    "1e309",
    "-1e309",
    "5e-324",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "-0",
    "18446744073709551615",
    "18446744073709551616",
    "1e9",
    "0x10",
    "1_000",
    "\u{663}",
    "a b",
    "wfq(w=1)",
    "\"a,b(.csv\"",
];

/// A spec of known and unknown names, keys and values.
fn structured() -> impl Strategy<Value = String> {
    let name = prop_oneof![6 => prop::sample::select(names()).prop_map(String::from), 1 => "[a-z-]{0,8}"];
    let key = prop_oneof![6 => prop::sample::select(keys()).prop_map(String::from), 1 => "[a-z]{0,6}"];
    let value = prop_oneof![
        4 => prop::sample::select(&VALUES[..]).prop_map(String::from),
        1 => any::<f64>().prop_map(|x| x.to_string()),
        1 => any::<u64>().prop_map(|x| x.to_string()),
        1 => "[a-z0-9,()=\" \t.]{0,8}",
    ];
    let arguments = prop::collection::vec((key, value), 0..3);
    let space = prop::sample::select(vec!["", "", " ", "\t"]);
    (name, arguments, space).prop_map(|(name, arguments, space)| {
        let arguments: Vec<String> =
            arguments.iter().map(|(key, value)| format!("{key}{space}={value}{space}")).collect();
        if arguments.is_empty() { name } else { format!("{space}{name}{space}({})", arguments.join(",")) }
    })
}

/// Fixed like every seed here, and nothing is written to disk.
fn config() -> ProptestConfig {
    let rng_seed = prop::test_runner::RngSeed::Fixed(1);
    ProptestConfig { cases: 2000, failure_persistence: None, rng_seed, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_text(text in any::<String>()) {
        survives(&text);
    }

    #[test]
    fn text_of_spec_characters(text in "[a-c(),=\" \t0-9.-]{0,24}") {
        survives(&text);
    }

    #[test]
    fn file_names(name in "[a-c(),=\" \t\u{a0}.]{0,10}", quoted in any::<bool>()) {
        survives(&if quoted { format!("matrix(file=\"{name}\")") } else { format!("trace(file={name})") });
    }

    #[test]
    fn known_names_with_any_arguments(text in structured()) {
        survives(&text);
    }
}

/// Every entry accepts the text that its own page's parameters make, and an unknown name is told of
/// a near one.
#[test]
fn every_name_is_found_and_every_slip_is_answered() {
    for name in names() {
        let file = if ["matrix", "trace"].contains(&name) { "(file=x.csv)" } else { "" };
        let found = canonical(&format!("{name}{file}"));
        assert_eq!(found.iter().filter(|result| result.is_ok()).count(), 1, "{name}");
    }
    for (slip, meant) in [("islp", "islip"), ("unifrom", "uniform"), ("bernouli", "bernoulli"), ("oqq", "oq")] {
        let messages: Vec<String> = canonical(slip).into_iter().map(|result| result.unwrap_err().to_string()).collect();
        assert!(messages.iter().any(|message| message.contains(&format!("did you mean {meant}?"))), "{messages:?}");
    }
}

#[test]
fn long_and_deep_specs() {
    for text in
        ["(".repeat(100_000), "a(".repeat(50_000), format!("oq({})", "a=1,".repeat(20_000)), "x".repeat(1_000_000)]
    {
        assert!(canonical(&text).iter().all(Result::is_err));
    }
    let nested = format!("matrix(file={}x{})", "(".repeat(10_000), ")".repeat(10_000));
    survives(&nested);
}
