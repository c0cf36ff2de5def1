//! Shipped units run anew and compared.

use super::archive::Shipped;
use super::row::Row;
use crate::error::LabError;
use crate::progress::Progress;
use crate::run::Measured;
use crate::sweep::measure;
use rayon::prelude::*;
use switchlab_core::Seed;
use switchlab_core::rng::Purpose;

/// A unit that was run anew.
#[derive(Clone, Debug)]
pub struct Compared {
    /// What was run, in words.
    pub what: String,
    /// Slots, warm-up included.
    pub slots: u64,
    /// Whether all that is shipped of it is the same, to the last digit; of calculations that need
    /// tools, what these allow.
    pub is_same: bool,
}

/// A unit: the index of its archive, of its point, and its replication.
struct Chosen<'a> {
    shipped: &'a Shipped,
    kept: &'a super::archive::Kept,
    replication: usize,
}

/// Runs `count` units, chosen at random by a seed, and compares each with its row. Of units with
/// more slots times ports than `most`, none is chosen.
pub fn verify(
    archives: &[Shipped],
    count: usize,
    seed: u64,
    most: u64,
    progress: &Progress,
) -> Result<Vec<Compared>, LabError> {
    let mut units: Vec<Chosen<'_>> = Vec::new();
    for shipped in archives {
        for kept in shipped.kept() {
            let work = (kept.unit.slots + kept.unit.warmup).saturating_mul(kept.unit.ports as u64);
            if work <= most {
                units.extend((0..kept.rows.len()).map(|replication| Chosen { shipped, kept, replication }));
            }
        }
    }
    Seed { seed, replication: 0 }.stream(Purpose::Scheduler, 0).shuffle(&mut units);
    units.truncate(count);
    for Chosen { kept, .. } in &units {
        progress.expect(&kept.unit.switch, kept.unit.ports, 1, kept.unit.slots + kept.unit.warmup);
    }
    let compared = units.par_iter().map(|chosen| compare(chosen, progress)).collect();
    progress.finish();
    compared
}

fn compare(chosen: &Chosen<'_>, progress: &Progress) -> Result<Compared, LabError> {
    let Chosen { shipped, kept, replication } = *chosen;
    let unit = &kept.unit;
    let measured = measure(&shipped.point(unit), replication as u32, progress)?;
    let is_same = is_kept(&measured, kept, replication);
    let what = format!(
        "{}, {} ports, {}, {}, load {}, replication {replication}",
        unit.switch, unit.ports, unit.traffic, unit.arrivals, unit.load
    );
    Ok(Compared { what, slots: unit.slots + unit.warmup, is_same })
}

/// Whether all that is shipped of a replication is what was measured. A calculation that needs
/// tools leaves values out where these are not installed: the others are compared.
fn is_kept(measured: &Measured, kept: &super::archive::Kept, replication: usize) -> bool {
    let mut shipped = (kept.counters.clone(), kept.rows[replication].clone());
    if kept.unit.slots == 0 && kept.unit.warmup == 0 {
        let is_here = |name: &str| measured.counters.iter().any(|counter| counter.name == name);
        shipped.1.keep_counters(&shipped.0, is_here);
        shipped.0.retain(|name| is_here(name));
    }
    let has_names = measured.counters.iter().map(|counter| counter.name).eq(shipped.0.iter().map(String::as_str));
    has_names && [true, false].into_iter().any(|is_alone| Row::of(measured, is_alone) == shipped.1)
}
