//! Flags for what a help proposes: the libraries name the concept, the command line adds its flag.

/// The concept in a help, and what is added after it.
const FLAGS: [(&str, &str); 4] = [
    ("its log may say why", ", more of it with `--verbose`"),
    ("the run can resume from the last snapshot", " with `--resume`"),
    ("allow its calls more time", " with `--call-limit SECONDS`"),
    ("shows every step up to there", ": `--log-calls` writes it to `log.jsonl`"),
];

/// The help, with the flag of the concept it names.
pub(super) fn with_flag(help: &str) -> String {
    match FLAGS.iter().find(|(concept, _)| help.contains(concept)) {
        Some((concept, flag)) => help.replacen(concept, &format!("{concept}{flag}"), 1),
        None => help.to_owned(),
    }
}
