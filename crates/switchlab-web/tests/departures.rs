//! What a page shows is what `switchlab run` gives: the hash of all departures, for each switch
//! that a page offers and several settings. The list of hashes is kept in
//! `web/tests/departures.txt`, and the tests of the page hold the module, compiled for WebAssembly,
//! to the same list.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use switchlab_core::registry::SWITCHES;
use switchlab_lab::plan::Warmup;
use switchlab_lab::run::Run;
use switchlab_lab::{Progress, Request};
use switchlab_web::request;
use switchlab_web::sim::Sim;

/// Ports, traffic, arrivals, load and seed.
const SETTINGS: [(usize, &str, &str, f64, u64); 5] = [
    (4, "uniform", "bernoulli", 0.9, 1),
    (8, "diagonal", "bernoulli", 0.7, 2),
    (16, "uniform", "onoff(mean=16)", 0.6, 3),
    (16, "hotspot(count=2)", "bursty(mean=12)", 0.4, 18_446_744_073_709_551_615),
    (64, "log-diagonal", "bernoulli", 0.5, 5),
];

/// A list over 10^5 slots, which is written to this file and not compared with the one that is
/// kept.
fn long() -> Option<PathBuf> {
    std::env::var_os("LONG").map(PathBuf::from)
}

/// Slots of a run: fewer where a slot takes long.
fn slots(ports: usize) -> u64 {
    if long().is_some() {
        100_000
    } else if ports == 64 {
        500
    } else {
        2_000
    }
}

fn native(switch: &str, ports: usize, traffic: &str, arrivals: &str, load: f64, seed: u64) -> Result<u64, String> {
    let plan = Request {
        switches: vec![switch.to_string()],
        ports: Some(ports),
        traffic: traffic.to_string(),
        arrivals: Some(arrivals.to_string()),
        load: Some(load),
        seed,
        slots: Some(slots(ports)),
        warmup: Some(Warmup::Slots(0)),
        replications: Some(1),
        ..Request::default()
    };
    let plan = plan.resolve().map_err(|error| error.to_string())?;
    let mut run = Run::new(&plan, 0, 0).map_err(|error| error.to_string())?.with_fingerprint();
    run.advance(slots(ports), None, &Progress::none()).map_err(|error| error.to_string())?;
    Ok(run.measured().fingerprint.unwrap())
}

fn page(switch: &str, ports: usize, traffic: &str, arrivals: &str, load: f64, seed: u64) -> Result<u64, String> {
    let text =
        format!("switch={switch}\nports={ports}\ntraffic={traffic}\narrivals={arrivals}\nload={load}\nseed={seed}");
    let request = request::Request::parse(&text)?;
    let mut sim = Sim::new(&request).map_err(|error| error.to_string())?;
    // Half of it in one piece, then slot by slot as the view of one slot does, then the rest.
    sim.advance(slots(ports) / 2).map_or(Ok(()), Err)?;
    for _ in 0..20 {
        sim.slot()?;
    }
    sim.advance(slots(ports) - sim.now()).map_or(Ok(()), Err)?;
    Ok(sim.hash())
}

/// To write the list anew after a decision to change results:
/// `WRITE=1 cargo test -p switchlab-web --test departures`. With LONG=FILE it writes a list over
/// 10^5 slots there, which `LIST=FILE web/test tests/module.test.mjs` holds the module to.
#[test]
fn departures_are_those_of_the_program() {
    let mut list = String::from("# switch;ports;traffic;arrivals;load;seed;slots;hash of departures\n");
    let mut switches = 0;
    for entry in SWITCHES {
        let mut settings = 0;
        for (ports, traffic, arrivals, load, seed) in SETTINGS {
            let expected = native(entry.name, ports, traffic, arrivals, load, seed);
            // In the long form the module, compiled for WebAssembly, is held to this list alone.
            let shown = match long() {
                Some(_) => expected.clone(),
                None => page(entry.name, ports, traffic, arrivals, load, seed),
            };
            assert_eq!(shown.is_ok(), expected.is_ok(), "{} {ports}: {shown:?}, {expected:?}", entry.name);
            let (Ok(shown), Ok(expected)) = (shown, expected) else { continue };
            assert_eq!(shown, expected, "{} {ports} {traffic} {arrivals}", entry.name);
            settings += 1;
            let (name, slots) = (entry.name, slots(ports));
            writeln!(list, "{name};{ports};{traffic};{arrivals};{load};{seed};{slots};{shown:016x}").unwrap();
        }
        switches += usize::from(settings == SETTINGS.len());
    }
    assert!(switches >= 15, "{switches} switches with all settings");
    if let Some(path) = long() {
        std::fs::write(path, &list).unwrap();
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/departures.txt");
    if std::env::var_os("WRITE").is_some() {
        std::fs::write(&path, &list).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), list, "the list is no longer what the program gives");
}
