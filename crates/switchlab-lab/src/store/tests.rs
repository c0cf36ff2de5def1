use super::lease::LEASES;
use super::*;
use crate::Progress;
use crate::experiment::PointSpec;
use crate::sweep::{Sweep, measure};
use std::collections::BTreeMap;

fn point(load: f64) -> PointSpec {
    PointSpec {
        switch: "islip(iterations=1)".to_string(),
        ports: 4,
        traffic: "uniform".to_string(),
        arrivals: "bernoulli".to_string(),
        load,
        vary: BTreeMap::new(),
        slots: 500,
        warmup: 50,
        seed: 1,
        drains: false,
    }
}

fn units(load: f64, count: u32) -> Vec<(Unit, Measured)> {
    let measured = |unit: Unit| {
        let measured = measure(&point(load), unit.replication, &Progress::none()).unwrap();
        (unit, measured)
    };
    Unit::of(&point(load), count).unwrap().into_iter().map(measured).collect()
}

fn put(store: &mut Store, unit: &Unit, measured: &Measured) {
    let Claimed::Leased(lease) = store.claim(&unit.key()).unwrap() else { panic!("the unit is free") };
    store.put(lease, unit, measured).unwrap();
}

fn leases(dir: &Path) -> usize {
    std::fs::read_dir(dir.join(LEASES)).unwrap().count()
}

#[test]
fn a_unit_is_computed_by_one_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let (mut first, mut second) = (Store::open(dir.path()).unwrap(), Store::open(dir.path()).unwrap());
    let (unit, measured) = &units(0.5, 1)[0];
    let key = unit.key();
    let Claimed::Leased(lease) = first.claim(&key).unwrap() else { panic!("the unit is free") };
    assert!(matches!(second.claim(&key).unwrap(), Claimed::Busy));
    assert!(matches!(first.claim(&key).unwrap(), Claimed::Busy), "the threads of a process are told apart too");
    // Its owner ends without a result: the next takes over.
    drop(lease);
    let Claimed::Leased(lease) = second.claim(&key).unwrap() else { panic!("the unit is free again") };
    second.put(lease, unit, measured).unwrap();
    assert!(matches!(first.claim(&key).unwrap(), Claimed::Done));
    assert_eq!(first.get(&key).unwrap().as_ref(), Some(measured));
    assert_eq!(leases(dir.path()), 0);
}

#[test]
fn without_locks_each_process_has_a_file_and_reads_all() {
    let dir = tempfile::tempdir().unwrap();
    let open = || Store::open_as(dir.path(), Some(Sharing::Files)).unwrap();
    let (mut first, mut second) = (open(), open());
    assert_eq!(first.sharing(), Sharing::Files);
    assert_ne!(first.offset(), second.offset(), "they begin in different places");
    let units = units(0.5, 3);
    // Both run the first unit: nothing is leased. Each runs another.
    let leased = |store: &mut Store, unit: &Unit| match store.claim(&unit.key()).unwrap() {
        Claimed::Leased(lease) => lease,
        other => panic!("{other:?}"),
    };
    let (one, two) = (leased(&mut first, &units[0].0), leased(&mut second, &units[0].0));
    first.put(one, &units[0].0, &units[0].1).unwrap();
    second.put(two, &units[0].0, &units[0].1).unwrap();
    put(&mut first, &units[1].0, &units[1].1);
    put(&mut second, &units[2].0, &units[2].1);
    assert_eq!((first.doubles(), second.doubles()), (0, 1), "the second was late");
    for mut store in [first, second, open(), Store::open(dir.path()).unwrap(), Store::read(dir.path()).unwrap()] {
        store.catch_up().unwrap();
        assert_eq!((store.keys().count(), store.damages().len()), (3, 0));
        assert!(units.iter().all(|(unit, measured)| store.get(&unit.key()).unwrap().as_ref() == Some(measured)));
        assert!(matches!(store.lease(&units[0].0.key()).unwrap(), LeaseState::None));
    }
    assert_eq!(std::fs::metadata(dir.path().join(UNITS)).unwrap().len(), 0, "the shared file stays empty");
}

