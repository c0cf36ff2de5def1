//! The tests of the whole core, in one binary.
//!
//! ```text
//!   naive         simulators too simple to be wrong
//!   naive_frames  those of captured frames, uFORM and uFPIM
//!   naive_serena  SERENA, and what SERENADE decides, by an observer of all ports
//!   naive_cioq    those of combined input and output queueing
//!   naive_stable  those of GS-LQF and GS-OCF
//!   naive_memory  those of shared memories and bounded output queues
//!   naive_benes   that of the Benes fabric; naive_benes_tests has its cases worked by hand
//!   naive_settings, naive_hierarchy    those of its settings, written from papers/004/settings.md
//!   settings_twins    the general Benes fabric against it, with random settings
//!   benes_twins   the Benes fabric against it, cell by cell
//!   twins         every switch against its naive twin, cell by cell
//!   stable        stable matchings against their twins, every instance of three included
//!   stable_claims what paper 003 says of its algorithms
//!   states        schedulers alone on unrelated request matrices; all arrivals of two ports
//!   frames        captured frames: uFORM and uFPIM against their twins, frames included
//!   frame_readings captured frames by other readings of that paper, against their twins
//!   frame_figures the examples that the paper of captured frames prints
//!   serenade_messages  SERENADE by messages against that observer; the paper's worked example
//!   serenade_slots     whole slots of it, POPULATE with them
//!   serenade_counts    what it costs, counted by hand
//!   serenade_costs     what the fast suite says it costs, against its messages
//!   serena             the fast suite against the observer and against its messages
//!   naive_mix     MIX: partial matchings, paths and cycles, gossip
//!   mix           MIX against it, against SERENA, and how gossip converges
//!   benes         the Benes fabric and the banyan: audits, times, worked by hand, deadlock
//!   cioq          combined input and output queueing: against its twin and output queueing
//!   oq_lag        the meter of lags behind output queueing, over the whole registry
//!   memory        shared memories against output queueing and against their twins; where they fail
//!   naive_colouring    matching by edge colouring
//!   single_access      memories that are read or written in a slot, not both
//!   naive_flows   flows striped over memories
//!   flow_matchers      matchers, limited queues and labels of striped flows
//!   flows         striped flows: against their twin; theorems 2 and 3, edge colourings, lags
//!   conformance   what holds for any switch, over the whole registry
//!   traffic       statistics of every traffic and process
//!   pins          literal first arrivals
//!   composition   large switches with blocks and meters, all parts together
//!   closed_forms  what theory says
//!   documents     names and Rust in ARCHITECTURE.md and CONTRIBUTING.md
//!   knockout      the knockout switch: against its twin, and the binomial loss
//!   rrm           RRM: pointers that synchronise, and where it saturates
//!   observed      slots with an observer: the same departures, and steps that fit together
//!   golden        a reviewed table of results
//!   specs         hostile specs
//! ```
//!
//! Statistical tests use fixed seeds, so they pass or fail alike on every run; the false-alarm rate
//! they state is the chance that a correct program, with a seed never tried before, would have
//! failed.

mod benes;
mod benes_twins;
mod cioq;
mod closed_forms;
mod common;
mod composition;
mod conformance;
mod documents;
mod flow_matchers;
mod flows;
mod frame_figures;
mod frame_readings;
mod frames;
mod golden;
mod knockout;
mod memory;
mod mix;
mod naive;
mod naive_benes;
mod naive_benes_tests;
mod naive_cioq;
mod naive_colouring;
mod naive_flows;
mod naive_frames;
mod naive_hierarchy;
mod naive_memory;
mod naive_mix;
mod naive_serena;
mod naive_settings;
mod naive_stable;
mod observed;
mod oq_lag;
mod pins;
mod rrm;
mod serena;
mod serenade_costs;
mod serenade_counts;
mod serenade_messages;
mod serenade_slots;
mod settings_twins;
mod single_access;
mod specs;
mod stable;
mod stable_claims;
mod states;
mod traffic;
mod twins;
