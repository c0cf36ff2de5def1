//! The general fabric as a switch.

use super::exit::Exit;
use super::store::{Fifo, Pool, Sets};
use super::{General, Lane};
use crate::cell::{Cell, Dropped, Port, Slot};
use crate::counter::Counter;
use crate::error::Error;
use crate::labels::Labels;
use crate::switch::queues::Queues;
use crate::switch::{Census, Failure, Inspection, QueueLengths, Switch};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

impl Switch for General {
    fn ports(&self) -> usize {
        self.wiring.ports
    }

    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        if self.failure.is_some() || self.is_deadlocked(now) {
            self.dropped.clear();
            return;
        }
        self.run_slot(now, arrivals, departures);
    }

    /// Classes are priority levels. Those beyond the last level belong to it.
    fn use_labels(&mut self, labels: &Labels) -> Result<(), Error> {
        self.labels = labels.clone();
        Ok(())
    }

    fn census(&self) -> Census {
        let (counts, exit) = (&self.counts, self.exit.as_ref().map_or(0, |exit| exit.held));
        let queued = self.voqs.length() + counts.in_stages() + self.flow.cells_under_way() + exit;
        Census { arrived: counts.arrived, departed: counts.departed, dropped: self.lost + self.late, queued }
    }

    /// Nearly all cells of an overloaded fabric wait in VOQs.
    fn bytes_per_cell(&self) -> usize {
        Queues::BYTES_PER_CELL
    }

    /// Buffers, states and credits of all lanes; the VOQs; and room for as many cells as all
    /// buffers of a few lanes hold, which is more than overloaded fabrics were seen to need.
    fn fixed_bytes(&self) -> u64 {
        let (wiring, ports) = (&self.wiring, self.wiring.ports);
        let fifos: usize = self.inputs.iter().chain(&self.outputs).map(Vec::len).sum();
        let lanes: usize = self.lanes.iter().map(Vec::len).sum();
        let credits: usize = self.flow.hop.iter().chain(&self.flow.level).map(Vec::len).sum();
        let sets = |link: usize| 2 * Sets::bytes(ports * wiring.priorities, wiring.lanes_sent(link));
        let sets: usize = (0..wiring.links.len()).map(sets).sum();
        let exit = if self.exit.is_some() { Exit::bytes(ports, wiring.priorities) } else { 0 };
        let depth: usize =
            wiring.stages.iter().map(|stage| stage.input + stage.output + self.settings.link_delay).sum();
        let cells = (4096 + 32 * ports * wiring.priorities * depth) * 2 * Pool::BYTES_PER_CELL;
        let bytes = fifos * size_of::<Fifo>() + lanes * size_of::<Lane>() + 3 * credits + sets + exit + cells;
        bytes as u64 + Queues::fixed_bytes(ports * ports * wiring.priorities, 0)
    }

    fn stages(&self) -> u32 {
        (self.wiring.stages.len() * (1 + self.settings.link_delay)) as u32
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        self.counts.visit(self.wiring.ports, self.settings.is_numbered(), visit);
        if self.settings.loss > 0.0 {
            let sent = self.counts.sent[..self.wiring.stages.len()].iter().sum();
            visit(Counter { name: "lost_on_links", sum: self.lost, per: sent });
            visit(Counter { name: "late_cells", sum: self.late, per: self.counts.arrived });
        }
    }

    fn inspect(&self) -> Option<Inspection> {
        let ports = self.wiring.ports;
        let (mut outputs, mut stages) = (vec![0; ports], vec![0; self.wiring.stages.len()]);
        self.for_each_cell(&mut |stage, cell| {
            outputs[usize::from(cell.destination)] += 1;
            if let Some(stage) = stage {
                stages[stage] += 1;
            }
        });
        let mut voqs = vec![0; ports * ports];
        for (flow, length) in self.voqs.lengths().into_iter().enumerate() {
            let (input, lane) = (flow / self.wiring.lanes_sent(0), flow % self.wiring.lanes_sent(0));
            voqs[input * ports + lane % ports] += length;
        }
        Some(Inspection {
            queues: QueueLengths::VoqsAndOutputs { voqs, outputs },
            matching: None,
            state: vec![("cells, by stage", stages)],
        })
    }

    fn audit(&self) -> Result<(), String> {
        self.check()
    }

    fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    fn failure(&self) -> Option<&Failure> {
        self.failure.as_deref()
    }
}
