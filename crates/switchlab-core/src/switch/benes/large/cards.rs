//! The line cards of a large fabric: cells arrive, and enter the first stage.

use super::block::{Block, CELLS, size};
use super::line::{GROUPS, open, place};
use super::moves::Inlets;
use super::takes::Receiver;
use crate::cell::{NONE, Port, Slot};
use crate::fetch::fetch;
use crate::switch::benes::choices::choose;
use crate::switch::benes::fabric::Fabric;
use crate::switch::benes::settings::LEAN;
use crate::switch::benes::shape::{below, known};

impl<const P: usize, const KIND: u8> Fabric<P, KIND> {
    /// Cells arrive. What they need is fetched some cells before.
    #[inline(never)]
    pub(super) fn arrive_ahead<const WORDS: usize>(&mut self, now: Slot, arrivals: &[Port]) {
        const AHEAD: usize = 32;
        let ports = known::<WORDS>(self.shape.ports);
        let (mut voqs, mut links) = (self.voqs.open(ports), self.links.section::<WORDS>(0));
        let (list, mut count) = (&mut self.active[..ports], 0);
        let (bits, lines) = (ports.trailing_zeros(), self.store.large.as_ref().map_or(&[][..], |large| &large.lines));
        for (&output, input) in arrivals[..ports].iter().zip(0u32..) {
            list[below::<WORDS>(count, 64 * WORDS)] = input << 16 | u32::from(output);
            count += usize::from(output != NONE);
        }
        for i in 0..count + AHEAD {
            if let Some(&cell) = list[..count].get(i) {
                let (input, output) = ((cell >> 16) as usize, (cell & 0xffff) as usize);
                voqs.fetch(input * ports + output);
                links.fetch(input, output);
                fetch(&lines[below::<WORDS>(input_group::<P>(cell, bits) / GROUPS, size::<P, WORDS>())]);
            }
            if let Some(&cell) = i.checked_sub(AHEAD).and_then(|i| list.get(i)) {
                let (input, output) = ((cell >> 16) as usize, (cell & 0xffff) as usize);
                voqs.push(input * ports + output, now);
                links.fill(input, output);
            }
        }
        self.counts.arrived += count as u64;
    }

    /// Line cards send.
    #[inline(never)]
    pub(super) fn enter<const WORDS: usize>(&mut self, now: Slot, slot: usize) {
        let Some(large) = &mut self.store.large else { return };
        let (shape, number) = (&self.shape, self.store.bits);
        let ports = known::<WORDS>(shape.ports);
        let (size, bits) = (ports / P * ports / GROUPS, ports.trailing_zeros());
        let chosen = choose::<LEAN, WORDS>(self.links.section(0), true, &mut self.active);
        let (mut waited, mut rest, mut voqs) = (0, chosen, self.voqs.open(0));
        let tally = &mut large.tallies[slot];
        tally.sent[0] = chosen.len() as u64;
        large.pools[0].provide(ports);
        loop {
            // All inputs of an element come in the same block; behind the last one, groups are tried that waited for room.
            let last = rest.first().map(|first| first >> 16 | (CELLS as u32 - 1));
            let length = rest.iter().take(CELLS).take_while(|&&chosen| Some(chosen >> 16) <= last).count();
            let (cells, others) = rest.split_at(length);
            rest = others;
            let mut links = self.links.section::<WORDS>(0);
            let block = &mut large.blocks[0];
            block.length = 0;
            for (i, &chosen) in cells.iter().enumerate() {
                // A block ahead the record, or the one that will be taken; two blocks ahead the line, which says where that is.
                if let Some(&later) = others.get(i) {
                    let at = input_group::<P>(later, bits);
                    let word = large.lines[at / GROUPS].0[at % GROUPS];
                    let own = place::<P>(word) & open(word) | large.pools[0].soon(length + i) & !open(word);
                    fetch(&large.pools[0].records[own as usize]);
                }
                if let Some(&later) = others.get(i + CELLS) {
                    fetch(&large.lines[input_group::<P>(later, bits) / GROUPS]);
                    voqs.fetch(((later >> 16) as usize) << bits | (later & 0xffff) as usize);
                }
                let (input, output) = ((chosen >> 16) as usize, (chosen & 0xffff) as usize);
                let (_, born, empty) = voqs.pop(input * ports + output);
                links.fill_if(input, output, !empty);
                waited += u64::from(now - born);
                block.push::<P>(input, output, bits, (born, (input as u32) << number));
            }
            let mut receiver = Receiver::<P, WORDS> {
                routing: shape.routing(0),
                number,
                now,
                lines: &mut large.lines[..size],
                places: large.pools[0].open(),
                outlets: large.ends.section(1),
                count: 0,
            };
            let any = block.spread(&mut receiver, (&Block::EMPTY, &mut large.tries), |from| {
                links.restore((from >> 16) as usize, (from & 0xffff) as usize);
            });
            let (late, count) = &mut large.late[0];
            let groups = if length > 0 { &large.tries[..receiver.count] } else { &late[..core::mem::take(count)] };
            let (moved, _) = receiver.move_all(groups, &mut large.moved, Inlets::Cards(links));
            tally.moved |= any | moved;
            if length == 0 {
                break;
            }
        }
        self.counts.voq_wait += waited;
    }
}

/// Where the first stage keeps the group of a cell from a line card: its input and, in the lower 16 bits, its output.
#[inline(always)]
fn input_group<const P: usize>(cell: u32, bits: u32) -> usize {
    ((cell >> 16) as usize / P) << bits | (cell & 0xffff) as usize
}
