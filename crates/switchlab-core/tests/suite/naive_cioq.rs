//! Combined input and output queueing straight from the definitions: lists of cells, searched from
//! the beginning for everything, and Gale and Shapley's own algorithm, one proposal at a time.

use crate::naive::Twin;
use switchlab_core::switch::cioq::{Config, Discipline, Policy};
use switchlab_core::{Cell, NONE, Port, Slot};

/// By input and output: how the input likes it, and how the output does; smaller is better.
type Likes = Vec<Vec<Option<[(u64, u64, u64); 2]>>>;

/// A cell with all that is known of it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Known {
    input: usize,
    output: usize,
    born: Slot,
    /// Of two cells of an output, the one with the smaller leaves first.
    order: (u64, u64, u64),
}

/// A switch and its shadow.
pub(crate) struct Naive {
    settings: Config,
    /// By input, in the order of the list.
    lists: Vec<Vec<Known>>,
    /// By output, in any order.
    buffers: Vec<Vec<Known>>,
    /// By output, in any order.
    shadow: Vec<Vec<Known>>,
    /// What the shadow has sent, and when, as long as it waits at an input.
    gone: Vec<(Known, Slot)>,
    /// By output: the tag of the last cell sent. By input and output: the tag of the last cell that
    /// came.
    clocks: Vec<u64>,
    tags: Vec<Vec<u64>>,
    /// The smallest slackness of any cell right after arrivals, ever.
    pub(crate) slackness: i64,
}

impl Naive {
    pub(crate) fn new(ports: usize, settings: Config) -> Self {
        Self {
            settings,
            lists: vec![vec![]; ports],
            buffers: vec![vec![]; ports],
            shadow: vec![vec![]; ports],
            gone: vec![],
            clocks: vec![0; ports],
            tags: vec![vec![0; ports]; ports],
            slackness: i64::MAX,
        }
    }

    /// The length of each VOQ, by input and output, and of each output's buffer.
    pub(crate) fn lengths(&self) -> (Vec<u32>, Vec<u32>) {
        let ports = self.lists.len();
        let mut voqs = vec![0; ports * ports];
        for cell in self.lists.iter().flatten() {
            voqs[cell.input * ports + cell.output] += 1;
        }
        (voqs, self.buffers.iter().map(|buffer| buffer.len() as u32).collect())
    }

    fn order(&mut self, now: Slot, input: usize, output: usize) -> (u64, u64, u64) {
        let (born, port) = (u64::from(now), input as u64);
        let class = input % self.settings.classes;
        match self.settings.discipline {
            Discipline::Fifo => (0, born, port),
            Discipline::Priority => (class as u64, born, port),
            Discipline::Wfq => {
                let weight = (self.settings.classes - class) as u64;
                let start = self.tags[input][output].max(self.clocks[output]);
                self.tags[input][output] = start + 720_720 / weight;
                (self.tags[input][output], port, 0)
            }
        }
    }

    /// Cells in the output's buffer that leave before this one.
    fn output_cushion(&self, cell: &Known) -> usize {
        self.buffers[cell.output].iter().filter(|other| other.order < cell.order).count()
    }

    fn arrive(&mut self, now: Slot, input: usize, output: usize) {
        let cell = Known { input, output, born: now, order: self.order(now, input, output) };
        self.shadow[output].push(cell);
        let cushion = self.output_cushion(&cell);
        let list = &mut self.lists[input];
        if matches!(self.settings.policy, Policy::Ccf | Policy::CcfDtc) {
            list.insert(cushion.min(list.len()), cell);
        } else {
            list.push(cell);
        }
        // The places of a VOQ's cells belong to the VOQ, the first one to its oldest cell.
        let places: Vec<usize> = (0..list.len()).filter(|&place| list[place].output == output).collect();
        let mut cells: Vec<Known> = places.iter().map(|&place| list[place]).collect();
        cells.sort_by_key(|cell| cell.born);
        for (place, cell) in places.into_iter().zip(cells) {
            list[place] = cell;
        }
    }

    fn slackness_of(&self, input: usize, place: usize) -> i64 {
        i64::from(self.output_cushion(&self.lists[input][place]) as u32) - i64::from(place as u32)
    }

