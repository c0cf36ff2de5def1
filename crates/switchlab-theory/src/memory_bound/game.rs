//! All schedulers at once: the game solved.
//!
//! A state is safe if for every move of the adversary the scheduler has an answer that leads to a
//! safe state; the safe states are the largest set of which this can be said. They are found
//! locally, from the empty switch: for each state and move one answer is chosen, of those not known
//! to be lost, and only what is chosen is looked at. When a state turns out lost (a move of the
//! adversary leaves only lost answers), all that had chosen it choose again. If it ends with the
//! empty switch not lost, what is chosen is a strategy of placement that never fails; if not, the
//! moves that were found for lost states are a strategy of the adversary.
//!
//! To go through all reachable states was rejected: with N = 3, M = 4, K = 7 a strategy of
//! placement needs a small part of them.

use super::moves::{Move, due, moves, successors};
use super::state::{Columns, MOST_MEMORIES, Shape, State};
use super::{Found, Searched};
use crate::watch::Watch;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::traffic::trace::Arrival;
use switchlab_core::{NONE, Port, Slot};

/// A state that is or was part of the scheduler's strategy.
#[derive(Clone, Debug)]
struct Node {
    state: State,
    /// The move to which there is no answer, once it is known.
    lost: Option<Move>,
    /// For each move the node of the answer. Empty before it was looked at.
    answers: Vec<u32>,
    /// Who has chosen this node as an answer, at some time.
    chosen_by: Vec<u32>,
    /// Whether it waits to be looked at.
    waits: bool,
}

/// A way to beat every scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    shape: Shape,
    /// The move in each lost state.
    moves: BTreeMap<State, Move>,
}

/// Whether a scheduler exists that never fails, looking at no more than
/// `most_states` states. The watch
/// is told how many were reached, before each move of the adversary: a state of six ports has
/// hundreds of moves with up to 10^5 answers each.
pub fn solve(shape: Shape, most_states: usize, watch: &mut Watch<'_>) -> Searched<Strategy> {
    let mut search = Search { shape, nodes: Vec::new(), index: BTreeMap::new(), waiting: VecDeque::new(), answers: 0 };
    search.node(0);
    let mut states = Vec::new();
    while let Some(place) = search.waiting.pop_front() {
        if !search.look(place as usize, &mut states, watch) {
            return Searched { found: Found::Undecided, states: search.nodes.len(), stopped: true };
        }
        if search.nodes[0].lost.is_some() {
            break;
        }
        // A state of many ports has many answers: what is allowed is memory, not only states.
        if search.nodes.len() > most_states || search.answers > most_states.saturating_mul(ANSWERS) {
            return Searched { found: Found::Undecided, states: search.nodes.len(), stopped: false };
        }
    }
    let states = search.nodes.len();
    let found = if search.nodes[0].lost.is_some() {
        let lost = search.nodes.iter().filter_map(|node| Some((node.state, node.lost?)));
        Found::Fails(Strategy { shape, moves: lost.collect() })
    } else {
        Found::Survives
    };
    Searched { found, states, stopped: false }
}

/// The most answers for each state, in the mean.
const ANSWERS: usize = 100;

struct Search {
    shape: Shape,
    nodes: Vec<Node>,
    index: BTreeMap<State, u32>,
    waiting: VecDeque<u32>,
    /// Answers chosen so far.
    answers: usize,
}

impl Search {
    /// The node of a state; a new one waits to be looked at.
    fn node(&mut self, state: State) -> u32 {
        let next = self.nodes.len() as u32;
        let place = *self.index.entry(state).or_insert(next);
        if place == next {
            self.nodes.push(Node { state, lost: None, answers: Vec::new(), chosen_by: Vec::new(), waits: true });
            self.waiting.push_back(next);
        }
        place
    }

