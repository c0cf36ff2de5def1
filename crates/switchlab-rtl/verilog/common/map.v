// @COMMAND@
//
// From the synthesis tool's gates to the three cells of cells.v.
module \$_NAND_ (input A, input B, output Y);
    NAND2 gate (.A(A), .B(B), .Y(Y));
endmodule

module \$_NOT_ (input A, output Y);
    INV gate (.A(A), .Y(Y));
endmodule

module \$_DFF_P_ (input C, input D, output Q);
    DFF gate (.C(C), .D(D), .Q(Q));
endmodule