    /// When the cell leaves the shadow, or has left it.
    fn time_to_leave(&self, now: Slot, cell: &Known) -> u64 {
        if let Some((_, slot)) = self.gone.iter().find(|(gone, _)| gone == cell) {
            return u64::from(*slot);
        }
        let before = self.shadow[cell.output].iter().filter(|other| other.order < cell.order).count();
        u64::from(now) + before as u64
    }

    /// How inputs and outputs like each other.
    fn likes(&self, now: Slot) -> Likes {
        let ports = self.lists.len();
        let mut likes = vec![vec![None; ports]; ports];
        for (input, list) in self.lists.iter().enumerate() {
            for (place, cell) in list.iter().enumerate() {
                let like = &mut likes[input][cell.output];
                if like.is_some() || (self.settings.policy == Policy::CcfDtc && self.slackness_of(input, place) > 0) {
                    continue;
                }
                let length = list.iter().filter(|other| other.output == cell.output).count() as u64;
                let urgency = self.time_to_leave(now, cell);
                *like = Some(match self.settings.policy {
                    Policy::Ccf | Policy::CcfDtc => [(place as u64, 0, 0), cell.order],
                    Policy::Mucfa => [(urgency, cell.output as u64, 0), (urgency, 0, 0)],
                    Policy::Lqf => [(u64::MAX - length, input as u64, cell.output as u64); 2],
                });
            }
        }
        likes
    }

    fn phase(&mut self, now: Slot) {
        let likes = self.likes(now);
        for (input, output) in gale_shapley(&likes) {
            let list = &mut self.lists[input];
            let first = list.iter().position(|cell| cell.output == output).unwrap();
            let cell = list.remove(first);
            self.gone.retain(|(gone, _)| *gone != cell);
            self.buffers[output].push(cell);
        }
    }
}

/// Inputs propose in the order of their liking; an output keeps the best proposal. Returns the
/// pairs.
fn gale_shapley(likes: &Likes) -> Vec<(usize, usize)> {
    let ports = likes.len();
    let mut held: Vec<Option<usize>> = vec![None; ports];
    let mut rejected = vec![vec![false; ports]; ports];
    while let Some((input, output)) = (0..ports).filter(|input| !held.contains(&Some(*input))).find_map(|input| {
        let open = (0..ports).filter(|&output| !rejected[input][output] && likes[input][output].is_some());
        open.min_by_key(|&output| likes[input][output].unwrap()[0]).map(|output| (input, output))
    }) {
        match held[output] {
            Some(rival) if likes[rival][output].unwrap()[1] < likes[input][output].unwrap()[1] => {
                rejected[input][output] = true;
            }
            rival => {
                if let Some(rival) = rival {
                    rejected[rival][output] = true;
                }
                held[output] = Some(input);
            }
        }
    }
    (0..ports).filter_map(|output| Some((held[output]?, output))).collect()
}

fn take_first(cells: &mut Vec<Known>) -> Option<Known> {
    let first = (0..cells.len()).min_by_key(|&place| cells[place].order)?;
    Some(cells.remove(first))
}

impl Twin for Naive {
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            self.arrive(now, input, usize::from(output));
        }
        for input in 0..self.lists.len() {
            for place in 0..self.lists[input].len() {
                self.slackness = self.slackness.min(self.slackness_of(input, place));
            }
        }
        let lists = matches!(self.settings.policy, Policy::Ccf | Policy::CcfDtc);
        let before = if lists { self.settings.speedup.div_ceil(2) } else { self.settings.speedup };
        for _ in 0..before {
            self.phase(now);
        }
        for (output, departure) in departures.iter_mut().enumerate() {
            if let Some(cell) = take_first(&mut self.buffers[output]) {
                *departure = Cell { born: cell.born, input: cell.input as Port };
            }
            if let Some(cell) = take_first(&mut self.shadow[output]) {
                self.clocks[output] = cell.order.0;
                if self.lists[cell.input].contains(&cell) {
                    self.gone.push((cell, now));
                }
            }
        }
        for _ in before..self.settings.speedup {
            self.phase(now);
        }
    }
}
