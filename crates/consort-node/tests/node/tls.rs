//! Encrypted links: the same results, and no node gets in under a name that its certificate does not hold.

use crate::bodies::{bodies, options, run};
use crate::conformance::{HORIZON, place, ports, through_hub, through_sockets};
use consort_node::{
    Authority, Credentials, Endpoint, JoinOptions, Node, NodeError, TlsFiles, secret,
};
use insta::assert_snapshot;
use std::time::Duration;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn authority(folder: &TempDir) -> Authority {
    Authority::new(folder.path()).expect("the folder is writable")
}

/// The certificate of a node, for these names.
fn certified(authority: &Authority, node: &str, names: &[&str]) -> TlsFiles {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    authority.certify_names(node, names).expect("the folder is writable")
}

#[test]
fn tls_gives_the_hashes_of_threads() {
    let folder = folder();
    let authority = authority(&folder);
    let ports = ports(3);
    let endpoint = |name: &str| Endpoint::Tls(format!("localhost:{}", ports[place(name)]));
    let tls = |options: &mut JoinOptions| {
        options.tls =
            Some(authority.certify(&options.name).expect("the folder is writable").into());
    };
    assert_eq!(through_sockets(endpoint, HORIZON, tls), through_hub(4, HORIZON, |_| ()));
}

#[test]
fn one_certificate_may_stand_for_all_nodes() {
    let folder = folder();
    let all = certified(&authority(&folder), "all", &["localhost", "a", "b", "c"]);
    let ports = ports(3);
    let endpoint = |name: &str| Endpoint::Tls(format!("localhost:{}", ports[place(name)]));
    let found =
        through_sockets(endpoint, HORIZON, |options| options.tls = Some(all.clone().into()));
    assert_eq!(found, through_hub(4, HORIZON, |_| ()));
}

/// What three nodes with these certificates come to, each as a line.
fn refused(files: &[TlsFiles; 3]) -> Vec<NodeError> {
    let ports = ports(3);
    let endpoint = |name: &str| Endpoint::Tls(format!("localhost:{}", ports[place(name)]));
    let mut all = options(&bodies(4), HORIZON);
    for options in &mut all {
        options.tls = Some(files[place(&options.name)].clone().into());
        options.listen = Some(endpoint(&options.name));
        options.peers = ["a", "b"].map(|name| (name.to_owned(), endpoint(name))).into();
        options.gather = Duration::from_millis(700);
    }
    run(all).expect_err("a node is not let in")
}

#[test]
fn a_node_with_a_certificate_of_another_authority_does_not_get_in() {
    let (ours, theirs) = (folder(), folder());
    let (ours, theirs) = (authority(&ours), authority(&theirs));
    let files = [(&ours, "a"), (&ours, "b"), (&theirs, "c")];
    let errors = refused(&files.map(|(authority, name)| authority.certify(name).expect("room")));
    assert_eq!(errors.len(), 3, "{errors:?}");
    for error in errors {
        assert!(matches!(error, NodeError::Missing { .. } | NodeError::Failed { .. }), "{error}");
    }
}

/// What is said of node `of` if its certificate is for these names.
fn misnamed(of: &str, names: &[&str]) -> Vec<String> {
    let folder = folder();
    let authority = authority(&folder);
    let files = ["a", "b", "c"].map(|name| match name == of {
        true => certified(&authority, name, names),
        false => authority.certify(name).expect("the folder is writable"),
    });
    let said: Vec<String> = refused(&files).iter().map(ToString::to_string).collect();
    said.into_iter().filter(|said| said.contains("certificate")).collect()
}

#[test]
fn who_connects_under_a_name_that_its_certificate_does_not_hold_is_refused_with_a_reason() {
    // `c` only connects; `a` and `b` ask for its name.
    for names in [&["localhost", "b"][..], &["localhost"], &["localhost", "cc", "*.c"]] {
        let said = misnamed("c", names);
        let reason = "the certificate is not for node `c`: add `c` to its DNS names (subject alternative names)";
        assert!(!said.is_empty(), "{names:?}");
        assert!(said.iter().all(|said| said.contains(reason)), "{said:?}");
        let is_reported = |start: &str| said.iter().any(|said| said.starts_with(start));
        assert!(
            is_reported("node `a` refused the connection")
                || is_reported("node `b` refused the connection"),
            "{said:?}"
        );
    }
}

