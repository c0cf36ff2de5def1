//! The switches that this process knows: those of the core, and those that it has registered.
//!
//! The registry is global and only grows. A name stands for one switch from its registration on, so
//! what a spec means cannot change under a running experiment. A registry passed from function to
//! function was rejected: specs are read in a dozen places, from command line to stored results,
//! and each would have to carry it although there is one list per program.

use crate::digest::sha256;
use crate::error::LabError;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, RwLock};
use switchlab_core::registry::{self, BuildSwitch, Chosen, Entry, NoFiles, Registry};
use switchlab_core::{Cell, Error, NONE, Seed, Slot};

static REGISTRY: RwLock<Registry> = RwLock::new(Registry::new());

/// Makes a switch of another crate known by its name, everywhere: in plans, experiments, searches,
/// audits, benchmarks and claims.
pub fn register(entry: &'static Entry<BuildSwitch>) -> Result<(), LabError> {
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner).register(entry).map_err(LabError::from)
}

/// The switch that a spec names.
pub fn switch(spec: &str) -> Result<Chosen<BuildSwitch>, Error> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).switch(spec)
}

/// All switches, those of the core first.
pub fn switches() -> Vec<&'static Entry<BuildSwitch>> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).switches().collect()
}

/// A fingerprint of a registered switch: a hash of its departures in a short run. None for the
/// switches of the core. Results of a switch whose departures have changed are not taken for
/// results of the new one.
pub(crate) fn fingerprint(spec: &str, ports: usize) -> Option<String> {
    static KNOWN: Mutex<BTreeMap<(String, usize), String>> = Mutex::new(BTreeMap::new());
    let chosen = switch(spec).ok().filter(|chosen| registry::switch(chosen.entry.name).is_err())?;
    let key = (chosen.args.to_string(), ports);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(fingerprint) = known.get(&key) {
        return Some(fingerprint.clone());
    }
    let fingerprint = departures(&chosen, ports).ok().map(|text| sha256(text.as_bytes()))?;
    known.insert(key, fingerprint.clone());
    Some(fingerprint)
}

/// The departures of 200 slots of uniform traffic at load 0.9, as text.
fn departures(chosen: &Chosen<BuildSwitch>, ports: usize) -> Result<String, Error> {
    const SLOTS: Slot = 200;
    let seed = Seed { seed: 1, replication: 0 };
    let traffic = registry::traffic("uniform")?.build(Some(ports), Some(0.9), &NoFiles)?;
    let mut source = registry::arrivals("bernoulli")?.build(&traffic, seed);
    let mut switch = chosen.build(ports, seed)?;
    let mut text = String::new();
    for now in 0..SLOTS {
        let (mut arrivals, mut departures) = (vec![NONE; ports], vec![Cell::IDLE; ports]);
        source.slot(now, &mut arrivals);
        switch.slot(now, &arrivals, &mut departures);
        for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            text += &format!("{now},{output},{},{}\n", cell.input, cell.born);
        }
    }
    Ok(text)
}

/// A short name for a switch: its spec without the parameters that have their default value.
pub fn short(spec: &str) -> String {
    switch(spec).map_or_else(|_| spec.to_string(), |chosen| chosen.args.short())
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchlab_core::switch::output_queued::OutputQueued;

    static TWICE: Entry<BuildSwitch> =
        Entry::new("registered-oq", "output queueing", &|_, ports, _| Ok(Box::new(OutputQueued::new(ports))));

    #[test]
    fn a_registered_switch_is_known_everywhere_and_once() {
        assert!(switch("registered-oq").is_err());
        register(&TWICE).unwrap();
        assert_eq!(switch("registered-oq").unwrap().entry.name, "registered-oq");
        assert!(switches().iter().any(|entry| entry.name == "registered-oq"));
        assert!(register(&TWICE).is_err());
        assert_eq!(fingerprint("registered-oq", 4).unwrap().len(), 64);
        assert_ne!(fingerprint("registered-oq", 4), fingerprint("registered-oq", 5));
        assert_eq!(fingerprint("oq", 4), None);
    }
}
