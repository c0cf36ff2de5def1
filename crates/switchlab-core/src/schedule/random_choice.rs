//! One iteration of request, grant and accept by uniformly random choice, as PIM and its relatives
//! have it.
//!
//! Who is granted, and whose grant is accepted, is as good as random: sets of ports are walked and
//! members selected, so that no branch depends on it.

use super::round_robin::Free;
use super::{Matching, View};
use crate::cell::Port;
use crate::observe::{Event, Observer, begin_iteration};
use crate::port_set::{PortSet, word};
use crate::rng::Rng;
use crate::scale::WORD;
use crate::variants;
use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// The random stream, and room for one iteration.
#[derive(Clone, Debug)]
pub(super) struct RandomChoice<const W: usize> {
    rng: Rng,
    /// By input: the outputs that grant it. Empty between iterations, and nothing at all in a large
    /// switch.
    granting: Vec<PortSet<W>>,
    turns: Turns,
}

impl<const W: usize> RandomChoice<W> {
    /// Draws from `rng`.
    pub(super) fn new(ports: usize, rng: Rng) -> Self {
        let (rows, turns) = if View::<W>::LARGE { (0, ports) } else { (ports.max(ROWS), 0) };
        Self { rng, granting: vec![PortSet::EMPTY; rows], turns: Turns::new(turns) }
    }

    /// One iteration over the free ports: one draw for each output that is asked, ascending, which
    /// names the rank of the chosen input among those asking; then one draw for each input that is
    /// granted, ascending, likewise. Whether any pair was made is returned.
    #[inline(always)]
    pub(super) fn iterate<O: Observer + ?Sized>(
        &mut self,
        columns: &[PortSet<W>],
        free: &mut Free<W>,
        matching: &mut Matching,
        observer: &mut O,
    ) -> bool {
        begin_iteration(observer, &free.outputs, |output| columns[output].intersection(&free.inputs));
        if View::<W>::LARGE {
            self.turns.iterate(&mut self.rng, columns, free, matching, observer)
        } else if W == 1 && variants::PIM_ONE_WORD {
            by_words(&mut self.rng, &mut self.granting, columns, free, matching, observer)
        } else {
            by_rows(&mut self.rng, &mut self.granting, columns, free, matching, observer)
        }
    }
}

/// The rows of grants in the form for one word: one for each number of trailing zeros of a word, so
/// that an index needs no check.
const ROWS: usize = WORD + 1;

/// [`by_rows`] where a row is a word, with ports as words of one bit wherever that will do.
#[inline(always)]
fn by_words<const W: usize, O: Observer + ?Sized>(
    stream: &mut Rng,
    granting: &mut [PortSet<W>],
    columns: &[PortSet<W>],
    free: &mut Free<W>,
    matching: &mut Matching,
    observer: &mut O,
) -> bool {
    let granting = granting.first_chunk_mut::<ROWS>().expect("there is a row for each port of a word");
    let apart;
    let columns = if let Some(columns) = columns.first_chunk::<64>() {
        columns
    } else {
        apart = padded(columns);
        &apart
    };
    let inputs = grants(stream, granting, columns, free.inputs.words[0], free.outputs.words[0]);
    report_grants(word::ports(inputs), granting, observer);
    let (mut rng, mut taken) = (stream.clone(), 0);
    for input in word::ports(inputs) {
        let outputs = core::mem::take(&mut granting[input].words[0]);
        let member = word::member(outputs, rng.below(outputs.count_ones() as usize) as u32);
        taken |= member;
        matching.add(input, member.trailing_zeros() as usize);
        if observer.is_watching() {
            observer.observe(Event::Accept { input: input as Port, output: matching.outputs()[input] });
        }
    }
    free.inputs.words[0] &= !inputs;
    free.outputs.words[0] &= !taken;
    *stream = rng;
    inputs != 0
}

/// Reports the grants of an iteration: by input, the outputs that grant it.
#[inline(always)]
fn report_grants<const W: usize, O: Observer + ?Sized>(
    inputs: impl Iterator<Item = usize>,
    granting: &[PortSet<W>],
    observer: &mut O,
) {
    if observer.is_watching() {
        for input in inputs {
            for output in granting[input].iter() {
                observer.observe(Event::Grant { output: output as Port, input: input as Port });
            }
        }
    }
}

