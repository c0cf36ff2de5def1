// @COMMAND@
//
// The controller: which of the two places hold a matching, how often each has gone round, and the
// grant to the smallest requesting row.
//
// Every matching goes round min(ROWS, COLUMNS) times, whether or not it still has roots. So results
// come in the order of the starts, at a known time, and nothing needs to be told apart.
`default_nettype none

module find_roots_controller #(
    parameter ROWS    = @ROWS@,
    parameter COLUMNS = @COLUMNS@,
    parameter TIES    = @TIES@    // 1: ranks may be equal, so a row may have several roots; the smallest column wins
) (
    input  wire                       clk_i,
    input  wire                       rst_i,            // synchronous
    input  wire                       begin_i,          // a matching enters stage 1
    output wire                       room_o,           // one may
    output wire                       inside_o,         // there is one in the array
    output wire                       last_o,           // stage 2 gives a result in this clock
    output wire                       done_o,
    output wire                       stuck_o,          // the result left live nodes
    input  wire [ROWS-1:0]            row_request_i,    // stage 1, from the row buses
    output wire [ROWS-1:0]            row_grant_o,      // stage 1, to the row buses
    input  wire [COLUMNS-1:0]         column_signal_i,  // stage 1: columns of the granted row's requests
    output wire [ROWS-1:0]            row_mask_o,       // stage 2: the masked row
    output wire [COLUMNS-1:0]         column_mask_o,    // stage 2: the masked column
    output wire [$clog2(COLUMNS)-1:0] index_o,          // stage 2: its index
    input  wire [ROWS-1:0]            row_live_i        // stage 2: rows that keep a live node
);

    localparam ROUNDS      = ROWS < COLUMNS ? ROWS : COLUMNS;
    localparam COUNT_BITS  = $clog2(ROUNDS);
    localparam COLUMN_BITS = $clog2(COLUMNS);

    localparam [COUNT_BITS-1:0] ONE      = 1;
    localparam [31:0]           ROUNDS_1 = ROUNDS - 1;
    localparam [COUNT_BITS-1:0] FINAL    = ROUNDS_1[COUNT_BITS-1:0];

    // a: before stage 1. b: before stage 2.
    reg                  inside_a_q, inside_b_q, done_q, stuck_q;
    reg [COUNT_BITS-1:0] count_a_q, count_b_q;
    reg [ROWS-1:0]       row_mask_q;
    reg [COLUMNS-1:0]    column_mask_q;

    find_roots_priority #(.WIDTH(ROWS)) row_priority (.request_i(row_request_i), .grant_o(row_grant_o));

    // Without ties the granted row has one root, and its column is the one that signals.
    wire [COLUMNS-1:0] column;
    generate
        if (TIES != 0) begin : arbitrated
            find_roots_priority #(.WIDTH(COLUMNS)) column_priority (.request_i(column_signal_i), .grant_o(column));
        end else begin : direct
            assign column = column_signal_i;
        end
    endgenerate

    genvar b, c;
    generate
        for (b = 0; b < COLUMN_BITS; b = b + 1) begin : line
            wire [COLUMNS-1:0] senders;
            for (c = 0; c < COLUMNS; c = c + 1) begin : tap
                assign senders[c] = column_mask_q[c] & ((c >> b) % 2 == 1);
            end
            assign index_o[b] = |senders;
        end
    endgenerate

    wire last = inside_b_q & (count_b_q == FINAL);

    always @(posedge clk_i) begin
        row_mask_q    <= row_grant_o;
        column_mask_q <= column;
        count_a_q     <= begin_i ? {COUNT_BITS{1'b0}} : count_b_q + ONE;
        count_b_q     <= count_a_q;
        if (rst_i) begin
            inside_a_q <= 1'b0;
            inside_b_q <= 1'b0;
            done_q     <= 1'b0;
            stuck_q    <= 1'b0;
        end else begin
            inside_a_q <= begin_i | (inside_b_q & ~last);
            inside_b_q <= inside_a_q;
            done_q     <= last;
            if (last)
                stuck_q <= |row_live_i;
        end
    end

    assign room_o        = ~inside_b_q | last;
    assign inside_o      = inside_a_q | inside_b_q;
    assign last_o        = last;
    assign done_o        = done_q;
    assign stuck_o       = stuck_q;
    assign row_mask_o    = row_mask_q;
    assign column_mask_o = column_mask_q;

endmodule

`default_nettype wire
