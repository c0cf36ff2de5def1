// @COMMAND@
//
// The controller: handshake, the place in the rings, and the choice among roots.
//
// The rings turn all the time, so phase_q, a ring too, always knows which bit is at their end. An
// iteration has one clock for each bit; with the last one rows and columns take their roots. A run
// ends with the first iteration that finds no root, or when no node is live. That is decided in the
// first clock of the next iteration, which then changes nothing: rows and columns that have their
// root keep it, the others have none to find.
`default_nettype none

module find_roots_controller #(
    parameter ROWS    = @ROWS@,
    parameter COLUMNS = @COLUMNS@,
    parameter PLANES  = @PLANES@,
    parameter TIES    = @TIES@    // 1: ranks may be equal, so roots may meet in a row or column: one root at a time
) (
    input  wire               clk_i,
    input  wire               rst_i,          // synchronous
    input  wire               begin_i,        // a run begins
    input  wire               align_i,        // with the next clock the first bit is at the end of the rings
    output wire               busy_o,
    output wire               done_o,
    output wire               stuck_o,        // the run ended with live nodes
    output wire               active_o,       // iterations are under way
    output wire               first_o,        // the first bit is at the end of the rings
    input  wire [ROWS-1:0]    row_root_i,     // free rows with a root
    input  wire [COLUMNS-1:0] column_root_i,  // free columns with a root; with ties, those of the granted row
    input  wire [ROWS-1:0]    row_live_i,     // rows with a live node, with the first bit
    output wire [ROWS-1:0]    row_grant_o,    // rows whose roots count in this iteration
    output wire [ROWS-1:0]    row_take_o,
    output wire [COLUMNS-1:0] column_take_o
`ifdef INDUCTION
    , output wire             progress_o, aligned_o
`endif
);

    reg              busy_q, done_q, stuck_q, active_q, progress_q;
    reg [PLANES-1:0] phase_q;
`ifdef INDUCTION
    assign progress_o = progress_q;
    assign aligned_o  = phase_q == 1;  // the first bit is at the end of the rings, and no other
`endif

    wire first = phase_q[0];
    wire last  = phase_q[PLANES-1];

    // Without ties all roots of an iteration lie in different rows and columns, and all are taken
    // at once.
    wire [COLUMNS-1:0] column_grant;
    generate
        if (TIES != 0) begin : arbitrated
            find_roots_priority #(.WIDTH(ROWS)) row_priority (.request_i(row_root_i), .grant_o(row_grant_o));
            find_roots_priority #(.WIDTH(COLUMNS)) column_priority (.request_i(column_root_i), .grant_o(column_grant));
        end else begin : all
            assign row_grant_o  = row_root_i;
            assign column_grant = column_root_i;
        end
    endgenerate

    wire take = active_q & last;
    assign row_take_o    = row_grant_o  & {ROWS{take}};
    assign column_take_o = column_grant & {COLUMNS{take}};

    wire live = |row_live_i;
    wire stop = active_q & first & ~(progress_q & live);

    integer k;
    always @(posedge clk_i) begin
        phase_q[0] <= align_i | last;
        for (k = 1; k < PLANES; k = k + 1)
            phase_q[k] <= phase_q[k-1] & ~align_i;

        progress_q <= begin_i | (take ? |row_root_i : progress_q);

        if (rst_i) begin
            busy_q   <= 1'b0;
            done_q   <= 1'b0;
            stuck_q  <= 1'b0;
            active_q <= 1'b0;
        end else if (begin_i) begin
            busy_q   <= 1'b1;
            done_q   <= 1'b0;
            stuck_q  <= 1'b0;
            // If the rings are about to be at their first bit, the iterations begin at once.
            active_q <= align_i | last;
        end else if (stop) begin
            busy_q   <= 1'b0;
            done_q   <= 1'b1;
            stuck_q  <= live;
            active_q <= 1'b0;
        end else begin
            active_q <= active_q | (busy_q & last);
        end
    end

    assign busy_o   = busy_q;
    assign done_o   = done_q;
    assign stuck_o  = stuck_q;
    assign active_o = active_q;
    assign first_o  = first;

endmodule

`default_nettype wire
