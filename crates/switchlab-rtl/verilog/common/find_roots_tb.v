// @COMMAND@
//
// Self-checking test bench: loads each instance of vectors.txt, runs it, and compares rows and
// columns with what the library found. It serves the RTL and the netlist alike, because it uses
// ports only.
//
// vectors.txt holds decimal numbers: how many instances there are; then for each instance h of all
// nodes, row by row, v of all nodes in the same order, both ranks from 1 (0: absent), and for each
// row its column from 1 (0: none).
// Pauses come from a generator of its own and not from $random, which differs between simulators.
//
// Options of the simulation: +vectors=FILE, +limit=K for the first K instances only. The last line
// is PASS or FAIL.
`default_nettype none

module find_roots_tb;

    localparam ROWS        = @ROWS@;
    localparam COLUMNS     = @COLUMNS@;
    localparam NODES       = ROWS * COLUMNS;
    localparam PLANES      = @PLANES@;  // load clocks
    localparam COLUMN_BITS = @COLUMN_BITS@;
    localparam CLOCKS      = @CLOCKS@;  // a run may not take longer

    reg                         clk, rst, load, start;
    reg  [NODES-1:0]            h, v, h_plane, v_plane;
    wire                        busy, done;
    wire [ROWS-1:0]             matched;
    wire [ROWS*COLUMN_BITS-1:0] column;

    find_roots dut (
        .clk_i(clk), .rst_i(rst), .load_i(load), .h_i(h), .v_i(v), .start_i(start), .busy_o(busy), .done_o(done),
        .matched_o(matched), .column_o(column)
    );

    initial clk = 1'b0;
    always #5 clk = ~clk;

    integer h_rank [0:NODES-1];
    integer v_rank [0:NODES-1];
    integer expected [0:ROWS-1];
    integer file, count, limit, instance_number, code, node, r, plane, pause, clocks, longest, total, errors;
    reg [8*256-1:0] name;
    reg [31:0] lcg;
    reg together;

    // A rank from 1 as this design wants it.
    function integer encode(input integer rank);
        encode = @ENCODE@;
    endfunction

    // Inputs change after the falling edge, far from the edge that the design listens to.
    task tick;
        @(negedge clk);
    endtask

    task draw;
        lcg = lcg * 32'd1664525 + 32'd1013904223;
    endtask

    task read_instance;
        begin
            for (node = 0; node < NODES; node = node + 1) code = $fscanf(file, "%d", h_rank[node]);
            for (node = 0; node < NODES; node = node + 1) code = $fscanf(file, "%d", v_rank[node]);
            for (r = 0; r < ROWS; r = r + 1) code = $fscanf(file, "%d", expected[r]);
            if (code != 1) begin
                $display("vectors end within instance %0d", instance_number);
                errors = errors + 1;
            end
        end
    endtask

    // Starting with the last load clock and some clocks after it must come to the same.
    task load_and_start;
        begin
            draw;
            together = lcg[31];
            load = 1'b1;
            for (plane = PLANES - 1; plane >= 0; plane = plane - 1) begin
                for (node = 0; node < NODES; node = node + 1) begin
                    h_plane[node] = encode(h_rank[node]) >> plane;
                    v_plane[node] = encode(v_rank[node]) >> plane;
                end
                h = h_plane;
                v = v_plane;
                start = together & (plane == 0);
                tick;
            end
            load = 1'b0;
            h = {NODES{1'bx}};
            v = {NODES{1'bx}};
            if (!together) begin
                for (pause = lcg[30:28]; pause > 0; pause = pause - 1) tick;
                start = 1'b1;
                tick;
            end
            start = 1'b0;
        end
    endtask

    task await_done;
        begin
            clocks = 1;
            if (busy !== 1'b1 || done !== 1'b0) begin
                $display("instance %0d: busy is %b, done is %b after start", instance_number, busy, done);
                errors = errors + 1;
            end
            while (done !== 1'b1 && clocks <= CLOCKS) begin
                tick;
                clocks = clocks + 1;
            end
            if (done !== 1'b1 || busy !== 1'b0) begin
                $display("instance %0d: not done after %0d clocks", instance_number, clocks);
                errors = errors + 1;
            end
            if (clocks > longest) longest = clocks;
            total = total + clocks;
        end
    endtask

    task compare;
        for (r = 0; r < ROWS; r = r + 1)
            if (matched[r] !== (expected[r] != 0)
                    || (expected[r] != 0 && column[r*COLUMN_BITS +: COLUMN_BITS] + 1 !== expected[r])) begin
                $display("instance %0d, row %0d: expected column %0d, got %0d (matched: %b)", instance_number, r + 1,
                         expected[r], column[r*COLUMN_BITS +: COLUMN_BITS] + 1, matched[r]);
                errors = errors + 1;
            end
    endtask

    initial begin
        errors = 0;
        longest = 0;
        total = 0;
        lcg = 32'd1;
        load = 1'b0;
        start = 1'b0;
        rst = 1'b1;
        tick;
        tick;
        rst = 1'b0;
        if (!$value$plusargs("vectors=%s", name)) name = "vectors.txt";
        file = $fopen(name, "r");
        count = 0;
        if (file == 0) $display("cannot read the vectors");
        else code = $fscanf(file, "%d", count);
        if ($value$plusargs("limit=%d", limit) && limit < count) count = limit;
        for (instance_number = 1; instance_number <= count && errors < 10; instance_number = instance_number + 1) begin
            read_instance;
            load_and_start;
            await_done;
            compare;
            // The result must stay until the next load.
            draw;
            for (pause = lcg[31:29]; pause > 0; pause = pause - 1) tick;
            compare;
        end
        if (errors == 0 && count > 0)
            $display("PASS %0d x %0d: %0d instances, at most %0d clocks, %0d in all", ROWS, COLUMNS, count, longest,
                     total);
        else
            $display("FAIL %0d x %0d: %0d errors in %0d instances", ROWS, COLUMNS, errors, count);
        $finish;
    end

endmodule

`default_nettype wire
