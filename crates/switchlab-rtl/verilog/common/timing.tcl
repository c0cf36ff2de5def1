# @COMMAND@
#
# The longest path between flip-flops or ports of mapped.v, by OpenSTA: `make timing`. The clock is
# ideal and wires have no capacitance: there is no layout. An output drives 0.05 pF, some two gates.
# The period is 1000 ns, so the shortest one is 1000 less the slack.
read_liberty technology.lib
read_verilog mapped.v
link_design find_roots
create_clock -name clock -period 1000 [get_ports clk_i]
set_input_delay 0 -clock clock [all_inputs -no_clocks]
set_output_delay 0 -clock clock [all_outputs]
set_input_transition 0.1 [all_inputs]
set_load 0.05 [all_outputs]
report_checks -path_delay max -digits 4
exit
