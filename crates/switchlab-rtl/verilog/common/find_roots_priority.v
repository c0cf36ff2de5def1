// @COMMAND@
//
// Fixed-priority arbiter: grants the request of the smallest index.
//
// A request is blocked by any request below it. The blocking terms are a parallel prefix OR, so the
// depth is ceil(log2 WIDTH) OR gates and the area about WIDTH log2 WIDTH: next to ROWS x COLUMNS
// nodes this is nothing, while a ripple chain would make the arbiter the longest path of the array.
`default_nettype none

module find_roots_priority #(
    parameter WIDTH = @ROWS@   // number of requesters
) (
    input  wire [WIDTH-1:0] request_i,
    output wire [WIDTH-1:0] grant_o    // at most one bit is set
);

    // After k steps, bit i says whether any of the 2^k requests that end at i is set: six steps
    // serve 64 requesters.
    wire [WIDTH-1:0] two     = request_i | (request_i << 1);
    wire [WIDTH-1:0] four    = two       | (two       << 2);
    wire [WIDTH-1:0] eight   = four      | (four      << 4);
    wire [WIDTH-1:0] sixteen = eight     | (eight     << 8);
    wire [WIDTH-1:0] half    = sixteen   | (sixteen   << 16);
    wire [WIDTH-1:0] all     = half      | (half      << 32);

    assign grant_o = request_i & ~(all << 1);

endmodule

`default_nettype wire
