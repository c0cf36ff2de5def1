// @COMMAND@
//
// The ports of FIND_ROOTS, the same for all designs. All is on the rising edge of clk_i.
//
//   load    load_i for as many clocks as a rank has bits: in each, one bit of all ranks, most
//           significant bit first. h_i and v_i have one wire for each node, node (row, column) at
//           row*COLUMNS + column. h is the rank of the column in its row's list, v that of the row
//           in its column's list. How ranks are written is said by the design.
//   start   start_i for one clock, with the last load clock (fastest) or later. A start without a
//           load since the last one is ignored.
//   ready_o load_i and start_i count; else they are ignored.
//   busy_o  from start until the result is there, and that of the last start if ranks are loaded
//           during a run.
//   done_o  the result is there. matched_o has a bit for each row, column_o its column, from 0.
//           stuck_o: pairs are left of which none is a root. The instance is not rooted, and what
//           is matched is only part of a stable matching.
    input  wire                            clk_i,
    input  wire                            rst_i,      // synchronous; needed once
    input  wire                            load_i,
    input  wire [ROWS*COLUMNS-1:0]         h_i,
    input  wire [ROWS*COLUMNS-1:0]         v_i,
    input  wire                            start_i,
    output wire                            ready_o,
    output wire                            busy_o,
    output wire                            done_o,
    output wire                            stuck_o,
    output wire [ROWS-1:0]                 matched_o,
    output wire [ROWS*$clog2(COLUMNS)-1:0] column_o
`ifdef FORMAL
    , output wire                          idle_o      // between runs
`endif
`ifdef INDUCTION
    // The state with the first clock of an iteration.
    , output wire                          iteration_o // this is that clock
    , output wire                          progress_o  // no iteration was without a root
    , output wire                          sound_o     // what else the design relies on
    , output wire [ROWS*COLUMNS-1:0]       live_o      // neither absent nor eliminated
    , output wire [ROWS*COLUMNS-1:0]       chosen_o    // the roots so far
    , output wire [ROWS*COLUMNS*8-1:0]     h_o         // the ranks as they are now, in 8 bits each
    , output wire [ROWS*COLUMNS*8-1:0]     v_o
`endif
