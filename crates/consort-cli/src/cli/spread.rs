//! Options of runs that are spread over nodes, and of the nodes.

use super::{ExperimentArgs, TextFormat, values};
use clap::{Args, Subcommand, ValueEnum};
use consort_core::Seconds;
use std::path::PathBuf;
use std::time::Duration;

/// How many messages of a flow may wait at a node, unless somebody says so.
pub(crate) const CAPACITY: u32 = 8;

/// How a run is spread over nodes.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Nodes")]
pub(crate) struct SpreadArgs {
    /// Compute a component on a node; several with commas
    ///
    /// Whoever is not named is on the node of the system's `[nodes]`, or on the first that is named.
    #[arg(long, value_name = "COMP=NODE", value_delimiter = ',', value_parser = values::pair)]
    pub(crate) place: Vec<(String, String)>,
    /// How nodes are linked [default: unix]
    #[arg(long, value_name = "KIND")]
    pub(crate) link: Option<LinkKind>,
    /// How many messages of a flow may wait at a node; never changes the trace [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) capacity: Option<u32>,
    /// Compute everything here, whatever the system's `[nodes]` say
    #[arg(long, conflicts_with_all = ["place", "link", "capacity"])]
    pub(crate) local: bool,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
}

/// Whom a node trusts, and how it shows that it can be trusted.
#[derive(Args, Clone, Default, Debug)]
pub(crate) struct TlsArgs {
    /// For `tls`: the certificate of this side, as PEM; for nodes that are started here one is made
    #[arg(long, value_name = "FILE", hide_short_help = true, requires_all = ["tls_key", "tls_ca"])]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// For `tls`: its key
    #[arg(long, value_name = "FILE", hide_short_help = true, requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
    /// For `tls`: who vouches for the other side
    #[arg(long, value_name = "FILE", hide_short_help = true, requires = "tls_certificate")]
    pub(crate) tls_ca: Option<PathBuf>,
}

/// How nodes are linked.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum LinkKind {
    /// Threads of this process
    Thread,
    /// Processes, by Unix sockets
    Unix,
    /// Processes, by TCP on this machine
    Tcp,
    /// The same, encrypted, both sides with certificates
    Tls,
    /// Processes, by Zenoh, if it was built in
    Zenoh,
    /// Threads, by links that delay, reorder, lose and double what they carry
    Simulated,
}

impl LinkKind {
    /// As it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            LinkKind::Thread => "thread",
            LinkKind::Unix => "unix",
            LinkKind::Tcp => "tcp",
            LinkKind::Tls => "tls",
            LinkKind::Zenoh => "zenoh",
            LinkKind::Simulated => "simulated",
        }
    }

    /// The one that is called so.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        <Self as ValueEnum>::from_str(name, false).ok()
    }

    /// Whether this program has it.
    pub(crate) fn is_built_in(self) -> bool {
        self != LinkKind::Zenoh || cfg!(feature = "zenoh")
    }

    /// Whether nodes are processes of their own.
    pub(crate) fn has_processes(self) -> bool {
        !matches!(self, LinkKind::Thread | LinkKind::Simulated)
    }
}

