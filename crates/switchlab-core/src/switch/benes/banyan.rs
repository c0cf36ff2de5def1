//! The banyan: the routing half of the Benes fabric alone, `log_P N` stages.
