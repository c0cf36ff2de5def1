//! One iteration of request, grant and accept by round robin, as iSLIP and its relatives have it.

use super::{Matching, View};
use crate::cell::{NONE, Port};
use crate::observe::{Event, Observer, begin_iteration};
use crate::port_set::{PortSet, word};
use crate::prefetch::prefetch_l1;
use crate::scale;
use crate::switch::Side;
use crate::variants;
use alloc::vec;
use alloc::vec::Vec;

const NO_GRANT: Port = NONE;

/// The pointers of all ports, and room for one iteration. If `EAGER`, the pointer of an output
/// moves with its grant, accepted or not (RRM), and otherwise with the accept (iSLIP).
///
/// Up to 64 ports the grants of an input are a word, from which it chooses as an output does from
/// its requests. Beyond, where a row is several words, most of them empty, that is slower than the
/// minimum over the grants, taken as they come.
#[derive(Clone, Debug)]
pub(super) struct RoundRobin<const EAGER: bool = false> {
    ports: usize,
    /// By output: the input with the highest priority. Up to 64 ports it may be one beyond the
    /// last, which stands for 0; and there is one dummy entry.
    grant: Vec<Port>,
    /// By input: the output with the highest priority; one beyond the last stands for 0 here too.
    accept: Vec<Port>,
    /// By input: how far beyond its accept pointer the best granting output is.
    nearest: Vec<Port>,
    /// By input: the outputs that grant it. Empty between iterations, except for the last, dummy
    /// entry, which collects the outputs without a request.
    granting: [u64; 65],
}

/// Which ports are still unmatched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free<const W: usize> {
    pub(super) inputs: PortSet<W>,
    pub(super) outputs: PortSet<W>,
}

impl<const W: usize> Free<W> {
    /// All of them.
    #[inline(always)]
    pub(super) fn all(ports: usize) -> Self {
        Self { inputs: PortSet::all(ports), outputs: PortSet::all(ports) }
    }

    /// Removes a matched pair.
    #[inline(always)]
    pub(super) fn remove(&mut self, input: usize, output: usize) {
        self.inputs.remove(input);
        self.outputs.remove(output);
    }

    /// Removes the pairs of these inputs in a matching: those that an iteration has made, if
    /// another one follows. Usually none follows, and then the free ports are not needed.
    #[inline(always)]
    pub(super) fn remove_matched(&mut self, inputs: &PortSet<W>, matching: &Matching) {
        for input in inputs.iter() {
            self.remove(input, matching.outputs()[input] as usize);
        }
    }
}

impl<const EAGER: bool> RoundRobin<EAGER> {
    /// All pointers at 0.
    pub(super) fn new(ports: usize) -> Self {
        // Room for a word of ports, if there are not more.
        let pointers = vec![0; ports.max(65)];
        Self { ports, grant: pointers.clone(), accept: pointers, nearest: vec![NO_GRANT; ports], granting: [0; 65] }
    }

    /// The grant pointers, by output, and the accept pointers, by input.
    pub(super) fn pointers(&self) -> (Vec<Port>, Vec<Port>) {
        let wrapped = |pointers: &[Port]| pointers[..self.ports].iter().map(|&at| at % self.ports as Port).collect();
        (wrapped(&self.grant), wrapped(&self.accept))
    }

    /// One iteration over the free ports: each output grants the requesting input at or next after
    /// its pointer, each input accepts the granting output at or next after its own. `moves` says
    /// whether both pointers of a new pair move to one beyond the partner. The inputs of the new
    /// pairs are returned; that they are not free any more is up to the caller.
    #[inline(always)]
    pub(super) fn iterate<const W: usize, O: Observer + ?Sized>(
        &mut self,
        columns: &[PortSet<W>],
        free: &Free<W>,
        everything_is_free: bool,
        matching: &mut Matching,
        moves: bool,
        observer: &mut O,
    ) -> PortSet<W> {
        begin_iteration(observer, &free.outputs, |output| columns[output].intersection(&free.inputs));
        let before = if observer.is_watching() { Some(self.pointers()) } else { None };
        let granted = if W == 1 && variants::ARBITERS_ONE_WORD {
            self.by_words(columns, free, everything_is_free, matching, moves, observer)
        } else {
            self.by_distances(columns, free, everything_is_free, matching, moves, observer)
        };
        if let Some(before) = before {
            self.report_accepts(&granted, matching, before, observer);
        }
        granted
    }

