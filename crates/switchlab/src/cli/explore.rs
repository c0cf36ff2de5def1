//! Options of `switchlab explore`.

use super::shared::Seed;
use super::values::{load, slots};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
The page is one file, and needs neither a server nor a network. It simulates the first replication of `switchlab run` with the same \
seed. Its address has everything that is seen, so that a link opens the same picture.

Examples:
  switchlab explore islip
  switchlab explore serena --ports 8 --traffic diagonal --load 0.9 --slot 100
  switchlab explore oq islip pim mwm --ports 16 --load 0.8
  switchlab explore --out explorer.html")]
pub(crate) struct ExploreArgs {
    /// One switch, to step through a slot; two to four, for a race on the same cells
    #[arg(value_name = "SPEC")]
    pub(crate) switches: Vec<String>,

    /// Number of ports, from 2 to 64 [default: 4; of a race: 16]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u8).range(2..=64))]
    pub(crate) ports: Option<u8>,

    /// Where cells go: a load matrix of `switchlab list`
    #[arg(long, value_name = "SPEC", default_value = "uniform")]
    pub(crate) traffic: String,

    /// Load of each input, from 0 to 1
    #[arg(long, value_name = "X", value_parser = load, default_value = "0.9")]
    pub(crate) load: f64,

    /// When cells come
    #[arg(long, value_name = "SPEC", default_value = "bernoulli")]
    pub(crate) arrivals: String,

    #[command(flatten)]
    pub(crate) seed: Seed,

    /// The slot to show; of a race, how many slots are run at once [default: 20; of a race: 2000]
    #[arg(long, value_name = "T", value_parser = slots)]
    pub(crate) slot: Option<u64>,

    /// Write the page to this file and do not open it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}