/// Options of `node`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct NodeArgs {
    #[command(subcommand)]
    pub(crate) question: Option<NodeQuestion>,
    /// A `system.toml`, SSP or multi-model, or a folder with one: the same for every node
    #[arg(required_unless_present = "resume")]
    pub(crate) system: Option<PathBuf>,
    /// Which node this is
    #[arg(long, value_name = "NODE", required = true)]
    pub(crate) name: Option<String>,
    /// Where others find this node: unix:PATH, tcp:HOST:PORT, tls:HOST:PORT
    #[arg(long, value_name = "ENDPOINT")]
    pub(crate) listen: Option<String>,
    /// Where this node finds another; may be repeated
    #[arg(long, value_name = "NODE=ENDPOINT", value_parser = values::pair)]
    pub(crate) connect: Vec<(String, String)>,
    /// Which run this is: 32 hexadecimal digits, the same for every node [default: zeros]
    #[arg(long, value_name = "ID", value_parser = values::run_id)]
    pub(crate) run: Option<[u8; 16]>,
    /// For `tls` without certificates: a file shared by all nodes; `consort node secret FILE` creates one
    #[arg(long, value_name = "FILE", conflicts_with = "tls_certificate")]
    pub(crate) secret: Option<PathBuf>,
    /// Allow plain connections to other machines: anyone who can read the traffic can join the run
    #[arg(long)]
    pub(crate) plain: bool,
    /// How long a node that is gone may take to come back [default: 5]
    #[arg(long, value_name = "SECONDS", value_parser = values::call_limit)]
    pub(crate) patience: Option<Duration>,
    /// How long to wait for all nodes to come [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = values::call_limit)]
    pub(crate) gather: Option<Duration>,
    /// Where the record goes [default: out/SYSTEM-NODE]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// How many workers compute; never changes the trace [default: cores]
    #[arg(long, value_name = "N", value_parser = values::worker_count)]
    pub(crate) workers: Option<usize>,
    /// Pace the node: 1 is real time, 2 twice as fast
    #[arg(long, value_name = "FACTOR", value_parser = values::real_time_factor)]
    pub(crate) real_time: Option<f64>,
    /// Also write `trace.csv`
    #[arg(long, conflicts_with = "no_record")]
    pub(crate) csv: bool,
    /// Write no trace; its hash is still made
    #[arg(long)]
    pub(crate) no_record: bool,
    /// Write every step of every component to `log.jsonl`
    #[arg(long)]
    pub(crate) log_calls: bool,
    /// Keep this node's part of the run in this folder, one file per time
    #[arg(long, value_name = "FOLDER", requires = "times")]
    pub(crate) save: Option<PathBuf>,
    /// Save after each of these
    #[arg(long, value_name = "SECONDS", requires = "save", group = "times",
        value_parser = values::length)]
    pub(crate) save_every: Option<Seconds>,
    /// Save at this time; may be repeated
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "save",
        group = "times",
        allow_hyphen_values = true
    )]
    pub(crate) save_at: Vec<String>,
    /// Go on from this node's part: its file, or the folder for the latest
    ///
    /// All nodes must go on from the same time. All but --stop is as it was; where nodes listen and
    /// connect may be another place.
    #[arg(long, value_name = "PATH")]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) spread: SpreadArgs,
    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,
    /// This component is the program that started the node; standard input is its channel
    #[arg(long, hide = true, value_name = "COMPONENT")]
    pub(crate) foreign: Option<String>,
    /// What `consort run` tells the nodes that it starts
    #[arg(long, hide = true, value_name = "FILE")]
    pub(crate) crew: Option<PathBuf>,
}

impl NodeArgs {
    /// Which node it is.
    ///
    /// # Panics
    /// If nobody said so: it is required where no question is asked.
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().expect("a node without a question has a name")
    }
}

/// What may be asked about nodes.
#[derive(Subcommand, Debug)]
pub(crate) enum NodeQuestion {
    /// Show where nodes are, and who waits for whom for what
    #[command(after_long_help = include_str!("node_status.txt"))]
    Status(NodeStatusArgs),
    /// Create a secret for all nodes of a run, without which no node can join
    #[command(after_long_help = include_str!("node_secret.txt"))]
    Secret(NodeSecretArgs),
}

/// Options of `node secret`.
#[derive(Args, Debug)]
pub(crate) struct NodeSecretArgs {
    /// Where it goes; a file that is there already is not replaced
    pub(crate) file: PathBuf,
}

/// Options of `node status`.
#[derive(Args, Debug)]
pub(crate) struct NodeStatusArgs {
    /// A node's endpoint, or the folder of a run that is under way; several
    #[arg(required = true)]
    pub(crate) nodes: Vec<String>,
    /// For `tls` endpoints: the secret of the run
    #[arg(long, value_name = "FILE", conflicts_with = "tls_certificate")]
    pub(crate) secret: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    /// How it is shown
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub(crate) format: TextFormat,
}
