//! The settings of our Zenoh sessions; none is read from the environment.

use super::broken;
use crate::credentials::TlsFiles;
use std::io;
use std::path::Path;
use std::time::Duration;
use zenoh::{Config, Session, Wait};

/// A setting's name and its value in JSON.
type Setting = (&'static str, String);

/// What all sessions have in common.
const COMMON: [(&str, &str); 6] = [
    ("mode", "\"peer\""),
    // Nodes are found by the endpoints of the user only.
    ("scouting/multicast/enabled", "false"),
    ("scouting/gossip/enabled", "false"),
    // An hour [ms]: a process that is stopped in a debugger is not dead. One that is dead closes its socket.
    ("transport/link/tx/lease", "3600000"),
    // A second [us]: with less, large messages that are sent in fragments never get through a slow network.
    ("transport/link/tx/queue/congestion_control/drop/max_wait_before_drop_fragments", "1000000"),
    ("timestamping/enabled", "false"),
];

/// The settings of a session that others connect to.
pub(super) fn listening(locator: &str) -> Vec<Setting> {
    vec![("listen/endpoints", list(locator)), ("listen/exit_on_failure", "true".to_owned())]
}

/// The settings of a session that connects to another, within a while or not at all.
pub(super) fn connecting(locator: &str, patience: Duration) -> Vec<Setting> {
    vec![
        ("listen/endpoints", "[]".to_owned()),
        ("connect/endpoints", list(locator)),
        ("connect/timeout_ms", patience.as_millis().to_string()),
        ("connect/exit_on_failure", "true".to_owned()),
    ]
}

fn list(locator: &str) -> String {
    format!("[{}]", text(locator))
}

/// Opens a session with these settings.
pub(super) fn open(settings: &[Setting], tls: Option<&TlsFiles>) -> io::Result<Session> {
    let mut config = Config::default();
    let common = COMMON.map(|(name, value)| (name, value.to_owned()));
    let tls = tls.map(certificates).transpose()?.unwrap_or_default();
    for (name, value) in common.iter().chain(settings).chain(&tls) {
        config.insert_json5(name, value).map_err(broken)?;
    }
    zenoh::open(config).wait().map_err(broken)
}

/// Both sides show a certificate, whichever of them connects.
fn certificates(files: &TlsFiles) -> io::Result<Vec<Setting>> {
    let [certificate, key] = [&files.certificate, &files.key].map(|path| path_text(path));
    let (certificate, key) = (certificate?, key?);
    Ok(vec![
        ("transport/link/tls/root_ca_certificate", path_text(&files.authorities)?),
        ("transport/link/tls/enable_mtls", "true".to_owned()),
        ("transport/link/tls/listen_certificate", certificate.clone()),
        ("transport/link/tls/listen_private_key", key.clone()),
        ("transport/link/tls/connect_certificate", certificate),
        ("transport/link/tls/connect_private_key", key),
    ])
}

fn path_text(path: &Path) -> io::Result<String> {
    let foreign = || format!("zenoh takes no file name like `{}`: it is no text", path.display());
    path.to_str().map(text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, foreign()))
}

/// The text in quotes, as JSON has it.
fn text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => quoted += &format!("\\u{:04x}", u32::from(letter)),
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_json_wants_it() {
        let cases =
            [("tcp/a:1", r#""tcp/a:1""#), (r#"a"\b"#, r#""a\"\\b""#), ("\n", r#""\u000a""#)];
        for (given, expected) in cases {
            assert_eq!(text(given), expected);
        }
    }

    #[test]
    fn zenoh_knows_every_setting() {
        let files = TlsFiles {
            authorities: "/ca.pem".into(),
            certificate: "/node.pem".into(),
            key: "/node.key".into(),
        };
        let mut settings = COMMON.map(|(name, value)| (name, value.to_owned())).to_vec();
        settings.extend(listening("tcp/127.0.0.1:1"));
        settings.extend(connecting("tcp/127.0.0.1:1", Duration::from_secs(1)));
        settings.extend(certificates(&files).unwrap());
        for (name, value) in settings {
            let result = Config::default().insert_json5(name, &value);
            assert!(result.is_ok(), "{name} = {value}: {result:?}");
        }
    }
}
