// @COMMAND@
//
// The controller: handshake, the place in the rings, and the choice among roots.
//
// The rings turn all the time, so phase_q, a ring too, always knows which bit is at their end. An
// iteration has one clock for each bit; with the last one rows and columns take their roots. A run
// ends with the first iteration that finds no root, or when no row or no column is free. That is
// decided from registers in the first clock of the next iteration, which then changes nothing: rows
// and columns that have their root keep it, the others have none to find.
`default_nettype none

module find_roots_controller #(
    parameter ROWS    = @ROWS@,
    parameter COLUMNS = @COLUMNS@,
    parameter PLANES  = @PLANES@,
    parameter TIES    = @TIES@    // 1: ranks may be equal, so roots may meet in a row or column: one root at a time
) (
    input  wire               clk_i,
    input  wire               rst_i,          // synchronous
    input  wire               load_i,
    input  wire               start_i,
    output wire               busy_o,
    output wire               done_o,
    output wire               begin_o,        // a run begins
    output wire               first_o,        // the first bit is at the end of the rings
    input  wire [ROWS-1:0]    row_root_i,     // free rows with a root
    input  wire [COLUMNS-1:0] column_root_i,  // free columns with a root; with ties, those of the granted row
    input  wire [ROWS-1:0]    row_free_i,
    input  wire [COLUMNS-1:0] column_free_i,
    output wire [ROWS-1:0]    row_grant_o,    // rows whose roots count in this iteration
    output wire [ROWS-1:0]    row_take_o,
    output wire [COLUMNS-1:0] column_take_o
);

    reg              busy_q, done_q, active_q, progress_q;
    reg [PLANES-1:0] phase_q;

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

    wire stop = active_q & first & ~(progress_q & (|row_free_i) & (|column_free_i));
    assign begin_o = start_i & ~busy_q;

    integer k;
    always @(posedge clk_i) begin
        // After the last load clock the most significant bits are at the end of the rings.
        phase_q[0] <= load_i | last;
        for (k = 1; k < PLANES; k = k + 1)
            phase_q[k] <= phase_q[k-1] & ~load_i;

        progress_q <= begin_o | (take ? |row_root_i : progress_q);

        if (rst_i) begin
            busy_q   <= 1'b0;
            done_q   <= 1'b0;
            active_q <= 1'b0;
        end else if (begin_o) begin
            busy_q   <= 1'b1;
            done_q   <= 1'b0;
            // With the last load clock, or with a ring about to be at its first bit, the run begins
            // at once.
            active_q <= load_i | last;
        end else if (stop) begin
            busy_q   <= 1'b0;
            done_q   <= 1'b1;
            active_q <= 1'b0;
        end else begin
            active_q <= active_q | (busy_q & last);
        end
    end

    assign busy_o  = busy_q;
    assign done_o  = done_q;
    assign first_o = first;

endmodule

`default_nettype wire