    /// Reports the new pairs, and which pointers have moved.
    #[cold]
    fn report_accepts<const W: usize, O: Observer + ?Sized>(
        &self,
        granted: &PortSet<W>,
        matching: &Matching,
        before: (Vec<Port>, Vec<Port>),
        observer: &mut O,
    ) {
        for input in granted.iter() {
            observer.observe(Event::Accept { input: input as Port, output: matching.outputs()[input] });
        }
        let after = self.pointers();
        for (side, before, after) in [(Side::Output, before.0, after.0), (Side::Input, before.1, after.1)] {
            for (port, (before, after)) in (0..).zip(before.into_iter().zip(after)) {
                if before != after {
                    observer.observe(Event::Pointer { side, port, before, after });
                }
            }
        }
    }

    /// The form for one word. Whether an output has a request cannot be predicted after the first
    /// iteration: without one, its grant goes to the dummy entry.
    #[inline(always)]
    fn by_words<const W: usize, O: Observer + ?Sized>(
        &mut self,
        columns: &[PortSet<W>],
        free: &Free<W>,
        everything_is_free: bool,
        matching: &mut Matching,
        moves: bool,
        observer: &mut O,
    ) -> PortSet<W> {
        let grant =
            self.grant.first_chunk_mut::<65>().expect("there is a pointer for each port of a word, and one more");
        let accept = self.accept.first_chunk_mut::<64>().expect("there is a pointer for each port of a word");
        let granting = &mut self.granting;
        let mut granted = PortSet::<W>::EMPTY;
        if everything_is_free {
            // In two loops, the first of which becomes vectors.
            let mut firsts = [0; 64];
            for (first, (column, &pointer)) in firsts.iter_mut().zip(columns.iter().zip(&*grant)) {
                *first = first_from(column.words[0], pointer);
                granted.words[0] |= *first;
            }
            for (output, first) in firsts[..columns.len().min(64)].iter().enumerate() {
                granting[first.trailing_zeros() as usize] |= 1 << output;
                if EAGER {
                    move_beyond(&mut grant[output], *first);
                }
            }
            if moves && !EAGER {
                report_grants(granting, observer);
                matching.assign(&accept_all(granting, grant, accept)[..self.ports.min(64)]);
                return granted;
            }
        } else {
            for output in free.outputs.iter() {
                let first = first_from(columns[output].words[0] & free.inputs.words[0], grant[output % 64]);
                granting[first.trailing_zeros() as usize] |= 1 << (output % 64);
                granted.words[0] |= first;
                if EAGER {
                    move_beyond(&mut grant[output % 64], first);
                }
            }
        }
        report_grants(granting, observer);
        for input in granted.iter() {
            let outputs = core::mem::take(&mut granting[input % 64]);
            let output = first_from(outputs, accept[input % 64]).trailing_zeros() as usize % 64;
            matching.add(input, output);
            if moves {
                // Beyond the last port there is none, and the first is next: as if the pointer were
                // at 0. A pointer that has moved with the grant is there already.
                grant[output] = input as Port + 1;
                accept[input % 64] = output as Port + 1;
            }
        }
        granted
    }

