// @COMMAND@
//
// What a run must give, for ALL ranks at once: a harness for a model checker (`make formal`).
//
// One run: step 0 is a reset, or any clock between runs with anything at all in the registers. Then
// the ranks are loaded, and the run starts with the last load clock. Proved is
//   - the result is there after CLOCKS clocks at the latest;
//   - it is a matching of present pairs;
//   - no pair blocks it: of every pair that is left out, the row or the column has a partner that
//     it ranks as high, unless both are unmatched;
//   - stuck_o says exactly whether there are pairs of which both are unmatched, and none of those
//     is a root: each has one above it in its row or column;
//   - the circuit is again between runs, as it was in step 0.
// The last point makes it an induction over runs: the first begins after a reset, each later one in
// what the one before left. The pipelined design may have any other matching inside in step 0, so
// there it is also proved that two matchings do not disturb each other.
//
// With INDUCTION the same is proved iteration by iteration (`make induction`), for the designs that
// have one matching inside. INDUCTION is 0: from a reset or between runs to the first iteration.
// INDUCTION is 1: step 0 is the first clock of any iteration, with any registers that the invariant
// allows. Proved is that the invariant holds with the next iteration, or the result is there. The
// invariant: what is matched so far is stable for the pairs that are not live; the ranks are those
// among live pairs; each iteration before has found a root, and taken its clocks.
//
// The ranks: as the design wants them. h and v have PLANES bits for each node.
`default_nettype none

module find_roots_formal (input wire clk_i);

    localparam ROWS        = @ROWS@;
    localparam COLUMNS     = @COLUMNS@;
    localparam TIES        = @TIES@;
    localparam INCOMPLETE  = @INCOMPLETE@;
    localparam NODES       = ROWS * COLUMNS;
    localparam LARGER      = ROWS > COLUMNS ? ROWS : COLUMNS;
    localparam ITERATIONS  = ROWS < COLUMNS ? ROWS : COLUMNS;
    localparam PLANES      = @BENCH_PLANES@;
    localparam COLUMN_BITS = $clog2(COLUMNS);
    localparam CLOCKS      = @FORMAL_CLOCKS@;
    localparam FROM_ONE    = @FROM_ONE@;  // 1: competition ranks from 1, 0 for absent pairs; 0: any ranks, with a bit for absence
    localparam PIPELINED   = @PIPELINED@;
    localparam OVERLAP     = @OVERLAP@;
    localparam ITERATION   = @ITERATION@;  // clocks of an iteration

    (* anyconst *) reg [NODES*PLANES-1:0] h;
    (* anyconst *) reg [NODES*PLANES-1:0] v;
    (* anyconst *) reg                    from_reset;

    reg [7:0] age = 0;  // steps of the model checker
    always @(posedge clk_i) if (age != 8'hff) age <= age + 1;

`ifdef INDUCTION
    localparam PART = `INDUCTION;
    (* anyconst *) reg [7:0] before;  // the clocks of the run until now
    wire [7:0] step = PART == 0 ? age : age + before;
`else
    wire [7:0] step = age;
`endif

    wire rst   = from_reset & (step == 0);
    wire load  = step >= 1 & step <= PLANES;
    wire start = step == PLANES;

    wire                        ready, busy, done, stuck, idle;
    wire [ROWS-1:0]             matched;
    wire [ROWS*COLUMN_BITS-1:0] column;
    reg  [NODES-1:0]            h_plane, v_plane;

    integer node;
    always @* for (node = 0; node < NODES; node = node + 1) begin
        h_plane[node] = h[node*PLANES +: PLANES] >> (PLANES - step);
        v_plane[node] = v[node*PLANES +: PLANES] >> (PLANES - step);
    end

    find_roots dut (
        .clk_i(clk_i), .rst_i(rst), .load_i(load), .h_i(h_plane), .v_i(v_plane), .start_i(start), .ready_o(ready),
        .busy_o(busy), .done_o(done), .stuck_o(stuck), .matched_o(matched), .column_o(column), .idle_o(idle)
`ifdef INDUCTION
        , .iteration_o(iteration), .progress_o(progress), .sound_o(sound), .live_o(live), .chosen_o(chosen_now),
        .h_o(h_now), .v_o(v_now)
