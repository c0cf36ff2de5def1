//! The settings of a fabric, read from a spec.

use super::General;
use super::state::MOST_LEVELS;
use super::turns::Order;
use crate::cell::MAX_PORTS;
use crate::error::Error;
use crate::rng::Seed;
use crate::spec::Args;
use crate::switch::Switch;
use crate::switch::benes::equal::Equal;
use crate::switch::benes::fabric::Benes;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// How a distribution element chooses the output of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distribution {
    /// In turns, for each destination.
    RoundRobin,
    /// Of the outputs that have received the fewest cells of the group, the one with the fewest
    /// ready cells.
    ImbalanceCount,
    /// A random one of the outputs that have received the fewest cells of the group.
    RandomBalanced,
    /// Always the same for a flow.
    Hash,
    /// Any output.
    Random,
    /// The output with the fewest ready cells.
    Adaptive,
}

/// Where cells are put into order again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resequencing {
    /// In each routing stage, for the distribution stage of its level.
    PerStage,
    /// Behind the last stage.
    Final,
}

/// What cells are numbered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Each level of routing.
    Stages,
    /// The exit.
    Flows,
    /// Nothing: cells of a flow have only one way.
    None,
}

/// How the P input buffers of a lane are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// In turns, with weights if there are some.
    Turns(Vec<u32>),
    /// A random one that is not empty.
    Random,
    /// The lowest that is not empty.
    Fixed,
}

/// How one priority level is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Precedence {
    /// The highest.
    Strict,
    /// In turns, by weights.
    Turns(Vec<u32>),
}

/// All settings; `papers/004/settings.md` says what they mean.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a choice between two words of the spec")]
pub(crate) struct Settings {
    pub(crate) ports: usize,
    /// From the outermost level to the innermost.
    pub(crate) radices: Vec<usize>,
    /// None for a banyan.
    pub(crate) distribution: Option<Distribution>,
    pub(crate) resequencing: Resequencing,
    pub(crate) distribution_buffer: usize,
    /// None: what the theorem, or hierarchical merging, asks for.
    pub(crate) routing_buffer: Option<usize>,
    pub(crate) distribution_output: usize,
    pub(crate) routing_output: usize,
    pub(crate) credit_delay: usize,
    pub(crate) link_delay: usize,
    pub(crate) stop_and_go: bool,
    pub(crate) loss: f64,
    pub(crate) patience: u32,
    pub(crate) merge: Merge,
    pub(crate) links: Order,
    pub(crate) distribute_first: bool,
    pub(crate) one_center: bool,
    /// Whether flows that leave a sub-network by the same output share buffers, level by level.
    pub(crate) hierarchical: bool,
    /// Whether credits of a level return at once, and not hop by hop.
    pub(crate) immediate: bool,
    pub(crate) priorities: usize,
    pub(crate) precedence: Precedence,
    pub(crate) random_pointers: bool,
    pub(crate) per_link: bool,
}

/// The most buffers that are simulated with any settings: half a gigabyte for them and the rest of
/// their state.
const MOST_BUFFERS: usize = 1 << 25;

/// The most groups, in all elements together, that the engines for equal elements simulate: a fifth
/// of a gigabyte, and more for their cells. 4096 ports with P = 4 have as many.
const MOST_GROUPS: usize = 3 << 24;

