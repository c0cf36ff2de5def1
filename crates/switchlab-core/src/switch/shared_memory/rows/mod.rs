//! The halving of switches with up to 64 ports and 128 memories: what `halving` does pair by pair,
//! here by words and vectors.
//!
//! A cell's edges are a row of bits, one for each memory. So is the set of memories at which an
//! edge waits for its partner: a cell's row is added to it by exclusive or, since a second edge at
//! a memory is the partner of the first. So two rows tell for a whole cell which pairs start a
//! segment, which extend one and which end one.
//!
//! What is carried from cell to cell is which end of which segment waits at a memory. A segment has
//! two ends, written as `segment << 1 | goes`: one with the colour of the first edge of its first
//! pair, and one with the other colour. An end is stored at the memory where its edge waits. Then a
//! pair
//!
//! ```text
//!   with no edge waiting    starts a segment and stores its two ends
//!   with one edge waiting   moves that end to its other memory, unchanged: colours alternate
//!   with two edges waiting  ends both, which have to have different colours
//! ```
//!
//! so all pairs that do not start a segment exchange the ends stored at their two memories; what is
//! stored where no edge waits means nothing. The pairs of a cell have different memories, and eight
//! of them exchange as lanes of a vector. Where ends of two segments meet, the meeting is listed.
//!
//! Segments that met are joined, the later to the earlier. Then the colour of the first pair of
//! each segment is known, and the others follow cell by cell, again in words: an edge that finds
//! another waiting has the other colour.
//!
//! The halvings of a slot with 64 ports at load 0.9 take 10.8 microseconds, and 19.0 by lists.
//! Rejected, with the microseconds that they took more: exchanges one by one, with the ends found
//! at all pairs listed and scanned afterwards (3.1); to remove segments from their paths and cycles
//! from the last to the first, which needs neither joins nor searches but waits for each store
//! (3.0); a search for each meeting that the first round of joins leaves over (0.9); keeping and
//! the next colouring in one pass, where exchanges wait for lists (0.4); a shorter chain of
//! dependent steps in `keep`, at the price of twice the deposits (0.7).
//!
//! A slot in which a cell fits fewer than Gamma memories is left to the lists.

use super::table::{Due, Table};
use crate::cell::Port;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use lanes::{Eight, chosen, deposit, extract, signs};

mod lanes;
#[cfg(test)]
mod tests;

/// The most cells, edges of a cell, and pairs.
const CELLS: usize = 64;
const EDGES: usize = 64;
const PAIRS: usize = CELLS * EDGES / 2;

/// At least one more than there are segments. A segment has two ends, and at most 128 memories have
/// one at the same time; so at most half of all pairs and 32 start one.
const SEGMENTS: usize = PAIRS;

/// Lists are looked up by departure slot modulo this: cells due together fit the same memories.
const LISTED: usize = 256;

/// The first edges of all pairs, among the edges of a cell.
const FIRST: u64 = 0x5555_5555_5555_5555;

/// A set of memories.
type Row = [u64; 2];

/// The edges of a slot.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    gamma: usize,
    /// By cell: the memories of its edges.
    edges: [Row; CELLS],
    /// The same, ascending.
    lists: [[u8; EDGES]; CELLS + 1],
    /// By cell: which of its edges, in the order of memories, found a partner waiting.
    found: [u64; CELLS],
    /// By memory: the end that waits there, if one does.
    ends: [u16; 256],
    /// Ends of different segments that met.
    met: [u32; PAIRS + 8],
    /// How many these are.
    meetings: usize,
    /// How many segments there are. They are numbered from 1.
    segments: usize,
    /// By segment: the end of an earlier segment with the same colour as its own that stays, or 0.
    heads: [u16; SEGMENTS],
    /// By segment: whether its first edge goes, as the sign.
    goes: [u8; SEGMENTS],
    /// The same, as bits.
    signs: [u8; PAIRS / 8 + 12],
    /// By departure slot: a cell that may be due then.
    listed: [u8; LISTED],
}