#[test]
fn a_line_that_another_process_is_writing_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = Store::open_as(dir.path(), Some(Sharing::Files)).unwrap();
    let units = units(0.5, 2);
    put(&mut first, &units[0].0, &units[0].1);
    let path = part::paths(dir.path()).unwrap().remove(0);
    let whole = std::fs::read(&path).unwrap();
    let half = [whole.as_slice(), &whole[..100]].concat();
    std::fs::write(&path, &half).unwrap();
    let mut second = Store::open_as(dir.path(), Some(Sharing::Files)).unwrap();
    assert_eq!((second.keys().count(), second.damages().len()), (1, 0));
    assert_eq!(std::fs::read(&path).unwrap(), half);
    // Its writer goes on.
    std::fs::write(&path, [whole.as_slice(), whole.as_slice()].concat()).unwrap();
    second.catch_up().unwrap();
    assert_eq!((second.keys().count(), second.doubles(), second.damages().len()), (1, 1, 0));
}

#[test]
fn locks_that_hold_are_used() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(store.sharing(), Sharing::Locks);
    assert!(part::paths(dir.path()).unwrap().is_empty());
    let path = dir.path().join(UNITS);
    let file = File::open(&path).unwrap();
    assert!(part::locks_hold(&path, &file));
    // While another process holds the lock, it plainly holds.
    let other = File::open(&path).unwrap();
    other.lock().unwrap();
    assert!(part::locks_hold(&path, &file));
}

#[test]
fn leases_left_behind_are_removed_and_those_held_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let [left, held] = ["a", "b"].map(|digit| digit.repeat(32));
    drop(store.claim(&left).unwrap());
    let lease = store.claim(&held).unwrap();
    assert_eq!(leases(dir.path()), 2);
    let mut other = Store::open(dir.path()).unwrap();
    assert_eq!(leases(dir.path()), 1);
    assert!(matches!(other.claim(&held).unwrap(), Claimed::Busy));
    drop(lease);
    assert!(store.claim("../units").is_err() && store.claim("").is_err());
}

/// Whatever is in the folder of leases and is not one stays there.
#[test]
fn only_leases_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(LEASES);
    let key = "c".repeat(32);
    drop(Store::open(dir.path()).unwrap().claim(&key).unwrap());
    let lease = folder.join(format!("{key}.switchlab-lease"));
    let content = std::fs::read(&lease).unwrap();
    let with_key = |key: &str| folder.join(format!("{key}.switchlab-lease"));
    // Of processes that were killed between creating and writing.
    std::fs::write(with_key(&"d".repeat(32)), "").unwrap();
    std::fs::write(with_key(&"e".repeat(32)), "switchlab le").unwrap();
    let kept = [
        (folder.join("flat.pdf"), &b"x"[..]),
        (folder.join("empty"), b""),
        (folder.join(&key), b""),
        (with_key(&"c".repeat(31)), &content),
        (with_key(&"C".repeat(32)), &content),
        (with_key(&"f".repeat(32)), &content),
        (with_key(&"0".repeat(32)), b"my own notes"),
        (with_key(&"1".repeat(32)), b"switchlab lease of 11111111111111111111111111111111\nand my notes"),
    ];
    for (path, content) in &kept {
        std::fs::write(path, content).unwrap();
    }
    std::fs::create_dir(with_key(&"2".repeat(32))).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&lease, with_key(&"3".repeat(32))).unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    for (path, content) in &kept {
        assert_eq!(std::fs::read(path).unwrap(), *content, "{}", path.display());
    }
    assert_eq!(leases(dir.path()), kept.len() + 1 + usize::from(cfg!(unix)));
    assert!(!lease.exists());
    // A unit whose lease cannot be had is an error, and the file in its place stays.
    for digit in ["0", "1", "2", "3"] {
        let said = store.claim(&digit.repeat(32)).unwrap_err().to_string();
        assert!(said.contains("leases"), "{said}");
    }
    assert_eq!(std::fs::read(with_key(&"0".repeat(32))).unwrap(), b"my own notes");
    // A lease that was begun and not written is taken over.
    std::fs::write(&lease, "switch").unwrap();
    assert!(matches!(store.claim(&key).unwrap(), Claimed::Leased(_)));
    assert_eq!(std::fs::read(&lease).unwrap(), content);
}