impl Settings {
    /// Reads the arguments of a spec of `benes` or `banyan`.
    pub(crate) fn read(args: &Args, ports: usize) -> Result<Self, Error> {
        // A banyan declares only some of these parameters, and many have no value unless given.
        let word = |key| if args.declares(key) { args.word(key) } else { "" };
        let given = |key| if args.declares(key) { args.count_if_given(key) } else { None };
        let weights = |key| args.weights(key).unwrap_or_default();
        let settings = Self {
            ports,
            radices: radices(word("radix"), ports),
            distribution: match word("distribution") {
                "rr" => Some(Distribution::RoundRobin),
                "ic" => Some(Distribution::ImbalanceCount),
                "random-balanced" => Some(Distribution::RandomBalanced),
                "hash" => Some(Distribution::Hash),
                "random" => Some(Distribution::Random),
                "adaptive" => Some(Distribution::Adaptive),
                _ => None,
            },
            resequencing: if word("resequencing") == "final" { Resequencing::Final } else { Resequencing::PerStage },
            distribution_buffer: given("distribution-buffer").unwrap_or(1),
            routing_buffer: given("routing-buffer"),
            distribution_output: given("distribution-output").unwrap_or(1),
            routing_output: given("routing-output").unwrap_or(1),
            credit_delay: args.count("credit-delay"),
            link_delay: args.count("link-delay"),
            stop_and_go: word("flow-control") == "stop-and-go",
            loss: args.real("loss").unwrap_or(0.0),
            patience: given("patience").unwrap_or(1024) as u32,
            merge: match word("merge") {
                "random" => Merge::Random,
                "fixed" => Merge::Fixed,
                _ => Merge::Turns(weights("merge")),
            },
            links: match word("links") {
                "random" => Order::Random,
                "oldest" => Order::Oldest,
                "fixed" => Order::Fixed,
                "redrawn" => Order::Redrawn(given("link-period").unwrap_or(200) as u32),
                _ => Order::Turns(weights("links")),
            },
            distribute_first: word("order") == "distribute-first",
            one_center: word("center") == "one",
            hierarchical: word("merging") == "hierarchical",
            immediate: word("feedback") == "immediate",
            priorities: given("priorities").unwrap_or(1),
            precedence: match args.weights("precedence") {
                Some(weights) => Precedence::Turns(weights),
                None => Precedence::Strict,
            },
            random_pointers: word("pointers") == "random",
            per_link: word("backpressure") == "per-link",
        };
        let useless = [
            (given("link-period").is_some() && word("links") != "redrawn", "link-period", "links=redrawn"),
            (given("patience").is_some() && settings.loss == 0.0, "patience", "a loss"),
        ];
        let useless = useless.iter().find(|(useless, ..)| *useless);
        let useless = useless.map(|(_, key, needs)| format!("{key} means something with {needs} only"));
        match useless.or_else(|| settings.problem()) {
            Some(problem) => Err(Error::Impossible { name: args.to_string(), problem }),
            None => Ok(settings),
        }
    }

    /// P, if the engines for equal elements of 2, 4 or 8 ports serve the settings.
    pub(crate) fn equal_radix(&self) -> Option<usize> {
        let balanced = !matches!(self.distribution, Some(Distribution::Random | Distribution::Adaptive));
        let usual = (self.distribution_output, self.routing_output, self.link_delay, self.priorities) == (1, 1, 0, 1)
            && self.links == Order::Turns(Vec::new())
            && (matches!(self.merge, Merge::Random | Merge::Fixed) || self.merges_in_turns())
            && self.loss == 0.0
            && !(self.stop_and_go || self.distribute_first || self.one_center || self.hierarchical);
        self.uniform_radix().filter(|radix| usual && balanced && [2, 4, 8].contains(radix))
    }

    /// Builds the fabric.
    pub(crate) fn build(self, seed: Seed) -> Box<dyn Switch> {
        match self.equal_radix() {
            Some(2) => Box::new(Benes::new(Equal::<2>::new(self, seed))),
            Some(4) => Box::new(Benes::new(Equal::<4>::new(self, seed))),
            Some(_) => Box::new(Benes::new(Equal::<8>::new(self, seed))),
            None => Box::new(Benes::new(General::new(self, seed))),
        }
    }

    /// Whether input buffers are merged in turns without weights.
    pub(crate) fn merges_in_turns(&self) -> bool {
        matches!(&self.merge, Merge::Turns(weights) if weights.is_empty())
    }

