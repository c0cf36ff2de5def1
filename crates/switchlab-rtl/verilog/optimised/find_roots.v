// @COMMAND@
//
// FIND_ROOTS, the optimised design: the same function and ports as the literal one, bit-serial.
// The algorithm is that of E. Lu, M. Yang, Y. Zhang, S. Q. Zheng: Design and Implementation of an
// Acyclic Stable Matching Scheduler. Nodes, row and column buses and a controller are as in section
// III; what a node does is not (see there).
//
// The ports and the protocol are in find_roots_ports.vh. Here
//   - ranks have PLANES bits and count FROM 0; only their order counts. With INCOMPLETE there is
//     one more bit above them, 1 for an absent pair, in both ranks.
//   - ready_o: without OVERLAP while not busy_o; with it also during a run, until the next start.
//     That run then begins after this one.
//   - done_o stays until the next run begins, at least one clock. matched_o and column_o are valid
//     from done_o until the next load, and with OVERLAP until the next run.
// An iteration takes PLANES clocks and finds all roots there are (with TIES: one). From a start_i
// with the last load clock to done_o it takes at most PLANES*min(ROWS, COLUMNS) + 2 clocks, and
// often far fewer; without OVERLAP a start_i at another time waits up to PLANES - 1 clocks for the
// rings.
`default_nettype none

module find_roots #(
    parameter ROWS       = @ROWS@,
    parameter COLUMNS    = @COLUMNS@,
    parameter TIES       = @TIES@,  // 0: ranks of a list are distinct; saves two arbiters and finds all roots at once
    parameter INCOMPLETE = @INCOMPLETE@,  // 0: no pair is absent; saves a bit of each rank
    parameter OVERLAP    = @OVERLAP@   // 1: ranks may be loaded during a run, into registers of their own
) (
`include "find_roots_ports.vh"
);

    // Ranks are 0..n-1; a bit above them says that the pair is absent.
    localparam PLANES      = $clog2(ROWS > COLUMNS ? ROWS : COLUMNS) + (INCOMPLETE != 0 ? 1 : 0);
    localparam COLUMN_BITS = $clog2(COLUMNS);

    wire load, begins, running, active, first;

    find_roots_intake #(.OVERLAP(OVERLAP)) intake (
        .clk_i(clk_i), .rst_i(rst_i), .load_i(load_i), .start_i(start_i), .room_i(~running),
        .ready_o(ready_o), .load_o(load), .begin_o(begins)
    );
    assign busy_o = running | ~ready_o;
`ifdef FORMAL
    assign idle_o = ~busy_o & ~active;
`endif
`ifdef INDUCTION
    // The leaders of a row or column that has its root have one rank, so that none is ever out.
    wire                    aligned;
    wire [ROWS*COLUMNS-1:0] leads_row, leads_column, row_sound, column_sound;
    assign iteration_o = active & first;
    assign sound_o     = running & aligned & (&row_sound) & (&column_sound);
    genvar k;
`endif

    wire [ROWS-1:0]    row_any_zero, row_has_root, row_free, row_open, row_live, row_grant, row_take;
    wire [COLUMNS-1:0] column_any_zero, column_has_root, column_free, column_open, column_take;

    find_roots_controller #(.ROWS(ROWS), .COLUMNS(COLUMNS), .PLANES(PLANES), .TIES(TIES)) controller (
        .clk_i(clk_i), .rst_i(rst_i), .begin_i(begins), .align_i(OVERLAP != 0 ? begins : load),
        .busy_o(running), .done_o(done_o), .stuck_o(stuck_o), .active_o(active), .first_o(first),
        .row_root_i(row_has_root), .column_root_i(column_has_root), .row_live_i(row_live),
        .row_grant_o(row_grant), .row_take_o(row_take), .column_take_o(column_take)
`ifdef INDUCTION
        , .progress_o(progress_o), .aligned_o(aligned)
`endif
    );
