// @COMMAND@
//
// Self-checking test bench: loads each instance of vectors.txt, runs it, and compares rows, columns
// and stuck_o with what the library found. It serves the RTL and, with NETLIST defined, the
// netlist, because it uses ports only.
//
// vectors.txt holds decimal numbers: how many instances there are; then for each instance h of all
// nodes, row by row, v of all nodes in the same order, both ranks from 1 (0: absent), for each row
// its column from 1 (0: none), and 1 if the instance is not rooted, else 0.
//
// Pauses come from a generator of its own and not from $random, which differs between simulators.
// Between instances the bench pauses, or goes on at once: back to back, and with OVERLAP while runs
// are under way. While the design is not ready it raises load_i and start_i, which must be ignored.
//
// Options of the simulation: +vectors=FILE, +limit=K for the first K instances only, +saturate for
// no pauses at all. The last line is PASS or FAIL.
`default_nettype none

module find_roots_tb;

    parameter ROWS       = @ROWS@;
    parameter COLUMNS    = @COLUMNS@;
    parameter TIES       = @TIES@;
    parameter INCOMPLETE = @INCOMPLETE@;
    parameter OVERLAP    = @OVERLAP@;

    localparam NODES       = ROWS * COLUMNS;
    localparam LARGER      = ROWS > COLUMNS ? ROWS : COLUMNS;
    localparam ITERATIONS  = ROWS < COLUMNS ? ROWS : COLUMNS;
    localparam PLANES      = @BENCH_PLANES@;  // load clocks
    localparam COLUMN_BITS = $clog2(COLUMNS);
    localparam CLOCKS      = @BENCH_CLOCKS@;  // a run may not take longer
    localparam LIMIT       = OVERLAP != 0 ? 2 * CLOCKS : CLOCKS;  // with one that it has to wait for
    localparam INSIDE      = 4;  // results that may be outstanding, at most

    reg                         clk, rst, load, start;
    reg  [NODES-1:0]            h, v, h_plane, v_plane;
    wire                        ready, busy, done, stuck;
    wire [ROWS-1:0]             matched;
    wire [ROWS*COLUMN_BITS-1:0] column;

`ifdef NETLIST
    find_roots dut (
`else
    find_roots #(.ROWS(ROWS), .COLUMNS(COLUMNS), .TIES(TIES), .INCOMPLETE(INCOMPLETE)@BENCH_OVERLAP@) dut (
`endif
        .clk_i(clk), .rst_i(rst), .load_i(load), .h_i(h), .v_i(v), .start_i(start), .ready_o(ready), .busy_o(busy),
        .done_o(done), .stuck_o(stuck), .matched_o(matched), .column_o(column)
    );

    initial clk = 1'b0;
    always #5 clk = ~clk;

    integer h_rank [0:NODES-1];
    integer v_rank [0:NODES-1];
    // What is expected of the instances inside, and when they started.
    integer expected [0:INSIDE*ROWS-1];
    integer expected_stuck [0:INSIDE-1];
    integer started [0:INSIDE-1];
    integer file, count, limit, sent, received, code, number, node, r, plane, pause, clock, longest, first, last, errors;
    reg [8*256-1:0] name;
    reg [31:0] lcg;
    reg together, saturate, done_before;

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
            for (r = 0; r < ROWS; r = r + 1) begin
                code = $fscanf(file, "%d", number);
                expected[(sent % INSIDE) * ROWS + r] = number;
            end
            code = $fscanf(file, "%d", number);
            expected_stuck[sent % INSIDE] = number;
            if (code != 1) begin
                $display("vectors end within instance %0d", sent + 1);
                errors = errors + 1;
            end
        end
    endtask

    // What comes while the design is not ready must be ignored.
    task await_ready;
        begin
            pause = 0;
            while (ready !== 1'b1 && pause <= LIMIT) begin
                pause = pause + 1;
                draw;
                load  = lcg[31] & ~saturate;
                start = lcg[30] & ~saturate;
                h     = {NODES{lcg[29]}};
                v     = {NODES{lcg[28]}};
                tick;
            end
            load  = 1'b0;
            start = 1'b0;
            if (ready !== 1'b1) begin
                $display("instance %0d: not ready after %0d clocks", sent + 1, LIMIT);
                errors = errors + 10;
            end
        end
    endtask

    // Starting with the last load clock and some clocks after it must come to the same.
    task load_and_start;
        begin
            draw;
            together = lcg[31] | saturate;
            load = 1'b1;
            for (plane = PLANES - 1; plane >= 0; plane = plane - 1) begin
                for (node = 0; node < NODES; node = node + 1) begin
                    h_plane[node] = encode(h_rank[node]) >> plane;
                    v_plane[node] = encode(v_rank[node]) >> plane;
                end
                h = h_plane;
                v = v_plane;
                start = together & (plane == 0);
                if (start) begin
                    started[sent % INSIDE] = clock;
                    sent = sent + 1;
                end
                tick;
            end
            load = 1'b0;
            h = {NODES{1'bx}};
            v = {NODES{1'bx}};
            if (!together) begin
                for (pause = lcg[30:28]; pause > 0; pause = pause - 1) tick;
                start = 1'b1;
                started[sent % INSIDE] = clock;
                sent = sent + 1;
                tick;
            end
            start = 1'b0;
        end
    endtask

    // Compares the ports with what is expected of instance number i, from 0.
    task compare(input integer i);
        integer row;
        begin
            for (row = 0; row < ROWS; row = row + 1)
                if (matched[row] !== (expected[(i % INSIDE) * ROWS + row] != 0) || (matched[row]
                        && column[row*COLUMN_BITS +: COLUMN_BITS] + 1 !== expected[(i % INSIDE) * ROWS + row])) begin
                    $display("instance %0d, row %0d: expected column %0d, got %0d (matched: %b)", i + 1, row + 1,
                             expected[(i % INSIDE) * ROWS + row], column[row*COLUMN_BITS +: COLUMN_BITS] + 1,
                             matched[row]);
                    errors = errors + 1;
                end
            if (stuck !== (expected_stuck[i % INSIDE] != 0)) begin
                $display("instance %0d: stuck is %b", i + 1, stuck);
                errors = errors + 1;
            end
        end
    endtask

    // Results, in the order of the starts. Sampled before the edge changes anything.
    always @(posedge clk) begin
        if (done === 1'b1 && !done_before) begin
            if (received == sent) begin
                $display("a result that nothing was started for");
                errors = errors + 1;
            end else begin
                compare(received);
                if (clock - started[received % INSIDE] > longest) longest = clock - started[received % INSIDE];
                if (received == 0) first = clock;
                last = clock;
                received = received + 1;
            end
        end
        if (received < sent && clock - started[received % INSIDE] > LIMIT) begin
            $display("instance %0d: not done after %0d clocks", received + 1, LIMIT);
            errors = errors + 1;
            received = sent;
        end
        if (received < sent && clock > started[received % INSIDE] && busy !== 1'b1) begin
            $display("instance %0d: busy is %b during the run", received + 1, busy);
            errors = errors + 1;
        end
        done_before = done === 1'b1;
        clock = clock + 1;
    end

    // A start without ranks must neither begin a run nor change the result.
    task start_without_load;
        begin
            start = 1'b1;
            tick;
            start = 1'b0;
            for (pause = CLOCKS + 2; pause > 0; pause = pause - 1) tick;
            if (busy !== 1'b0 || ready !== 1'b1) begin
                $display("a start without a load began a run");
                errors = errors + 1;
            end
        end
    endtask

    initial begin
        errors = 0;
        longest = 0;
        clock = 0;
        first = 0;
        last = 0;
        sent = 0;
        received = 0;
        done_before = 1'b0;
        lcg = 32'd1;
        load = 1'b0;
        start = 1'b0;
        rst = 1'b1;
        tick;
        tick;
        rst = 1'b0;
        start_without_load;
        if (done !== 1'b0 || stuck !== 1'b0 || matched !== {ROWS{1'b0}}) begin
            $display("after reset: done is %b, stuck %b, matched %b", done, stuck, matched);
            errors = errors + 1;
        end
        saturate = $test$plusargs("saturate");
        if (!$value$plusargs("vectors=%s", name)) name = "vectors.txt";
        file = $fopen(name, "r");
        count = 0;
        if (file == 0) $display("cannot read the vectors");
        else code = $fscanf(file, "%d", count);
        if ($value$plusargs("limit=%d", limit) && limit < count) count = limit;
        while (sent < count && errors < 10) begin
            read_instance;
            await_ready;
            load_and_start;
            draw;
            if (lcg[31] & ~saturate) begin
                while (received < sent) tick;
                for (pause = lcg[30:28]; pause > 0; pause = pause - 1) tick;
                // The result must stay until the next load.
                compare(sent - 1);
            end
        end
        while (received < sent) tick;
        if (count > 0) begin
            start_without_load;
            compare(sent - 1);
        end
        if (errors == 0 && count > 0)
            $display("PASS %0d x %0d: %0d instances, at most %0d clocks, %0d from the first result to the last", ROWS,
                     COLUMNS, count, longest, last - first);
        else
            $display("FAIL %0d x %0d: %0d errors in %0d instances", ROWS, COLUMNS, errors, count);
        $finish;
    end

endmodule

`default_nettype wire