    /// Where they are several.
    #[inline(always)]
    fn by_distances<const W: usize, O: Observer + ?Sized>(
        &mut self,
        columns: &[PortSet<W>],
        free: &Free<W>,
        everything_is_free: bool,
        matching: &mut Matching,
        moves: bool,
        observer: &mut O,
    ) -> PortSet<W> {
        let ports = self.ports;
        let (grant, accept) = (&mut self.grant[..ports], &mut self.accept[..ports]);
        let nearest = &mut self.nearest[..ports];
        let mut grant_to = |pointers: &mut [Port], output: usize, input: Option<usize>| {
            if let Some(input) = input {
                let accept = accept[input];
                let distance = positive(signed(output) - i32::from(accept), ports);
                nearest[input] = least(i32::from(nearest[input]), distance) as Port;
                if EAGER {
                    pointers[output] = wrap(input + 1, ports) as Port;
                }
                observer.observe(Event::Grant { output: output as Port, input: input as Port });
            }
        };
        if everything_is_free {
            for (output, column) in columns[..ports].iter().enumerate() {
                fetch_column(columns, grant, output);
                grant_to(grant, output, column.first_from(grant[output] as usize));
            }
        } else {
            for output in free.outputs.iter() {
                let (column, pointer) = (&columns[output], grant[output] as usize);
                fetch_column(columns, grant, output);
                // A long column is looked at where the pointer is, and seldom further.
                let input = if View::<W>::LARGE {
                    column.first_common_from(&free.inputs, pointer)
                } else {
                    column.intersection(&free.inputs).first_from(pointer)
                };
                grant_to(grant, output, input);
            }
        }
        // The inputs that are granted, as bits: a loop over them has no branch to guess at each
        // input. All at once: a bit set with each grant, in a word that was written just before,
        // has the next grant wait for this one.
        let granted = PortSet::<W>::named(nearest);
        for input in granted.iter() {
            let distance = core::mem::replace(&mut nearest[input], NO_GRANT);
            let output = wrap(accept[input] as usize + distance as usize, ports);
            matching.add(input, output);
            if moves {
                grant[output] = wrap(input + 1, ports) as Port;
                accept[input] = wrap(output + 1, ports) as Port;
            }
        }
        granted
    }
}

/// Reports the grants of an iteration, by input; the last entry is for outputs that grant nobody.
#[inline]
fn report_grants<O: Observer + ?Sized>(granting: &[u64; 65], observer: &mut O) {
    if !observer.is_watching() {
        return;
    }
    for (input, &outputs) in (0..).zip(&granting[..64]) {
        for output in word::ports(outputs) {
            observer.observe(Event::Grant { output: output as Port, input });
        }
    }
}

/// Every input accepts, where ports are a word and none is matched, whether it is granted or not:
/// most are. Three loops, of which the first and the last become vectors. For each input its
/// output, or none.
#[inline(always)]
fn accept_all(granting: &mut [u64; 65], grant: &mut [Port; 65], accept: &mut [Port; 64]) -> [Port; 64] {
    let (mut firsts, mut outputs) = ([0; 64], [0; 64]);
    for input in 0..64 {
        firsts[input] = first_from(granting[input], accept[input]);
        granting[input] = 0;
    }
    for (input, first) in firsts.iter().enumerate() {
        // The place for no output, if there is none.
        let output = first.trailing_zeros() as usize;
        outputs[input] = output as Port;
        grant[output] = input as Port + 1;
    }
    for input in 0..64 {
        let unmatched = Port::from(outputs[input] == 64).wrapping_neg();
        accept[input] = accept[input] & unmatched | (outputs[input] + 1) & !unmatched;
        outputs[input] |= unmatched;
    }
    outputs
}

/// Moves a pointer to one beyond the granted input, if there is one. The last port of a word is
/// followed by 64, which is to say 0.
#[inline(always)]
fn move_beyond(pointer: &mut Port, granted: u64) {
    if granted != 0 {
        *pointer = granted.trailing_zeros() as Port + 1;
    }
}

/// Fetches the word of a column, some outputs ahead, that its pointer is in: into the first cache,
/// as most of these words are in the second from the slot before. Up to 1024 ports all columns are
/// near.
#[inline(always)]
fn fetch_column<const W: usize>(columns: &[PortSet<W>], pointers: &[Port], output: usize) {
    const AHEAD: usize = 24;
    if scale::is_huge(W)
        && let Some((column, &pointer)) = columns.get(output + AHEAD).zip(pointers.get(output + AHEAD))
    {
        prefetch_l1(&column.words[pointer as usize / 64]);
    }
}

/// Of a word, the first member at or after a pointer, or the first of all if there is none; nothing
/// of nothing.
#[inline(always)]
fn first_from(word: u64, pointer: Port) -> u64 {
    let pointer = u64::from(pointer) % 64;
    let after = word >> pointer << pointer;
    let chosen = after | word & u64::from(after == 0).wrapping_neg();
    chosen & chosen.wrapping_neg()
}

