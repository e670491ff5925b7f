//! The kinds of links between nodes.

use consort_core::named;
use serde::{Deserialize, Serialize};

named! {
    /// How nodes are linked.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum LinkKind {
        /// Threads of one process.
        Thread => "thread",
        /// Processes, by Unix sockets.
        Unix => "unix",
        /// Processes, by TCP.
        Tcp => "tcp",
        /// Processes, by TLS: encrypted, both sides with certificates.
        Tls => "tls",
        /// Processes, by Zenoh, if it was built in.
        Zenoh => "zenoh",
        /// Threads, by links that delay, reorder, lose and double what they carry.
        Simulated => "simulated",
    }
}

impl LinkKind {
    /// Whether this program has it.
    pub fn is_built_in(self) -> bool {
        self != LinkKind::Zenoh || cfg!(feature = "zenoh")
    }

    /// Whether nodes are processes of their own.
    pub fn has_processes(self) -> bool {
        !matches!(self, LinkKind::Thread | LinkKind::Simulated)
    }
}
