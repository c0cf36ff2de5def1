use super::*;
use crate::experiment::{Experiment, Loaded, Mode, PointSpec, ResultPoint, Results};
use crate::progress::Progress;
use crate::run::Measured;
use crate::sweep::measure;

fn point(switch: &str, traffic: &str, load: f64, slots: u64) -> PointSpec {
    PointSpec {
        switch: switch.to_string(),
        ports: 8,
        traffic: traffic.to_string(),
        arrivals: "bernoulli".to_string(),
        load,
        vary: [].into(),
        slots,
        warmup: 300,
        seed: 3,
        drains: false,
    }
}

fn runs(point: &PointSpec, count: u32) -> Vec<Measured> {
    (0..count).map(|replication| measure(point, replication, &Progress::none()).unwrap()).collect()
}

/// What claims, figures and the page take from a point.
fn said(result: &ResultPoint) -> String {
    let mut text = format!("{:?} {:?}\n", result.outcome.stability.verdict, result.outcome.counters());
    let evidence = &result.outcome.stability.evidence;
    text += &format!("{:?} {} {} {:?}\n", evidence.drift, evidence.share, evidence.persistence, evidence.filling);
    text += &format!("{:?} {:?} {:?}\n", result.outcome.transient(), result.outcome.little, result.outcome.cells());
    for metric in ResultPoint::METRICS {
        text += &format!("{metric} {:?} {:?}\n", result.values(metric), result.metric(metric));
    }
    text
}

#[test]
fn rows_say_what_the_runs_said() {
    let points = [
        point("oq", "uniform", 0.8, 3000),
        point("islip(iterations=1)", "diagonal", 0.9, 5000),
        point("pim(iterations=1)", "uniform", 1.0, 9000),
        point("serena", "log-diagonal", 0.6, 2777),
        point("oq(capacity=3)", "uniform", 0.95, 4000),
        point("benes(radix=2)", "hotspot(count=1,rate=2)", 0.5, 4000),
        point("oq", "uniform", 0.5, 3),
        point("fifo", "uniform", 0.0, 500),
    ];
    for point in &points {
        for count in [1, 3] {
            let whole = runs(point, count);
            let kept = |run: &Measured| {
                let names: Vec<String> = run.counters.iter().map(|counter| counter.name.to_string()).collect();
                let row = Row::of(run, count == 1);
                let text = serde_json::to_string(&row).unwrap();
                assert!(text.len() < 4000, "{} bytes", text.len());
                let again: Row = serde_json::from_str(&text).unwrap();
                assert_eq!(again, row);
                let measured = again.measured(run.ports, &names).unwrap();
                assert_eq!(Row::of(&measured, count == 1), row);
                assert_eq!(measured.fingerprint, run.fingerprint);
                measured
            };
            let shipped: Vec<Measured> = whole.iter().map(kept).collect();
            let [whole, shipped] = [whole, shipped].map(|runs| said(&ResultPoint::new(point.clone(), &runs)));
            assert_eq!(shipped, whole, "{point:?}");
        }
    }
}

#[test]
fn rows_that_no_run_has_are_refused() {
    let run = &runs(&point("islip(iterations=1)", "uniform", 0.8, 3000), 1)[0];
    let names: Vec<String> = run.counters.iter().map(|counter| counter.name.to_string()).collect();
    let text = serde_json::to_string(&Row::of(run, false)).unwrap();
    assert!(serde_json::from_str::<Row>(&text).unwrap().measured(8, &names).is_some());
    let arrived = format!("\"c\":[{},", run.cells.arrived);
    for (from, to) in [
        (arrived.as_str(), "\"c\":[1,"),
        ("\"l\":[", "\"l\":[5,"),
        ("\"n\":[", "\"n\":[[1,1],"),
        ("\"h\":\"", "\"h\":\"xyz"),
        ("\"q\":[[", "\"q\":[[7,18446744073709551615],["),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let row: Row = serde_json::from_str(&changed).unwrap();
        assert!(row.measured(8, &names).is_none(), "{from} as {to}");
    }
}