/// `port mod ports`, for a port below `2 * ports`.
#[inline]
fn wrap(port: usize, ports: usize) -> usize {
    positive(signed(port) - signed(ports), ports) as usize
}

/// A port, or twice as many, of at most 4096 and so below 2^16.
#[inline]
fn signed(port: usize) -> i32 {
    i32::from(port as Port)
}

/// A difference of two ports, and `ports` more if it is negative. By its sign, since the compiler
/// makes branches of comparisons, even of selected values, and this branch cannot be predicted.
#[inline]
fn positive(difference: i32, ports: usize) -> i32 {
    difference + (difference >> 31 & signed(ports))
}

/// The smaller of two, by the sign of their difference.
#[inline]
fn least(one: i32, other: i32) -> i32 {
    let difference = other - one;
    one + (difference & difference >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Silent;
    use crate::rng::{Purpose, Seed};
    use proptest::proptest;

    /// The steps as they are described, port by port; the pairs, by input.
    fn in_steps(columns: &[PortSet<1>], free: &Free<1>, grant: &[Port], accept: &[Port]) -> Vec<(usize, usize)> {
        let ports = columns.len();
        let around = |pointer: Port| (0..ports).map(move |step| (pointer as usize + step) % ports);
        let asks = |input: usize, output: usize| columns[output].contains(input) && free.inputs.contains(input);
        let granted: Vec<Option<usize>> = (0..ports)
            .map(|output| around(grant[output]).find(|&input| free.outputs.contains(output) && asks(input, output)))
            .collect();
        let accepts = |input: usize| around(accept[input]).find(|&output| granted[output] == Some(input));
        (0..ports).filter_map(|input| accepts(input).map(|output| (input, output))).collect()
    }

    proptest! {
        /// Slots of several iterations, the first of which moves the pointers: words, distances and
        /// steps make the same pairs.
        #[test]
        fn words_and_distances_are_the_steps(ports in 1usize..=64, seed: u64, density in 0usize..=100) {
            let mut requests = Seed { seed, replication: 0 }.stream(Purpose::Pattern, 0);
            let (mut words, mut distances) = (<RoundRobin>::new(ports), <RoundRobin>::new(ports));
            for _ in 0..6 {
                let mut columns = vec![PortSet::<1>::EMPTY; ports];
                for column in &mut columns {
                    for input in 0..ports {
                        column.assign(input, requests.below(100) < density);
                    }
                }
                let wide: Vec<PortSet<2>> = columns.iter().map(|column| column.iter().collect()).collect();
                let (mut free, mut wide_free) = (Free::<1>::all(ports), Free::<2>::all(ports));
                let (mut matching, mut wide_matching) = (Matching::new(ports), Matching::new(ports));
                for iteration in 0..4 {
                    let first = iteration == 0;
                    let expected = in_steps(&columns, &free, &words.grant, &words.accept);
                    let granted = words.iterate(&columns, &free, first, &mut matching, first, &mut Silent);
                    let wide_granted =
                        distances.iterate(&wide, &wide_free, first, &mut wide_matching, first, &mut Silent);
                    let pair = |input: usize| (input, matching.outputs()[input] as usize);
                    let pairs: Vec<_> = granted.iter().map(pair).collect();
                    let inputs = || expected.iter().map(|&(input, _)| input);
                    assert_eq!((granted, wide_granted), (inputs().collect(), inputs().collect()));
                    free.remove_matched(&granted, &matching);
                    wide_free.remove_matched(&wide_granted, &wide_matching);
                    assert_eq!(pairs, expected);
                    assert_eq!(matching, wide_matching);
                    assert_eq!(words.pointers(), distances.pointers());
                    if first {
                        let (grant, accept) = words.pointers();
                        for &(input, output) in &expected {
                            assert_eq!(grant[output] as usize, (input + 1) % ports);
                            assert_eq!(accept[input] as usize, (output + 1) % ports);
                        }
                    }
                }
            }
        }
    }
}
