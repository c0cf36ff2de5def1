// @COMMAND@
//
// The intake: when ranks may be loaded, and when a run begins.
//
// A start counts only if ranks were loaded since the last one, so a run never works on ranks that
// another run has used up. With OVERLAP a start that cannot begin yet is remembered; the ranks wait
// in registers of their own, and nothing more is taken until they have moved on.
`default_nettype none

module find_roots_intake #(
    parameter OVERLAP = @OVERLAP@   // 1: ranks may be loaded while a run is under way
) (
    input  wire clk_i,
    input  wire rst_i,    // synchronous
    input  wire load_i,
    input  wire start_i,
    input  wire room_i,   // a run may begin in this clock
    output wire ready_o,  // load_i and start_i count in this clock
    output wire load_o,   // a bit of each rank is taken in
    output wire begin_o   // a run begins with the ranks that are loaded, those of this clock included
);

    reg  loaded_q;
    wire accept = start_i & ready_o & (loaded_q | load_i);

    assign load_o = load_i & ready_o;

    always @(posedge clk_i)
        loaded_q <= ~rst_i & (loaded_q | load_o) & ~accept;

    generate
        if (OVERLAP != 0) begin : waiting
            reg pending_q;  // started, and not begun
            assign ready_o = ~pending_q;
            assign begin_o = room_i & (accept | pending_q);
            always @(posedge clk_i)
                pending_q <= ~rst_i & (pending_q | accept) & ~begin_o;
        end else begin : direct
            assign ready_o = room_i;
            assign begin_o = accept;
        end
    endgenerate

endmodule

`default_nettype wire
