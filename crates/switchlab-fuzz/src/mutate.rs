//! Inputs by random changes of others.

use switchlab_core::Seed;
use switchlab_core::rng::{Purpose, Rng};

/// The most bytes of an input.
const LONGEST: usize = 20_000;

/// Numbers at the edges of what programs take.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "16",
    "33",
    "64",
    "65",
    "127",
    "255",
    "256",
    "4095",
    "4096",
    "4097",
    "65535",
    "65536",
    "2147483647",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "0.5",
    "0.999999",
    "1.0000001",
    "1e-320",
    "1e9",
    "1e300",
    "1e999",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "Infinity",
    "0x10",
    "1_000",
    "90%",
    "",
];

/// Makes inputs, the same from the same seed.
#[derive(Debug)]
pub struct Generator {
    seeds: Vec<Vec<u8>>,
    words: &'static [&'static str],
    rng: Rng,
}

impl Generator {
    /// From these inputs, with words that mean something to the target.
    pub fn new(seeds: Vec<Vec<u8>>, words: &'static [&'static str], seed: u64) -> Self {
        Self { seeds, words, rng: Seed { seed, replication: 0 }.stream(Purpose::Pattern, 0) }
    }

    /// The next input: one of the seeds with one to six changes.
    pub fn next(&mut self) -> Vec<u8> {
        let mut input = self.any_seed();
        for _ in 0..=self.rng.below(6) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn any_seed(&mut self) -> Vec<u8> {
        let index = self.rng.below(self.seeds.len().max(1));
        self.seeds.get(index).cloned().unwrap_or_default()
    }

    /// A stretch of an input, often short.
    fn stretch(&mut self, length: usize) -> std::ops::Range<usize> {
        if length == 0 {
            return 0..0;
        }
        let start = self.rng.below(length);
        let most = if self.rng.below(2) == 0 { 8 } else { length };
        let count = 1 + self.rng.below(most.min(length - start));
        start..start + count
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let place = self.rng.below(input.len() + 1);
        match self.rng.below(10) {
            0 if place < input.len() => input[place] ^= 1 << self.rng.below(8),
            1 if place < input.len() => input[place] = self.rng.below(256) as u8,
            2 => {
                let stretch = self.stretch(input.len());
                input.drain(stretch);
            }
            3 => {
                let stretch = self.stretch(input.len());
                let copy = input[stretch].to_vec();
                input.splice(place..place, copy);
            }
            4 => {
                let other = self.any_seed();
                let stretch = self.stretch(other.len());
                input.splice(place..place, other[stretch].iter().copied());
            }
            5 => input.truncate(place),
            6 => {
                let word = self.word();
                input.splice(place..place, word.bytes());
            }
            // A number or a word in the place of another: most inputs stay well-formed.
            7 | 8 => {
                let number = NUMBERS[self.rng.below(NUMBERS.len())];
                self.replace(input, |byte| byte.is_ascii_digit() || byte == b'.', number);
            }
            _ => {
                let word = self.word();
                self.replace(input, |byte| byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_', word);
            }
        }
    }

    fn word(&mut self) -> &'static str {
        let index = self.rng.below(self.words.len() + NUMBERS.len());
        self.words.get(index).copied().unwrap_or_else(|| NUMBERS[index - self.words.len()])
    }

    /// Replaces the run of such bytes at or after a random place.
    fn replace(&mut self, input: &mut Vec<u8>, is_inside: impl Fn(u8) -> bool, with: &str) {
        let place = self.rng.below(input.len() + 1);
        let Some(found) = input[place..].iter().position(|&byte| is_inside(byte)) else { return };
        let start = input[..place + found].iter().rposition(|&byte| !is_inside(byte)).map_or(0, |before| before + 1);
        let end = input[place + found..].iter().position(|&byte| !is_inside(byte));
        let end = end.map_or(input.len(), |after| place + found + after);
        input.splice(start..end, with.bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_follow_from_the_seed_and_stay_bounded() {
        let make = |seed| {
            let mut generator =
                Generator::new(vec![b"islip(iterations=4)".to_vec(), vec![b'x'; 30_000]], &["pim"], seed);
            (0..2000).map(|_| generator.next()).collect::<Vec<_>>()
        };
        let inputs = make(1);
        assert_eq!(inputs, make(1));
        assert_ne!(inputs, make(2));
        assert!(inputs.iter().all(|input| input.len() <= LONGEST));
        let texts: Vec<String> = inputs.iter().map(|input| String::from_utf8_lossy(input).into_owned()).collect();
        let has = |text: String| texts.contains(&text);
        let in_place = NUMBERS.iter().any(|number| has(format!("islip(iterations={number})")));
        assert!(in_place, "numbers are replaced in place");
        let mut words = NUMBERS.iter().chain(&["pim"]);
        assert!(words.any(|word| has(format!("{word}(iterations=4)"))), "words are replaced in place");
    }

    #[test]
    fn no_seed_at_all_is_no_mistake() {
        let mut generator = Generator::new(Vec::new(), &[], 1);
        assert!((0..1000).map(|_| generator.next()).any(|input| !input.is_empty()));
    }
}
