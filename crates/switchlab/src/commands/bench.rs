//! `switchlab bench`.

use crate::{cli, output};
use std::time::Duration;
use switchlab_core::Seed;
use switchlab_core::registry::{SWITCHES, switch};
use switchlab_lab::bench::Bench;

pub(crate) fn bench(arguments: cli::Bench) -> anyhow::Result<()> {
    let seed = Seed { seed: 1, replication: 0 };
    // Some fabrics exist only in some sizes.
    let fits =
        |name: &str| arguments.ports.iter().all(|&ports| switch(name).and_then(|it| it.build(ports, seed)).is_ok());
    let everything = || SWITCHES.iter().map(|entry| entry.name.to_string()).filter(|name| fits(name)).collect();
    let bench = Bench {
        switches: if arguments.switches.is_empty() { everything() } else { arguments.switches },
        ports: arguments.ports,
        load: arguments.load,
        traffic: arguments.traffic,
        turns: usize::from(arguments.turns),
        turn: Duration::from_millis(u64::from(arguments.turn)),
    };
    let mut speeds = Vec::new();
    if !arguments.json {
        output::say(&format!(
            "{:<24} {:>6} {:>12} {:>14} {:>9}\n",
            "switch", "ports", "ns/slot", "slots/s", "x floor"
        ))?;
    }
    let mut failed = Ok(());
    bench.run(|speed| {
        speeds.push(speed.clone());
        if !arguments.json && failed.is_ok() {
            failed = output::say(&format!(
                "{:<24} {:>6} {:>12.0} {:>14.0} {:>9.2}\n",
                speed.switch, speed.ports, speed.nanoseconds_per_slot, speed.slots_per_second, speed.times_floor
            ));
        }
    })?;
    failed?;
    if arguments.json { output::say(&(serde_json::to_string_pretty(&speeds)? + "\n")) } else { Ok(()) }
}
