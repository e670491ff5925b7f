//! Progress of long checks of how states are saved.

use crate::cli::{Global, ProgressMode};
use crate::output::printer::{one_line, to_user};
use consort_models::fidelity::{OnTrial, Trial};
use consort_view::numbers;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A check that is over by then says nothing.
const FIRST: Duration = Duration::from_secs(10);
/// How often it says something from then on.
const NEXT: Duration = Duration::from_secs(30);

/// What was said last, and when something is due.
struct Last {
    /// The model and the provider that are checked now.
    of: Option<(String, &'static str)>,
    began: Instant,
    due: Duration,
}

/// Says now and then how far a long check is, and how it can be had shorter.
pub(crate) fn progress(global: &Global) -> OnTrial {
    let (is_quiet, mode) = (global.quiet, global.progress);
    let last = Mutex::new(Last { of: None, began: Instant::now(), due: FIRST });
    Arc::new(move |trial: &Trial<'_>| {
        if is_quiet || mode == ProgressMode::None {
            return;
        }
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let of = (trial.model.to_owned(), trial.provider.name());
        if last.of.as_ref() != Some(&of) {
            *last = Last { of: Some(of), began: Instant::now(), due: FIRST };
        }
        let elapsed = last.began.elapsed();
        if last.due <= elapsed {
            last.due = elapsed + NEXT;
            to_user(&line(trial, elapsed.as_secs_f64(), mode));
        }
    })
}

fn line(trial: &Trial<'_>, elapsed: f64, mode: ProgressMode) -> String {
    let Trial { model, provider, done, trials } = *trial;
    match mode {
        ProgressMode::Json => {
            json!({ "event": "state-check", "model": model, "provider": provider.name(), "done": done, "of": trials })
                .to_string()
        }
        ProgressMode::Auto | ProgressMode::None => format!(
            "finding out how states of `{}` are saved by `{provider}`: {done} of {trials} trials in {}; \
             remembered afterwards; `state` of a component or `--providers` choose without",
            one_line(model),
            numbers::duration(elapsed)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::Provider;

    #[test]
    fn a_long_check_says_how_far_it_is_and_how_to_do_without() {
        let trial = Trial { model: "tank", provider: Provider::Image, done: 34, trials: 100 };
        let said = line(&trial, 12.0, ProgressMode::Auto);
        assert!(said.contains("`tank` are saved by `image`: 34 of 100 trials in 12"), "{said}");
        assert!(said.contains("`--providers`"), "{said}");
        let said: serde_json::Value =
            serde_json::from_str(&line(&trial, 12.0, ProgressMode::Json)).expect("it is JSON");
        assert_eq!((&said["done"], &said["of"]), (&json!(34), &json!(100)), "{said}");
    }
}