/// The grants of an iteration. Returns the inputs that are granted. Not inlined: it needs the
/// registers.
#[inline(never)]
fn grants<const W: usize>(
    stream: &mut Rng,
    granting: &mut [PortSet<W>; ROWS],
    columns: &[PortSet<W>; 64],
    free_inputs: u64,
    free_outputs: u64,
) -> u64 {
    let (mut rng, mut inputs) = (stream.clone(), 0);
    let mut grant = |output: usize, asking: u64| {
        if asking != 0 {
            let input = word::member(asking, rng.below(asking.count_ones() as usize) as u32);
            inputs |= input;
            granting[input.trailing_zeros() as usize].words[0] |= 1 << output;
        }
    };
    if free_inputs & free_outputs == u64::MAX {
        columns.iter().enumerate().for_each(|(output, column)| grant(output, column.words[0]));
    } else {
        word::ports(free_outputs).for_each(|output| grant(output, columns[output].words[0] & free_inputs));
    }
    *stream = rng;
    inputs
}

/// The columns of fewer than 64 ports, with empty ones for the others.
#[inline(never)]
fn padded<const W: usize>(columns: &[PortSet<W>]) -> [PortSet<W>; 64] {
    let mut padded = [PortSet::EMPTY; 64];
    padded[..columns.len()].copy_from_slice(columns);
    padded
}

/// The grants of an input as a row of bits: a choice among them is like the one among requests.
/// From 1024 ports on that is slower than [`Turns`], for a row is many words, of which most are
/// empty.
#[inline(always)]
fn by_rows<const W: usize, O: Observer + ?Sized>(
    stream: &mut Rng,
    granting: &mut [PortSet<W>],
    columns: &[PortSet<W>],
    free: &mut Free<W>,
    matching: &mut Matching,
    observer: &mut O,
) -> bool {
    // A copy stays in registers: the compiler cannot know that what is written below is not the
    // stream's state.
    let mut rng = stream.clone();
    let mut inputs = PortSet::<W>::EMPTY;
    for output in free.outputs.iter() {
        let asking = columns[output].intersection(&free.inputs);
        let count = asking.len();
        if count > 0 {
            let input = asking.nth(rng.below(count));
            granting[input].insert(output);
            inputs.insert(input);
        }
    }
    report_grants(inputs.iter(), granting, observer);
    for input in inputs.iter() {
        let outputs = core::mem::replace(&mut granting[input], PortSet::EMPTY);
        let output = outputs.nth(rng.below(outputs.len()));
        matching.add(input, output);
        free.remove(input, output);
        observer.observe(Event::Accept { input: input as Port, output: output as Port });
    }
    *stream = rng;
    !inputs.is_empty()
}

/// An output's grant.
#[derive(Clone, Copy, Debug, Default)]
struct Grant {
    output: Port,
    /// The rank of the input among those asking, then that input.
    input: Port,
    /// How many outputs before this one grant the same input.
    turn: Port,
}

/// Room for an iteration in a large switch: an input draws a turn, and then the grants look for
/// theirs. Equal to choosing from a list of granting outputs, without the lists.
#[derive(Clone, Debug)]
struct Turns {
    /// The grants of an iteration, ascending by output.
    granted: Vec<Grant>,
    /// By input: how many outputs grant it, then the turn it accepts. 0 between iterations.
    drawn: Vec<Port>,
    /// By input that is granted: the output it accepts. The last place is for outputs that are not
    /// accepted.
    accepts: Vec<Port>,
}

impl Turns {
    fn new(ports: usize) -> Self {
        Self { granted: vec![Grant::default(); ports], drawn: vec![0; ports], accepts: vec![0; ports + 1] }
    }

