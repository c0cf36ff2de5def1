// @COMMAND@
//
// One node of the array: one entry (h, v) of the ranking matrix, one vertex of the dependency
// graph, for two matchings at a time.
//
// h_a, v_a and live_a belong to the matching before stage 1, h_b, v_b and live_b to that before
// stage 2; each clock moves both on. Stage 2 has a comparator and a subtracter for each rank, so
// rows and columns go down together. The ranks that come next are in registers of their own.
`default_nettype none

module find_roots_node #(
    parameter RANK_BITS  = @RANK_BITS@,  // a rank is 1..n, and 0 is needed too: ceil(log2(n + 1)) bits
    parameter INCOMPLETE = @INCOMPLETE@   // 1: rank 0 means that the pair is absent
) (
    input  wire                 clk_i,
    input  wire                 load_i,          // shift one bit of each rank in, most significant bit first
    input  wire                 begin_i,         // the loaded ranks enter stage 1
    input  wire                 h_i,
    input  wire                 v_i,
    output wire                 request_o,       // stage 1: I am a root, (h, v) = (1, 1)
    input  wire                 row_mask_i,      // stage 2: my row is being eliminated
    input  wire                 column_mask_i,   // stage 2: my column is being eliminated
    output wire                 live_o,          // stage 2: I go on
    output wire [RANK_BITS-1:0] row_value_o,     // stage 2: my h for the row bus; all ones: silent
    output wire [RANK_BITS-1:0] column_value_o,  // stage 2: my v for the column bus; all ones: silent
    input  wire [RANK_BITS-1:0] row_bus_i,
    input  wire [RANK_BITS-1:0] column_bus_i
);

    localparam [RANK_BITS-1:0] ONE = 1;

    reg [RANK_BITS-1:0] h_next_q, v_next_q, h_a_q, v_a_q, h_b_q, v_b_q;
    reg                 live_a_q, live_b_q;

    assign request_o = live_a_q & (h_a_q == ONE) & (v_a_q == ONE);

    // A node of the masked column tells its row which h disappears; one of the masked row tells its
    // column which v.
    assign row_value_o    = h_b_q | {RANK_BITS{~(live_b_q & column_mask_i)}};
    assign column_value_o = v_b_q | {RANK_BITS{~(live_b_q & row_mask_i)}};

    // All ones on the bus are not below any rank: no change.
    wire h_above = h_b_q > row_bus_i;
    wire v_above = v_b_q > column_bus_i;
    assign live_o = live_b_q & ~row_mask_i & ~column_mask_i;

    wire [RANK_BITS-1:0] h_new = load_i ? {h_next_q[RANK_BITS-2:0], h_i} : h_next_q;
    wire [RANK_BITS-1:0] v_new = load_i ? {v_next_q[RANK_BITS-2:0], v_i} : v_next_q;

    always @(posedge clk_i) begin
        h_next_q <= h_new;
        v_next_q <= v_new;
        h_a_q    <= begin_i ? h_new : h_b_q - {{(RANK_BITS-1){1'b0}}, h_above};
        v_a_q    <= begin_i ? v_new : v_b_q - {{(RANK_BITS-1){1'b0}}, v_above};
        live_a_q <= begin_i ? (INCOMPLETE == 0) | (|h_new) : live_o;
        h_b_q    <= h_a_q;
        v_b_q    <= v_a_q;
        live_b_q <= live_a_q;
    end

endmodule

`default_nettype wire
