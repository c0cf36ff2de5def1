//! Transmissions: each line card and each output port sends at most one cell.

use super::General;
use super::settings::Precedence;
use super::state::{At, Packet};
use super::topology::Role;
use super::turns::{Order, Turn};
use crate::cell::{Cell, Port, Slot};

/// What an element without output buffers offers to an output, by lane of the link: the lane of its
/// input side, and the input port if it is decided.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Offer {
    lane: u32,
    port: Option<u8>,
}

impl General {
    /// Links that prefer a group draw it again, if it is time.
    pub(super) fn redraw(&mut self, now: Slot) {
        let Order::Redrawn(period) = self.core.settings.links else { return };
        if now.is_multiple_of(period) {
            for (link, turns) in self.turns.iter_mut().enumerate().rev() {
                let groups = self.core.topology.link[link].sent;
                for turn in turns {
                    turn.at = self.link_rng.below(groups) as u16;
                }
            }
        }
    }

    /// The ends of a link send, ascending.
    pub(super) fn transmit(&mut self, now: Slot, link: usize, departures: &mut [Cell]) {
        self.announce(now, link);
        let direct = link > 0 && self.core.topology.stage[link - 1].output == 0;
        for end in 0..self.core.topology.ports {
            if direct {
                self.offer(link, end);
            }
            let Some((priority, group)) = self.choose(link, end, direct) else { continue };
            let lane = priority * self.core.topology.link[link].sent + group;
            let cell = match link {
                0 => self.take_from_voq(now, end, priority, group),
                _ if direct => self.take_from_input(now, link, end, lane),
                _ => self.take_from_output(link, end, lane),
            };
            self.core.counts.moved = true;
            self.core.counts.sent[link] += 1;
            if link > 0 {
                self.core.counts.inside[link - 1] -= 1;
            }
            if link + 1 < self.core.topology.link.len() {
                self.launch(now, link, end, lane, cell);
            } else {
                self.leave(now, end, cell, departures);
            }
        }
    }

    /// A cell leaves the last stage: it departs, or is enqueued in the resequencer of its output.
    fn leave(&mut self, now: Slot, output: usize, cell: Packet, departures: &mut [Cell]) {
        let Some(exit) = &mut self.core.exit else {
            departures[output] = cell.departure();
            self.core.counts.departed += 1;
            return;
        };
        let flow = (cell.priority.into(), cell.source);
        if !exit.enqueue(now, output, flow, (cell.born, cell.numbers[0])) {
            self.core.counts.late += 1;
            self.drop_cell(now, &cell);
        }
    }

    /// The priority level and the group that an end sends, and the pointers that follow.
    fn choose(&mut self, link: usize, end: usize, direct: bool) -> Option<(usize, usize)> {
        let (priorities, groups) = (self.core.topology.priorities, self.core.topology.link[link].sent);
        let mut rng = self.link_rng.clone();
        let first = match self.core.settings.precedence {
            Precedence::Strict => 0,
            Precedence::Turns(_) => self.level_turns[link][end].at.into(),
        };
        let chosen = (0..priorities).find_map(|step| {
            let priority = (first + step) % priorities;
            let sets =
                if direct { (&self.offered, priority) } else { (&self.waiting[link], end * priorities + priority) };
            let lane = |group: usize| priority * groups + group;
            let able =
                |group: usize| link + 1 == self.core.topology.link.len() || self.may_send(link, end, lane(group));
            let age = |group: usize| self.age(link, end, lane(group), direct);
            let turn = self.turns[link][end * priorities + priority];
            let group = self.core.settings.links.choose(turn, sets, &mut rng, able, age)?;
            Some((priority, group))
        });
        self.link_rng = rng;
        let (priority, group) = chosen?;
        if let Order::Turns(weights) = &self.core.settings.links {
            self.turns[link][end * priorities + priority].served(weights, group, groups);
        }
        if let Precedence::Turns(weights) = &self.core.settings.precedence {
            self.level_turns[link][end].served(weights, priority, priorities);
        }
        Some((priority, group))
    }

    /// When the cell arrived that an end would send of a lane.
    fn age(&self, link: usize, end: usize, lane: usize, direct: bool) -> Slot {
        let Some(stage) = link.checked_sub(1) else {
            return self.core.voqs.born(self.core.voqs.first(end * self.core.topology.lanes_sent(0) + lane));
        };
        let radix = self.core.topology.stage[stage].radix;
        let (element, output) = (end / radix, end % radix);
        let cell = if direct {
            let Offer { lane, port } = self.offers[lane];
            let at = At { stage, element, lane: lane as usize };
            let turn = self.lanes[stage][self.lane_index(at, 0)].merge.at.into();
            let port = port.map(usize::from).or_else(|| self.likely(self.filled(at), turn));
            port.and_then(|port| self.pool.head(self.input(at, port)))
        } else {
            let at = At { stage, element, lane };
            let port = self.queue(at, output, |filled, turn| self.likely(filled, turn));
            self.pool.head(&self.outputs[stage][self.output_index(stage, end, lane, port)])
        };
        cell.map_or(Slot::MAX, |cell| cell.born)
    }

    /// The queue of an output buffer that is next, among those of the input ports; 0 if there is
    /// only one.
    fn queue(&self, at: At, output: usize, merge: impl FnOnce(u32, usize) -> Option<usize>) -> usize {
        let queues = self.core.settings.queues(&self.core.topology, at.stage);
        if queues == 1 {
            return 0;
        }
        let (filled, turn) = self.filled_queues(at, output);
        merge(filled, turn.at.into()).unwrap_or(0)
    }

