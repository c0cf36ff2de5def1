// @COMMAND@
//
// One node of the array: one entry (h, v) of the ranking matrix, one vertex of the dependency
// graph.
//
// A node is a root if no live node of its row has a smaller h and none of its column a smaller v.
// The paper keeps this as numbers that count down to (1, 1). Here the ranks never change: row and
// column look for their smallest rank anew in each iteration, one bit per clock from the most
// significant bit down. All nodes of a row that are still in the race show their bit; if any of
// them shows a 0, those with a 1 are out. Who is left after the last bit leads.
//
// So a node needs no comparator and no subtracter, and its rank registers need neither enable nor
// parallel load: they are rings that turn all the time. What remains for each rank: the ring, one
// multiplexer for loading it, one flag.
`default_nettype none

module find_roots_node #(
    parameter PLANES  = @PLANES@,  // bits of a rank as stored, and clocks of an iteration
    parameter OVERLAP = @OVERLAP@   // 1: ranks are loaded into registers of their own, and taken over by begin_i
) (
    input  wire clk_i,
    input  wire load_i,           // shift one bit of each rank in, most significant bit first; else the rings turn
    input  wire begin_i,          // a run begins
    input  wire h_i,
    input  wire v_i,
    input  wire row_open_i,       // my row is free and this is the first bit: a new race begins
    input  wire column_open_i,    // likewise for my column
    input  wire row_free_i,       // my row has no root yet
    input  wire column_free_i,    // my column has no root yet
    output wire row_zero_o,       // I am in my row's race and show a 0
    output wire column_zero_o,
    input  wire row_zero_i,       // somebody in my row's race shows a 0
    input  wire column_zero_i,
    output wire root_o,           // valid with the last bit: I lead my row and my column
    output wire row_lead_o,       // registered flags. Those of a row (column) that is not free stay as they were
    output wire column_lead_o     // when it got its root: its only racer cannot be overtaken
`ifdef INDUCTION
    , output wire [7:0] h_o, v_o
`endif
);

    reg [PLANES-1:0] h_q, v_q;
    reg              row_lead_q, column_lead_q;
`ifdef INDUCTION
    assign h_o = h_q;
    assign v_o = v_q;
`endif

    wire h = h_q[PLANES-1];
    wire v = v_q[PLANES-1];

    // A new race is open to the nodes that are live: in a free row and a free column.
    wire row_race    = row_open_i    ? column_free_i : row_lead_q;
    wire column_race = column_open_i ? row_free_i    : column_lead_q;

    assign row_zero_o    = row_race    & ~h;
    assign column_zero_o = column_race & ~v;

    wire row_lead    = row_race    & ~(h & row_zero_i);
    wire column_lead = column_race & ~(v & column_zero_i);

    assign root_o        = row_lead & column_lead;
    assign row_lead_o    = row_lead_q;
    assign column_lead_o = column_lead_q;

    // What the rings hold in the next clock.
    localparam [PLANES-1:0] LOW = 1;
    wire [PLANES-1:0] h_turned, v_turned;
    generate
        if (OVERLAP != 0) begin : buffered
            reg  [PLANES-1:0] h_next_q, v_next_q;
            wire [PLANES-1:0] h_new = load_i ? (h_next_q << 1) | (LOW & {PLANES{h_i}}) : h_next_q;
            wire [PLANES-1:0] v_new = load_i ? (v_next_q << 1) | (LOW & {PLANES{v_i}}) : v_next_q;
            always @(posedge clk_i) begin
                h_next_q <= h_new;
                v_next_q <= v_new;
            end
            assign h_turned = begin_i ? h_new : (h_q << 1) | (LOW & {PLANES{h}});
            assign v_turned = begin_i ? v_new : (v_q << 1) | (LOW & {PLANES{v}});
        end else begin : direct
            assign h_turned = (h_q << 1) | (LOW & {PLANES{load_i ? h_i : h}});
            assign v_turned = (v_q << 1) | (LOW & {PLANES{load_i ? v_i : v}});
            wire unused = begin_i;
        end
    endgenerate

    always @(posedge clk_i) begin
        h_q           <= h_turned;
        v_q           <= v_turned;
        row_lead_q    <= row_lead;
        column_lead_q <= column_lead;
    end

endmodule

`default_nettype wire
