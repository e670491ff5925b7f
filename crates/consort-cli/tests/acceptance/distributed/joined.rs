//! Nodes that are started by hand, as on several machines.

use super::faults::signal;
use super::quickstart;
use crate::world::{World, eventually};
use consort_node::Authority;
use std::net::TcpListener;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

const PLACE: [&str; 2] = ["--place", "*=control,tank=plant"];

/// Starts a node of the system `s`.
pub(super) fn start(world: &World, name: &str, more: &[&str]) -> Child {
    let line = ["node", "s", "--name", name, "--gather", "20"];
    let mut command = world.command(&[&line[..], more].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What a node said.
pub(super) fn words(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Both nodes to their ends.
fn both(world: &World, listen: &str, more: &[&str]) -> [(Option<i32>, String, String); 2] {
    let connect = format!("control={listen}");
    let control = start(world, "control", &[&["--listen", listen], &PLACE[..], more].concat());
    let plant = start(world, "plant", &[&["--connect", &connect], &PLACE[..], more].concat());
    [control, plant].map(|child| words(&child.wait_with_output().unwrap()))
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn nodes_that_meet_give_the_hash_of_the_whole() {
    let world = quickstart();
    world.done(&["run", "s", "--out", "here"]);
    let hash = world.trace_hash("here");
    let socket = format!("unix:{}", world.path("control.socket").display());
    for listen in [socket, format!("tcp:127.0.0.1:{}", free_port())] {
        for (code, data, said) in both(&world, &listen, &[]) {
            assert_eq!(code, Some(0), "{listen}: {said}");
            assert_eq!(data, format!("trace {hash}\n"), "{said}");
        }
        let columns = |run: &str| world.manifest(run)["recorded"]["columns"].to_string();
        assert!(columns("out/quickstart-plant").contains("tank.level"));
        assert!(!columns("out/quickstart-control").contains("tank.level"));
    }
}

#[test]
fn nodes_with_certificates_meet_and_are_known_by_their_names() {
    let world = quickstart();
    world.done(&["run", "s", "--out", "here"]);
    let authority = Authority::new(&world.path("")).unwrap();
    let certify = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let files = authority.certify_names(&names.join("-"), names).unwrap();
        [files.certificate, files.key, files.authorities].map(|file| file.display().to_string())
    };
    let line = |names: &[&str]| {
        let [certificate, key, authority] = certify(names);
        ["--tls-certificate", &certificate, "--tls-key", &key, "--tls-ca", &authority]
            .map(str::to_owned)
    };
    let listen = format!("tls:localhost:{}", free_port());
    let all = line(&["localhost", "control", "plant"]);
    let all = all.each_ref().map(String::as_str);
    for (code, data, said) in both(&world, &listen, &all) {
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(data, format!("trace {}\n", world.trace_hash("here")), "{said}");
    }
    let one = line(&["localhost", "control"]);
    let one = one.each_ref().map(String::as_str);
    let mut control =
        start(&world, "control", &[&["--listen", &listen], &PLACE[..], &all].concat());
    let connect = format!("control={listen}");
    let plant = start(&world, "plant", &[&["--connect", &connect], &PLACE[..], &one].concat());
    let (code, _, said) = words(&plant.wait_with_output().unwrap());
    // It would wait for the right one.
    control.kill().and_then(|()| control.wait()).unwrap();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("add `plant` to its DNS names"), "{said}");
}

#[test]
fn nodes_that_share_a_secret_connect_and_show_their_status_to_no_other() {
    let world = quickstart();
    world.done(&["run", "s", "--out", "here"]);
    world.done(&["node", "secret", "ours"]);
    world.done(&["node", "secret", "theirs"]);
    let said = world.consort(&["node", "secret", "ours"]);
    assert!(said.code == Some(2) && said.stderr.contains("node::secret-exists"), "{said}");
    // Reachable from everywhere.
    let listen = format!("tls:0.0.0.0:{}", free_port());
    let connect = format!("control={}", listen.replace("0.0.0.0", "localhost"));
    let control = start(
        &world,
        "control",
        &[&["--listen", &listen, "--secret", "ours"], &PLACE[..]].concat(),
    );
    let plant = |secret: &str, gather: &str| {
        let line = ["--connect", &connect, "--secret", secret, "--gather", gather];
        let mut command =
            world.command(&[&["node", "s", "--name", "plant"], &line[..], &PLACE[..]].concat());
        words(&command.output().unwrap())
    };
    let (code, _, said) = plant("theirs", "2");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("another secret") && !said.contains("refused (os"), "{said}");
    let status = |more: &[&str]| {
        let at = listen.replace("0.0.0.0", "localhost");
        world.consort(&[&["node", "status", &at], more].concat())
    };
    assert!(status(&["--secret", "ours"]).stdout.contains("control  joining  plant"));
    for more in [&["--secret", "theirs"][..], &[]] {
        let said = status(more);
        assert!(said.code == Some(2) && said.stdout.contains("no answer"), "{said}");
    }
    let (code, data, said) = plant("ours", "20");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(data, format!("trace {}\n", world.trace_hash("here")), "{said}");
    let (code, again, said) = words(&control.wait_with_output().unwrap());
    assert_eq!((code, again), (Some(0), data), "{said}");
}

#[test]
fn a_node_that_waits_is_interrupted_at_once_and_the_others_hear_of_it() {
    let world = quickstart();
    let socket = format!("unix:{}", world.path("control.socket").display());
    let connect = format!("control={socket}");
    let line = |more: &[&str]| {
        let line = [&PLACE[..], &["--real-time", "15"], more].concat();
        line.into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let begin = |name: &str, more: &[&str]| {
        let line = line(more);
        start(&world, name, &line.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let control = begin("control", &["--listen", &socket, "--out", "c"]);
    let plant = begin("plant", &["--connect", &connect, "--out", "p"]);
    let journal = world.path("c/trace.journal");
    eventually("it computes", || journal.exists());
    signal("-STOP", &plant.id().to_string());
    std::thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    signal("-INT", &control.id().to_string());
    let (code, _, said) = words(&control.wait_with_output().unwrap());
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert!(code == Some(130) && said.contains("interrupted"), "{said}");
    assert_eq!(world.manifest("c")["exit"]["state"], "interrupted", "{said}");
    signal("-CONT", &plant.id().to_string());
    let (code, _, said) = words(&plant.wait_with_output().unwrap());
    assert!(code == Some(2) && said.contains("node `control`: cancelled"), "{said}");
}

#[test]
fn links_to_other_machines_without_tls_take_a_wish() {
    let world = quickstart();
    let listen = format!("tcp:0.0.0.0:{}", free_port());
    let line = ["node", "s", "--name", "control", "--listen", &listen, "--gather", "0.1"];
    let said = world.consort(&[&line[..], &PLACE].concat());
    assert_eq!(said.code, Some(1), "{said}");
    for part in ["node::plain", "is reachable from other machines without TLS", "`--secret FILE`"] {
        assert!(said.stderr.contains(part), "{part}: {said}");
    }
    let said = world.consort(&[&line[..], &PLACE, &["--plain"]].concat());
    assert!(said.code == Some(2) && said.stderr.contains("nodes did not connect"), "{said}");
}

#[test]
fn nodes_that_do_not_fit_refuse_each_other_with_a_reason() {
    let world = quickstart();
    let socket = format!("unix:{}", world.path("control.socket").display());
    let connect = format!("control={socket}");
    let id = "00112233445566778899aabbccddeeff";
    for (more, reason) in [(&["--step", "0.2"][..], "0.2"), (&["--run", id], "run")] {
        let control = start(&world, "control", &[&["--listen", &socket], &PLACE[..]].concat());
        let plant = start(&world, "plant", &[&["--connect", &connect], &PLACE[..], more].concat());
        let said = [control, plant].map(|child| words(&child.wait_with_output().unwrap()));
        for (code, data, said) in &said {
            assert_eq!((*code, data.as_str()), (Some(2), ""), "{said}");
        }
        let all: String = said.iter().map(|(_, _, said)| said.as_str()).collect();
        assert!(all.contains(reason) && all.contains("`plant`"), "{more:?}: {all}");
    }
}