    /// Drawing and finding the inputs have a loop each, as the stream and the search together need
    /// more registers than there are.
    #[inline(always)]
    fn iterate<const W: usize, O: Observer + ?Sized>(
        &mut self,
        stream: &mut Rng,
        columns: &[PortSet<W>],
        free: &mut Free<W>,
        matching: &mut Matching,
        observer: &mut O,
    ) -> bool {
        let mut rng = stream.clone();
        let (drawn, accepts) = (&mut self.drawn[..], &mut self.accepts[..]);
        let mut count = 0;
        free.outputs.iter().for_each(|output| {
            let asking = columns[output].intersection(&free.inputs).len();
            if asking > 0 {
                self.granted[count] = Grant { output: output as Port, input: rng.below(asking) as Port, turn: 0 };
                count += 1;
            }
        });
        let granted = &mut self.granted[..count];
        let mut inputs = PortSet::<W>::EMPTY;
        for grant in &mut *granted {
            let asking = columns[grant.output as usize].intersection(&free.inputs);
            let input = asking.nth(grant.input as usize);
            grant.input = input as Port;
            grant.turn = drawn[input];
            drawn[input] += 1;
            inputs.insert(input);
            observer.observe(Event::Grant { output: grant.output, input: grant.input });
        }
        inputs.iter().for_each(|input| {
            drawn[input] = rng.below(drawn[input] as usize) as Port;
        });
        let nobody = drawn.len();
        for grant in &*granted {
            let input = grant.input as usize;
            accepts[select_unpredictable(drawn[input] == grant.turn, input, nobody)] = grant.output;
        }
        inputs.iter().for_each(|input| {
            drawn[input] = 0;
            let output = accepts[input] as usize;
            matching.add(input, output);
            free.remove(input, output);
            observer.observe(Event::Accept { input: input as Port, output: output as Port });
        });
        *stream = rng;
        count > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use proptest::proptest;

    /// The pairs of an iteration, in the order in which they are made.
    #[derive(Default)]
    struct Pairs(Vec<(usize, usize)>);

    impl Observer for Pairs {
        fn observe(&mut self, event: Event<'_>) {
            if let Event::Accept { input, output } = event {
                self.0.push((usize::from(input), usize::from(output)));
            }
        }
    }

    /// The choices as they are described, from lists.
    fn from_lists<const W: usize>(
        rng: &mut Rng,
        columns: &[PortSet<W>],
        free: &Free<W>,
        mut accepted: impl FnMut(usize, usize),
    ) -> bool {
        let mut granting = vec![Vec::new(); columns.len()];
        for (output, column) in columns.iter().enumerate().filter(|(output, _)| free.outputs.contains(*output)) {
            let asks = |&input: &usize| column.contains(input) && free.inputs.contains(input);
            let asking: Vec<usize> = (0..columns.len()).filter(asks).collect();
            if !asking.is_empty() {
                granting[asking[rng.below(asking.len())]].push(output);
            }
        }
        let mut any = false;
        for (input, outputs) in granting.iter().enumerate().filter(|(_, outputs)| !outputs.is_empty()) {
            accepted(input, outputs[rng.below(outputs.len())]);
            any = true;
        }
        any
    }

    /// Three iterations in each of the three ways, and where ports are a word in the fourth: the
    /// same pairs in the same order, the same ports left, and the same draws.
    fn agree<const W: usize>(ports: usize, seed: u64, density: u32) {
        let seed = Seed { seed, replication: 0 };
        let mut requests = seed.stream(Purpose::Pattern, 0);
        let mut columns = vec![PortSet::<W>::EMPTY; ports];
        for column in &mut columns {
            for input in 0..ports {
                column.assign(input, requests.below(100) < density as usize);
            }
        }
        let mut rngs = [0; 4].map(|_| seed.stream(Purpose::Scheduler, 0));
        let mut frees = [Free::<W>::all(ports); 4];
        let mut matchings = [0; 4].map(|_| Matching::new(ports));
        let (mut granting, mut turns) = (vec![PortSet::<W>::EMPTY; ports.max(ROWS)], Turns::new(ports));
        for _ in 0..3 {
            let mut pairs = [const { Pairs(Vec::new()) }; 4];
            let [rows, by_turns, lists, words] = &mut pairs;
            let [one, two, three, four] = &mut rngs;
            let any = [
                by_rows(one, &mut granting, &columns, &mut frees[0], &mut matchings[0], rows),
                turns.iterate(two, &columns, &mut frees[1], &mut matchings[1], by_turns),
                from_lists(three, &columns, &frees[2], |i, o| lists.0.push((i, o))),
                if W == 1 {
                    by_words(four, &mut granting, &columns, &mut frees[3], &mut matchings[3], words)
                } else {
                    by_rows(four, &mut granting, &columns, &mut frees[3], &mut matchings[3], words)
                },
            ];
            assert_eq!(any, [any[2]; 4]);
            assert!(granting.iter().all(PortSet::is_empty));
            for &(input, output) in &pairs[2].0 {
                matchings[2].add(input, output);
                frees[2].remove(input, output);
            }
            for way in [0, 1, 3] {
                assert_eq!(pairs[way].0, pairs[2].0);
                assert_eq!(matchings[way], matchings[2]);
                assert_eq!(frees[way].inputs, frees[2].inputs);
                assert_eq!(frees[way].outputs, frees[2].outputs);
            }
        }
        let next = rngs.map(|mut rng| rng.next());
        assert_eq!(next, [next[2]; 4]);
    }

    proptest! {
        #[test]
        fn rows_and_turns_choose_as_from_lists(ports in 1usize..=64, seed: u64, density in 0u32..=100) {
            agree::<1>(ports, seed, density);
            agree::<1>(64, seed, 100);
            agree::<4>(3 * ports + 64, seed, density);
            agree::<5>(3 * ports + 64, seed, density);
        }
    }
}