    /// The input ports that have a cell in the output buffer of a lane, and whose turn it is.
    fn filled_queues(&self, at: At, output: usize) -> (u32, Turn) {
        let radix = self.core.topology.stage[at.stage].radix;
        let end = at.element * radix + output;
        let queue = |port| &self.outputs[at.stage][self.output_index(at.stage, end, at.lane, port)];
        let filled = (0..radix).fold(0, |set, port| set | u32::from(!queue(port).is_empty()) << port);
        (filled, self.lanes[at.stage][self.lane_index(at, output)].merge)
    }

    fn take_from_voq(&mut self, now: Slot, input: usize, priority: usize, output: usize) -> Packet {
        let flow = input * self.core.topology.lanes_sent(0) + priority * self.core.topology.ports + output;
        let (_, born, empty) = self.core.voqs.open(0).pop(flow);
        self.core.counts.voq_wait += u64::from(now - born);
        self.waiting[0].set(input * self.core.topology.priorities + priority, output, !empty);
        let (source, destination) = (input as Port, output as Port);
        let mut cell = Packet { born, source, destination, priority: priority as u8, ..Packet::default() };
        if let Some(exit) = &mut self.core.exit {
            cell.numbers[0] = exit.number(input, priority * self.core.topology.ports + output);
        }
        cell
    }

    fn take_from_output(&mut self, link: usize, end: usize, lane: usize) -> Packet {
        let (stage, priorities) = (link - 1, self.core.topology.priorities);
        let (radix, groups) = (self.core.topology.stage[stage].radix, self.core.topology.link[link].sent);
        let at = At { stage, element: end / radix, lane };
        let output = end % radix;
        let queues = self.core.settings.queues(&self.core.topology, stage);
        let port = if queues > 1 {
            let (filled, turn) = self.filled_queues(at, output);
            let port = self.merge(filled, turn.at.into()).expect("a lane that sends has a cell");
            self.merged(at, output, port);
            port
        } else {
            0
        };
        let index = self.output_index(stage, end, lane, port);
        let cell = self.pool.pop(&mut self.outputs[stage][index]).expect("a lane that sends has a cell");
        self.at_end[link][end] -= 1;
        let first = self.output_index(stage, end, lane, 0);
        let more = self.outputs[stage][first..first + queues].iter().any(|queue| !queue.is_empty());
        self.waiting[link].set(end * priorities + lane / groups, lane % groups, more);
        cell
    }

    /// Lists what an element without output buffers offers to an output.
    fn offer(&mut self, link: usize, end: usize) {
        let stage = link - 1;
        let own = self.core.topology.stage[stage];
        let (element, output) = (end / own.radix, end % own.radix);
        (0..self.core.topology.priorities).for_each(|priority| self.offered.clear(priority));
        let mut next = 0;
        while let Some(lane) = self.active[stage].from(element, next) {
            let at = At { stage, element, lane };
            next = lane + 1;
            match own.role {
                Role::Distribute => {
                    if self.allowed(at) >> output & 1 != 0 {
                        self.add_offer(link, lane, lane, None);
                    }
                }
                Role::Resequence => self.offer_head(at, output, self.in_sequence(at), true),
                Role::Through => (0..own.radix).for_each(|port| self.offer_head(at, output, Some(port), true)),
                // Not split: all cells of the lane are for the same output.
                Role::Merge => self.offer_head(at, output, self.likely(self.filled(at), 0), false),
            }
        }
    }

    /// Offers the head-of-line cell of an input port, if it is for this output.
    fn offer_head(&mut self, at: At, output: usize, port: Option<usize>, decided: bool) {
        let Some((port, cell)) = port.and_then(|port| Some((port, *self.pool.head(self.input(at, port))?))) else {
            return;
        };
        if self.output_of(at.stage, &cell) == output {
            let lane = self.core.topology.lane_sent(at.stage + 1, &cell);
            self.add_offer(at.stage + 1, lane, at.lane, decided.then_some(port as u8));
        }
    }

    fn add_offer(&mut self, link: usize, lane: usize, own: usize, port: Option<u8>) {
        let groups = self.core.topology.link[link].sent;
        self.offered.set(lane / groups, lane % groups, true);
        self.offers[lane] = Offer { lane: own as u32, port };
    }

    /// Takes the offered cell from its input buffer.
    fn take_from_input(&mut self, now: Slot, link: usize, end: usize, lane: usize) -> Packet {
        let Offer { lane, port } = self.offers[lane];
        let stage = link - 1;
        let own = self.core.topology.stage[stage];
        let at = At { stage, element: end / own.radix, lane: lane as usize };
        let port = port.map_or_else(
            || {
                let turn = self.lane(at, 0).merge.at.into();
                let port = self.merge(self.filled(at), turn).expect("a lane that offers has a cell");
                self.merged(at, 0, port);
                port
            },
            usize::from,
        );
        let mut cell = self.dequeue(now, at, port, |_| true);
        match own.role {
            Role::Distribute => self.distributed(at, 0, end % own.radix, &mut cell),
            Role::Resequence => {
                let state = self.lane(at, 0);
                state.number = state.number.wrapping_add(1);
                state.since = now;
            }
            Role::Merge | Role::Through => {}
        }
        let filled = self.filled(at) != 0;
        self.active[stage].set(at.element, at.lane, filled);
        cell
    }
}
