//! Larger networks as they are in cells, compared with libRoadRunner over their whole course.

use super::{Case, Peer};
use crate::networks::{NETWORKS, Network};
use std::fmt::Write as _;

pub(super) fn cases() -> Vec<Case> {
    NETWORKS.iter().map(network).collect()
}

/// Rates are per volume, as chemists write them.
fn network(network: &Network) -> Case {
    let mut text = String::from("compartment C = 2\n");
    for pair in network.species.split_whitespace() {
        let (id, value) = pair.split_once('=').expect("a value");
        let _ = writeln!(text, "species {id} in C = {value}");
    }
    for pair in network.parameters.split_whitespace() {
        let _ = writeln!(text, "parameter {}", pair.replace('=', " = "));
    }
    for (number, reaction) in network.reactions.iter().enumerate() {
        let (sides, rate) = reaction.split_once(':').expect("a rate");
        let _ = writeln!(text, "reaction v{number}: {} : C*({})", sides.trim_end(), rate.trim());
    }
    Case {
        name: network.name.into(),
        text: text.into(),
        end: 3.0 * network.end,
        closed: &[],
        peer: Peer::Agrees,
        is_network: 3 <= network.reactions.len(),
    }
}
