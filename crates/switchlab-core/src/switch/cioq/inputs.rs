//! The inputs: their VOQs, and for the critical-cell policies their lists.
//!
//! A list names outputs, not cells: the k-th entry for an output stands for the k-th cell of that
//! VOQ. So cells of a flow keep their order in any case, and a list is a few contiguous bytes,
//! which is what it costs to walk along one in every phase. (As the page of the switch shows, at a
//! speedup of 2 the rule is never needed: a cell that is to be inserted never belongs before an
//! older one of its VOQ.)

use super::shadow::{Outputs, queues};
use crate::cell::{Port, Slot};
use crate::observe::{Event, Observer};
use crate::switch::queues::{Queues, keep_beside};
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// A cell that the shadow has not sent yet.
const NOT_YET: Slot = Slot::MAX;

/// What the policy needs to know of the inputs; what is not needed is not maintained.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    pub(super) lists: bool,
    pub(super) lengths: bool,
    pub(super) left: bool,
}

/// All inputs.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    ports: usize,
    needs: Needs,
    voqs: Queues,
    /// By place: the key of a cell.
    keys: Vec<u64>,
    /// By place: the slot in which the shadow sent the cell.
    left: Vec<Slot>,
    /// By input: the outputs of its cells, the most preferred first.
    lists: Vec<VecDeque<Port>>,
    /// By input and output: how many cells wait.
    lengths: Vec<u32>,
    /// By input: how many of its VOQs are not empty.
    waiting: Vec<u32>,
    /// By output: in which walk it was last met, and the cell of its VOQ that was met.
    met: Vec<(u64, u32)>,
    walks: u64,
}

impl Inputs {
    pub(super) fn new(ports: usize, needs: Needs) -> Self {
        Self {
            ports,
            needs,
            voqs: Queues::new(ports * ports),
            keys: Vec::new(),
            left: Vec::new(),
            lists: queues(if needs.lists { ports } else { 0 }),
            lengths: vec![0; if needs.lengths { ports * ports } else { 0 }],
            waiting: vec![0; ports],
            met: vec![(0, 0); ports],
            walks: 0,
        }
    }

    /// Bytes for a cell that waits: link, key, slot, entry in a list, each with room to grow and
    /// the old copy while growing.
    pub(super) const BYTES_PER_CELL: usize =
        Queues::BYTES_PER_CELL + 3 * (size_of::<u64>() + size_of::<Slot>() + size_of::<Port>());

    /// The bytes before any cell.
    pub(super) fn fixed_bytes(&self) -> u64 {
        let beside = size_of::<u64>() + if self.needs.left { size_of::<Slot>() } else { 0 };
        let lengths = self.lengths.len() * size_of::<u32>();
        Queues::fixed_bytes(self.ports * self.ports, beside) + lengths as u64
    }

    /// Cells at all inputs.
    pub(super) fn length(&self) -> u64 {
        self.voqs.length()
    }

    /// By input and output.
    pub(super) fn all_lengths(&self) -> Vec<u32> {
        self.voqs.lengths()
    }

    /// Makes room for the arrivals of a slot.
    pub(super) fn open(&mut self) {
        let extent = self.voqs.open(self.ports).extent();
        keep_beside(&mut self.keys, extent, 0);
        if self.needs.left {
            keep_beside(&mut self.left, extent, NOT_YET);
        }
    }

    /// A cell comes; says where it lies. `cushion` is its output cushion.
    pub(super) fn arrive(&mut self, now: Slot, input: usize, output: usize, key: u64, cushion: usize) -> usize {
        let voq = input * self.ports + output;
        self.waiting[input] += u32::from(self.voqs.is_empty(voq));
        let place = self.voqs.open(0).push(voq, now);
        self.keys[place] = key;
        if self.needs.left {
            self.left[place] = NOT_YET;
        }
        if self.needs.lengths {
            self.lengths[voq] += 1;
        }
        if self.needs.lists {
            let list = &mut self.lists[input];
            list.insert(cushion.min(list.len()), output as Port);
        }
        place
    }

    /// Dequeues the head-of-line cell of a non-empty VOQ. Returns its key and its arrival slot.
    pub(super) fn take(&mut self, input: usize, output: usize) -> (u64, Slot) {
        let voq = input * self.ports + output;
        let (place, born, empty) = self.voqs.open(0).pop(voq);
        self.waiting[input] -= u32::from(empty);
        if self.needs.lengths {
            self.lengths[voq] -= 1;
        }
        if self.needs.lists {
            let list = &mut self.lists[input];
            if let Some(entry) = list.iter().position(|&other| usize::from(other) == output) {
                list.remove(entry);
            }
        }
        (self.keys[place], born)
    }

