// @COMMAND@
//
// One row bus or column bus: what its nodes say, joined.
//
// The paper's bus carries requests, masks and values one after another on the same wires. On a chip
// these are separate lines, joined by gates and not by tri-state drivers: a line that any node may
// raise (an OR), and RANK_BITS lines that are high unless a node pulls them low (an AND), so that
// silence reads as all ones.
`default_nettype none

module find_roots_bus #(
    parameter NODES     = @COLUMNS@,  // nodes on this bus
    parameter RANK_BITS = @RANK_BITS@   // width of a rank
) (
    input  wire [NODES-1:0]           signal_i,  // the nodes' signals: requests on a row, masks on a column
    output wire                       signal_o,
    input  wire [NODES*RANK_BITS-1:0] value_i,   // the nodes' values, all ones from silent nodes
    output wire [RANK_BITS-1:0]       value_o
);

    assign signal_o = |signal_i;

    genvar bit_index, node;
    generate
        for (bit_index = 0; bit_index < RANK_BITS; bit_index = bit_index + 1) begin : line
            wire [NODES-1:0] drivers;
            for (node = 0; node < NODES; node = node + 1) begin : tap
                assign drivers[node] = value_i[node*RANK_BITS + bit_index];
            end
            assign value_o[bit_index] = &drivers;
        end
    endgenerate

endmodule

`default_nettype wire