    /// P, if all levels have the same.
    fn uniform_radix(&self) -> Option<usize> {
        self.radices.first().copied().filter(|first| self.radices.iter().all(|radix| radix == first))
    }

    pub(crate) fn hashes(&self) -> bool {
        self.distribution == Some(Distribution::Hash)
    }

    /// What cells are numbered for.
    pub(crate) fn numbers(&self) -> Numbers {
        match (self.distribution, self.resequencing) {
            (None | Some(Distribution::Hash), _) => Numbers::None,
            (_, Resequencing::PerStage) => Numbers::Stages,
            (_, Resequencing::Final) => Numbers::Flows,
        }
    }

    /// Cells in an input buffer of a routing element, unless merging is hierarchical: what is
    /// given, or what the theorem of section 4 asks for.
    pub(crate) fn for_routing(&self) -> usize {
        let flexible = matches!(self.distribution, Some(Distribution::ImbalanceCount | Distribution::RandomBalanced));
        self.routing_buffer.unwrap_or(self.distribution_buffer + usize::from(flexible))
    }

    /// Why such a fabric cannot be simulated, and what to do, if it cannot.
    fn problem(&self) -> Option<String> {
        let product = self.radices.iter().try_fold(1usize, |product, &radix| product.checked_mul(radix));
        if product != Some(self.ports) {
            return Some(self.wrong_ports(product));
        }
        if let Some(radix) = self.equal_radix() {
            return self.problem_of_equal(radix);
        }
        if self.radices.len() > MOST_LEVELS {
            return Some(format!("there are at most {MOST_LEVELS} levels; take a larger radix"));
        }
        if let Some(pair) = self.conflict() {
            return Some(format!("{pair} cannot be had together; leave one of them out"));
        }
        let round_trip = 1 + self.link_delay + self.credit_delay;
        let least = self.distribution_buffer.min(self.for_routing());
        if self.stop_and_go && least < round_trip {
            return Some(format!(
                "stop-and-go needs input buffers of a round trip, {round_trip} cells, so that none is lost; set distribution-buffer and routing-buffer to it or more"
            ));
        }
        let queues = if self.distribute_first { 1 + self.radices.iter().max()? } else { 2 };
        let stages = 2 * self.radices.len();
        let buffers = [self.ports, self.ports, self.priorities, queues, stages];
        let buffers = buffers.iter().try_fold(1usize, |product, &factor| product.checked_mul(factor));
        if buffers.is_none_or(|buffers| buffers > MOST_BUFFERS) {
            return Some(format!(
                "{stages} stages, {} ports and {} flow groups have more than the {MOST_BUFFERS} buffers that are simulated; take a larger radix, fewer ports or fewer priorities",
                self.ports,
                self.ports * self.priorities
            ));
        }
        None
    }

    /// The same for the engines for equal elements.
    fn problem_of_equal(&self, radix: usize) -> Option<String> {
        let (ports, levels) = (self.ports, self.radices.len());
        let stages = if self.distribution.is_some() { 2 * levels } else { levels };
        if stages * (ports / radix) * ports > MOST_GROUPS {
            return Some(format!(
                "{stages} stages of {} elements with {ports} flow groups each are more than the {MOST_GROUPS} that are simulated; take a larger radix or fewer ports",
                ports / radix
            ));
        }
        // The most cells of a flow that may have entered the fabric after one that is still inside.
        // That cell has a line of buffers behind it up to the last distribution element that it
        // passed. Once they are full, the group of that element stops when it is the turn of that
        // output: at most a round of P cells for each cell in the line. So does the element before
        // it, and so on.
        let line = levels * (self.for_routing() + 1) + 1;
        let ahead = (0..levels).fold(line, |ahead, _| radix.saturating_mul(ahead + self.distribution_buffer + 2));
        (self.numbers() == Numbers::Flows && ahead > usize::from(u16::MAX)).then(|| {
            "so many cells of a flow may overtake one that numbers of 16 bits do not tell them apart; take smaller buffers, fewer ports or resequencing=per-stage".to_string()
        })
    }

