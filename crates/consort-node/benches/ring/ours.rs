//! The ring on Consort: on the scheduler in this process, and as processes over TCP.

use crate::processes::{Place, Running, Said};
use crate::ring::Ring;
use crate::{Measured, free_ports, hash};
use consort_core::Tag;
use consort_federation::flow::{Behavior, FlowId, Payload, Scheduler};
use consort_node::Endpoint;
use std::process::Command;
use std::time::{Duration, Instant};

/// A node's numbers, and when the ring ends.
struct Member<const N: usize> {
    ring: Ring,
    x: [f64; N],
}

impl<const N: usize> Behavior<[f64; N]> for Member<N> {
    fn on_inputs(&mut self, _tag: Tag, inputs: &[(FlowId, [f64; N])]) {
        for (_, u) in inputs {
            self.x.iter_mut().zip(u).for_each(|(x, u)| *x = 0.5 * (*x + u));
        }
    }

    fn emit(&mut self, _flow: FlowId, tag: Tag, _next: Option<Tag>) -> ([f64; N], Option<Tag>) {
        (self.x, self.ring.following(tag))
    }
}

/// All nodes on the scheduler, on this thread.
pub(crate) fn in_process(ring: Ring) -> Measured {
    match ring.doubles {
        1 => in_process_of::<1>(ring),
        8 => in_process_of::<8>(ring),
        other => panic!("there is no ring of {other} doubles"),
    }
}

fn in_process_of<const N: usize>(ring: Ring) -> Measured
where
    [f64; N]: Payload,
{
    let member = |index: usize| Member { ring, x: [index as f64; N] };
    let members: Vec<Member<N>> = (0..ring.nodes).map(member).collect();
    let mut scheduler = Scheduler::new(&ring.topology(), members, None);
    let begin = Instant::now();
    scheduler.run().expect("a ring of states continues");
    let seconds = begin.elapsed().as_secs_f64();
    Measured { seconds, hash: hash(scheduler.behaviors().flat_map(|member| &member.x)) }
}

/// One process for each node, all connected over TCP.
pub(crate) fn over_tcp(ring: Ring) -> Measured {
    spread(ring, |port| Endpoint::Tcp(format!("127.0.0.1:{port}")))
}

/// One process for each node, all connected over Zenoh.
#[cfg(feature = "zenoh")]
pub(crate) fn over_zenoh(ring: Ring) -> Measured {
    spread(ring, |port| Endpoint::Zenoh(format!("tcp/127.0.0.1:{port}")))
}

fn spread(ring: Ring, endpoint: fn(u16) -> Endpoint) -> Measured {
    let endpoints: Vec<Endpoint> = free_ports(ring.nodes).into_iter().map(endpoint).collect();
    let program = std::env::current_exe().expect("this program has a path");
    let start = |index: usize| {
        let (endpoints, pace) = (endpoints.clone(), Duration::ZERO);
        let place = Place { ring, index, endpoints, pace, certificates: None };
        Running::start(place.command(Command::new(&program)))
    };
    let mut nodes: Vec<Running> = (0..ring.nodes).map(start).collect();
    nodes.iter_mut().for_each(Running::wait_until_joined);
    let said: Result<Vec<Said>, String> = nodes.into_iter().map(Running::finish).collect();
    let said = said.unwrap_or_else(|complaint| panic!("{complaint}"));
    let begin = said.iter().map(|said| said.begin).min();
    let end = said.iter().map(|said| said.end).max();
    let took = begin.zip(end).map_or(0, |(begin, end)| end - begin);
    let numbers = said.iter().flat_map(|said| &said.x);
    Measured { seconds: Duration::from_nanos(took).as_secs_f64(), hash: hash(numbers) }
}
