//! Which cells are sent, and where they lie.

use super::links::{Active, Section};
use super::record::Packed;
use super::settings::{GENERAL, LEAN};
use super::shape::{Routing, below};
use super::store::{Buffers, place};
use crate::cell::Port;

/// A cell that is sent by an element.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sending {
    /// Where the sender, and the receiver, keeps the group, and the place of the sender's record.
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) place: u32,
    /// The position at the beginning of the link.
    pub(super) position: Port,
    /// Which output buffer of the group, and which input.
    pub(super) part: u8,
    pub(super) port: u8,
    /// The cell itself, once it has left its buffer.
    pub(super) cell: Packed,
}

/// Each end of a link chooses the group that it sends from: the position and, in the lower 16 bits, the group.
///
/// This loop and those below are functions of their own, so that each has what it needs in registers, and many misses under way. All in one, they took 3 % more instructions at 64 ports and 1 % at 256.
#[inline(never)]
pub(super) fn choose<'a, const KIND: u8, const WORDS: usize>(
    mut links: Section<'_, WORDS>,
    spends: bool,
    list: &'a mut [Active],
) -> &'a [Active] {
    if KIND == LEAN && WORDS == 4 {
        let count = links.send_all(spends, list);
        return &list[..count];
    }
    let mut links = links.exact();
    let mut count = links.active(list);
    if KIND == GENERAL {
        let mut able = 0;
        for at in 0..count {
            list[able] = list[at];
            able += usize::from(*links.credits(list[at] as usize >> 4) != 0);
        }
        count = able;
    }
    for active in &mut list[..count] {
        let (position, group) = links.send(*active, spends);
        *active = (position << 16 | group) as u32;
    }
    &list[..count]
}

/// What has to be known of a stage and the links out of it to find the buffers.
pub(super) struct Wiring<'a> {
    pub(super) ports: usize,
    pub(super) routing: Routing,
    /// By position: where the link from it ends.
    pub(super) next: &'a [Port],
}

impl Wiring<'_> {
    /// Finds the sender's record and where the receiver keeps the group, if there is one, and brings its word near.
    #[inline(never)]
    pub(super) fn locate<const P: usize, const WORDS: usize>(
        &self,
        chosen: &[Active],
        sendings: &mut [Sending],
        senders: &[u32],
        receivers: Option<&[u32]>,
    ) {
        let (routing, bits) = (self.routing, self.ports.trailing_zeros());
        let mut loaded = 0;
        for (sending, &chosen) in sendings.iter_mut().zip(chosen) {
            let (position, group) = ((chosen >> 16) as usize, (chosen & 0xffff) as usize);
            let (inner, part) = routing.behind::<P>(position % P, group);
            let beyond = usize::from(self.next[below::<WORDS>(position, self.ports)]);
            let from = below::<WORDS>((position / P) << bits | inner, size::<P, WORDS>());
            let to = below::<WORDS>((beyond / P) << bits | group, size::<P, WORDS>());
            sending.from = from as u32;
            sending.to = to as u32;
            sending.place = place(senders[from]) as u32;
            sending.position = position as Port;
            sending.part = part as u8;
            sending.port = (beyond % P) as u8;
            if let Some(receivers) = receivers {
                loaded ^= receivers[to];
            }
        }
        core::hint::black_box(loaded);
    }
}

/// Brings the senders' records into the cache. A loop that does something with a cell has far fewer misses under way at a time. What is loaded does not matter. The receivers'
/// records are left out: most have none yet.
#[inline(always)]
pub(super) fn fetch<const P: usize>(sendings: &[Sending], buffers: &Buffers<'_, P>) {
    // With fewer ports all of it is near.
    if sendings.len() > 64 {
        let record = |sending: &Sending| buffers.records[sending.place as usize].group.inputs();
        core::hint::black_box(sendings.iter().fold(0, |sum, sending| sum ^ record(sending)));
    }
}

/// The groups of all elements of a stage, if they are known before.
#[inline(always)]
pub(super) const fn size<const P: usize, const WORDS: usize>() -> usize {
    64 * WORDS * 64 * WORDS / P
}