    /// The shadow has sent a cell that was once at this place, and may still be.
    pub(super) fn mark_sent(&mut self, place: u32, key: u64, born: Slot, now: Slot) {
        let place = place as usize;
        if self.needs.left && self.keys[place] == key && self.voqs.born(place) == born {
            self.left[place] = now;
        }
    }

    /// The number of VOQs of an input that are not empty.
    pub(super) fn waiting(&self, input: usize) -> usize {
        self.waiting[input] as usize
    }

    /// The key of the first cell of a VOQ, if there is one.
    #[inline]
    pub(super) fn first_key(&self, voq: usize) -> Option<u64> {
        (!self.voqs.is_empty(voq)).then(|| self.keys[self.voqs.first(voq)])
    }

    /// When the shadow sent the first cell of a VOQ that is not empty, if it has.
    pub(super) fn first_left(&self, voq: usize) -> Option<Slot> {
        Some(self.left[self.voqs.first(voq)]).filter(|&slot| slot != NOT_YET)
    }

    /// The number of cells in a VOQ.
    #[inline]
    pub(super) fn voq_length(&self, voq: usize) -> u32 {
        self.lengths[voq]
    }

    /// Whether every cell has a slackness of at least 0, its output cushion less its place in its
    /// input's list.
    ///
    /// Walks all lists, but never far beyond the fullest buffer: where no cushion can reach the
    /// place any more, the answer is known.
    pub(super) fn slackness_holds(&mut self, outputs: &Outputs) -> bool {
        for input in 0..self.ports {
            self.walks += 1;
            for position in 0..self.lists[input].len() {
                let output = usize::from(self.lists[input][position]);
                if outputs.fill(output) < position {
                    return false;
                }
                let place = self.meet(input, output);
                if outputs.cushion(output, self.keys[place]) < position {
                    return false;
                }
            }
        }
        true
    }

    /// Tells an observer of every cell in the lists: its output cushion and its input thread.
    #[cold]
    pub(super) fn tell_slackness(&mut self, outputs: &Outputs, observer: &mut dyn Observer) {
        for input in 0..self.ports {
            self.walks += 1;
            for position in 0..self.lists[input].len() {
                let output = usize::from(self.lists[input][position]);
                let place = self.meet(input, output);
                observer.observe(Event::Slack {
                    input: input as Port,
                    output: output as Port,
                    born: self.voqs.born(place),
                    cushion: outputs.cushion(output, self.keys[place]) as u32,
                    thread: position as u32,
                });
            }
        }
    }

    /// The VOQs of an input in the order of its list, each with the key of its first cell.
    pub(super) fn in_list_order(&mut self, input: usize, mut visit: impl FnMut(usize, u64)) {
        self.walks += 1;
        let mut left = self.waiting(input);
        for &output in &self.lists[input] {
            if left == 0 {
                break;
            }
            let met = &mut self.met[usize::from(output)];
            if met.0 != self.walks {
                met.0 = self.walks;
                left -= 1;
                let first = self.voqs.first(input * self.ports + usize::from(output));
                visit(usize::from(output), self.keys[first]);
            }
        }
    }

    /// The VOQs of an input that have a critical cell, one without slackness, in the order of these
    /// cells in the list, each with the key of its first critical cell.
    pub(super) fn critical_in_list_order(
        &mut self,
        input: usize,
        outputs: &Outputs,
        mut visit: impl FnMut(usize, u64),
    ) {
        const FOUND: u32 = u32::MAX;
        self.walks += 1;
        let mut left = self.waiting(input);
        for position in 0..self.lists[input].len() {
            if left == 0 {
                break;
            }
            let output = usize::from(self.lists[input][position]);
            if self.met[output] == (self.walks, FOUND) {
                continue;
            }
            let place = self.meet(input, output);
            let key = self.keys[place];
            // No cushion is above what the buffer holds: mostly that spares the search.
            if outputs.fill(output) <= position || outputs.cushion(output, key) <= position {
                self.met[output].1 = FOUND;
                left -= 1;
                visit(output, key);
            }
        }
    }

    /// The next cell of a VOQ on this walk.
    fn meet(&mut self, input: usize, output: usize) -> usize {
        let met = &mut self.met[output];
        let place = if met.0 == self.walks {
            self.voqs.behind(met.1 as usize)
        } else {
            self.voqs.first(input * self.ports + output)
        };
        *met = (self.walks, place as u32);
        place
    }
}