`ifndef FORMAL
    wire unused = active;
`endif

    genvar r, c, b;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : row
            // What the nodes of this row say, one bit for each.
            wire [COLUMNS-1:0] zero, root, lead;

            for (c = 0; c < COLUMNS; c = c + 1) begin : column
                wire column_zero, row_lead, column_lead;
                find_roots_node #(.PLANES(PLANES), .OVERLAP(OVERLAP)) node (
                    .clk_i(clk_i), .load_i(load), .begin_i(begins), .h_i(h_i[r*COLUMNS + c]), .v_i(v_i[r*COLUMNS + c]),
                    .row_open_i(row_open[r]), .column_open_i(column_open[c]),
                    .row_free_i(row_free[r]), .column_free_i(column_free[c]),
                    .row_zero_o(zero[c]), .column_zero_o(column_zero),
                    .row_zero_i(row_any_zero[r]), .column_zero_i(column_any_zero[c]),
                    .root_o(root[c]), .row_lead_o(row_lead), .column_lead_o(column_lead)
`ifdef INDUCTION
                    , .h_o(h_o[(r*COLUMNS + c)*8 +: 8]), .v_o(v_o[(r*COLUMNS + c)*8 +: 8])
`endif
                );
`ifdef INDUCTION
                localparam NODE = r*COLUMNS + c;
                assign leads_row[NODE]    = row_lead & ~row_free[r];
                assign leads_column[NODE] = column_lead & ~column_free[c];
                assign chosen_o[NODE]     = leads_row[NODE] & leads_column[NODE];
                assign live_o[NODE]       = row_free[r] & column_free[c] & ~(INCOMPLETE != 0 & h_o[NODE*8 + PLANES - 1]);
                wire [COLUMNS-1:0] row_differs;
                wire [ROWS-1:0]    column_differs;
                for (k = 0; k < COLUMNS; k = k + 1) begin : across
                    assign row_differs[k] = leads_row[r*COLUMNS + k] & (h_o[(r*COLUMNS + k)*8 +: 8] != h_o[NODE*8 +: 8]);
                end
                for (k = 0; k < ROWS; k = k + 1) begin : down
                    assign column_differs[k] = leads_column[k*COLUMNS + c] & (v_o[(k*COLUMNS + c)*8 +: 8] != v_o[NODE*8 +: 8]);
                end
                assign row_sound[NODE]    = ~leads_row[NODE]    | ~(|row_differs);
                assign column_sound[NODE] = ~leads_column[NODE] | ~(|column_differs);
`endif
                // With ties, a row that has its root may have other leaders beside it; only the
                // root leads its column.
                assign lead[c] = row_lead & (TIES == 0 | column_lead);
            end

            find_roots_bus #(.NODES(COLUMNS), .INCOMPLETE(INCOMPLETE)) bus (
                .clk_i(clk_i), .rst_i(rst_i), .begin_i(begins), .first_i(first), .take_i(row_take[r]),
                .zero_i(zero), .root_i(root),
                .zero_o(row_any_zero[r]), .root_o(row_has_root[r]), .free_o(row_free[r]), .open_o(row_open[r])
            );

            // With the first bit: a live node is one whose row and column are free and that is
            // not absent, which that bit says.
            assign row_live[r] = row_free[r] & (INCOMPLETE != 0 ? |zero : |column_free);

            // The index of the row's leader, which stays when the row has its root.
            assign matched_o[r] = ~row_free[r];
            for (b = 0; b < COLUMN_BITS; b = b + 1) begin : line
                wire [COLUMNS-1:0] senders;
                for (c = 0; c < COLUMNS; c = c + 1) begin : tap
                    assign senders[c] = lead[c] & ((c >> b) % 2 == 1);
                end
                assign column_o[r*COLUMN_BITS + b] = |senders;
            end
        end

        for (c = 0; c < COLUMNS; c = c + 1) begin : column_bus
            // What the nodes of this column say.
            wire [ROWS-1:0] zero, root;
            for (r = 0; r < ROWS; r = r + 1) begin : tap
                assign zero[r] = row[r].column[c].column_zero;
                // With ties, only the granted row may take a column.
                assign root[r] = row[r].root[c] & (TIES == 0 | row_grant[r]);
            end
            find_roots_bus #(.NODES(ROWS), .INCOMPLETE(INCOMPLETE)) bus (
                .clk_i(clk_i), .rst_i(rst_i), .begin_i(begins), .first_i(first), .take_i(column_take[c]),
                .zero_i(zero), .root_i(root),
                .zero_o(column_any_zero[c]), .root_o(column_has_root[c]), .free_o(column_free[c]),
                .open_o(column_open[c])
            );
        end
    endgenerate

endmodule

`default_nettype wire
