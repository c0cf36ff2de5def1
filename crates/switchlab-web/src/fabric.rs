//! A fabric as JSON.

use crate::json::Json;
use switchlab_core::switch::fabric_view::FabricCell;
use switchlab_core::switch::{FabricView, Need, Side};

fn cell(json: &mut Json, FabricCell { input, output, born }: FabricCell) {
    json.numbers([u32::from(input), u32::from(output), born]);
}

/// Stages, links, credits and buffers.
pub(crate) fn fabric(json: &mut Json, view: &FabricView) {
    json.object(|json| {
        json.key("stages").array(&view.stages, |json, stage| {
            json.object(|json| {
                json.key("role").string(stage.role);
                json.key("radix").value(stage.radix);
                json.key("groups").value(stage.groups);
                json.key("input").value(stage.input);
                json.key("output").value(stage.output);
            });
        });
        json.key("links").array(&view.links, Json::numbers);
        json.key("credits").array(&view.credits, |json, link| {
            json.array(link, |json, end| json.numbers([end.requests, end.open, end.groups]));
        });
        json.key("buffers").array(&view.buffers, |json, own| {
            json.object(|json| {
                let buffer = own.buffer;
                json.key("side").string(if buffer.side == Side::Input { "input" } else { "output" });
                json.key("stage").value(buffer.stage);
                json.key("element").value(buffer.element);
                json.key("port").value(buffer.port);
                json.key("group").value(buffer.group);
                json.key("cells").array(own.cells.iter().copied(), cell);
                if let Some((need, others)) = &own.waits {
                    json.key("need").string(if *need == Need::Room { "room" } else { "predecessor" });
                    json.key("for").numbers(others);
                }
            });
        });
        json.key("on_links").array(&view.on_links, |json, (link, position, own)| {
            json.object(|json| {
                json.key("link").value(link);
                json.key("position").value(position);
                cell(json.key("cell"), *own);
            });
        });
    });
}
