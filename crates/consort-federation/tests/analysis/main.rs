//! What is known of a topology before it runs, and that runs do just that: every interleaving of
//! small systems, random ones included.

mod support;

mod agreement;
mod ahead;
mod asking;
mod circuits;
mod explorer;
mod paper;
mod pinned;
mod world;
