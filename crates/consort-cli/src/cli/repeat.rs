//! Options of `repeat`.

use super::node::link_value;
use super::{ExperimentArgs, TlsArgs, WorkerList, values};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use consort_node::LinkKind;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `repeat`.
#[derive(Args, Debug)]
pub(crate) struct RepeatArgs {
    /// A `system.toml`, SSP or multi-model, a folder with one, or a model
    pub(crate) system: PathBuf,
    /// How often it runs
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// Worker counts to go through, in turn
    #[arg(long, value_name = "LIST", default_value = "1,2,8")]
    pub(crate) workers: WorkerList,
    /// How many threads keep the machine busy meanwhile [default: 2 per core]
    #[arg(long, value_name = "THREADS", num_args = 0..=1, require_equals = true)]
    pub(crate) load: Option<Option<usize>>,
    /// Leave the machine as it is
    #[arg(long, conflicts_with = "load")]
    pub(crate) no_load: bool,
    #[command(flatten)]
    pub(crate) varied: VariedArgs,
    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,
}

/// What is varied of runs that are spread over nodes.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Nodes")]
pub(crate) struct VariedArgs {
    /// Spread runs over nodes that are linked so, in turn [default: thread,unix,tcp]
    ///
    /// Runs are spread if this or --placements is given, or if the system has `[nodes]`.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) links: Vec<LinkChoice>,
    /// How many placements are drawn, beside that of the system [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) placements: Option<u32>,
    /// The longest time a message is under way in half of the runs [default: 0.0002]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub(crate) link_delay: Option<f64>,
    /// How often a node is stopped and resumed (SIGSTOP) in each run of processes
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) stops: u32,
    /// The longest stop; the shortest is a fifteenth of it [default: 1.5]
    #[arg(long, value_name = "SECONDS", value_parser = values::call_limit)]
    pub(crate) stop_most: Option<Duration>,
    /// About how often links break in each run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) cuts: u32,
    /// Decides what is drawn: one number, one sequence of settings
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) vary: u64,
    /// Compute everything here, whatever the system's `[nodes]` say
    #[arg(long, conflicts_with_all = ["links", "placements"])]
    pub(crate) local: bool,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
}

/// A kind of link to go through, or all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LinkChoice {
    /// The named kind of link.
    One(LinkKind),
    /// Every one that this program has.
    All,
}

impl LinkChoice {
    /// The kinds that were chosen, each once.
    pub(crate) fn kinds(choices: &[LinkChoice]) -> Vec<LinkKind> {
        let mut kinds = Vec::new();
        for choice in choices {
            match choice {
                LinkChoice::One(kind) => kinds.push(*kind),
                LinkChoice::All => {
                    let known = LinkKind::ALL.into_iter().map(|(kind, _)| kind);
                    kinds.extend(known.filter(|kind| kind.is_built_in()));
                }
            }
        }
        let mut seen = BTreeSet::new();
        kinds.retain(|kind| seen.insert(*kind));
        kinds
    }
}

impl ValueEnum for LinkChoice {
    fn value_variants<'a>() -> &'a [Self] {
        use LinkChoice::{All, One};
        use LinkKind::{Simulated, Tcp, Thread, Tls, Unix, Zenoh};
        &[One(Thread), One(Unix), One(Tcp), One(Tls), One(Zenoh), One(Simulated), All]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            LinkChoice::One(kind) => Some(link_value(*kind)),
            LinkChoice::All => Some(PossibleValue::new("all").help("Every one that was built in")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_links_are_those_that_were_built_in_and_each_is_gone_through_once() {
        let all = LinkChoice::kinds(&[LinkChoice::All]);
        assert_eq!(all.contains(&LinkKind::Zenoh), cfg!(feature = "zenoh"));
        assert_eq!(all.len(), if cfg!(feature = "zenoh") { 6 } else { 5 });
        let tcp = LinkChoice::One(LinkKind::Tcp);
        let mixed = LinkChoice::kinds(&[tcp, LinkChoice::All, tcp]);
        assert_eq!(mixed[0], LinkKind::Tcp);
        assert_eq!(mixed.len(), all.len());
    }

    #[test]
    fn every_kind_of_link_can_be_chosen() {
        let chosen: Vec<LinkKind> = LinkKind::ALL.map(|(kind, _)| kind).to_vec();
        let choices = LinkChoice::value_variants().iter().filter(|it| **it != LinkChoice::All);
        assert_eq!(LinkChoice::kinds(&choices.copied().collect::<Vec<_>>()), chosen);
    }
}
