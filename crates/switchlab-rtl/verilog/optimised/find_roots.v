// @COMMAND@
//
// FIND_ROOTS, the optimised design: the same function and ports as the literal one, bit-serial.
// The algorithm is that of E. Lu, M. Yang, Y. Zhang, S. Q. Zheng: Design and Implementation of an
// Acyclic Stable Matching
// Scheduler. Nodes, row and column buses and a controller are as in section III; what a node does
// is not (see there).
//
// Protocol, all on the rising edge of clk_i:
//   load    load_i for PLANES clocks: in each, one bit of all ranks, most significant bit first.
//           h_i and v_i have one
//           wire for each node, node (row, column) at row*COLUMNS + column. h is the rank of the
//           column in its row's list, v that of the row in its column's list, BOTH FROM 0. With
//           INCOMPLETE there is one more bit above them, 1 for an absent pair, in both ranks.
//   start   start_i for one clock, with the last load clock (fastest) or later.
//   busy_o  until the result is there; load_i and start_i are ignored meanwhile.
//   done_o  from then until the next start. matched_o has a bit for each row, column_o its column,
//           from 0; both are
//           valid from done_o until the next load.
// An iteration takes PLANES clocks and finds all roots there are (with TIES: one). From a start_i
// with the last load clock to done_o it takes at most PLANES*min(ROWS, COLUMNS) + 2 clocks, and
// often far fewer; a start_i at another time waits up to PLANES - 1 clocks for the rings.
`default_nettype none

module find_roots #(
    parameter ROWS        = @ROWS@,
    parameter COLUMNS     = @COLUMNS@,
    parameter PLANES      = @PLANES@,  // ceil(log2(max(ROWS, COLUMNS))), and one more with INCOMPLETE
    parameter COLUMN_BITS = @COLUMN_BITS@,  // ceil(log2(COLUMNS))
    parameter TIES        = @TIES@,  // 1: equal ranks are allowed
    parameter INCOMPLETE  = @INCOMPLETE@   // 1: pairs may be absent
) (
    input  wire                        clk_i,
    input  wire                        rst_i,      // synchronous; needed once
    input  wire                        load_i,
    input  wire [ROWS*COLUMNS-1:0]     h_i,
    input  wire [ROWS*COLUMNS-1:0]     v_i,
    input  wire                        start_i,
    output wire                        busy_o,
    output wire                        done_o,
    output wire [ROWS-1:0]             matched_o,
    output wire [ROWS*COLUMN_BITS-1:0] column_o
);

    wire load = load_i & ~busy_o;
    wire begins, first;

    wire [ROWS-1:0]    row_any_zero, row_has_root, row_free, row_open, row_grant, row_take;
    wire [COLUMNS-1:0] column_any_zero, column_has_root, column_free, column_open, column_take;

    find_roots_controller #(.ROWS(ROWS), .COLUMNS(COLUMNS), .PLANES(PLANES), .TIES(TIES)) controller (
        .clk_i(clk_i), .rst_i(rst_i), .load_i(load), .start_i(start_i), .busy_o(busy_o), .done_o(done_o),
        .begin_o(begins), .first_o(first),
        .row_root_i(row_has_root), .column_root_i(column_has_root), .row_free_i(row_free), .column_free_i(column_free),
        .row_grant_o(row_grant), .row_take_o(row_take), .column_take_o(column_take)
    );

    genvar r, c, b;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : row
            // What the nodes of this row say, one bit for each.
            wire [COLUMNS-1:0] zero, root, lead;

            for (c = 0; c < COLUMNS; c = c + 1) begin : column
                wire column_zero, row_lead, column_lead;
                find_roots_node #(.PLANES(PLANES)) node (
                    .clk_i(clk_i), .load_i(load), .h_i(h_i[r*COLUMNS + c]), .v_i(v_i[r*COLUMNS + c]),
                    .row_open_i(row_open[r]), .column_open_i(column_open[c]),
                    .row_free_i(row_free[r]), .column_free_i(column_free[c]),
                    .row_zero_o(zero[c]), .column_zero_o(column_zero),
                    .row_zero_i(row_any_zero[r]), .column_zero_i(column_any_zero[c]),
                    .root_o(root[c]), .row_lead_o(row_lead), .column_lead_o(column_lead)
                );
                // With ties, a row that has its root may have other leaders beside it; only the
                // root leads its column.
                assign lead[c] = row_lead & (TIES == 0 | column_lead);
            end

            find_roots_bus #(.NODES(COLUMNS), .INCOMPLETE(INCOMPLETE)) bus (
                .clk_i(clk_i), .start_i(begins), .first_i(first), .take_i(row_take[r]),
                .zero_i(zero), .root_i(root),
                .zero_o(row_any_zero[r]), .root_o(row_has_root[r]), .free_o(row_free[r]), .open_o(row_open[r])
            );

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
                .clk_i(clk_i), .start_i(begins), .first_i(first), .take_i(column_take[c]),
                .zero_i(zero), .root_i(root),
                .zero_o(column_any_zero[c]), .root_o(column_has_root[c]), .free_o(column_free[c]),
                .open_o(column_open[c])
            );
        end
    endgenerate

endmodule

`default_nettype wire
