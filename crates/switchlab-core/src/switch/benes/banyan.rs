//! The banyan: the routing half of the Benes fabric alone, `log_P` N stages of the same elements.
//!
//! There is one path from each input to each output, so cells stay in order by themselves, but
//! links inside are shared: many admissible loads, permutations among them, ask more of a link than
//! it carries (internal blocking). Under uniform traffic it does as well as a Benes fabric.
//!
//! Line card i is at input i mod P of element i/P of the first stage; from there on the wiring is
//! that of the routing stages of `benes`, and so is the order of a slot. A flow group is an output,
//! on every link. Elements merge their P input buffers by `merge`, and each output sends in turns
//! over groups. Input buffers hold `routing-buffer` cells, output buffers one. Nothing can
//! deadlock: a cell waits only for cells in front of it. A lone cell leaves `log_P` N slots after
//! its arrival. Parameters and counters are those of `benes`.
//!
//! Reference: L. Goke, G. Lipovski, "Banyan networks for partitioning multiprocessor systems", ISCA
//! 1973; paper 004, section 1.1.
