//! What a vertex knows of its cycle, and how it finds out that the cycle is ouroboros in O(1) per
//! iteration (appendix E).

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use switchlab_core::Port;

/// A knowledge set (section 4.1): the vertex 2^k edges downstream or upstream, and the walk between
/// it and the owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Knowledge {
    /// The identity of that vertex.
    pub vertex: Port,
    /// The red weight of the walk.
    pub red: u64,
    /// The green weight of the walk.
    pub green: u64,
    /// Whether an edge of the walk is overweight; None unless the conservative-if-overweight rule
    /// is on.
    pub overweight: Option<bool>,
}

impl Knowledge {
    /// One edge. `cow` is the threshold of the overweight rule, if it is on.
    pub(super) fn edge(vertex: Port, red: u32, green: u32, cow: Option<u32>) -> Self {
        let overweight = cow.map(|cow| red > cow || green > cow);
        Self { vertex, red: u64::from(red), green: u64::from(green), overweight }
    }

    /// The walk twice as long, of this walk and one that begins where it ends; `further` knows the
    /// far end (section 4.3.2).
    pub(super) fn and(self, further: Self) -> Self {
        Self {
            vertex: further.vertex,
            red: self.red + further.red,
            green: self.green + further.green,
            overweight: self.overweight.zip(further.overweight).map(|(near, far)| near || far),
        }
    }
}

impl fmt::Display for Knowledge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vertex {}, red {}, green {}", self.vertex, self.red, self.green)?;
        if self.overweight == Some(true) { f.write_str(", overweight") } else { Ok(()) }
    }
}

/// Which of the three ideal situations of section 4.1 a vertex found itself in. `m` is the
/// iteration in which it found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Situation {
    /// (1): 2^m edges downstream is the vertex itself.
    Turn {
        /// The exponent.
        m: u32,
    },
    /// (2): 2^m and 2^n edges downstream is the same vertex: 2^m - 2^n edges are a whole number of
    /// turns.
    Difference {
        /// The larger exponent.
        m: u32,
        /// The smaller exponent.
        n: u32,
    },
    /// (3): 2^m edges downstream and 2^n edges upstream is the same vertex: 2^m + 2^n edges are a
    /// whole number of turns.
    Sum {
        /// The larger exponent.
        m: u32,
        /// The smaller exponent.
        n: u32,
    },
}

impl Situation {
    /// The iteration in which the vertex found out and halted.
    pub fn iteration(self) -> u32 {
        let (Self::Turn { m } | Self::Difference { m, .. } | Self::Sum { m, .. }) = self;
        m
    }

    /// The length of the walk that is a whole number of turns.
    pub fn edges(self) -> u64 {
        match self {
            Self::Turn { m } => 1 << m,
            Self::Difference { m, n } => (1 << m) - (1 << n),
            Self::Sum { m, n } => (1 << m) + (1 << n),
        }
    }
}

/// Knowledge sets in one direction with their inverted index: the arrays D and B of appendix E.
#[derive(Clone, Debug)]
pub(super) struct Index {
    /// D\[k\]: the knowledge set of level k.
    sets: Vec<Knowledge>,
    /// B\[v\]: k + 1 if v is the vertex of level k, and 0 if it is of none.
    inverted: Vec<u8>,
    /// The sets that are in B; the set of the current iteration is not yet.
    indexed: usize,
}

impl Index {
    fn new(ports: usize) -> Self {
        Self { sets: Vec::new(), inverted: vec![0; ports], indexed: 0 }
    }

    /// Learns the set of the next level.
    pub(super) fn learn(&mut self, set: Knowledge) {
        self.sets.push(set);
    }

    /// The set of a level, if it was learnt.
    pub(super) fn get(&self, level: u32) -> Option<Knowledge> {
        self.sets.get(level as usize).copied()
    }

    /// The set of the highest level that was learnt.
    pub(super) fn latest(&self) -> Option<Knowledge> {
        self.sets.last().copied()
    }

