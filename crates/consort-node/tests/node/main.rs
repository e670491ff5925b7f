//! Nodes over every kind of link: the same results, whatever the network does; errors that name the
//! failed_node.

mod bodies;
mod conformance;
mod courier;
mod damage;
mod death;
mod handshake;
mod hostile;
mod puppet;
mod robustness;
mod status;
mod tally;
mod tls;