#[test]
fn who_is_reached_under_a_name_that_its_certificate_does_not_hold_is_left_with_a_reason() {
    // `a` only listens; it is at the host that its certificate names, and is not the node that was looked for.
    let said = misnamed("a", &["localhost", "b"]);
    let reason = "node `a` was refused: the certificate is not for node `a`: \
                  add `a` to its DNS names (subject alternative names)";
    assert!(said.iter().any(|said| said == reason), "{said:?}");
}

#[test]
fn a_host_that_the_certificate_does_not_hold_is_left_too() {
    let folder = folder();
    let authority = authority(&folder);
    let files = ["a", "b", "c"].map(|name| certified(&authority, name, &[name]));
    for error in refused(&files) {
        assert!(matches!(error, NodeError::Missing { .. } | NodeError::Failed { .. }), "{error}");
    }
}

/// The file of a new secret.
fn secret(folder: &TempDir, name: &str) -> Credentials {
    let path = folder.path().join(name);
    secret::create(&path).expect("the folder is writable");
    Credentials::Secret(path)
}

#[test]
fn nodes_that_share_a_secret_meet_at_any_host_and_give_the_hashes_of_threads() {
    let folder = folder();
    let secret = secret(&folder, "secret");
    let ports = ports(3);
    for host in ["localhost", "127.0.0.1"] {
        let endpoint = |name: &str| Endpoint::Tls(format!("{host}:{}", ports[place(name)]));
        let found =
            through_sockets(endpoint, HORIZON, |options| options.tls = Some(secret.clone()));
        assert_eq!(found, through_hub(4, HORIZON, |_| ()), "{host}");
    }
}

#[test]
fn the_first_true_reason_is_kept_when_the_other_node_has_ended() {
    let folder = folder();
    let ports = ports(3);
    let endpoint = |name: &str| Endpoint::Tls(format!("localhost:{}", ports[place(name)]));
    let names = ["ours", "ours too", "theirs"];
    let ours = secret(&folder, names[0]);
    let files = [ours.clone(), ours, secret(&folder, names[2])];
    let mut all = options(&bodies(4), HORIZON);
    for options in &mut all {
        options.tls = Some(files[place(&options.name)].clone());
        options.listen = Some(endpoint(&options.name));
        options.peers = ["a", "b"].map(|name| (name.to_owned(), endpoint(name))).into();
        // The others are gone long before `c` gives up.
        options.gather = Duration::from_millis(if options.name == "c" { 5000 } else { 2000 });
    }
    let said: Vec<String> =
        run(all).expect_err("`c` is not let in").iter().map(ToString::to_string).collect();
    let of_c = said.iter().find(|said| said.contains("within 5 s"));
    let of_c = of_c.unwrap_or_else(|| panic!("{said:?}"));
    assert!(of_c.contains("another secret") && !of_c.contains("refused (os"), "{of_c}");
    let mut others = said.iter().filter(|said| *said != of_c);
    let expected =
        "no hello: our certificate was not trusted: it has another secret or another authority";
    assert!(others.any(|said| said.contains(expected)), "{said:?}");
}

#[test]
fn what_others_can_reach_without_tls_is_refused_unless_it_is_allowed() {
    let join = |allows_plain: bool| {
        let mut one = options(&bodies(4), HORIZON).remove(0);
        one.listen = Some(Endpoint::Tcp(format!("0.0.0.0:{}", ports(1)[0])));
        (one.gather, one.allows_plain) = (Duration::from_millis(1), allows_plain);
        Node::join(one).err().expect("no other node comes")
    };
    let refused = join(false);
    assert!(matches!(refused, NodeError::Options { .. }), "{refused}");
    assert!(refused.to_string().contains("without TLS: use a `tls` endpoint"), "{refused}");
    assert!(matches!(join(true), NodeError::Missing { .. }));
}

#[test]
fn certificates_that_cannot_be_read_are_reported_by_file() {
    let folder = folder();
    let mut files = authority(&folder).certify("a").expect("the folder is writable");
    files.key = folder.path().join("nothing.pem");
    let mut all = options(&bodies(4), HORIZON);
    let mut one = all.remove(0);
    one.tls = Some(files.into());
    let error = Node::join(one).err().expect("there is no key").to_string();
    assert_snapshot!(error.replace(&folder.path().display().to_string(), ""), @"`/nothing.pem`: I/O error: No such file or directory (os error 2)");
}