    /// Two settings that exclude each other, if there are such.
    fn conflict(&self) -> Option<String> {
        let direct = self.distribution_output == 0 || self.routing_output == 0;
        let hierarchical = self.hierarchical;
        let (hash, lossy) = (self.hashes(), self.loss > 0.0);
        let is_final = self.resequencing == Resequencing::Final;
        let pairs = [
            (direct, "an output buffer of 0", hash, "distribution=hash"),
            (direct, "an output buffer of 0", self.per_link, "backpressure=per-link"),
            (direct, "an output buffer of 0", self.distribute_first, "order=distribute-first"),
            (direct, "an output buffer of 0", hierarchical, "merging=hierarchical"),
            (self.distribute_first, "order=distribute-first", hierarchical, "merging=hierarchical"),
            (self.distribute_first, "order=distribute-first", lossy, "loss"),
            (self.distribute_first, "order=distribute-first", hash, "distribution=hash"),
            (self.distribute_first, "order=distribute-first", self.per_link, "backpressure=per-link"),
            (self.distribute_first, "order=distribute-first", self.one_center, "center=one"),
            (self.one_center, "center=one", hierarchical, "merging=hierarchical"),
            (self.one_center, "center=one", hash, "distribution=hash"),
            (hierarchical, "merging=hierarchical", is_final, "resequencing=final"),
            (hierarchical, "merging=hierarchical", hash, "distribution=hash"),
            (hierarchical, "merging=hierarchical", self.per_link, "backpressure=per-link"),
            (hierarchical, "merging=hierarchical", self.stop_and_go, "flow-control=stop-and-go"),
            (hierarchical, "merging=hierarchical", lossy, "loss"),
            (self.priorities > 1, "priorities", self.per_link, "backpressure=per-link"),
        ];
        let both = pairs.iter().find(|(one, _, other, _)| *one && *other);
        both.map(|(_, one, _, other)| format!("{one} and {other}"))
    }

    fn wrong_ports(&self, product: Option<usize>) -> String {
        let ports = self.ports;
        let Some(radix) = self.uniform_radix().filter(|_| self.radices.len() == 1) else {
            let radices: Vec<String> = self.radices.iter().map(ToString::to_string).collect();
            let product = product.map_or("too many".to_string(), |product| product.to_string());
            return format!("the radices {} make {product} ports, and there are {ports}", radices.join("x"));
        };
        let sizes: Vec<usize> = (1..13).map(|k| radix.pow(k)).take_while(|&size| size <= MAX_PORTS).collect();
        let below = sizes.iter().rfind(|&&size| size < ports);
        let above = sizes.iter().find(|&&size| size > ports);
        let nearest: Vec<String> = below.into_iter().chain(above).map(ToString::to_string).collect();
        format!(
            "with elements of {radix} x {radix} the number of ports is a power of {radix}, and {ports} is none; the nearest: {}",
            nearest.join(" and ")
        )
    }
}

/// The radices of all levels. A single one stands for as many levels as the ports need; if they are
/// no power of it, it stays alone, and the product is wrong.
fn radices(text: &str, ports: usize) -> Vec<usize> {
    let mut given: Vec<usize> = text.split('x').filter_map(|radix| radix.parse().ok()).collect();
    if given.is_empty() {
        let is_power = |radix: usize| levels(ports, radix).is_some();
        given = vec![if is_power(4) { 4 } else { 2 }];
    }
    match given[..] {
        [radix] => vec![radix; levels(ports, radix).unwrap_or(1)],
        _ => given,
    }
}

/// How often a radix is multiplied to give the ports, if it does.
fn levels(ports: usize, radix: usize) -> Option<usize> {
    let (mut product, mut levels) = (1, 0);
    while product < ports && radix > 1 {
        product *= radix;
        levels += 1;
    }
    (product == ports && levels > 0).then_some(levels)
}
