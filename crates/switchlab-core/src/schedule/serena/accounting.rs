//! What the messages of SERENADE are charged at: the widths of their fields, the prefix sums of
//! POPULATE, and the way from one input to another.

use super::ouroboros::last_iteration;

/// How free ports learn their ranks (appendix A). Both compute the same prefix sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Prefix {
    /// The parallel prefix of Ladner and Fischer, which the paper names: neighbouring sums are
    /// added in pairs up a tree and distributed down again. Of their family of circuits it is the
    /// one in which no port sends two messages in a round. About 2 N messages in 2 K - 1 rounds.
    #[default]
    LadnerFischer,
    /// Recursive doubling: in round l every port adds the sum of the port 2^l before it. About N K
    /// messages in K rounds.
    Doubling,
}

impl Prefix {
    /// The number of rounds with this number of ports.
    pub fn rounds(self, ports: usize) -> u32 {
        let last = last_iteration(ports);
        match self {
            Self::Doubling => last,
            // Up while there are two blocks of 2^level to be added; down while there are two such
            // blocks and a third one behind them.
            Self::LadnerFischer => {
                (0..last).map(|level| u32::from(2 << level <= ports) + u32::from(3 << level <= ports)).sum()
            }
        }
    }

    /// The messages of all rounds with this number of ports.
    pub fn messages(self, ports: usize) -> u64 {
        (0..self.steps(ports)).map(|step| self.messages_in(step, ports)).sum()
    }

    /// The steps of the schedule. A step in which no port sends takes no round.
    pub fn steps(self, ports: usize) -> u32 {
        let last = last_iteration(ports);
        match self {
            Self::Doubling => last,
            Self::LadnerFischer => 2 * last,
        }
    }

    /// To which port this one sends its sum in a step, if it does.
    pub fn receiver(self, port: usize, step: u32, ports: usize) -> Option<usize> {
        let last = last_iteration(ports);
        let to = match self {
            Self::Doubling => port + (1 << step),
            // Up the tree: the last port of the left half of each block of 2^(step + 1).
            Self::LadnerFischer if step < last => {
                let half = 1usize << step;
                ((port + 1) % (2 * half) == half).then_some(port + half)?
            }
            // Down: the last port of a block, whose prefix is complete, to the middle of the next.
            Self::LadnerFischer => {
                let half = 1usize << (2 * last - 1 - step);
                (port + 1).is_multiple_of(2 * half).then_some(port + half)?
            }
        };
        (to < ports).then_some(to)
    }

    fn messages_in(self, step: u32, ports: usize) -> u64 {
        (0..ports).filter(|&port| self.receiver(port, step, ports).is_some()).count() as u64
    }
}

/// How one input sends to another, and one output to another (section 4.3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bypass {
    /// Over the output of the other's line card, at no cost from there.
    #[default]
    Local,
    /// There is none: the port of the sender's own number on the other side passes the message on,
    /// which makes two of one, and two rounds of one.
    Absent,
}

impl Bypass {
    /// The messages that one between two inputs becomes, and the rounds.
    pub const fn hops(self) -> u32 {
        match self {
            Self::Local => 1,
            Self::Absent => 2,
        }
    }
}

/// What messages are charged at. It changes no decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accounting {
    /// The bits of the length of a VOQ.
    pub weight_bits: u32,
    /// How free ports learn their ranks.
    pub prefix: Prefix,
    /// How one input sends to another.
    pub bypass: Bypass,
}

/// The bits of a VOQ's length without another word.
pub const WEIGHT_BITS: u32 = 32;

impl Default for Accounting {
    fn default() -> Self {
        Self { weight_bits: WEIGHT_BITS, prefix: Prefix::default(), bypass: Bypass::default() }
    }
}

