use super::voq::{Linked, Packed};
use super::*;
use crate::cell::NONE;
use crate::rng::{Purpose, Seed};
use crate::schedule::serena::rules::Rules;
use crate::schedule::{gs_ocf::GsOcf, ilqf::Ilqf, islip::Islip, pim::Pim, serena, uform::Uform, ufpim::Ufpim};
use crate::traffic::{Arrivals, Bernoulli, LoadMatrix, destinations::Uniform};
use alloc::vec;

const SEED: Seed = Seed { seed: 3, replication: 0 };
const PORTS: usize = 70;

/// The departures of an overload that stops, so that queues fill, become old and drain; and the
/// lengths from time to time.
fn trail<S: Scheduler<W> + Send, Q: VoqStore, const W: usize>(scheduler: S) -> (Vec<Cell>, Vec<Vec<u32>>) {
    let mut crossbar = Crossbar::<S, Q, W>::new(PORTS, scheduler);
    let mut source = Bernoulli::new(&LoadMatrix::uniform(PORTS), 1.0, Uniform, SEED);
    let (mut cells, mut lengths) = (Vec::new(), Vec::new());
    let mut arrivals = vec![NONE; PORTS];
    for now in 0..3000 {
        source.slot(now, &mut arrivals);
        // A hot output, and then silence.
        for (input, arrival) in arrivals.iter_mut().enumerate() {
            *arrival = if now > 2000 { NONE } else { (*arrival).min(40 + (input % 3) as Port) };
        }
        let mut departures = vec![Cell::IDLE; PORTS];
        crossbar.slot(now, &arrivals, &mut departures);
        cells.extend(departures);
        if now % 250 == 0 {
            let Some(Inspection { queues: QueueLengths::Voqs(voqs), .. }) = crossbar.inspect() else { panic!() };
            assert_eq!(voqs.iter().map(|&length| u64::from(length)).sum::<u64>(), crossbar.census().queued);
            lengths.push(voqs);
        }
    }
    (cells, lengths)
}

/// The same with all queues and widths.
macro_rules! alike {
    ($W:ident => $scheduler:expr) => {{
        macro_rules! with {
            ($Queues:ty, $width:literal) => {{
                const $W: usize = $width;
                trail::<_, $Queues, $W>($scheduler)
            }};
        }
        let linked = with!(Linked, 2);
        assert!(linked == with!(Packed, 2), "{}, packed", stringify!($scheduler));
        assert!(linked == with!(Linked, 16), "{}, linked, large", stringify!($scheduler));
        assert!(linked == with!(Packed, 16), "{}, packed, large", stringify!($scheduler));
    }};
}

#[test]
fn queues_and_widths_change_nothing() {
    let rng = || SEED.stream(Purpose::Scheduler, 0);
    let accounting = serena::accounting::Accounting::default();
    let config =
        || serena::Config { rules: Rules::default(), variant: None, coin: None, rng: rng(), key: 1, accounting };
    alike!(W => Islip::<W>::new(PORTS, 2));
    alike!(W => Pim::<W>::new(PORTS, 1, rng()));
    alike!(W => Ilqf::<W>::new(PORTS, 1));
    alike!(W => Uform::<W>::new(PORTS, 1, 0));
    alike!(W => Ufpim::<W>::new(PORTS, 1, 0, rng()));
    alike!(W => GsOcf::<W>::new(PORTS));
    alike!(W => serena::Serena::new(PORTS, config()));
}
