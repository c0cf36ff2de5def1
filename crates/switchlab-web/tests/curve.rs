//! A curve of the page gives what `switchlab run` gives: means, intervals and verdicts, exactly.

use switchlab_lab::plan::Warmup;
use switchlab_lab::{Progress, Request, compare};
use switchlab_web::host::Host;

const LOADS: [f64; 3] = [0.3, 0.8, 0.98];

#[test]
fn a_curve_has_the_figures_of_the_program() {
    for (switch, ports, traffic, arrivals) in [
        ("islip", 8, "diagonal", "bernoulli"),
        ("oq", 4, "uniform", "onoff(mean=8)"),
        ("fifo", 4, "uniform", "bernoulli"),
        ("benes", 4, "uniform", "bernoulli"),
    ] {
        let mut host = Host::new();
        let request = format!(
            "curve=0.3 0.8 0.98;3;4000;1000\nswitch={switch}\nports={ports}\ntraffic={traffic}\narrivals={arrivals}\nseed=5"
        );
        let begun: serde_json::Value = serde_json::from_str(&host.curve(0, &request)).unwrap();
        assert_eq!(begun["points"].as_array().unwrap().len(), LOADS.len(), "{begun}");
        let mut answer = begun;
        // In pieces that end anywhere.
        for _ in 0..8 {
            assert_eq!(answer["done"], false);
            answer = serde_json::from_str(&host.advance_curve(0, 700)).unwrap();
        }
        assert_eq!(answer["done"], true, "{answer}");
        for (point, load) in answer["points"].as_array().unwrap().iter().zip(LOADS) {
            let plan = Request {
                switches: vec![switch.to_string()],
                ports: Some(ports),
                traffic: traffic.to_string(),
                arrivals: Some(arrivals.to_string()),
                load: Some(load),
                seed: 5,
                slots: Some(4000),
                warmup: Some(Warmup::Slots(1000)),
                replications: Some(3),
                ..Request::default()
            };
            let comparison = compare(&plan.resolve().unwrap(), &Progress::none()).unwrap();
            let outcome = &comparison.switches[0];
            let delay = outcome.delay.unwrap();
            assert_eq!(point["delay"]["mean"].as_f64().unwrap().to_bits(), delay.mean.to_bits(), "{switch} {load}");
            assert_eq!(point["delay"]["ci95"].as_f64(), delay.half_width, "{switch} {load}");
            assert_eq!(point["throughput"]["mean"].as_f64().unwrap().to_bits(), outcome.throughput.mean.to_bits());
            assert_eq!(point["verdict"], outcome.stability.verdict.name(), "{switch} {load}");
            assert_eq!(point["slots"], 4000);
        }
    }
}

/// Two switches of one comparison: the interval of their difference is that of the program.
#[test]
fn differences_are_paired() {
    let mut host = Host::new();
    for (curve, switch) in ["oq", "islip"].into_iter().enumerate() {
        host.curve(curve, &format!("curve=0.8;4;3000;500\nswitch={switch}\nports=4\nseed=2"));
        host.advance_curve(curve, 3500);
    }
    let answer: serde_json::Value = serde_json::from_str(&host.differences(0, 1)).unwrap();
    let plan = Request {
        switches: vec!["oq".into(), "islip".into()],
        ports: Some(4),
        load: Some(0.8),
        seed: 2,
        slots: Some(3000),
        warmup: Some(Warmup::Slots(500)),
        replications: Some(4),
        ..Request::default()
    };
    let comparison = compare(&plan.resolve().unwrap(), &Progress::none()).unwrap();
    let expected = comparison.switches[1].versus_first.unwrap();
    assert_eq!(answer["differences"][0]["mean"].as_f64(), Some(expected.mean));
    assert_eq!(answer["differences"][0]["ci95"].as_f64(), expected.half_width);
    for (first, other) in [(0, 0), (0, 2), (9, 0)] {
        assert!(host.differences(first, other).contains("error"), "{first} {other}");
    }
}

#[test]
fn bad_requests_are_refused() {
    for bad in [
        "",
        "switch=oq",
        "curve=0.5;1;10;0\n",
        "curve=2;3;10;0\n",
        "curve=;3;10;0\n",
        "curve=x;3;10;0\n",
        "curve=0.5;3\n",
        "curve=0.5;3;0;0\n",
        "curve=0.5;3;99999999999;0\n",
        "curve=0.5;3;10;0\nswitch=nothing",
        "curve=nan;3;10;0\n",
        "curve=0.1 0.2 0.3 0.4;10;10;0\nswitch=psm(capacity=500000)\nports=64",
    ] {
        let mut host = Host::new();
        let answer: serde_json::Value = serde_json::from_str(&host.curve(3, bad)).unwrap();
        assert!(answer["error"].is_string(), "{bad:?}: {answer}");
        assert!(host.advance_curve(3, 10).contains("error"));
    }
}
