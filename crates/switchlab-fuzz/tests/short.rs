//! A short run of each target, the same inputs each time; and everything that was ever found.

use switchlab_fuzz::targets::TARGETS;
use switchlab_fuzz::{Budget, fuzz};

#[test]
fn hostile_input_comes_back() {
    for target in TARGETS {
        let tried = fuzz(target, Budget::Inputs(target.short), 1).expect("a folder for files");
        assert_eq!(tried.inputs, target.short);
        for finding in &tried.findings {
            eprintln!("{}: {}: {:?}", target.name, finding.what, String::from_utf8_lossy(&finding.input));
        }
        assert!(tried.findings.is_empty(), "{}", target.name);
        // Inputs that are all refused at once would test little.
        assert!(
            tried.accepted * 100 >= tried.inputs,
            "{}: only {} of {} accepted",
            target.name,
            tried.accepted,
            tried.inputs
        );
    }
}

#[test]
fn a_panic_is_noticed() {
    let broken = switchlab_fuzz::targets::Target {
        run: |_, input| {
            assert!(!input.contains(&b'4'), "four");
            true
        },
        ..*TARGETS.iter().find(|target| target.name == "specs").expect("a target")
    };
    let tried = fuzz(&broken, Budget::Inputs(200), 1).expect("a folder for files");
    assert!(!tried.findings.is_empty());
    assert!(tried.findings.iter().all(|finding| finding.what == "four" && finding.input.contains(&b'4')));
}