    /// Chooses an answer for each move that has none, or a lost one. False if the watch stops it.
    fn look(&mut self, place: usize, states: &mut Vec<State>, watch: &mut Watch<'_>) -> bool {
        self.nodes[place].waits = false;
        if self.nodes[place].lost.is_some() {
            return true;
        }
        let columns = self.shape.unpack(self.nodes[place].state);
        let lengths = self.shape.lengths(&columns);
        for (number, chosen) in moves(&self.shape, &lengths).into_iter().enumerate() {
            let answer = self.nodes[place].answers.get(number).copied();
            if answer.is_some_and(|answer| self.nodes[answer as usize].lost.is_none()) {
                continue;
            }
            if !watch(self.nodes.len() as u64) {
                return false;
            }
            successors(&self.shape, &columns, &due(&self.shape, &lengths, chosen), states);
            let Some(answer) = self.answer(states) else {
                self.lose(place, chosen);
                return true;
            };
            self.nodes[answer as usize].chosen_by.push(place as u32);
            self.answers += 1;
            let answers = &mut self.nodes[place].answers;
            if number < answers.len() { answers[number] = answer } else { answers.push(answer) }
        }
        true
    }

    /// Of states to go to, one that is not lost: one that is known already, if there is one, so
    /// that few are looked at.
    fn answer(&mut self, states: &[State]) -> Option<u32> {
        let mut new = None;
        for &state in states {
            match self.index.get(&state) {
                Some(&known) if self.nodes[known as usize].lost.is_none() => return Some(known),
                Some(_) => {}
                None => new = new.or(Some(state)),
            }
        }
        new.map(|state| self.node(state))
    }

    fn lose(&mut self, place: usize, chosen: Move) {
        self.nodes[place].lost = Some(chosen);
        self.nodes[place].answers = Vec::new();
        for other in core::mem::take(&mut self.nodes[place].chosen_by) {
            let node = &mut self.nodes[other as usize];
            if node.lost.is_none() && !node.waits {
                node.waits = true;
                // Before anything new: it may be lost by now, and then what it has chosen need not
                // be looked at.
                self.waiting.push_front(other);
            }
        }
    }
}

impl Strategy {
    /// Plays against a scheduler, which is given the arrivals of each slot (for each input an
    /// output or [`NONE`]) and says for each input the memory, or None when it gives up. The trace
    /// up to the slot in which it does. None if the scheduler breaks a rule: a memory that does not
    /// fit or is written twice.
    pub fn play(&self, mut scheduler: impl FnMut(&[Port]) -> Option<Vec<Port>>) -> Option<Vec<Arrival>> {
        let Shape { ports, memories, .. } = self.shape;
        let (mut columns, mut queues): (Columns, _) = ([0; MOST_MEMORIES], vec![0usize; ports]);
        let mut trace = Vec::new();
        for slot in 0..=self.moves.len() {
            let chosen = self.moves.get(&self.shape.pack_sorted(&columns))?;
            let mut by_length: Vec<usize> = (0..ports).collect();
            by_length.sort_by_key(|&output| core::cmp::Reverse(queues[output]));
            let cells = by_length.iter().zip(chosen).flat_map(|(&output, &cells)| (0..cells).map(move |_| output));
            let mut arrivals = vec![NONE; ports];
            for (arrival, output) in arrivals.iter_mut().zip(cells) {
                *arrival = output as Port;
            }
            let arrived = (0..).zip(&arrivals).filter(|(_, output)| **output != NONE);
            trace.extend(arrived.map(|(input, &output)| Arrival { slot: slot as Slot, input, output }));
            let Some(placed) = scheduler(&arrivals) else { return Some(trace) };
            let mut written = [false; MOST_MEMORIES];
            for (&output, &memory) in arrivals.iter().zip(&placed).filter(|(output, _)| **output != NONE) {
                let (memory, queue) = (usize::from(memory), &mut queues[usize::from(output)]);
                if memory >= memories || written[memory] || columns[memory] >> *queue & 1 == 1 {
                    return None;
                }
                written[memory] = true;
                columns[memory] |= 1 << *queue;
                *queue += 1;
            }
            for column in &mut columns {
                *column >>= 1;
            }
            for queue in &mut queues {
                *queue = queue.saturating_sub(1);
            }
        }
        None
    }
}
