//! How a slot was decided, recorded from what a scheduler reports.

use serde::Serialize;
use switchlab_core::Port;
use switchlab_core::observe::{Event, Observer};
use switchlab_core::switch::Side;

/// The steps of a decision, by kind. What a scheduler does not have is empty, and left out of JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Pairs that are matched because their VOQs are on service.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on_service: Vec<Pair>,
    /// The iterations in which there was a request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub iterations: Vec<Iteration>,
    /// The greedy matching that a search begins with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub greedy: Vec<Pair>,
    /// Augmenting paths, in the order in which they are found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Vec<Pair>>,
    /// What the matched VOQs weigh.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<Weight>,
    /// The prices of all ports: a certificate that no matching weighs more.
    #[serde(skip_serializing_if = "Prices::is_empty")]
    pub prices: Prices,
    /// The two matchings that are merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<Merge>,
    /// Their cycles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cycles: Vec<Cycle>,
    /// Frames that were captured as cells left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub captured: Vec<Frame>,
}

/// An input and an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Pair {
    /// The input.
    pub input: Port,
    /// The output.
    pub output: Port,
}

/// An iteration of request, grant and accept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Iteration {
    /// Counted from 1 in each slot.
    pub iteration: usize,
    /// By output, ascending: which inputs request it.
    pub requests: Vec<Requests>,
    /// By output, ascending: which input it grants.
    pub grants: Vec<Grant>,
    /// By input, ascending: which output it accepts.
    pub accepts: Vec<Pair>,
    /// The round-robin pointers that have moved.
    pub pointers: Pointers,
}

/// The requests for an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Requests {
    /// The output.
    pub output: Port,
    /// The inputs, ascending.
    pub inputs: Vec<Port>,
}

/// The grant of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Grant {
    /// The output.
    pub output: Port,
    /// The input that it grants.
    pub input: Port,
}

/// The round-robin pointers that an iteration has moved, ascending by port.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pointers {
    /// Grant pointers.
    pub grant: Vec<Move>,
    /// Accept pointers.
    pub accept: Vec<Move>,
}

/// A pointer that has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Move {
    /// The output of a grant pointer, the input of an accept pointer.
    pub port: Port,
    /// Where it pointed.
    pub before: Port,
    /// Where it points now.
    pub after: Port,
}

/// What a matched VOQ weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Weight {
    /// Its input.
    pub input: Port,
    /// Its output.
    pub output: Port,
    /// Its weight.
    pub weight: u64,
}

/// The prices of all ports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Prices {
    /// By input.
    pub inputs: Vec<i64>,
    /// By output.
    pub outputs: Vec<i64>,
}

impl Prices {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.outputs.is_empty()
    }
}

/// Two matchings that are merged: for each input its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Merge {
    /// R(t), made of the arrivals.
    pub red: Vec<Port>,
    /// S(t-1), of the slot before.
    pub green: Vec<Port>,
}

/// A cycle of the two, and what was decided for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cycle {
    /// Its inputs.
    pub inputs: Vec<Port>,
    /// What its red edges weigh.
    pub red: u64,
    /// What its green edges weigh.
    pub green: u64,
    /// Which of them are kept: "red" or "green".
    pub kept: &'static str,
}

/// A captured frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// The input of its VOQ.
    pub input: Port,
    /// The output of its VOQ.
    pub output: Port,
    /// Its cells.
    pub cells: u32,
}

impl Decision {
    /// Puts steps into ascending order, and removes the iteration that found no request.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.iterations.retain(|iteration| !iteration.requests.is_empty());
        for iteration in &mut self.iterations {
            iteration.grants.sort_unstable();
            iteration.accepts.sort_unstable();
        }
        self
    }

    /// Whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn iteration(&mut self) -> &mut Iteration {
        self.iterations.last_mut().expect("a step of an iteration comes after its beginning")
    }
}

impl Observer for Decision {
    fn observe(&mut self, event: Event<'_>) {
        match event {
            Event::Iteration => {
                let iteration = self.iterations.len() + 1;
                self.iterations.push(Iteration { iteration, ..Iteration::default() });
            }
            Event::Requests { output, inputs } => {
                self.iteration().requests.push(Requests { output, inputs: inputs.to_vec() });
            }
            Event::Grant { output, input } => self.iteration().grants.push(Grant { output, input }),
            Event::Accept { input, output } => self.iteration().accepts.push(Pair { input, output }),
            Event::Pointer { side, port, before, after } => {
                let pointers = &mut self.iteration().pointers;
                let side = if side == Side::Output { &mut pointers.grant } else { &mut pointers.accept };
                side.push(Move { port, before, after });
            }
            Event::OnService { input, output } => self.on_service.push(Pair { input, output }),
            Event::Captured { input, output, cells } => self.captured.push(Frame { input, output, cells }),
            Event::Greedy { input, output } => self.greedy.push(Pair { input, output }),
            Event::Path { inputs, outputs } => {
                let pairs = inputs.iter().zip(outputs).map(|(&input, &output)| Pair { input, output });
                self.paths.push(pairs.collect());
            }
            Event::Weight { input, output, weight } => self.weights.push(Weight { input, output, weight }),
            Event::Price { side: Side::Input, price, .. } => self.prices.inputs.push(price),
            Event::Price { side: Side::Output, price, .. } => self.prices.outputs.push(price),
            Event::Merge { red, green } => {
                self.merge = Some(Merge { red: red.to_vec(), green: green.to_vec() });
            }
            Event::Cycle { inputs, red, green, turns_red } => {
                let kept = if turns_red { "red" } else { "green" };
                self.cycles.push(Cycle { inputs: inputs.to_vec(), red, green, kept });
            }
            // A kind of step that is newer than this file.
            _ => {}
        }
    }
}