`endif
    );

    // When the result is looked at, and when the roots so far.
`ifdef INDUCTION
    wire               iteration, progress, sound;
    wire [NODES-1:0]   live, chosen_now;
    wire [NODES*8-1:0] h_now, v_now;
    wire result  = done & step > PLANES;
    wire at_once = iteration & step > PLANES;
`else
    wire result  = step == PLANES + CLOCKS;
`endif

    always @* begin
        if (step == 0) assume (from_reset | idle);
        if (PIPELINED != 0 & step >= 1 & step < PLANES) assume (ready);
        if (PIPELINED != 0 & step == PLANES) assume (idle);
        if (PIPELINED == 0 & step == 1) assert (idle);
    end

    wire [NODES-1:0] left;  // pairs of which both are unmatched

    genvar r, c, k;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : row
            for (c = 0; c < COLUMNS; c = c + 1) begin : pair
                wire [PLANES-1:0] h_rank = h[(r*COLUMNS + c)*PLANES +: PLANES];
                wire [PLANES-1:0] v_rank = v[(r*COLUMNS + c)*PLANES +: PLANES];
                wire present  = INCOMPLETE == 0 ? 1'b1 : FROM_ONE != 0 ? h_rank != 0 : ~h_rank[PLANES-1];
                wire absent_v = INCOMPLETE == 0 ? 1'b0 : FROM_ONE != 0 ? v_rank == 0 : v_rank[PLANES-1];
                wire answered = matched[r] & (column[r*COLUMN_BITS +: COLUMN_BITS] == c);
`ifdef INDUCTION
                wire chosen   = at_once ? chosen_now[r*COLUMNS + c] : answered;
`else
                wire chosen   = answered;
