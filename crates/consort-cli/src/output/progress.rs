//! How far a run is: a line that is drawn again and again, or JSON lines for a program.

use super::printer::one_line;
use crate::cli::ProgressMode;
use consort::run::monitor::ProgressReport;
use consort_view::numbers;
use serde_json::json;
use std::time::Duration;

/// Runs shorter than this show nothing on a terminal: it would only flicker.
const PATIENCE: Duration = Duration::from_millis(500);

/// The line to show, if any is due.
pub(super) fn line(mode: ProgressMode, report: &ProgressReport<'_>) -> Option<String> {
    match mode {
        ProgressMode::None => None,
        ProgressMode::Json => Some(json_line(report)),
        ProgressMode::Auto => {
            (!report.is_end && PATIENCE <= report.elapsed).then(|| text_line(report))
        }
    }
}

fn text_line(report: &ProgressReport<'_>) -> String {
    let left = report.seconds_left.map(|left| format!(", {} left", numbers::duration(left)));
    format!(
        "{}: {:.0} %, {} of {} s, {} x real time{}",
        one_line(report.name),
        report.share * 100.0,
        numbers::short(report.time),
        numbers::short(report.stop),
        numbers::short(report.rate),
        left.unwrap_or_default()
    )
}

fn json_line(report: &ProgressReport<'_>) -> String {
    let object = json!({
        "event": "progress",
        "system": report.name,
        "time": report.time,
        "stop": report.stop,
        "part": report.share,
        "rate": report.rate,
        "seconds_left": report.seconds_left,
    });
    object.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_where_how_fast_and_how_long() {
        let report = ProgressReport {
            name: "tank",
            time: 15.0,
            stop: 90.0,
            share: 0.25,
            rate: 10.0,
            seconds_left: Some(7.5),
            elapsed: Duration::from_millis(2500),
            is_end: false,
        };
        assert_eq!(
            line(ProgressMode::Auto, &report).as_deref(),
            Some("tank: 25 %, 15 of 90 s, 10 x real time, 7.5 s left")
        );
        assert_eq!(
            line(ProgressMode::Json, &report).as_deref(),
            Some(
                "{\"event\":\"progress\",\"system\":\"tank\",\"time\":15.0,\"stop\":90.0,\
                 \"part\":0.25,\"rate\":10.0,\"seconds_left\":7.5}"
            )
        );
        let early = ProgressReport { elapsed: Duration::from_millis(400), ..report };
        assert_eq!(line(ProgressMode::Auto, &early), None);
        assert_eq!(line(ProgressMode::Auto, &ProgressReport { is_end: true, ..report }), None);
    }
}
