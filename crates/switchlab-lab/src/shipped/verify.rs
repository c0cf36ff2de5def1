//! Shipped units run anew and compared.

use super::archive::Shipped;
use super::row::Row;
use crate::error::LabError;
use crate::progress::Progress;
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
    /// Whether all that is shipped of it is the same, to the last digit.
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
    let names: Vec<&str> = measured.counters.iter().map(|counter| counter.name).collect();
    let is_kept = |is_alone| Row::of(&measured, is_alone) == kept.rows[replication];
    let is_same = names == kept.counters && (is_kept(true) || is_kept(false));
    let what = format!(
        "{}, {} ports, {}, {}, load {}, replication {replication}",
        unit.switch, unit.ports, unit.traffic, unit.arrivals, unit.load
    );
    Ok(Compared { what, slots: unit.slots + unit.warmup, is_same })
}
