// @COMMAND@
//
// FIND_ROOTS, the pipelined design: the literal one with a register behind the grant, and two
// matchings in the array at a time.
// The algorithm is that of E. Lu, M. Yang, Y. Zhang, S. Q. Zheng: Design and Implementation of an
// Acyclic Stable Matching Scheduler, section III; pipelining is left to future work there.
//
//   stage 1  requests -> row granted -> its column: which row and column are masked
//   stage 2  masks -> ranks on the buses -> ranks go down, masked nodes die, the root is noted
//
// A matching goes round through both stages, one root each time, min(ROWS, COLUMNS) times. While it
// is in one stage, another matching is in the other (C-slow retiming with C = 2). So a matching
// starts every min(ROWS, COLUMNS) clocks on average, two in twice that time.
//
// The ports and the protocol are in find_roots_ports.vh. Here
//   - ranks have RANK_BITS bits and count from 1; 0 is an absent pair. Equal ranks are competition
//     ranks (1, 1, 3).
//   - ready_o: low while ranks wait for room. busy_o: there is a matching inside.
//   - done_o: for one clock with each result, in the order of the starts. The result stays until
//     the next one.
//   - idle_o, for proofs: a matching may enter, and none waits.
// A matching takes 2 min(ROWS, COLUMNS) + 1 clocks from start_i to done_o, and up to that many more
// if it finds two others inside.
`default_nettype none

module find_roots #(
    parameter ROWS       = @ROWS@,
    parameter COLUMNS    = @COLUMNS@,
    parameter TIES       = @TIES@,  // 0: ranks of a list are distinct; saves an arbiter
    parameter INCOMPLETE = @INCOMPLETE@   // 0: no pair is absent
) (
`include "find_roots_ports.vh"
);

    // Ranks are 1..n, and 0 is needed too.
    localparam RANK_BITS   = $clog2((ROWS > COLUMNS ? ROWS : COLUMNS) + 1);
    localparam COLUMN_BITS = $clog2(COLUMNS);

    wire load, begins, room, inside, last;

    find_roots_intake #(.OVERLAP(1)) intake (
        .clk_i(clk_i), .rst_i(rst_i), .load_i(load_i), .start_i(start_i), .room_i(room),
        .ready_o(ready_o), .load_o(load), .begin_o(begins)
    );
    assign busy_o = inside | ~ready_o;
`ifdef FORMAL
    assign idle_o = ready_o & room;
`endif

    wire [ROWS-1:0]        row_request, row_grant, row_mask, row_live;
    wire [COLUMNS-1:0]     column_signal, column_mask;
    wire [COLUMN_BITS-1:0] index;  // of the masked column

    find_roots_controller #(.ROWS(ROWS), .COLUMNS(COLUMNS), .TIES(TIES)) controller (
        .clk_i(clk_i), .rst_i(rst_i), .begin_i(begins), .room_o(room), .inside_o(inside), .last_o(last),
        .done_o(done_o), .stuck_o(stuck_o),
        .row_request_i(row_request), .row_grant_o(row_grant), .column_signal_i(column_signal),
        .row_mask_o(row_mask), .column_mask_o(column_mask), .index_o(index), .row_live_i(row_live)
    );

    genvar r, c;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : row
            // What the nodes of this row say, and what the bus makes of it.
            wire [COLUMNS-1:0]           request, live;
            wire [COLUMNS*RANK_BITS-1:0] value;
            wire [RANK_BITS-1:0]         heard;

            for (c = 0; c < COLUMNS; c = c + 1) begin : column
                wire [RANK_BITS-1:0] column_value;
                find_roots_node #(.RANK_BITS(RANK_BITS), .INCOMPLETE(INCOMPLETE)) node (
                    .clk_i(clk_i), .load_i(load), .begin_i(begins),
                    .h_i(h_i[r*COLUMNS + c]), .v_i(v_i[r*COLUMNS + c]),
                    .request_o(request[c]), .row_mask_i(row_mask[r]), .column_mask_i(column_mask[c]),
                    .live_o(live[c]),
                    .row_value_o(value[c*RANK_BITS +: RANK_BITS]), .column_value_o(column_value),
                    .row_bus_i(heard), .column_bus_i(column_bus[c].heard)
                );
            end

            find_roots_bus #(.NODES(COLUMNS), .RANK_BITS(RANK_BITS)) bus (
                .signal_i(request), .signal_o(row_request[r]), .value_i(value), .value_o(heard)
            );
            assign row_live[r] = |live;

            // s_r of the matching before stage 1, of that before stage 2, and of the last result.
            // Those that go round need no reset: they are cleared when a matching enters.
            reg                    matched_a_q, matched_b_q, matched_q;
            reg  [COLUMN_BITS-1:0] column_a_q, column_b_q, column_q;
            wire                   matched_new = matched_b_q | row_mask[r];
            wire [COLUMN_BITS-1:0] column_new  = row_mask[r] ? index : column_b_q;
            always @(posedge clk_i) begin
                matched_a_q <= matched_new & ~begins;
                column_a_q  <= column_new;
                matched_b_q <= matched_a_q;
                column_b_q  <= column_a_q;
                if (last)
                    column_q <= column_new;
                if (rst_i)
                    matched_q <= 1'b0;
                else if (last)
                    matched_q <= matched_new;
            end
            assign matched_o[r] = matched_q;
            assign column_o[r*COLUMN_BITS +: COLUMN_BITS] = column_q;
        end

        for (c = 0; c < COLUMNS; c = c + 1) begin : column_bus
            // What the nodes of this column say, and what the bus makes of it. The signal: the
            // granted row's root is here.
            wire [ROWS-1:0]           signal;
            wire [ROWS*RANK_BITS-1:0] value;
            wire [RANK_BITS-1:0]      heard;
            for (r = 0; r < ROWS; r = r + 1) begin : tap
                assign signal[r] = row[r].request[c] & row_grant[r];
                assign value[r*RANK_BITS +: RANK_BITS] = row[r].column[c].column_value;
            end
            find_roots_bus #(.NODES(ROWS), .RANK_BITS(RANK_BITS)) bus (
                .signal_i(signal), .signal_o(column_signal[c]), .value_i(value), .value_o(heard)
            );
        end
    endgenerate

endmodule

`default_nettype wire
