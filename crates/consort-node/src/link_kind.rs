//! The kinds of links between nodes.

use serde::{Deserialize, Serialize};

/// How nodes are linked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkKind {
    /// Threads of one process.
    Thread,
    /// Processes, by Unix sockets.
    Unix,
    /// Processes, by TCP.
    Tcp,
    /// Processes, by TLS: encrypted, both sides with certificates.
    Tls,
    /// Processes, by Zenoh, if it was built in.
    Zenoh,
    /// Threads, by links that delay, reorder, lose and double what they carry.
    Simulated,
}

impl LinkKind {
    /// All of them with their names.
    pub const ALL: [(LinkKind, &'static str); 6] = [
        (LinkKind::Thread, "thread"),
        (LinkKind::Unix, "unix"),
        (LinkKind::Tcp, "tcp"),
        (LinkKind::Tls, "tls"),
        (LinkKind::Zenoh, "zenoh"),
        (LinkKind::Simulated, "simulated"),
    ];

    /// Its name, as users write it.
    pub fn name(self) -> &'static str {
        let known = Self::ALL.into_iter().find(|(kind, _)| *kind == self);
        known.map_or("unknown", |(_, name)| name)
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(kind, _)| kind)
    }

    /// Whether this program has it.
    pub fn is_built_in(self) -> bool {
        self != LinkKind::Zenoh || cfg!(feature = "zenoh")
    }

    /// Whether nodes are processes of their own.
    pub fn has_processes(self) -> bool {
        !matches!(self, LinkKind::Thread | LinkKind::Simulated)
    }
}