impl Rows {
    /// For a switch of that size, unless it is too large.
    pub(super) fn new(ports: usize, memories: usize) -> Option<Box<Self>> {
        let gamma = super::gamma(ports);
        (gamma <= EDGES && memories <= 2 * 64).then(|| {
            Box::new(Self {
                gamma,
                edges: [[0; 2]; CELLS],
                lists: [[0; EDGES]; CELLS + 1],
                found: [0; CELLS],
                ends: [0; 256],
                met: [0; PAIRS + 8],
                meetings: 0,
                segments: 0,
                heads: [0; SEGMENTS],
                goes: [0; SEGMENTS],
                signs: [0; PAIRS / 8 + 12],
                listed: [0; LISTED],
            })
        })
    }

    /// Finds the memory of each cell. Returns false, and finds none, if a cell fits fewer than
    /// Gamma memories.
    pub(super) fn place<const W: usize>(&mut self, table: &Table<W>, due: &[Due], placed: &mut Vec<Port>) -> bool {
        if !(0..due.len()).all(|cell| self.list_edges(table, due, cell)) {
            return false;
        }
        let cells = due.len();
        for level in (0..self.gamma.trailing_zeros()).rev() {
            match level {
                0 => self.halve::<1>(cells),
                1 => self.halve::<2>(cells),
                2 => self.halve::<4>(cells),
                3 => self.halve::<8>(cells),
                4 => self.halve::<16>(cells),
                _ => self.halve::<32>(cells),
            }
        }
        placed.extend(self.lists[..cells].iter().map(|list| Port::from(list[0])));
        true
    }

    /// Lists the first Gamma memories that fit a cell. Returns whether there are as many.
    #[inline(always)]
    fn list_edges<const W: usize>(&mut self, table: &Table<W>, due: &[Due], cell: usize) -> bool {
        let place = due[cell].place;
        let like = core::mem::replace(&mut self.listed[place as usize % LISTED], cell as u8) as usize;
        if like < cell && due[like].place == place {
            self.edges[cell] = self.edges[like];
            self.lists[cell] = self.lists[like];
            return true;
        }
        let fits = table.fits(place);
        let fits = [fits.words[0], *fits.words.get(1).unwrap_or(&0)];
        let low = fits[0].count_ones() as usize;
        if low + (fits[1].count_ones() as usize) < self.gamma {
            return false;
        }
        let first = u64::MAX >> (64 - self.gamma);
        let row = [deposit(first, fits[0]), deposit(first.checked_shr(low as u32).unwrap_or(0), fits[1])];
        // Eight entries at a time; those beyond the last member are overwritten by the next ones.
        let lists = self.lists.as_flattened_mut();
        let mut at = cell * EDGES;
        for (byte, members) in row.iter().flat_map(|word| word.to_le_bytes()).enumerate() {
            let memories = lanes::MEMBERS[members as usize] + byte as u64 * 0x0808_0808_0808_0808;
            lists[at..at + 8].copy_from_slice(&memories.to_le_bytes());
            at += members.count_ones() as usize;
        }
        self.edges[cell] = row;
        true
    }

    /// One halving, of `P` pairs of each cell.
    fn halve<const P: usize>(&mut self, cells: usize) {
        self.colour::<P>(cells);
        self.join();
        self.resolve();
        self.keep::<P>(cells);
    }

    /// Starts segments, moves their ends, and lists which meet.
    fn colour<const P: usize>(&mut self, cells: usize) {
        let first = FIRST >> (64 - 2 * P);
        let mut waiting = [0; 2];
        let (mut fresh, mut meetings) = (2, 0);
        for ((row, list), found) in self.edges[..cells].iter().zip(&self.lists).zip(&mut self.found) {
            *found = extract_row(waiting, *row);
            waiting = [waiting[0] ^ row[0], waiting[1] ^ row[1]];
            let mut starts = extract(!(*found | *found >> 1), first) as u32;
            let mut meets = extract(*found & *found >> 1, first) as u32;
            for list in list.as_chunks().0.iter().take(P.div_ceil(8)) {
                let lanes = Eight::exchange::<P>(&mut self.ends, list, starts as u8, fresh);
                fresh += 2 * (starts as u8).count_ones() as u16;
                if let Some(met) = self.met[meetings..].first_chunk_mut() {
                    meetings += lanes.meet(meets as u8, met);
                }
                (starts, meets) = (starts >> 8, meets >> 8);
            }
        }
        (self.segments, self.meetings) = (fresh as usize / 2, meetings);
    }

