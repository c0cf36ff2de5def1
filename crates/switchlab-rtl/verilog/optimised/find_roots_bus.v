// @COMMAND@
//
// One row bus or column bus: two lines that any of its nodes may raise. One says that somebody in
// the race shows a 0, the other that there is a root. The state of the row or column belongs to it:
// free until it has a root.
`default_nettype none

module find_roots_bus #(
    parameter NODES      = @COLUMNS@,  // nodes on this bus
    parameter INCOMPLETE = @INCOMPLETE@   // 1: the first bit of a rank says that the pair is absent
) (
    input  wire             clk_i,
    input  wire             rst_i,    // free: so nothing is matched before the first run
    input  wire             begin_i,  // a run begins: free
    input  wire             first_i,  // first bit
    input  wire             take_i,   // got a root: not free any more
    input  wire [NODES-1:0] zero_i,
    input  wire [NODES-1:0] root_i,
    output wire             zero_o,
    output wire             root_o,   // this bus is free and has a root
    output wire             free_o,
    output wire             open_o    // a new race begins
);

    reg free_q;

    // Absent pairs are out of the race even if nobody else is in it: an absent node must not win a
    // bus.
    assign zero_o = (|zero_i) | (INCOMPLETE != 0 & first_i);
    assign root_o = free_q & (|root_i);
    assign free_o = free_q;
    assign open_o = free_q & first_i;

    always @(posedge clk_i)
        free_q <= rst_i | begin_i | (free_q & ~take_i);

endmodule

`default_nettype wire