#[cfg(unix)]
#[test]
fn a_store_changes_nothing_outside_its_directory() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    let thesis = docs.join(format!("{}.switchlab-lease", "a".repeat(32)));
    std::fs::write(&thesis, "").unwrap();
    let [leases, units] = ["leases", "units"].map(|name| dir.path().join(name));
    std::fs::create_dir(&leases).unwrap();
    symlink(&docs, leases.join(LEASES)).unwrap();
    let said = Store::open(&leases).unwrap_err().to_string();
    assert!(said.contains("leases/leases: it is a link"), "{said}");
    assert!(thesis.exists() && !leases.join(UNITS).exists());
    std::fs::create_dir(&units).unwrap();
    std::fs::write(docs.join("notes"), "no newline").unwrap();
    symlink(docs.join("notes"), units.join(UNITS)).unwrap();
    let said = Store::open(&units).unwrap_err().to_string();
    assert!(said.contains("units.jsonl: it is a symbolic link"), "{said}");
    assert_eq!(std::fs::read(docs.join("notes")).unwrap(), b"no newline");
}

/// A file of the same name from elsewhere: nothing is cut off.
#[test]
fn text_that_no_store_has_written_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(UNITS);
    std::fs::write(&path, "metre\nsecond").unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let flaws: Vec<_> = store.damages().iter().map(|damage| (damage.line, damage.what)).collect();
    assert_eq!(flaws, [(1, Flaw::Checksum), (2, Flaw::Checksum)]);
    assert_eq!(std::fs::read(&path).unwrap(), b"metre\nsecond\n");
    let (unit, measured) = &units(0.5, 1)[0];
    put(&mut store, unit, measured);
    let mut again = Store::open(dir.path()).unwrap();
    assert_eq!((again.get(&unit.key()).unwrap().as_ref(), again.damages().len()), (Some(measured), 2));
    assert!(std::fs::read(&path).unwrap().starts_with(b"metre\nsecond\n{\"key\":\""));
}

#[test]
fn many_damaged_lines_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(UNITS), "\n".repeat(1000)).unwrap();
    let damages = Store::open(dir.path()).unwrap().damages();
    assert_eq!(damages.len(), LISTED + 1);
    assert_eq!(damages[LISTED].what, Flaw::Others(900));
    assert!(damages[LISTED].to_string().contains("line 101 is the first of 900 more damaged lines"));
}

#[test]
fn a_torn_line_is_cut_off_wherever_it_was_torn() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(UNITS);
    let units = units(0.5, 3);
    let mut store = Store::open(dir.path()).unwrap();
    put(&mut store, &units[0].0, &units[0].1);
    let first = std::fs::read(&path).unwrap();
    put(&mut store, &units[1].0, &units[1].1);
    let both = std::fs::read(&path).unwrap();
    for cut in (first.len() + 1..both.len()).step_by(97).chain([both.len() - 1]) {
        std::fs::write(&path, &both[..cut]).unwrap();
        let mut opened = Store::open(dir.path()).unwrap();
        assert_eq!(opened.damages(), [Damage { path: path.clone(), line: 2, what: Flaw::Torn }]);
        assert_eq!(std::fs::read(&path).unwrap(), first);
        // Also when it is torn by another process while the store is open.
        std::fs::write(&path, &both[..cut]).unwrap();
        put(&mut opened, &units[2].0, &units[2].1);
        let mut again = Store::open(dir.path()).unwrap();
        assert_eq!((again.damages(), again.keys().count()), (vec![], 2));
        assert_eq!(again.get(&units[2].0.key()).unwrap().as_ref(), Some(&units[2].1));
    }
}

#[test]
fn a_damaged_line_is_reported_with_its_number_and_run_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(UNITS);
    let sweep = Sweep::open(dir.path(), Some(2)).unwrap();
    let points = [(point(0.3), 2), (point(0.6), 2)];
    let whole = sweep.complete(&points, &Progress::none()).unwrap();
    assert_eq!(sweep.ran(), 4);
    drop(sweep);
    let text = std::fs::read_to_string(&path).unwrap();
    let damaged = text.lines().nth(2).unwrap().replacen("\"slots\":500", "\"slots\":501", 1);
    let lines: Vec<&str> =
        text.lines().enumerate().map(|(place, line)| if place == 2 { damaged.as_str() } else { line }).collect();
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let sweep = Sweep::open(dir.path(), Some(2)).unwrap();
    let damages = sweep.damages();
    assert_eq!(damages, [Damage { path, line: 3, what: Flaw::Checksum }]);
    assert!(damages[0].to_string().contains("line 3 does not match its checksum"));
    assert_eq!(sweep.complete(&points, &Progress::none()).unwrap(), whole);
    assert_eq!(sweep.ran(), 1);
}

