// @COMMAND@
//
// The three cells of the netlist, for simulation. As equivalent gates: NAND2 1, INV 1, DFF 7.
`default_nettype none

module NAND2 (input wire A, input wire B, output wire Y);
    nand gate (Y, A, B);
endmodule

module INV (input wire A, output wire Y);
    not gate (Y, A);
endmodule

module DFF (input wire C, input wire D, output reg Q);
    always @(posedge C) Q <= D;
endmodule

`default_nettype wire