/// The bits of the fields of messages. A flag or a colour takes one.
///
/// A message carries what its reader has to learn from it. That includes the identity of the sender
/// where the reader does not know beforehand from whom it hears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Widths {
    /// The identity of a port, and a count or rank of less than N: K bits.
    pub identity: u32,
    /// A count of up to N.
    pub total: u32,
    /// The weight of an edge.
    pub weight: u32,
    /// The weight of a walk of up to 2^K edges.
    pub walk: u32,
    /// The level of a search, 0 to K.
    pub level: u32,
    /// A codeword.
    pub codeword: u32,
}

impl Accounting {
    /// The bits of the fields in a switch with this number of ports.
    pub fn widths(&self, ports: usize) -> Widths {
        let identity = last_iteration(ports);
        Widths {
            identity,
            total: last_iteration(ports + 1),
            weight: self.weight_bits,
            walk: self.weight_bits + identity,
            level: last_iteration(identity as usize + 1),
            codeword: 64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    /// The recursion in the words of Ladner and Fischer: add neighbours in pairs, solve the problem
    /// of half the size, add the element before to those that were left out. Returns the prefix
    /// sums and the number of additions.
    fn recursive(numbers: &[u64]) -> (Vec<u64>, u64) {
        if numbers.len() < 2 {
            return (numbers.to_vec(), 0);
        }
        let pairs: Vec<u64> = numbers.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
        let (sums, additions) = recursive(&pairs);
        let mut all = vec![numbers[0]];
        for at in 1..numbers.len() {
            all.push(if at % 2 == 1 { sums[at / 2] } else { sums[at / 2 - 1] + numbers[at] });
        }
        (all, additions + pairs.len() as u64 + (numbers.len() as u64 - 1) / 2)
    }

    #[test]
    fn both_schedules_compute_prefix_sums() {
        for ports in (1..=70).chain([127, 128, 129, 1000, 1024]) {
            let numbers: Vec<u64> = (0..ports as u64).map(|port| port * port % 7 % 2).collect();
            let (expected, additions) = recursive(&numbers);
            for prefix in [Prefix::LadnerFischer, Prefix::Doubling] {
                let (mut sums, mut messages, mut rounds) = (numbers.clone(), 0, 0);
                for step in 0..prefix.steps(ports) {
                    let before = sums.clone();
                    let mut heard = vec![0; ports];
                    for (port, sum) in before.into_iter().enumerate() {
                        if let Some(to) = prefix.receiver(port, step, ports) {
                            sums[to] += sum;
                            heard[to] += 1;
                            messages += 1;
                        }
                    }
                    assert!(heard.iter().all(|&heard| heard <= 1), "{prefix:?}, {ports} ports: messages collide");
                    rounds += u32::from(heard.contains(&1));
                }
                assert_eq!(sums, expected, "{prefix:?}, {ports} ports");
                assert_eq!((messages, rounds), (prefix.messages(ports), prefix.rounds(ports)), "{prefix:?}, {ports}");
            }
            assert_eq!(Prefix::LadnerFischer.messages(ports), additions, "{ports} ports");
        }
        assert_eq!((Prefix::LadnerFischer.messages(64), Prefix::LadnerFischer.rounds(64)), (2 * 64 - 2 - 6, 11));
        assert_eq!((Prefix::Doubling.messages(64), Prefix::Doubling.rounds(64)), (6 * 64 - 63, 6));
    }

    #[test]
    fn widths_of_a_switch() {
        let widths = Accounting::default().widths(64);
        assert_eq!((widths.identity, widths.total, widths.weight, widths.walk, widths.level), (6, 7, 32, 38, 3));
        let widths = Accounting { weight_bits: 14, ..Accounting::default() }.widths(1000);
        assert_eq!((widths.identity, widths.total, widths.weight, widths.walk, widths.level), (10, 10, 14, 24, 4));
        let widths = Accounting::default().widths(1);
        assert_eq!((widths.identity, widths.total, widths.walk, widths.level), (0, 1, 32, 0));
    }
}
