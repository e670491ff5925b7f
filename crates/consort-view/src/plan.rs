//! Pictures of plans: dependencies and their order.
//!
//! Both take the explanation of a plan, the name of its system, and the names of the components in
//! the order in which they are to be shown.
//!
//! - [`svg()`] draws the graph itself, in columns by level.
//! - [`dot()`] writes it for Graphviz.

mod dot;
mod picture;

pub use dot::dot;
pub use picture::svg;
