//! The state of a fabric for viewers, whichever engine runs it.

use super::state::{Packet, Snapshot, State};
use super::topology::Role;
use super::watchdog::Watchdog;
use crate::switch::fabric_view::{BufferView, CreditView, FabricCell, FabricView, StageView};
use alloc::vec::Vec;

/// Elements, links, buffers, credits, and which buffer waits for which.
pub(in crate::switch::benes) fn view(state: &dyn State) -> FabricView {
    let watchdog = Watchdog::new(Snapshot::new(state));
    let Snapshot { topology, buffers, index, on_links, .. } = &watchdog.snapshot;
    let stages = topology.stage.iter().enumerate().map(|(number, stage)| StageView {
        role: match stage.role {
            Role::Distribute => "distribute",
            Role::Resequence => "resequence",
            Role::Merge => "merge",
            Role::Through => "route",
        },
        radix: stage.radix,
        groups: topology.lanes_received(number),
        input: stage.input,
        output: stage.output,
    });
    let cell = |packet: &Packet| FabricCell { input: packet.source, output: packet.destination, born: packet.born };
    let buffer = |(site, cells): &(_, Vec<Packet>)| BufferView {
        buffer: watchdog.snapshot.buffer(*site),
        cells: cells.iter().map(cell).collect(),
        waits: watchdog
            .waits(*site)
            .map(|(need, others)| (need, others.iter().filter_map(|other| index.get(other).copied()).collect())),
    };
    let credit = |link: usize, end: usize| {
        let groups = topology.lanes_sent(link);
        let all = (0..groups).map(|lane| state.request(link, end, lane));
        all.fold(CreditView { requests: 0, open: 0, groups: groups as u32 }, |sum, (requests, open)| CreditView {
            requests: sum.requests + u32::from(requests),
            open: sum.open + u32::from(open),
            ..sum
        })
    };
    FabricView {
        stages: stages.collect(),
        links: topology.next.clone(),
        credits: (0..topology.stages())
            .map(|link| (0..topology.ports).map(|end| credit(link, end)).collect())
            .collect(),
        buffers: buffers.iter().map(buffer).collect(),
        on_links: on_links.iter().map(|(link, position, packet)| (*link, *position, cell(packet))).collect(),
    }
}
