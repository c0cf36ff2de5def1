//! The tests of the whole core, in one binary.
//!
//! ```text
//!   naive         simulators too simple to be wrong
//!   naive_frames  those of captured frames, uFORM and uFPIM
//!   naive_memory  those of shared memories and bounded output queues
//!   twins         every switch against its naive twin, cell by cell
//!   states        schedulers alone on unrelated request matrices; every arrival pattern of two ports
//!   frames        captured frames: uFORM and uFPIM against their twins, and their frames after every slot
//!   frame_figures the examples that the paper of captured frames prints
//!   memory        shared memories against output queueing and against their twins; where they fail
//!   parallel      their scheduler as a parallel program: against its sequential twins, and what it costs
//!   conformance   what holds for any switch, over the whole registry
//!   traffic       statistics of every traffic and process
//!   pins          literal first arrivals
//!   closed_forms  what theory says
//!   golden        a reviewed table of results
//!   specs         hostile specs
//! ```
//!
//! Statistical tests use fixed seeds, so they pass or fail alike on every run; the false-alarm rate they state is the
//! chance that a correct program, with a seed never tried before, would have failed.

mod closed_forms;
mod common;
mod conformance;
mod frame_figures;
mod frames;
mod golden;
mod memory;
mod naive;
mod naive_frames;
mod naive_memory;
mod parallel;
mod pins;
mod specs;
mod states;
mod traffic;
mod twins;
