// @COMMAND@
//
// FIND_ROOTS, the literal design: ROWS x COLUMNS nodes, one bus for each row and column, one
// controller.
// E. Lu, M. Yang, Y. Zhang, S. Q. Zheng: Design and Implementation of an Acyclic Stable Matching
// Scheduler, section III.
//
// The ports and the protocol are in find_roots_ports.vh. Here
//   - ranks have RANK_BITS bits and count from 1; 0 is an absent pair. Equal ranks are competition
//     ranks (1, 1, 3).
//   - ready_o: without OVERLAP while not busy_o; with it also during a run, until the next start.
//     That run then begins after this one. Running uses the ranks up.
//   - done_o stays until the next run begins, at least one clock, and so does the result.
// One iteration, and so one root, takes 2 clocks: at most 2 min(ROWS, COLUMNS) + 2 clocks from
// start_i to done_o.
`default_nettype none

module find_roots #(
    parameter ROWS       = @ROWS@,
    parameter COLUMNS    = @COLUMNS@,
    parameter TIES       = @TIES@,  // 0: ranks of a list are distinct; saves an arbiter
    parameter INCOMPLETE = @INCOMPLETE@,  // 0: no pair is absent
    parameter OVERLAP    = @OVERLAP@   // 1: ranks may be loaded during a run, into registers of their own
) (
`include "find_roots_ports.vh"
);

    // Ranks are 1..n, and 0 is needed too.
    localparam RANK_BITS   = $clog2((ROWS > COLUMNS ? ROWS : COLUMNS) + 1);
    localparam COLUMN_BITS = $clog2(COLUMNS);

    wire load, begins, running, columns;

    find_roots_intake #(.OVERLAP(OVERLAP)) intake (
        .clk_i(clk_i), .rst_i(rst_i), .load_i(load_i), .start_i(start_i), .room_i(~running),
        .ready_o(ready_o), .load_o(load), .begin_o(begins)
    );
    assign busy_o = running | ~ready_o;
`ifdef FORMAL
    assign idle_o = ~busy_o & ~columns;
`endif
`ifdef INDUCTION
    assign iteration_o = running & ~columns;
    assign progress_o  = 1'b1;  // the run ends before an iteration without a root
    assign sound_o     = 1'b1;
`endif

    wire [ROWS-1:0]    row_request, row_grant, row_mask, row_live;
    wire [COLUMNS-1:0] column_signal, column_mask;

    find_roots_controller #(.ROWS(ROWS), .COLUMNS(COLUMNS), .TIES(TIES)) controller (
        .clk_i(clk_i), .rst_i(rst_i), .begin_i(begins), .busy_o(running), .done_o(done_o), .stuck_o(stuck_o),
        .columns_o(columns), .row_request_i(row_request), .row_live_i(row_live), .row_grant_o(row_grant),
        .column_signal_i(column_signal), .column_mask_o(column_mask), .row_mask_o(row_mask)
    );

    genvar r, c, b;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : row
            // What the nodes of this row say, and what the bus makes of it.
            wire [COLUMNS-1:0]             request, live;
            wire [COLUMNS*RANK_BITS-1:0]   value;
            wire [COLUMNS*COLUMN_BITS-1:0] index;
            wire [RANK_BITS-1:0]           heard;

            for (c = 0; c < COLUMNS; c = c + 1) begin : column
                wire [RANK_BITS-1:0] column_value;
                find_roots_node #(
                    .RANK_BITS(RANK_BITS), .COLUMN_BITS(COLUMN_BITS), .COLUMN(c), .INCOMPLETE(INCOMPLETE),
                    .OVERLAP(OVERLAP)
                ) node (
                    .clk_i(clk_i), .load_i(load), .begin_i(begins),
                    .h_i(h_i[r*COLUMNS + c]), .v_i(v_i[r*COLUMNS + c]),
                    .columns_i(columns), .request_o(request[c]), .live_o(live[c]),
                    // With ties, the row's grant is for one of its columns only.
                    .grant_i(row_grant[r] & (TIES == 0 | column_mask[c])),
                    .row_mask_i(row_mask[r]), .column_mask_i(column_mask[c]),
                    .index_o(index[c*COLUMN_BITS +: COLUMN_BITS]),
                    .row_value_o(value[c*RANK_BITS +: RANK_BITS]), .column_value_o(column_value),
                    .row_bus_i(heard), .column_bus_i(column_bus[c].heard)
`ifdef INDUCTION
                    , .h_o(h_o[(r*COLUMNS + c)*8 +: 8]), .v_o(v_o[(r*COLUMNS + c)*8 +: 8])
`endif
                );
`ifdef INDUCTION
                assign live_o[r*COLUMNS + c]   = live[c];
                assign chosen_o[r*COLUMNS + c] = matched_o[r] & (column_o[r*COLUMN_BITS +: COLUMN_BITS] == c);
`endif
            end

            find_roots_bus #(.NODES(COLUMNS), .RANK_BITS(RANK_BITS)) bus (
                .signal_i(request), .signal_o(row_request[r]), .value_i(value), .value_o(heard)
            );
            assign row_live[r] = |live;

            // s_r: what the root of this row sends out, kept for the user.
            reg                    matched_q;
            reg  [COLUMN_BITS-1:0] column_q;
            wire [COLUMN_BITS-1:0] sent;
            for (b = 0; b < COLUMN_BITS; b = b + 1) begin : line
                wire [COLUMNS-1:0] senders;
                for (c = 0; c < COLUMNS; c = c + 1) begin : tap
                    assign senders[c] = index[c*COLUMN_BITS + b];
                end
                assign sent[b] = |senders;
            end
            always @(posedge clk_i) begin
                if (row_grant[r])
                    column_q <= sent;
                matched_q <= ~rst_i & (row_grant[r] | (matched_q & ~begins));
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
