//! The union of the red and the green matching: a graph of ports whose components are paths and
//! cycles.

use super::components::Component;
use crate::cell::{NONE, Port};
use alloc::vec;
use alloc::vec::Vec;

/// An edge as one of its ports sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    /// The port at its other end.
    pub(super) to: usize,
    /// The length of its VOQ.
    pub(super) weight: u32,
}

/// Ports are numbered from 0: the N inputs, then the N outputs.
#[derive(Clone, Debug)]
pub(super) struct Union {
    /// By port: its red and its green edge.
    edges: Vec<[Option<Edge>; 2]>,
    /// By port: whether a walk has passed it.
    passed: Vec<bool>,
    /// Where the search for the next component goes on: first through ports at the end of a path,
    /// then through all.
    next: usize,
}

/// Indices of colours.
pub(super) const RED: usize = 0;
pub(super) const GREEN: usize = 1;

impl Union {
    pub(super) fn new(ports: usize) -> Self {
        Self { edges: vec![[None; 2]; 2 * ports], passed: vec![false; 2 * ports], next: 0 }
    }

    /// Forms the union of two matchings. An edge of both colours is left out: there is nothing to
    /// decide about it.
    pub(super) fn form(&mut self, red: &[Port], green: &[Port], lengths: &[u32]) {
        let ports = red.len();
        self.edges.fill([None; 2]);
        for input in (0..ports).filter(|&input| red[input] != green[input]) {
            for (colour, output) in [(RED, red[input]), (GREEN, green[input])] {
                if output != NONE {
                    let (output, weight) = (usize::from(output), lengths[input * ports + usize::from(output)]);
                    self.edges[input][colour] = Some(Edge { to: ports + output, weight });
                    self.edges[ports + output][colour] = Some(Edge { to: input, weight });
                }
            }
        }
    }

    pub(super) fn ports(&self) -> usize {
        self.edges.len() / 2
    }

    /// The red and the green edge of a port.
    pub(super) fn edges(&self, port: usize) -> [Option<Edge>; 2] {
        self.edges[port]
    }

    /// Ports with a neighbour.
    pub(super) fn talking(&self) -> u64 {
        self.edges.iter().filter(|edges| edges.iter().any(Option::is_some)).count() as u64
    }

    /// Pairs of a port and one of its neighbours.
    pub(super) fn links(&self) -> u64 {
        self.edges.iter().flatten().flatten().count() as u64
    }

    /// Begins to visit the components.
    pub(super) fn begin_walks(&mut self) {
        self.passed.fill(false);
        self.next = 0;
    }

    /// Walks along the next component: paths first, each from its end with the lower number, then
    /// cycles, each from its lowest input along its red edge. False if there is none left.
    pub(super) fn next_component(&mut self, component: &mut Component) -> bool {
        let all = self.edges.len();
        while self.next < 2 * all {
            let (port, paths) = (self.next % all, self.next < all);
            self.next += 1;
            let first = match self.edges[port] {
                [Some(_), None] if paths => RED,
                [None, Some(_)] if paths => GREEN,
                [Some(_), Some(_)] if !paths => RED,
                _ => continue,
            };
            if !self.passed[port] {
                self.walk(port, first, component);
                return true;
            }
        }
        false
    }

    fn walk(&mut self, start: usize, first: usize, component: &mut Component) {
        component.begin();
        let (mut port, mut colour) = (start, first);
        loop {
            self.passed[port] = true;
            component.push(port);
            let Some(edge) = self.edges[port][colour] else { break };
            (port, colour) = (edge.to, 1 - colour);
            if port == start {
                component.close();
                break;
            }
        }
    }
}