const TEXT: &str =
    "title = \"x\"\nswitches = [\"oq\", \"islip\"]\nports = 4\nloads = [0.5, 0.9]\nslots = 2000\nreplications = 2\n";

fn experiment(text: &str) -> (Experiment, Results) {
    let experiment = Loaded::parse(text, "x.toml", "x", Mode::Full).unwrap().experiment;
    let points = experiment.points().unwrap();
    let results = points.into_iter().map(|point| {
        let runs = runs(&point, experiment.replications);
        ResultPoint::new(point, &runs)
    });
    let results = results.collect();
    (experiment, results)
}

fn add(shipped: &mut Shipped, results: &Results) {
    for result in results {
        for run in &result.outcome.runs {
            shipped.add(&result.spec, run, result.outcome.runs.len() == 1).unwrap();
        }
    }
}

#[test]
fn an_archive_is_read_back_checked_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, results) = experiment(TEXT);
    let mut shipped = Shipped::read(folder.path()).unwrap();
    assert!(shipped.is_empty());
    assert_eq!(shipped.results(&whole).unwrap().unwrap_err(), Missing { points: 4, of: 4 });
    add(&mut shipped, &results);
    shipped.write().unwrap();

    let again = Shipped::read(folder.path()).unwrap();
    let [then, now] = [&results, &again.results(&whole).unwrap().unwrap()]
        .map(|results| results.iter().map(said).collect::<Vec<_>>());
    assert_eq!(now, then);

    // A point with fewer replications than the experiment has is no result yet.
    let (deeper, _) = experiment(&TEXT.replace("replications = 2", "replications = 3"));
    assert_eq!(again.results(&deeper).unwrap().unwrap_err(), Missing { points: 4, of: 4 });
    assert_eq!(again.runs(&results[0].spec).unwrap().len(), 2);

    // Other slots are other units; those that are there stay.
    let (more, _) = experiment(&TEXT.replace("[0.5, 0.9]", "[0.5, 0.7, 0.9]"));
    assert_eq!(again.results(&more).unwrap().unwrap_err(), Missing { points: 2, of: 6 });
    let (longer, _) = experiment(&TEXT.replace("2000", "2001"));
    assert_eq!(again.results(&longer).unwrap().unwrap_err(), Missing { points: 4, of: 4 });

    let compared = verify(std::slice::from_ref(&again), 5, 1, u64::MAX, &Progress::none()).unwrap();
    assert_eq!(compared.len(), 5);
    assert!(compared.iter().all(|unit| unit.is_same));
    assert!(verify(std::slice::from_ref(&again), 5, 1, 2000, &Progress::none()).unwrap().is_empty());

    // What nothing uses goes.
    let mut fewer = Shipped::read(folder.path()).unwrap();
    fewer.retain(&[experiment(&TEXT.replace("[0.5, 0.9]", "0.5")).0]).unwrap();
    assert_eq!(fewer.len(), 2);
}

#[test]
fn a_changed_archive_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, mut results) = experiment(TEXT);
    // A run with one more cell queued than it had.
    results[1].outcome.runs[1].backlog_end += 1;
    let mut shipped = Shipped::read(folder.path()).unwrap();
    add(&mut shipped, &results);
    shipped.write().unwrap();
    let again = Shipped::read(folder.path()).unwrap();
    assert!(again.results(&whole).unwrap().is_ok());
    let compared = verify(&[again], 100, 1, u64::MAX, &Progress::none()).unwrap();
    assert_eq!((compared.len(), compared.iter().filter(|unit| !unit.is_same).count()), (8, 1));

    // A file that is not that of its manifest.
    let units = folder.path().join("results/units.jsonl.gz");
    let mut bytes = std::fs::read(&units).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&units, &bytes).unwrap();
    let refused = Shipped::read(folder.path()).unwrap_err().to_string();
    assert!(refused.contains("decompressed") || refused.contains("SHA-256"), "{refused}");
    std::fs::remove_file(&units).unwrap();
    assert!(Shipped::read(folder.path()).is_err());
}
