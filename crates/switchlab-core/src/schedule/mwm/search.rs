//! The third step of MWM: an augmenting path of least slack.
//!
//! Dijkstra's search from an input without a pair. A step from an input to an output is as long as
//! the slack of their VOQ, by which the prices of the two exceed its length; a step back along a
//! pair is free. Tight steps are taken on bit sets alone (`grow`); only where there are no more,
//! lengths are looked at, for the outputs that are nearest (`widen`).

use super::Mwm;
use crate::cell::{NONE, Port};
use crate::port_set::PortSet;
use crate::schedule::View;

/// How far a search has come. Distances are sums of slack.
struct Search<const W: usize> {
    /// How far from the root the latest ports in the tree are; none beyond the tree is nearer.
    radius: i64,
    /// How many inputs have joined the tree, and how many of them have been through `grow` and
    /// through `widen`.
    joined: usize,
    grown: usize,
    relaxed: usize,
    /// Outputs in the tree, and outputs beyond it that some VOQ leads to.
    inside: PortSet<W>,
    near: PortSet<W>,
    /// An empty VOQ is a pair of weight 0, and there are N^2 of them. All lead through one place,
    /// as far from an input as the input's price lies above `-floor`, and from an output as the
    /// output's price lies above `floor`.
    hub: i64,
    hub_from: Port,
    hub_passed: bool,
}

impl<const W: usize> Mwm<W> {
    /// Gives a free input a partner.
    pub(super) fn search(&mut self, view: &View<'_, W>, source: usize) {
        self.searches += 1;
        let mut search = Search {
            radius: 0,
            joined: 1,
            grown: 0,
            relaxed: 0,
            inside: PortSet::EMPTY,
            near: PortSet::EMPTY,
            hub: i64::MAX,
            hub_from: NONE,
            hub_passed: false,
        };
        self.tree[0] = source as Port;
        self.joined[source] = 0;
        let end = loop {
            let end = self.grow(view, &mut search).or_else(|| self.widen(view, &mut search));
            if let Some(end) = end {
                break end;
            }
        };
        if search.radius > 0 {
            self.raise(&search);
        }
        // Augment: pairs move one place along the path, which the tree has from its end.
        self.free_outputs.remove(end);
        let mut output = end;
        loop {
            let input = self.from[output] as usize;
            let previous = self.output_of[input];
            self.pair(input, output);
            if input == source {
                break;
            }
            output = previous as usize;
        }
    }

    /// Adds to the tree all that is tight with it. Returns a free output if there is one.
    #[inline]
    fn grow(&mut self, view: &View<'_, W>, search: &mut Search<W>) -> Option<usize> {
        while search.grown < search.joined {
            let input = self.tree[search.grown] as usize;
            search.grown += 1;
            let hub = self.joined[input] + self.input_price[input] + self.floor;
            if hub < search.hub {
                search.hub = hub;
                search.hub_from = input as Port;
            }
            let mut end = None;
            if self.stale.contains(input) {
                if hub == search.radius {
                    end = self.free_and_cheapest();
                }
                if end.is_none() {
                    self.price(view, input);
                    self.stale.remove(input);
                }
            }
            if let Some(end) = end.or_else(|| self.free_and_tight(input)) {
                self.from[end] = input as Port;
                return Some(end);
            }
            for word in 0..W {
                let mut left = self.tight[input].words[word] & !search.inside.words[word];
                while left != 0 {
                    let output = word * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    if self.rose[output] <= self.priced[input] {
                        self.from[output] = input as Port;
                        self.join(search, output);
                    }
                }
            }
        }
        None
    }

    /// Adds a matched output and its input to the tree.
    #[inline]
    fn join(&mut self, search: &mut Search<W>, output: usize) {
        let input = self.input_of[output];
        search.inside.insert(output);
        self.tree[search.joined] = input;
        self.joined[input as usize] = search.radius;
        search.joined += 1;
    }

    /// Adds to the tree the outputs nearest to it. Returns a free one if there is one.
    fn widen(&mut self, view: &View<'_, W>, search: &mut Search<W>) -> Option<usize> {
        // Nothing is nearer than 1 now, so if the hub leads out at 1, there is no need to look at
        // any VOQ. Most searches that come here end so.
        if search.hub == search.radius + 1
            && let Some(end) = self.free_and_cheapest()
        {
            self.from[end] = search.hub_from;
            search.radius = search.hub;
            return Some(end);
        }
        while search.relaxed < search.joined {
            let input = self.tree[search.relaxed] as usize;
            search.relaxed += 1;
            let base = self.joined[input] + self.input_price[input];
            let lengths = &view.lengths[input * view.ports..][..view.ports];
            for word in 0..W {
                let mut left = view.rows[input].words[word] & !search.inside.words[word];
                while left != 0 {
                    let output = word * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    let distance = base + self.output_price[output] - i64::from(lengths[output]);
                    self.reach(search, output, distance, input as Port);
                }
            }
        }
        let mut nearest = self.nearest(search);
        if !search.hub_passed && search.hub <= nearest {
            search.hub_passed = true;
            if let Some(end) = self.free_and_cheapest() {
                self.from[end] = search.hub_from;
                search.radius = search.hub;
                return Some(end);
            }
            for output in 0..view.ports {
                if !search.inside.contains(output) {
                    let distance = search.hub + self.output_price[output] - self.floor;
                    self.reach(search, output, distance, search.hub_from);
                }
            }
            nearest = self.nearest(search);
        }
        search.radius = nearest;
        let near = search.near;
        for output in near.iter() {
            if self.distance[output] == nearest {
                if self.input_of[output] == NONE {
                    return Some(output);
                }
                self.join(search, output);
            }
        }
        None
    }

    /// Notes a way to an output beyond the tree.
    #[inline]
    fn reach(&mut self, search: &mut Search<W>, output: usize, distance: i64, from: Port) {
        if !search.near.contains(output) || distance < self.distance[output] {
            search.near.insert(output);
            self.distance[output] = distance;
            self.from[output] = from;
        }
    }

    /// The least distance of an output beyond the tree.
    #[inline]
    fn nearest(&self, search: &mut Search<W>) -> i64 {
        search.near = search.near.difference(&search.inside);
        search.near.iter().map(|output| self.distance[output]).min().unwrap_or(i64::MAX)
    }

    /// Inputs in the tree become cheaper, and their outputs dearer, by as much as makes the path
    /// tight.
    fn raise(&mut self, search: &Search<W>) {
        self.raises += 1;
        for place in 0..search.joined {
            let input = self.tree[place] as usize;
            let by = search.radius - self.joined[input];
            if by == 0 {
                break;
            }
            self.input_price[input] -= by;
            self.stale.insert(input);
            if place > 0 {
                let output = self.output_of[input] as usize;
                self.output_price[output] += by;
                self.rose[output] = self.raises;
                self.cheapest.remove(output);
            }
        }
        if self.cheapest.is_empty() {
            self.find_floor();
        }
    }
}
