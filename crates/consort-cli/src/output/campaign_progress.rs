//! How far a campaign is: a line that is drawn again and again, or JSON lines for a program.

use super::printer::one_line;
use crate::cli::ProgressMode;
use consort::run::monitor::CampaignProgress;
use consort_view::numbers::{duration, short};
use serde_json::json;
use std::time::Duration;

/// Campaigns shorter than this show nothing on a terminal: it would only flicker.
const PATIENCE: Duration = Duration::from_millis(500);

/// The line to show, if any is due.
pub(super) fn line(mode: ProgressMode, progress: &CampaignProgress) -> Option<String> {
    match mode {
        _ if progress.is_end => None,
        ProgressMode::None => None,
        ProgressMode::Json => Some(json_line(progress)),
        ProgressMode::Auto => (PATIENCE <= progress.elapsed).then(|| text_line(progress)),
    }
}

fn text_line(progress: &CampaignProgress) -> String {
    let mut parts = vec![match progress.total {
        Some(total) => format!("{} of {total}", progress.done),
        None => progress.done.to_string(),
    }];
    parts.push(format!("{} violated", progress.violated));
    if 0 < progress.failed {
        parts.push(format!("{} failed", progress.failed));
    }
    parts.extend(progress.lowest.map(|lowest| format!("least robustness {}", short(lowest))));
    parts.extend(progress.omission.map(|omission| format!("omission {}", short(omission))));
    let interval = |(low, high): (f64, f64)| format!("p {} to {}", short(low), short(high));
    parts.extend(progress.estimate.map(interval));
    parts.push(format!("{} snapshots", progress.snapshots));
    parts.push(format!("{}/s", short(progress.rate)));
    parts.extend(progress.seconds_left.map(|left| format!("{} left", duration(left))));
    format!("{}: {}", one_line(&progress.name), parts.join(", "))
}

fn json_line(progress: &CampaignProgress) -> String {
    let object = json!({
        "event": "progress",
        "campaign": one_line(&progress.name),
        "done": progress.done.to_string(),
        "total": progress.total.map(|total| total.to_string()),
        "violated": progress.violated.to_string(),
        "failed": progress.failed.to_string(),
        "lowest": progress.lowest,
        "omission": progress.omission,
        "estimate": progress.estimate.map(|(low, high)| [low, high]),
        "snapshots": progress.snapshots,
        "workers": progress.workers,
        "rate": progress.rate,
        "seconds_left": progress.seconds_left,
    });
    object.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_how_much_how_sure_how_bad_and_how_long() {
        let progress = CampaignProgress {
            name: "tank".to_owned(),
            done: 25,
            total: Some(100),
            violated: 2,
            failed: 1,
            lowest: Some(-0.5),
            omission: Some(0.75),
            estimate: Some((0.01, 0.1)),
            snapshots: 6,
            workers: 2,
            rate: 10.0,
            seconds_left: Some(7.5),
            elapsed: Duration::from_secs(1),
            is_end: false,
        };
        assert_eq!(
            line(ProgressMode::Auto, &progress).as_deref(),
            Some(
                "tank: 25 of 100, 2 violated, 1 failed, least robustness -0.5, omission 0.75, \
                 p 0.01 to 0.1, 6 snapshots, 10/s, 7.5 s left"
            )
        );
        let json = line(ProgressMode::Json, &progress).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["done"], &json["seconds_left"]), (&json!("25"), &json!(7.5)));
    }
}