    /// Joins the segments that met, the later to the earlier, as in union-find with parities.
    ///
    /// The meetings that are left are handled in branch-free rounds: the length of a search for
    /// each of them cannot be predicted.
    fn join(&mut self) {
        self.heads[..self.segments].fill(0);
        for met in self.met.as_chunks_mut().0.iter_mut().take(self.meetings.div_ceil(8)) {
            lanes::sort(met);
        }
        let mut left = 0;
        for at in 0..self.meetings.min(PAIRS) {
            left = self.tie(self.met[at] & 0xffff, self.met[at] >> 16, left);
        }
        while left > 0 {
            let count = core::mem::take(&mut left).min(PAIRS);
            for at in 0..count {
                let (one, other) = (self.met[at] & 0xffff, self.met[at] >> 16);
                let (earlier, later) = (one.min(other), one.max(other));
                left = self.tie(later, earlier ^ (later & 1), left);
            }
        }
    }

    /// Joins the segment of `later`, whose first end has the colour of `like`, an end of an earlier
    /// segment. If the segment has already joined another one, that one's end and `like` have the
    /// same colour: this meeting is listed for the next round. Returns the length of the list.
    #[inline(always)]
    fn tie(&mut self, later: u32, like: u32, left: usize) -> usize {
        let head = &mut self.heads[(later >> 1) as usize % SEGMENTS];
        let old = u32::from(*head);
        *head = select_unpredictable(old == 0, like, old) as u16;
        self.met[left] = old | like << 16;
        // Nothing is left if the segment was free, or if both ends are of one segment.
        left + usize::from(old.min(old ^ like) > 1)
    }

    /// Finds the colour of each segment. A segment is joined to an earlier one.
    fn resolve(&mut self) {
        for (segment, &head) in self.heads[..self.segments].iter().enumerate() {
            self.goes[segment] = self.goes[(head as usize >> 1) % SEGMENTS] ^ (head << 7) as u8;
        }
        let goes = self.goes.as_chunks().0;
        for (goes, bits) in goes.iter().zip(self.signs.as_chunks_mut().0).take(self.segments.div_ceil(32)) {
            *bits = signs(goes).to_le_bytes();
        }
    }

    /// Keeps one edge of each pair.
    fn keep<const P: usize>(&mut self, cells: usize) {
        let first = FIRST >> (64 - 2 * P);
        let (mut staying, mut known) = ([0; 2], 1);
        for ((row, list), &found) in self.edges[..cells].iter_mut().zip(&mut self.lists).zip(&self.found) {
            let starts = !(found | found >> 1) & first;
            let goes = u64::from_le_bytes(*self.signs[known / 8..].first_chunk().unwrap_or(&[0; 8]));
            let goes = deposit(goes >> (known % 8), starts);
            known += starts.count_ones() as usize;
            // The first edge of a pair that found a waiting edge gives the colour of the pair: it
            // has the other colour itself, and its neighbour the same.
            let tells = found & !((found & first) << 1);
            let goes = goes | (extract_row(staying, *row) ^ (tells & !first)) & tells;
            let goes = (goes | goes >> 1) & first;
            let stay = deposit_row(first ^ (goes | goes << 1), *row);
            staying = [staying[0] & !row[0] | stay[0], staying[1] & !row[1] | stay[1]];
            *row = stay;
            chosen::<P>(list, extract(goes, FIRST) as u32);
        }
    }
}

/// The bits of the edges of a row, in order.
#[inline(always)]
fn extract_row(from: Row, row: Row) -> u64 {
    extract(from[0], row[0]) | extract(from[1], row[1]).wrapping_shl(row[0].count_ones())
}

/// Puts bits to the edges of a row, in order. If the first word has all 64, there are none in the
/// second.
#[inline(always)]
fn deposit_row(bits: u64, row: Row) -> Row {
    [deposit(bits, row[0]), deposit(bits.wrapping_shr(row[0].count_ones()), row[1])]
}