    /// The level that has this vertex, among those of earlier iterations. One look.
    fn level(&self, vertex: Port) -> Option<u32> {
        self.inverted[vertex as usize].checked_sub(1).map(u32::from)
    }

    fn index(&mut self) {
        while let Some(set) = self.sets.get(self.indexed) {
            self.indexed += 1;
            self.inverted[set.vertex as usize] = self.indexed as u8;
        }
    }

    /// O(log N), not O(N): each entry of B that is not 0 is pointed to by an entry of D.
    fn reset(&mut self) {
        for set in self.sets.drain(..) {
            self.inverted[set.vertex as usize] = 0;
        }
        self.indexed = 0;
    }
}

/// All that a vertex knows of its cycle.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    owner: Port,
    /// `phi_k+`.
    pub(super) down: Index,
    /// `phi_k-`.
    pub(super) up: Index,
}

impl Memory {
    pub(super) fn new(owner: Port, ports: usize) -> Self {
        Self { owner, down: Index::new(ports), up: Index::new(ports) }
    }

    /// Forgets the slot.
    pub(super) fn reset(&mut self) {
        self.down.reset();
        self.up.reset();
    }

    /// At the end of iteration m, whose sets have been learnt: whether they reveal one of the three
    /// situations.
    ///
    /// Situation (3) with n = m is left out, as in the paper: it would find cycles of length 2^(m
    /// + 1) one iteration earlier, but no others.
    pub(super) fn conclude(&mut self, m: u32) -> Option<Situation> {
        let (down, up) = (self.down.get(m)?.vertex, self.up.get(m)?.vertex);
        let situation = look(self.owner, down, m, &self.down, &self.up);
        // Appendix E also looks sigma^(-2^m) up. Whatever length it reveals, sigma^(2^m) reveals
        // too: the mirror image of (1) is (1), and so on.
        debug_assert_eq!(situation, look(self.owner, up, m, &self.up, &self.down));
        self.down.index();
        self.up.index();
        situation
    }

    /// The red and the green weight of the whole number of turns that a situation found (appendix
    /// C).
    pub(super) fn turns(&self, situation: Situation) -> Option<(u64, u64)> {
        let far = self.down.get(situation.iteration())?;
        Some(match situation {
            Situation::Turn { .. } => (far.red, far.green),
            Situation::Difference { n, .. } => {
                let near = self.down.get(n)?;
                (far.red - near.red, far.green - near.green)
            }
            Situation::Sum { n, .. } => {
                let behind = self.up.get(n)?;
                (far.red + behind.red, far.green + behind.green)
            }
        })
    }
}

/// Looks one identity of level m up in the levels below, of the same direction and of the other.
fn look(owner: Port, vertex: Port, m: u32, same: &Index, other: &Index) -> Option<Situation> {
    if vertex == owner {
        Some(Situation::Turn { m })
    } else if let Some(n) = same.level(vertex) {
        Some(Situation::Difference { m, n })
    } else {
        other.level(vertex).map(|n| Situation::Sum { m, n })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_clean_after_a_reset() {
        let mut memory = Memory::new(0, 20);
        // A cycle of 19 vertices in ascending order: nothing is found out in the iterations 0 to 3.
        for m in 0..=3u16 {
            let hop = 1 << m;
            memory.down.learn(Knowledge::edge(hop, 1, 1, None));
            memory.up.learn(Knowledge::edge(19 - hop, 1, 1, None));
            assert_eq!(memory.conclude(u32::from(m)), None);
        }
        assert_eq!(memory.down.inverted.iter().filter(|&&entry| entry != 0).count(), 4);
        assert_eq!((memory.down.level(8), memory.up.level(11), memory.down.level(11)), (Some(3), Some(3), None));
        memory.reset();
        assert!(memory.down.inverted.iter().chain(&memory.up.inverted).all(|&entry| entry == 0));
        assert_eq!(memory.down.get(0), None);
    }
}
