//! The steps of a decision as JSON, in the order in which they are taken.

use crate::json::Json;
use switchlab_core::observe::{Event, Observer};
use switchlab_core::switch::Side;

/// Writes each step as an object; its key `step` says which.
#[derive(Default)]
pub(crate) struct Recorder {
    steps: Vec<String>,
}

impl Recorder {
    /// The steps, each a JSON object.
    pub(crate) fn steps(&self) -> &[String] {
        &self.steps
    }
}

fn side(side: Side) -> &'static str {
    if side == Side::Input { "input" } else { "output" }
}

impl Observer for Recorder {
    fn observe(&mut self, event: Event<'_>) {
        let mut json = Json::default();
        json.object(|json| match event {
            Event::Iteration => json.key("step").string("iteration"),
            Event::Requests { output, inputs } => {
                json.key("step").string("requests");
                json.key("output").value(output);
                json.key("inputs").ports(inputs);
            }
            Event::Grant { output, input } => pair(json, "grant", input, output),
            Event::Accept { input, output } => pair(json, "accept", input, output),
            Event::Pointer { side: of, port, before, after } => {
                json.key("step").string("pointer");
                json.key("side").string(side(of));
                json.key("port").value(port);
                json.key("before").value(before);
                json.key("after").value(after);
            }
            Event::OnService { input, output } => pair(json, "on service", input, output),
            Event::Captured { input, output, cells } => {
                pair(json, "captured", input, output);
                json.key("cells").value(cells);
            }
            Event::Greedy { input, output } => pair(json, "greedy", input, output),
            Event::Path { inputs, outputs } => {
                json.key("step").string("path");
                json.key("inputs").ports(inputs);
                json.key("outputs").ports(outputs);
            }
            Event::Weight { input, output, weight } => {
                pair(json, "weight", input, output);
                json.key("weight").value(weight);
            }
            Event::Price { side: of, port, price } => {
                json.key("step").string("price");
                json.key("side").string(side(of));
                json.key("port").value(port);
                json.key("price").value(price);
            }
            Event::Merge { red, green } => {
                json.key("step").string("merge");
                json.key("red").ports(red);
                json.key("green").ports(green);
            }
            Event::Cycle { inputs, red, green, turns_red } => {
                json.key("step").string("cycle");
                json.key("inputs").ports(inputs);
                json.key("red").value(red);
                json.key("green").value(green);
                json.key("kept").string(if turns_red { "red" } else { "green" });
            }
            Event::Phase { after_departures } => {
                json.key("step").string("phase");
                json.key("after").value(after_departures);
            }
            Event::Slack { input, output, born, cushion, thread } => {
                pair(json, "slack", input, output);
                json.key("arrived").value(born);
                json.key("cushion").value(cushion);
                json.key("thread").value(thread);
            }
            Event::Ranked { input, output, row_rank, column_rank } => {
                pair(json, "ranked", input, output);
                json.key("row").value(row_rank);
                json.key("column").value(column_rank);
            }
            Event::Root { iteration, input, output } => {
                pair(json, "root", input, output);
                json.key("iteration").value(iteration);
            }
            Event::Proposed { input, output } => pair(json, "proposed", input, output),
            Event::Written { input, output, memory, departs } => {
                pair(json, "written", input, output);
                json.key("memory").value(memory);
                json.key("departs").value(departs);
            }
            // A kind of step that is newer than this file.
            _ => json.key("step").string("other"),
        });
        self.steps.push(json.finish());
    }
}

fn pair(json: &mut Json, step: &str, input: u16, output: u16) {
    json.key("step").string(step);
    json.key("input").value(input);
    json.key("output").value(output);
}
