//! No spec, flag or file makes the program panic: random ones are thrown at it, and it must end
//! with 0 or 2.

use assert_cmd::Command;
use proptest::prelude::*;

/// Runs the program; the exit code must be 0 or 2, and 2 comes with an error message.
fn survives(arguments: &[String]) -> Result<(), TestCaseError> {
    let output = Command::cargo_bin("switchlab").expect("the program is built with its tests").args(arguments).output();
    // An argument with a zero byte cannot even be passed.
    let Ok(output) = output else { return Ok(()) };
    let stderr = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    prop_assert!(matches!(code, Some(0 | 2)), "{arguments:?}: {code:?} {stderr}");
    prop_assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
    prop_assert!(code == Some(0) || stderr.to_lowercase().contains("error"), "{arguments:?}: {stderr}");
    Ok(())
}

fn number() -> impl Strategy<Value = String> {
    const ODD: &[&str] = &[
        "NaN",
        "inf",
        "-inf",
        "-0",
        "1e999",
        "1e-320",
        "0",
        "-1",
        "65536",
        "4294967296",
        "18446744073709551616",
        "0x10",
        "",
        " 1",
        "1%",
    ];
    prop_oneof![
        prop::sample::select(ODD).prop_map(str::to_string),
        any::<f64>().prop_map(|x| x.to_string()),
        (0u32..40).prop_map(|n| n.to_string()),
    ]
}

fn spec() -> impl Strategy<Value = String> {
    const NAMES: &[&str] = &[
        "oq",
        "fifo",
        "islip",
        "rrm",
        "knockout",
        "pim",
        "ilqf",
        "gs-lqf",
        "gs-ocf",
        "mwm",
        "msm",
        "tdm",
        "uniform",
        "unbalanced",
        "chang",
        "asymmetric",
        "po2",
        "diagonal",
        "hotspot",
        "permutation",
        "matrix",
        "trace",
        "bernoulli",
        "bursty",
        "onoff",
    ];
    const KEYS: &[&str] = &["iterations", "w", "ratio", "count", "load", "mean", "file", "x"];
    let argument = (prop::sample::select(KEYS), number()).prop_map(|(key, value)| format!("{key}={value}"));
    let structured = (prop::sample::select(NAMES), prop::collection::vec(argument, 0..3))
        .prop_map(|(name, arguments)| format!("{name}({})", arguments.join(",")));
    prop_oneof![
        structured,
        prop::sample::select(NAMES).prop_map(str::to_string),
        any::<String>(),
        "[(),=\"a-z0-9]{0,12}"
    ]
}

fn flag() -> impl Strategy<Value = Vec<String>> {
    const NUMERIC: &[&str] =
        &["--ports", "--load", "--warmup", "--replications", "--seed", "--until", "--memory", "--threads"];
    prop_oneof![
        (prop::sample::select(NUMERIC), number()).prop_map(|(flag, value)| vec![flag.to_string(), value]),
        (prop::sample::select(&["--traffic", "--arrivals"][..]), spec())
            .prop_map(|(flag, value)| vec![flag.to_string(), value]),
        prop::sample::select(&["--json", "--per-port", "--warmup=auto", "--version", "--help"][..])
            .prop_map(|flag| vec![flag.to_string()]),
        any::<String>().prop_map(|text| vec![text]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_command_line(switches in prop::collection::vec(spec(), 1..3), flags in prop::collection::vec(flag(), 0..5)) {
        let mut arguments = vec!["run".to_string()];
        arguments.extend(switches);
        arguments.extend(flags.into_iter().flatten());
        // Short, whatever else is asked for.
        arguments.extend(["--slots", "20"].map(str::to_string));
        survives(&arguments)?;
    }

    #[test]
    fn any_valid_combination_with_odd_numbers(load in number(), ports in 0u32..70, switch in spec(), traffic in spec(), arrivals in spec()) {
        let arguments = ["run", &switch, "--traffic", &traffic, "--arrivals", &arrivals, "--slots", "20", "--replications", "2"];
        let mut arguments: Vec<String> = arguments.into_iter().map(str::to_string).collect();
        arguments.push(format!("--load={load}"));
        arguments.push(format!("--ports={ports}"));
        survives(&arguments)?;
    }

    #[test]
    fn any_file(bytes in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        "(slot,input,output\n)?([0-9]{1,11},[0-9]{1,3},[0-9]{1,6}\n){0,5}".prop_map(String::into_bytes),
        "([0-9.e-]{1,6},[0-9.]{1,3}\n){0,3}".prop_map(String::into_bytes),
    ], kind in prop::sample::select(&["trace", "matrix"][..])) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input.csv");
        std::fs::write(&path, bytes).unwrap();
        let traffic = format!("{kind}(file=\"{}\")", path.display());
        let arguments = ["run", "islip", "--traffic", &traffic, "--load", "0.5", "--slots", "20", "--json"];
        survives(&arguments.map(str::to_string))?;
    }

    #[test]
    fn any_rankings(bytes in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        "((rows|columns): (ranks|order)\n([0-9=,-]{0,6}\n){0,4}){0,3}".prop_map(String::into_bytes),
        "([0-9-]/[0-9](,[0-9]/[0-9]){0,2}\n){0,3}".prop_map(String::into_bytes),
        "\\{\"matrix\": \\[\\[[0-9,\\[\\]]{0,9}\\]\\]\\}".prop_map(String::into_bytes),
    ]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rankings.csv");
        std::fs::write(&path, bytes).unwrap();
        survives(&["match".to_string(), path.display().to_string(), "--steps".to_string()])?;
    }
}
