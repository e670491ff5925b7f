//! Options of distributed runs, and of their nodes.

use super::experiment::{ExperimentArgs, time};
use super::{Global, TextFormat, values};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use consort::distributed::manual::ManualNode;
use consort::distributed::{CAPACITY_DEFAULT, NodeRequest};
use consort::run::RecordSettings;
use consort::{Changes, RunRequest};
use consort_core::{Report, Seconds};
use consort_node::{LinkKind, TlsFiles};
use std::path::PathBuf;
use std::time::Duration;

/// Where components are computed.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Nodes")]
pub(crate) struct NodePlaceArgs {
    /// Compute a component on a node; several with commas
    ///
    /// A component that is not named is on the node of the system's `[nodes]`, or on the first that is named.
    #[arg(long, value_name = "COMP=NODE", value_delimiter = ',', value_parser = values::pair)]
    pub(crate) place: Vec<(String, String)>,
    /// How nodes are linked [default: unix]
    #[arg(long, value_name = "KIND", value_parser = link_kind())]
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

impl NodePlaceArgs {
    /// What they ask for.
    pub(crate) fn request(&self) -> NodeRequest {
        NodeRequest {
            place: self.place.clone(),
            link: self.link,
            capacity: self.capacity,
            local: self.local,
            tls: self.tls.files(),
        }
    }
}

/// A kind of link, by its name.
pub(super) fn link_kind() -> impl TypedValueParser<Value = LinkKind> {
    PossibleValuesParser::new(LinkKind::ALL.map(|(kind, _)| link_value(kind)))
        .map(|name| LinkKind::from_name(&name).expect("only known names are accepted"))
}

/// A kind of link with its help.
pub(super) fn link_value(kind: LinkKind) -> PossibleValue {
    PossibleValue::new(kind.name()).help(match kind {
        LinkKind::Thread => "Threads of this process",
        LinkKind::Unix => "Processes, by Unix sockets",
        LinkKind::Tcp => "Processes, by TCP on this machine",
        LinkKind::Tls => "The same, encrypted, both sides with certificates",
        LinkKind::Zenoh => "Processes, by Zenoh, if it was built in",
        LinkKind::Simulated => {
            "Threads, by links that delay, reorder, lose and double what they carry"
        }
    })
}

/// The certificates that a node shows and trusts.
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

impl TlsArgs {
    /// The files, if they were given.
    pub(crate) fn files(&self) -> Option<TlsFiles> {
        Some(TlsFiles {
            certificate: self.tls_certificate.clone()?,
            key: self.tls_key.clone()?,
            authorities: self.tls_ca.clone()?,
        })
    }
}

/// Options of `node`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct NodeArgs {
    #[command(subcommand)]
    pub(crate) question: Option<NodeQuestion>,
    /// A `system.toml`, SSP or multi-model, or a folder with one: the same for every node
    #[arg(required_unless_present_any = ["resume", "assignment"])]
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
    /// Resume from this node's part: its file, or the folder for the latest
    ///
    /// All nodes must resume from the same time. All but --stop is as it was; where nodes listen and
    /// connect may be another place.
    #[arg(long, value_name = "PATH")]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) nodes: NodePlaceArgs,
    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,
    /// This component is the program that started the node; standard input is its channel
    #[arg(long, hide = true, value_name = "COMPONENT")]
    pub(crate) foreign: Option<String>,
    /// What a node that `consort run` started is given
    #[arg(long, alias = "crew", hide = true, value_name = "FILE")]
    pub(crate) assignment: Option<PathBuf>,
}

impl NodeArgs {
    /// Which node it is.
    ///
    /// # Panics
    /// If there is no name: it is required unless a question is asked.
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().expect("a node without a question has a name")
    }

    /// The run that it takes part in, and the node; what is wrong with them goes to the report.
    pub(crate) fn request(&self, global: &Global, report: &mut Report) -> (RunRequest, ManualNode) {
        let changes: Changes = self.experiment.changes(global, report);
        let at = self.save_at.iter().filter_map(|at| time("save-at", Some(at), report));
        let save_at: Vec<Seconds> = at.collect();
        let nodes = self.nodes.request();
        let node = ManualNode {
            system: self.system.clone().unwrap_or_default(),
            name: self.name().to_owned(),
            listen: self.listen.clone(),
            connect: self.connect.clone(),
            run: self.run,
            secret: self.secret.clone(),
            tls: nodes.tls.clone(),
            plain: self.plain,
            patience: self.patience,
            gather: self.gather,
            place: nodes.place.clone(),
            capacity: nodes.capacity.unwrap_or(CAPACITY_DEFAULT),
            save: self.save.clone(),
            save_every: self.save_every,
            save_at,
        };
        let request = RunRequest {
            system: node.system.clone(),
            changes,
            settings: RecordSettings {
                workers: self.workers,
                real_time: self.real_time,
                csv: self.csv,
                no_record: self.no_record,
                log_calls: self.log_calls,
                ..RecordSettings::default()
            },
            resume: self.resume.clone(),
            nodes,
            out: self.out.clone(),
            ..RunRequest::default()
        };
        (request, node)
    }
}

/// What may be asked about nodes.
#[derive(Subcommand, Debug)]
pub(crate) enum NodeQuestion {
    /// Show the progress of nodes, and what each waits for from which other
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
