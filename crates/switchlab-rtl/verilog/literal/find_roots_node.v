// @COMMAND@
//
// One node of the array: one entry (h, v) of the ranking matrix, one vertex of the dependency
// graph.
//
// As section III has it: registers for h and v, ONE comparator and ONE subtracter. A surviving node
// hears a value on its row bus and another on its column bus in every iteration, so the comparator
// serves rows in the first clock of an iteration and columns in the second.
//
// Repaired: a live bit, because a node that was eliminated would otherwise request and answer
// again; and a node that is not to speak leaves the bus lines high, because zeros on the bus would
// be taken for a rank below every other.
`default_nettype none

module find_roots_node #(
    parameter RANK_BITS   = @RANK_BITS@,  // a rank is 1..n, and 0 is needed too: ceil(log2(n + 1)) bits
    parameter COLUMN_BITS = @COLUMN_BITS@,  // bits of a column's index
    parameter COLUMN      = 0,  // where this node stands, from 0: what it sends out as a root
    parameter INCOMPLETE  = @INCOMPLETE@,  // 1: rank 0 means that the pair is absent
    parameter OVERLAP     = @OVERLAP@   // 1: ranks are loaded into registers of their own, and taken over by begin_i
) (
    input  wire                   clk_i,
    input  wire                   load_i,          // shift one bit of each rank in, most significant bit first
    input  wire                   begin_i,         // a run begins
    input  wire                   h_i,
    input  wire                   v_i,
    input  wire                   columns_i,       // second clock of an iteration: columns, not rows
    output wire                   request_o,       // I am a root: (h, v) = (1, 1)
    output wire                   live_o,          // I am neither absent nor eliminated
    input  wire                   grant_i,         // the root of this iteration is me, if I request
    input  wire                   row_mask_i,      // my row is being eliminated
    input  wire                   column_mask_i,   // my column is being eliminated
    output wire [COLUMN_BITS-1:0] index_o,         // my column, if I am the root of this iteration; else 0
    output wire [RANK_BITS-1:0]   row_value_o,     // my h for the row bus; all ones: silent
    output wire [RANK_BITS-1:0]   column_value_o,  // my v for the column bus; all ones: silent
    input  wire [RANK_BITS-1:0]   row_bus_i,
    input  wire [RANK_BITS-1:0]   column_bus_i
`ifdef INDUCTION
    , output wire [7:0]           h_o, v_o
`endif
);

    localparam [RANK_BITS-1:0]   ONE   = 1;
    localparam [COLUMN_BITS-1:0] INDEX = COLUMN;

    reg [RANK_BITS-1:0] h_q, v_q;
    reg                 live_q;
`ifdef INDUCTION
    assign h_o = h_q;
    assign v_o = v_q;
`endif

    wire   root      = request_o & grant_i;
    assign request_o = live_q & (h_q == ONE) & (v_q == ONE);
    assign live_o    = live_q;
    assign index_o   = INDEX & {COLUMN_BITS{root}};

    // A node of the masked column tells its row which h disappears; one of the masked row tells its
    // column which v.
    assign row_value_o    = h_q | {RANK_BITS{~(live_q & column_mask_i)}};
    assign column_value_o = v_q | {RANK_BITS{~(live_q & row_mask_i)}};

    // The one comparator and the one subtracter. All ones on the bus are not below any rank: no
    // change.
    wire [RANK_BITS-1:0] own   = columns_i ? v_q : h_q;
    wire [RANK_BITS-1:0] heard = columns_i ? column_bus_i : row_bus_i;
    wire                 above = own > heard;
    wire [RANK_BITS-1:0] less  = own - {{(RANK_BITS-1){1'b0}}, above};

    // The ranks that a run begins with, and when they are taken over.
    wire                 take;
    wire [RANK_BITS-1:0] h_new, v_new;
    generate
        if (OVERLAP != 0) begin : buffered
            reg [RANK_BITS-1:0] h_next_q, v_next_q;
            assign h_new = load_i ? {h_next_q[RANK_BITS-2:0], h_i} : h_next_q;
            assign v_new = load_i ? {v_next_q[RANK_BITS-2:0], v_i} : v_next_q;
            assign take  = begin_i;
            always @(posedge clk_i) begin
                h_next_q <= h_new;
                v_next_q <= v_new;
            end
        end else begin : direct
            assign h_new = {h_q[RANK_BITS-2:0], h_i};
            assign v_new = {v_q[RANK_BITS-2:0], v_i};
            assign take  = load_i;
            wire unused  = begin_i;
        end
    endgenerate

    always @(posedge clk_i) begin
        if (take) begin
            h_q    <= h_new;
            v_q    <= v_new;
            live_q <= (INCOMPLETE == 0) | (|h_new);
        end else begin
            if (root) begin
                h_q <= {RANK_BITS{1'b0}};
                v_q <= {RANK_BITS{1'b0}};
            end else if (columns_i) begin
                v_q <= less;
            end else begin
                h_q <= less;
            end
            // The masks stay for both clocks; whoever must still speak in the second one dies after
            // it.
            if (columns_i & (row_mask_i | column_mask_i))
                live_q <= 1'b0;
        end
    end

endmodule

`default_nettype wire