`endif

                // Of the pairs of the row, and of those of the column: which are present and ranked
                // higher or equally, are chosen and ranked as high, are left and ranked higher.
                wire [COLUMNS-1:0] h_higher, h_equal, h_content, h_ahead;
                wire [ROWS-1:0]    v_higher, v_equal, v_content, v_ahead, column_taken;
                for (k = 0; k < COLUMNS; k = k + 1) begin : across
                    assign h_higher[k]  = row[r].pair[k].present & (row[r].pair[k].h_rank < h_rank);
                    assign h_equal[k]   = row[r].pair[k].present & (row[r].pair[k].h_rank == h_rank) & (k != c);
                    assign h_content[k] = row[r].pair[k].chosen & (row[r].pair[k].h_rank <= h_rank);
                    assign h_ahead[k]   = left[r*COLUMNS + k] & h_higher[k];
                end
                for (k = 0; k < ROWS; k = k + 1) begin : down
                    assign v_higher[k]     = row[k].pair[c].present & (row[k].pair[c].v_rank < v_rank);
                    assign v_equal[k]      = row[k].pair[c].present & (row[k].pair[c].v_rank == v_rank) & (k != r);
                    assign v_content[k]    = row[k].pair[c].chosen & (row[k].pair[c].v_rank <= v_rank);
                    assign v_ahead[k]      = left[k*COLUMNS + c] & v_higher[k];
                    assign column_taken[k] = row[k].pair[c].chosen & (k != r);
                end

                // Bits that are set. A competition rank is one more than those ranked higher.
                integer i;
                reg [PLANES:0] h_count, v_count;
                always @* begin
                    h_count = 1;
                    v_count = 1;
                    for (i = 0; i < COLUMNS; i = i + 1) h_count = h_count + h_higher[i];
                    for (i = 0; i < ROWS; i = i + 1) v_count = v_count + v_higher[i];
                end

                wire both_free = present & ~matched[r] & ~chosen & ~(|column_taken);
                assign left[r*COLUMNS + c] = both_free;

                always @* begin
                    assume (absent_v == ~present);
                    if (present & FROM_ONE != 0) assume (h_rank == h_count & v_rank == v_count);
                    if (present & TIES == 0) assume (~(|h_equal) & ~(|v_equal));
                    if (result) begin
                        if (chosen) assert (present & ~(|column_taken));
                        if (present) assert ((|h_content) | (|v_content) | both_free);
                        if (both_free) assert ((|h_ahead) | (|v_ahead));
                    end
                end
            end
        end
    endgenerate

    wire [ROWS-1:0] somewhere;  // a matched row has one of the columns that there are
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : gather
            wire [COLUMNS-1:0] chosen;
            for (c = 0; c < COLUMNS; c = c + 1) begin : pair
                assign chosen[c] = row[r].pair[c].chosen;
            end
            assign somewhere[r] = ~matched[r] | (|chosen);
        end
    endgenerate

    always @* begin
        if (step >= PLANES + CLOCKS) assert (done);
        if (result) begin
            assert (&somewhere);
            assert (stuck == (|left));
            if (PIPELINED == 0) assert (idle);
        end
    end

`ifdef INDUCTION
    // Pairs of which both are unmatched, by rank among themselves.
    wire [NODES-1:0] holds;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : hold
            wire [COLUMNS-1:0] taken;
            for (c = 0; c < COLUMNS; c = c + 1) begin : pair
                integer i;
                reg [7:0] h_left, v_left;
                always @* begin
                    h_left = FROM_ONE;
                    v_left = FROM_ONE;
                    for (i = 0; i < COLUMNS; i = i + 1) h_left = h_left + row[r].pair[c].h_ahead[i];
                    for (i = 0; i < ROWS; i = i + 1) v_left = v_left + row[r].pair[c].v_ahead[i];
                end
                wire [7:0] h_own = h_now[(r*COLUMNS + c)*8 +: 8];
                wire [7:0] v_own = v_now[(r*COLUMNS + c)*8 +: 8];
                wire ranked = FROM_ONE != 0
                    ? ~left[r*COLUMNS + c] | (h_own == h_left & v_own == v_left)
                    : h_own == row[r].pair[c].h_rank & v_own == row[r].pair[c].v_rank;
                assign taken[c] = row[r].pair[c].chosen;
                wire alone = ~(|(taken & ~(1 << c))) & ~(|row[r].pair[c].column_taken);
                wire content = (|row[r].pair[c].h_content) | (|row[r].pair[c].v_content);
                assign holds[r*COLUMNS + c] = ranked
                    & live[r*COLUMNS + c] == left[r*COLUMNS + c]
                    & (~taken[c] | (matched[r] & row[r].pair[c].present & alone))
                    & (~row[r].pair[c].present | content | left[r*COLUMNS + c])
                    & (progress | ~left[r*COLUMNS + c] | (|row[r].pair[c].h_ahead) | (|row[r].pair[c].v_ahead));
            end
        end
    endgenerate

    reg [7:0] roots;
    integer i;
    always @* begin
        roots = 0;
        for (i = 0; i < ROWS; i = i + 1) roots = roots + matched[i];
    end
    // An iteration may find several roots, if ranks are strict.
    wire on_time = step > PLANES & step <= PLANES + 1 + ITERATION * (roots + (progress ? 0 : 1));
    wire invariant = (&holds) & (&somewhere) & sound & on_time & ~done & (progress | (|left))
        & (ready | OVERLAP == 0);

    always @* begin
        if (PART == 1 & age == 0) assume (iteration & invariant);
        else if (at_once) assert (invariant);
        // The first iteration begins after the last load clock, and none takes longer than it says.
        if (PART == 0 & age == PLANES + 1) assert (iteration);
        if (PART == 1 & age == ITERATION) assert (iteration | done);
    end
`endif

endmodule

`default_nettype wire
