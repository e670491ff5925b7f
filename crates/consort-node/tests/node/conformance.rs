//! One suite over all links: same topology, same hashes of every flow.

use crate::bodies::{Hashes, bodies, options, relayed, run};
use consort_federation::flow::BoundPolicy;
use consort_node::{Endpoint, Faults, Hub, JoinOptions};
use std::time::Duration;

pub(crate) const HORIZON: i64 = 60;

pub(crate) fn through_hub(
    capacity: u32,
    horizon: i64,
    change: impl Fn(&mut JoinOptions),
) -> Hashes {
    let hub = Hub::new();
    let mut all = options(&bodies(capacity), horizon);
    for options in &mut all {
        options.hub = Some(hub.clone());
        change(options);
    }
    run(all).expect("all nodes come to the end")
}

pub(crate) fn through_sockets(
    endpoint: impl Fn(&str) -> Endpoint,
    horizon: i64,
    change: impl Fn(&mut JoinOptions),
) -> Hashes {
    let mut all = options(&bodies(4), horizon);
    let names: Vec<String> = all.iter().map(|options| options.name.clone()).collect();
    for options in &mut all {
        options.listen = Some(endpoint(&options.name));
        options.peers = names.iter().map(|name| (name.clone(), endpoint(name))).collect();
        change(options);
    }
    run(all).expect("all nodes come to the end")
}

#[test]
fn what_a_flow_carried_is_what_its_sink_consumed() {
    let hashes = through_hub(4, HORIZON, |_| ());
    assert_eq!(hashes[&("a/state".to_owned(), true)].0, 31, "every two ticks up to 60");
    for ((flow, is_source), found) in &hashes {
        if *is_source {
            assert_eq!(hashes.get(&(flow.clone(), false)), Some(found), "{flow}");
        }
    }
}

#[test]
fn capacities_change_nothing() {
    let expected = through_hub(4, HORIZON, |_| ());
    for capacity in [1, 2, 64] {
        assert_eq!(through_hub(capacity, HORIZON, |_| ()), expected, "capacity {capacity}");
    }
}

#[test]
fn unix_sockets_give_the_hashes_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let endpoint = |name: &str| Endpoint::Unix(folder.path().join(name));
    let found = through_sockets(endpoint, HORIZON, |_| ());
    assert_eq!(found, through_hub(4, HORIZON, |_| ()));
}

/// Ports that are free now: asked for all at once, so that they differ.
pub(crate) fn ports(count: usize) -> Vec<u16> {
    let bind = || std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let listeners: Vec<_> = (0..count).map(|_| bind()).collect();
    listeners.iter().map(|it| it.local_addr().expect("bound").port()).collect()
}

pub(crate) fn place(name: &str) -> usize {
    ["a", "b", "c"].iter().position(|it| *it == name).expect("one of the three")
}

#[test]
fn tcp_gives_the_hashes_of_threads() {
    let ports = ports(3);
    let endpoint = |name: &str| Endpoint::Tcp(format!("127.0.0.1:{}", ports[place(name)]));
    let found = through_sockets(endpoint, HORIZON, |_| ());
    assert_eq!(found, through_hub(4, HORIZON, |_| ()));
}

/// The faults of the suite, from the mildest to the worst.
fn faults(seed: u64) -> Vec<Faults> {
    let milliseconds = Duration::from_millis;
    let delay = Faults { delay: milliseconds(1), ..Faults::none(seed) };
    let order = Faults { jitter: milliseconds(3), ..delay.clone() };
    let loss = Faults { loss: 0.1, duplication: 0.1, ..order.clone() };
    let cuts = Faults { cuts: 0.02, ..Faults::none(seed) };
    let parted = Faults { partitions: 0.01, partition_lasts: milliseconds(30), ..loss.clone() };
    vec![delay, order, loss.clone(), cuts, Faults { cuts: 0.01, ..loss }, parted]
}

#[test]
fn a_bad_network_changes_nothing() {
    let expected = through_hub(4, 30, |_| ());
    for faults in faults(11) {
        let found = through_hub(2, 30, |options| options.faults = Some(faults.clone()));
        assert_eq!(found, expected, "{faults}");
    }
}

/// Bounds on demand in all flows, or in one of two; with faults.
fn asked(bounds: [BoundPolicy; 2], faults: Option<&Faults>) -> Hashes {
    let hub = Hub::new();
    let mut of = bounds.into_iter();
    let topology = relayed(2).with_bounds(|_| of.next().expect("there are two event flows"));
    let mut all = options(&topology, 30);
    for options in &mut all {
        options.hub = Some(hub.clone());
        options.faults = faults.cloned();
    }
    run(all).expect("all nodes come to the end")
}

#[test]
fn bounds_on_demand_change_nothing_whatever_the_network_does() {
    use BoundPolicy::{Eager, OnDemand};
    let expected = asked([Eager, Eager], None);
    let sent = |flow: &str| expected[&(flow.to_owned(), true)].0;
    let alarms = [sent("a/alarm"), sent("b/alarm")];
    assert!(!alarms.contains(&0), "{alarms:?}");
    for bounds in [[OnDemand, OnDemand], [OnDemand, Eager], [Eager, OnDemand]] {
        assert_eq!(asked(bounds, None), expected, "{bounds:?}");
    }
    for faults in &faults(12)[2..] {
        assert_eq!(asked([OnDemand, OnDemand], Some(faults)), expected, "{faults}");
    }
}

#[test]
fn sockets_that_are_cut_are_connected_again_and_change_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let unix = |name: &str| Endpoint::Unix(folder.path().join(name));
    let ports = ports(3);
    let tcp = |name: &str| Endpoint::Tcp(format!("127.0.0.1:{}", ports[place(name)]));
    let expected = through_hub(4, 300, |_| ());
    let cuts = Faults { cuts: 0.03, ..Faults::none(5) };
    let cut = |options: &mut JoinOptions| options.faults = Some(cuts.clone());
    assert_eq!(through_sockets(unix, 300, cut), expected, "unix");
    assert_eq!(through_sockets(tcp, 300, cut), expected, "tcp");
}

#[test]
fn faults_are_read_as_they_are_written() {
    for text in ["seed=0", "seed=7,delay=0.001,jitter=0.5,loss=0.05,duplication=0.1,cuts=0.25"] {
        assert_eq!(text.parse::<Faults>().map(|it| it.to_string()), Ok(text.to_owned()));
    }
    for text in ["loss=1", "loss=-1", "delay=x", "speed=1", "cuts"] {
        assert!(text.parse::<Faults>().is_err(), "{text}");
    }
}