#[test]
fn two_sweeps_share_the_work() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let points: Vec<_> = [0.2, 0.4, 0.6, 0.8].map(|load| (point(load), 5)).into();
    let alone = Sweep::open(other.path(), Some(1)).unwrap();
    let expected = alone.complete(&points, &Progress::none()).unwrap();
    let (first, second) = (Sweep::open(dir.path(), Some(2)).unwrap(), Sweep::open(dir.path(), Some(3)).unwrap());
    std::thread::scope(|scope| {
        let other = scope.spawn(|| second.complete(&points, &Progress::none()).unwrap());
        assert_eq!(first.complete(&points, &Progress::none()).unwrap(), expected);
        assert_eq!(other.join().unwrap(), expected);
    });
    assert_eq!(first.ran() + second.ran(), 20);
}

#[test]
fn the_same_unit_with_another_result_is_a_conflict() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut first, mut second) = (Store::open(here.path()).unwrap(), Store::open(there.path()).unwrap());
    let units = units(0.5, 2);
    put(&mut first, &units[0].0, &units[0].1);
    put(&mut second, &units[0].0, &units[1].1);
    put(&mut second, &units[1].0, &units[1].1);
    assert_eq!(first.import(&Store::read(there.path()).unwrap()).unwrap(), [units[0].0.key()]);
    assert_eq!(first.keys().count(), 1, "nothing is imported then");
    let lines = [here.path(), there.path()].map(|dir| std::fs::read(dir.join(UNITS)).unwrap());
    std::fs::write(here.path().join(UNITS), lines.concat()).unwrap();
    let found = Store::open(here.path()).unwrap().damages();
    assert_eq!(found.iter().map(|damage| (damage.line, damage.what)).collect::<Vec<_>>(), [(2, Flaw::Conflict)]);
}

/// A line with a right checksum whose counts contradict each other.
#[test]
fn an_impossible_result_is_reported_and_run_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(UNITS);
    let points = [(point(0.3), 3)];
    let whole = Sweep::open(dir.path(), Some(1)).unwrap().complete(&points, &Progress::none()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let forged = |place: usize, line: &str| {
        let arrived = line.rfind("\"arrived\":").unwrap() + "\"arrived\":".len();
        let forged = format!("{}9{}", &line[..arrived], &line[arrived..]);
        if place == 0 { line.to_string() } else { line::sealed(&forged) }
    };
    let lines: Vec<String> = text.lines().enumerate().map(|(place, line)| forged(place, line)).collect();
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();

    let sweep = Sweep::open(dir.path(), Some(1)).unwrap();
    assert_eq!(sweep.damages(), []);
    assert_eq!(sweep.complete(&points, &Progress::none()).unwrap(), whole);
    assert_eq!(sweep.ran(), 2);
    let damage = |line| Damage { path: path.clone(), line, what: Flaw::Impossible };
    assert_eq!(sweep.damages(), [damage(2), damage(3)]);
    assert!(damage(2).to_string().contains("line 2 holds a result that no run can have"));
    drop(sweep);

    // The results that replace them are found by the next to open the store.
    let sweep = Sweep::open(dir.path(), Some(1)).unwrap();
    assert_eq!(sweep.complete(&points, &Progress::none()).unwrap(), whole);
    assert_eq!((sweep.ran(), sweep.damages()), (0, vec![]));
}

/// Lines of an older engine: valid, and not used for units of this one.
#[test]
fn results_of_another_engine_are_kept_and_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(UNITS);
    let points = [(point(0.3), 3)];
    let units = units(0.3, 3);
    let current = units[0].0.engine();
    let changed = current.rsplit_once(' ').unwrap().0.to_string() + " 0123456789abcdef";
    let engines = [current.as_str(), VERSION, &changed];
    let lines = units.iter().zip(engines).map(|((unit, measured), engine)| line::write(engine, unit, measured));
    let before: String = lines.collect();
    std::fs::write(&path, &before).unwrap();

    let sweep = Sweep::open(dir.path(), Some(1)).unwrap();
    let damages = sweep.damages();
    assert_eq!(damages, [Damage { path: path.clone(), line: 2, what: Flaw::OtherEngine(2) }]);
    let told = damages[0].to_string();
    assert!(told.contains("line 2 is the first of 2 results of another engine"), "{told}");
    let expected: Vec<Measured> = units.into_iter().map(|(_, measured)| measured).collect();
    assert_eq!(sweep.complete(&points, &Progress::none()).unwrap(), [expected]);
    assert_eq!(sweep.ran(), 2);
    assert!(std::fs::read_to_string(&path).unwrap().starts_with(&before));
}
