//! One iteration of request, grant and accept by uniformly random choice, as PIM and its relatives
//! have it.
//!
//! Branch-free: which input is granted, and which grant is accepted, cannot be predicted. Sets of
//! ports are walked and members selected, so that no branch depends on it.

use super::Matching;
use super::round_robin::Free;
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
    /// By input: the outputs that grant it, for the form of one word. Empty between iterations.
    granting: [u64; ROWS],
    turns: Turns,
}

impl<const W: usize> RandomChoice<W> {
    /// Draws from `rng`.
    pub(super) fn new(ports: usize, rng: Rng) -> Self {
        Self { rng, granting: [0; ROWS], turns: Turns::new(if is_one_word(W) { 0 } else { ports }) }
    }

    /// One iteration over the free ports: one draw for each output that is requested, ascending,
    /// which names the rank of the chosen input among those requesting it; then one draw for each
    /// input that is granted, ascending, which names the rank of the output. Returns whether any
    /// pair was made.
    #[inline(always)]
    pub(super) fn iterate<O: Observer + ?Sized>(
        &mut self,
        columns: &[PortSet<W>],
        free: &mut Free<W>,
        matching: &mut Matching,
        observer: &mut O,
    ) -> bool {
        begin_iteration(observer, &free.outputs, |output| columns[output].intersection(&free.inputs));
        if is_one_word(W) {
            by_words(&mut self.rng, &mut self.granting, columns, free, matching, observer)
        } else {
            self.turns.iterate(&mut self.rng, columns, free, matching, observer)
        }
    }
}

/// Whether a switch of `words * 64` ports has the form for one word, and not [`Turns`].
const fn is_one_word(words: usize) -> bool {
    variants::PIM_ONE_WORD && words == 1
}

/// The rows of grants in the form for one word: one for each number of trailing zeros of a word, so
/// that an index needs no check.
const ROWS: usize = WORD + 1;

/// The form for one word: the grants of an input are a word, from which a member is selected as an
/// output does from its requests. Ports are words of one bit wherever possible.
#[inline(always)]
fn by_words<const W: usize, O: Observer + ?Sized>(
    stream: &mut Rng,
    granting: &mut [u64; ROWS],
    columns: &[PortSet<W>],
    free: &mut Free<W>,
    matching: &mut Matching,
    observer: &mut O,
) -> bool {
    let apart;
    let columns = if let Some(columns) = columns.first_chunk::<64>() {
        columns
    } else {
        apart = padded(columns);
        &apart
    };
    let inputs = grants(stream, granting, columns, free.inputs.words[0], free.outputs.words[0]);
    report_grants(inputs, granting, observer);
    let (mut rng, mut taken) = (stream.clone(), 0);
    for input in word::ports(inputs) {
        let outputs = core::mem::take(&mut granting[input]);
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
fn report_grants<O: Observer + ?Sized>(inputs: u64, granting: &[u64; ROWS], observer: &mut O) {
    if observer.is_watching() {
        for input in word::ports(inputs) {
            for output in word::ports(granting[input]) {
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
    granting: &mut [u64; ROWS],
    columns: &[PortSet<W>; 64],
    free_inputs: u64,
    free_outputs: u64,
) -> u64 {
    let (mut rng, mut inputs) = (stream.clone(), 0);
    let mut grant = |output: usize, asking: u64| {
        if asking != 0 {
            let input = word::member(asking, rng.below(asking.count_ones() as usize) as u32);
            inputs |= input;
            granting[input.trailing_zeros() as usize] |= 1 << output;
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

/// An output's grant.
#[derive(Clone, Copy, Debug, Default)]
struct Grant {
    output: Port,
    /// The rank of the input among those requesting the output, then that input.
    input: Port,
    /// Its rank among the grants of the same input.
    turn: Port,
}

/// The general form, and its scratch: an input that is granted draws a rank among its grants (its
/// turn), and then the grant of that rank is found. Equal to a choice from a list of granting
/// outputs, without the lists.
///
/// Rejected: the grants of an input as a row of bits, from which a member is selected. From 1024
/// ports on a row is many words, most of them empty, and that is slower; at 128 and 256 ports it is
/// 1.24 times as fast at most, too little for a second form.
#[derive(Clone, Debug)]
struct Turns {
    /// The grants of an iteration, ascending by output.
    granted: Vec<Grant>,
    /// By input: the number of outputs that grant it, then the rank it accepts. 0 between
    /// iterations.
    drawn: Vec<Port>,
    /// By input that is granted: the output it accepts. The last, dummy entry is for outputs that
    /// are not accepted.
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
        let dummy = drawn.len();
        for grant in &*granted {
            let input = grant.input as usize;
            accepts[select_unpredictable(drawn[input] == grant.turn, input, dummy)] = grant.output;
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

    /// Three iterations in each form: the same pairs in the same order, the same ports left, and
    /// the same draws.
    fn agree<const W: usize>(ports: usize, seed: u64, density: u32) {
        let seed = Seed { seed, replication: 0 };
        let mut requests = seed.stream(Purpose::Pattern, 0);
        let mut columns = vec![PortSet::<W>::EMPTY; ports];
        for column in &mut columns {
            for input in 0..ports {
                column.assign(input, requests.below(100) < density as usize);
            }
        }
        // `by_words` is for one word only.
        let forms = if W == 1 { 3 } else { 2 };
        let mut rngs = [0; 3].map(|_| seed.stream(Purpose::Scheduler, 0));
        let mut frees = [Free::<W>::all(ports); 3];
        let mut matchings = [0; 3].map(|_| Matching::new(ports));
        let (mut granting, mut turns) = ([0; ROWS], Turns::new(ports));
        for _ in 0..3 {
            let mut pairs = [const { Pairs(Vec::new()) }; 3];
            let [lists, by_turns, words] = &mut pairs;
            let [one, two, three] = &mut rngs;
            let any = from_lists(one, &columns, &frees[0], |i, o| lists.0.push((i, o)));
            let general = turns.iterate(two, &columns, &mut frees[1], &mut matchings[1], by_turns);
            assert_eq!(general, any);
            if W == 1 {
                let one_word = by_words(three, &mut granting, &columns, &mut frees[2], &mut matchings[2], words);
                assert_eq!(one_word, any);
            }
            assert_eq!(granting, [0; ROWS]);
            assert!(turns.drawn.iter().all(|&drawn| drawn == 0));
            for &(input, output) in &pairs[0].0 {
                matchings[0].add(input, output);
                frees[0].remove(input, output);
            }
            for form in 1..forms {
                assert_eq!(pairs[form].0, pairs[0].0);
                assert_eq!(matchings[form], matchings[0]);
                assert_eq!(frees[form].inputs, frees[0].inputs);
                assert_eq!(frees[form].outputs, frees[0].outputs);
            }
        }
        let next = rngs.map(|mut rng| rng.next());
        assert!(next[..forms].iter().all(|&draw| draw == next[0]));
    }

    proptest! {
        #[test]
        fn words_and_turns_choose_as_from_lists(ports in 1usize..=64, seed: u64, density in 0u32..=100) {
            agree::<1>(ports, seed, density);
            agree::<1>(64, seed, 100);
            agree::<4>(3 * ports + 64, seed, density);
            agree::<5>(3 * ports + 64, seed, density);
        }
    }
}
