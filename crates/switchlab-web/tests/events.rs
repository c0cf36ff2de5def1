//! What the page shows of switches that are no crossbars agrees with the switches themselves.

use std::collections::BTreeSet;
use switchlab_core::observe::{Event, Observer};
use switchlab_core::registry::{self, NoFiles};
use switchlab_core::switch::{QueueLengths, Switch};
use switchlab_core::{Cell, Port, Seed, Slot};

const SEED: Seed = Seed { seed: 3, replication: 0 };

/// Runs a switch under uniform traffic, observed in each slot by what `observer` makes, and calls
/// `check` between slots.
fn run<O: Observer>(
    spec: &str,
    ports: usize,
    load: f64,
    slots: Slot,
    observer: impl Fn() -> O,
    mut check: impl FnMut(&dyn Switch, &dyn Switch, O),
) {
    let build = || registry::switch(spec).unwrap().build(ports, SEED).unwrap();
    // One is observed, the other is not: they decide the same.
    let (mut switch, mut alone) = (build(), build());
    let traffic = registry::traffic("uniform").unwrap().build(Some(ports), Some(load), &NoFiles).unwrap();
    let mut source = registry::arrivals("bernoulli").unwrap().build(&traffic, SEED);
    let mut arrivals = vec![0; ports];
    let (mut departures, mut others) = (vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]);
    for now in 0..slots {
        source.slot(now, &mut arrivals);
        departures.fill(Cell::IDLE);
        others.fill(Cell::IDLE);
        let mut observer = observer();
        switch.slot_observed(now, &arrivals, &mut departures, &mut observer);
        alone.slot(now, &arrivals, &mut others);
        assert_eq!(departures, others, "{spec}, slot {now}");
        check(switch.as_ref(), alone.as_ref(), observer);
    }
}

/// The steps of a slot of a CIOQ switch.
#[derive(Default)]
struct Steps {
    phases: u32,
    ranked: BTreeSet<(Port, Port)>,
    matched: Vec<(Port, Port)>,
    crossed: u32,
    slack: Vec<i64>,
    /// In the first phase of the slot.
    first_slack: Vec<i64>,
}

impl Steps {
    /// Ends a phase: what was matched is a matching of pairs that competed.
    fn end(&mut self) {
        let lines = |of: fn(&(Port, Port)) -> Port| self.matched.iter().map(of).collect::<BTreeSet<Port>>().len();
        assert_eq!((lines(|pair| pair.0), lines(|pair| pair.1)), (self.matched.len(), self.matched.len()));
        assert!(self.matched.iter().all(|pair| self.ranked.contains(pair)));
        self.crossed += self.matched.len() as u32;
        self.matched.clear();
        self.ranked.clear();
        if self.phases == 1 {
            self.first_slack.clone_from(&self.slack);
        }
        self.slack.clear();
    }
}

impl Observer for Steps {
    fn observe(&mut self, event: Event<'_>) {
        match event {
            Event::Phase { .. } => {
                self.end();
                self.phases += 1;
            }
            Event::Slack { cushion, thread, .. } => self.slack.push(i64::from(cushion) - i64::from(thread)),
            Event::Ranked { input, output, row_rank, column_rank } => {
                assert!(row_rank > 0 && column_rank > 0 && self.ranked.insert((input, output)));
            }
            Event::Root { input, output, .. } | Event::Proposed { input, output } => self.matched.push((input, output)),
            _ => panic!("{event:?}"),
        }
    }
}

#[test]
fn phases_are_those_that_the_switch_counts() {
    for (spec, has_lists) in [
        ("cioq(policy=ccf,speedup=2)", true),
        ("cioq(policy=ccf-dtc,speedup=2)", true),
        ("cioq(policy=mucfa,speedup=4)", false),
        ("cioq(policy=lqf,speedup=2)", false),
    ] {
        let (mut crossed, mut departed) = (0, 0);
        run(spec, 5, 0.95, 600, Steps::default, |switch, _, mut steps| {
            steps.end();
            crossed += u64::from(steps.crossed);
            let Some(QueueLengths::VoqsAndOutputs { outputs, .. }) = switch.inspect().map(|inside| inside.queues)
            else {
                panic!("{spec} shows VOQs and outputs");
            };
            let held: u64 = outputs.iter().map(|&cells| u64::from(cells)).sum();
            departed = switch.census().departed;
            assert_eq!(crossed, departed + held, "{spec}: what crossed is in a buffer, or has departed");
            assert_eq!(has_lists, !steps.first_slack.is_empty() || switch.census().queued == held && has_lists);
            // At a speedup of 2 the slackness is never negative after arrivals.
            assert!(steps.first_slack.iter().all(|&slack| slack >= 0), "{spec}");
        });
        assert!(departed > 2000, "{spec}: {departed}");
    }
}

/// Sees nothing.
struct Blind;

impl Observer for Blind {
    fn observe(&mut self, _: Event<'_>) {}
}

#[test]
fn a_fabric_shows_every_cell_and_waits_for_buffers_that_are_there() {
    for spec in
        ["benes", "benes(radix=2)", "benes(radix=2,resequencing=final)", "benes(radix=2,link-delay=2)", "banyan"]
    {
        let (mut cells, mut waiting) = (0, 0);
        run(
            spec,
            16,
            0.9,
            300,
            || Blind,
            |switch, alone, Blind| {
                let view = switch.fabric().unwrap();
                assert_eq!(Some(&view), alone.fabric().as_ref());
                let inside = switch.inspect().unwrap();
                let (_, by_stage) = &inside.state[0];
                assert_eq!(by_stage.len(), view.stages.len());
                for (stage, &expected) in by_stage.iter().enumerate() {
                    let own = view.buffers.iter().filter(|buffer| buffer.buffer.stage == stage);
                    let shown: usize = own.map(|buffer| buffer.cells.len()).sum();
                    assert_eq!(shown, usize::from(expected), "{spec}, stage {stage}");
                    cells += shown;
                }
                for buffer in &view.buffers {
                    let Some((_, others)) = &buffer.waits else { continue };
                    waiting += 1;
                    assert!(others.iter().all(|&other| other < view.buffers.len()));
                }
                for (link, ends) in view.links.iter().enumerate() {
                    assert_eq!(
                        ends.iter().collect::<BTreeSet<_>>().len(),
                        16,
                        "{spec}: link {link} leads to every position"
                    );
                }
                let credits = view.credits.iter().flatten();
                assert!(
                    credits.into_iter().all(|credit| credit.open <= credit.groups && credit.requests <= credit.groups)
                );
            },
        );
        assert!(cells > 3000 && waiting > 300, "{spec}: {cells} {waiting}");
    }
}
