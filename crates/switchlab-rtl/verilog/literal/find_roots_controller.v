// @COMMAND@
//
// The controller: handshake, the two clocks of an iteration, and the grant to the smallest
// requesting row.
//
//   clock 1 (rows)     requests -> grant -> masks; the masked column's nodes send h on the row
//                      buses, ranks h go down
//   clock 2 (columns)  the masked row's nodes send v on the column buses, ranks v go down, masked
//                      nodes die
//
// The run ends when nothing requests: after min(ROWS, COLUMNS) roots, or earlier if the instance is
// not rooted or has too few pairs. The paper counts n iterations, which is wrong for n x m and
// wastes clocks where pairs are absent.
`default_nettype none

module find_roots_controller #(
    parameter ROWS    = @ROWS@,
    parameter COLUMNS = @COLUMNS@,
    parameter TIES    = @TIES@    // 1: ranks may be equal, so a row may have several roots; the smallest column wins
) (
    input  wire               clk_i,
    input  wire               rst_i,            // synchronous
    input  wire               begin_i,          // a run begins
    output wire               busy_o,
    output wire               done_o,
    output wire               stuck_o,          // the run ended with live nodes
    output wire               columns_o,        // this is clock 2
    input  wire [ROWS-1:0]    row_request_i,    // from the row buses
    input  wire [ROWS-1:0]    row_live_i,       // rows with a live node
    output wire [ROWS-1:0]    row_grant_o,      // to the row buses, in clock 1
    input  wire [COLUMNS-1:0] column_signal_i,  // columns of the requesting nodes of the granted row
    output wire [COLUMNS-1:0] column_mask_o,    // the masked column, in both clocks
    output wire [ROWS-1:0]    row_mask_o        // the masked row, in clock 2
);

    reg               busy_q, done_q, stuck_q, columns_q;
    reg [ROWS-1:0]    row_mask_q;
    reg [COLUMNS-1:0] column_mask_q;

    wire rows = busy_q & ~columns_q;

    wire [ROWS-1:0] first;
    find_roots_priority #(.WIDTH(ROWS)) row_priority (.request_i(row_request_i), .grant_o(first));
    assign row_grant_o = first & {ROWS{rows}};

    // Without ties the granted row has one root, and its column is the one that signals.
    wire [COLUMNS-1:0] column;
    generate
        if (TIES != 0) begin : arbitrated
            find_roots_priority #(.WIDTH(COLUMNS)) column_priority (.request_i(column_signal_i), .grant_o(column));
        end else begin : direct
            assign column = column_signal_i;
        end
    endgenerate

    // In clock 1 the mask comes straight from the grant, in clock 2 from the register.
    assign column_mask_o = columns_q ? column_mask_q : column;
    assign row_mask_o    = row_mask_q & {ROWS{columns_q}};

    always @(posedge clk_i) begin
        row_mask_q    <= row_grant_o;
        column_mask_q <= column;
        if (rst_i) begin
            busy_q    <= 1'b0;
            done_q    <= 1'b0;
            stuck_q   <= 1'b0;
            columns_q <= 1'b0;
        end else if (begin_i) begin
            busy_q  <= 1'b1;
            done_q  <= 1'b0;
            stuck_q <= 1'b0;
        end else if (rows & ~(|row_request_i)) begin
            busy_q  <= 1'b0;
            done_q  <= 1'b1;
            stuck_q <= |row_live_i;
        end else begin
            columns_q <= rows;
        end
    end

    assign busy_o    = busy_q;
    assign done_o    = done_q;
    assign stuck_o   = stuck_q;
    assign columns_o = columns_q;

endmodule

`default_nettype wire
