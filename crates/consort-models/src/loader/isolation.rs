//! Which components live in a process of their own, and which provider saves their states.

use super::LoaderOptions;
use super::fmu::Located;
use crate::fidelity::{self, CheckOptions, Choice, Chosen, OnTrial, Subject, Verdicts};
use crate::request::ModelRequest;
use consort_core::{Diagnostic, Fidelity, Model, Provider, Report};
use std::sync::Arc;

/// What was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// The model runs in this process.
    Here,
    /// In a process of its own, saved like this.
    Isolated(Provider),
    /// Whatever saves it faithfully; in a process of its own if `isolated` or nothing else will do.
    Measured { isolated: bool },
}

/// Where an FMU lives, and how faithfully its states are saved there.
pub(super) struct Place {
    /// The provider that saves it in a process of its own; `None` if it lives here.
    pub(super) isolated: Option<Provider>,
    pub(super) fidelity: Fidelity,
    /// Its bytes are as good as its states, as far as is known.
    pub(super) has_bytes: bool,
    /// The text for a person about that choice.
    pub(super) note: Option<String>,
    /// What it was decided by, if it was measured.
    pub(super) chosen: Option<Chosen>,
}

impl Place {
    fn unmeasured(isolated: Option<Provider>) -> Self {
        Place { isolated, fidelity: Fidelity::Exact, has_bytes: true, note: None, chosen: None }
    }

    /// The note about the choice, if there is one.
    pub(super) fn note(&self, is_exchange: bool) -> Option<Diagnostic> {
        let alone = "its solver is there with it: it is not integrated as one with others";
        let note = Diagnostic::note("model::state", self.note.clone()?);
        let is_alone = is_exchange && self.isolated.is_some();
        Some(if is_alone { note.with_note(alone) } else { note })
    }

    /// What is wrong if there was no time to find out: what is chosen must not depend on how fast a machine is.
    pub(super) fn undecided(&self, request: &ModelRequest<'_>) -> Option<Diagnostic> {
        let chosen = self.chosen.as_ref().filter(|chosen| chosen.is_undecided)?;
        let asker = request.asker();
        let message = format!("no provider for the states of {asker} could be determined in time");
        let diagnostic = Diagnostic::error("model::no-time", message);
        let help = "allow more time with `--budget SECONDS`, or choose: `state = \"image\"` (or `fork`, `replay`, \
                    `native`) of the component, or `--providers image`";
        Some(
            diagnostic.maybe_at(request.span, "used here").with_note(chosen.why.clone()).help(help),
        )
    }
}

/// What is measured, and how.
pub(super) struct Measured<'m> {
    pub(super) subject: &'m Subject,
    pub(super) check: CheckOptions,
    pub(super) on_trial: Option<OnTrial>,
}

/// What a component asks for; what it cannot have goes to the report.
pub(super) fn wanted(
    request: &ModelRequest<'_>,
    options: &LoaderOptions,
    report: &mut Report,
) -> Wanted {
    let own = request.isolate.map(|it| it.value);
    let isolated = own.unwrap_or(request.isolate_all);
    let wanted = match request.state.map(|it| it.value) {
        Some(Provider::Native) if !isolated => Wanted::Here,
        Some(provider) => Wanted::Isolated(provider),
        None if options.saving && own != Some(false) => Wanted::Measured { isolated },
        None if isolated => Wanted::Isolated(Provider::Native),
        None => Wanted::Here,
    };
    match wanted {
        Wanted::Isolated(provider) if own == Some(false) => {
            report.push(contradiction(request, provider));
            Wanted::Here
        }
        Wanted::Isolated(provider) if !options.providers.contains(&provider) => {
            report.push(ruled_out(request, provider, &options.providers));
            Wanted::Here
        }
        Wanted::Isolated(_) if options.host.is_none() => {
            report.push(no_host(request));
            Wanted::Here
        }
        // Without workers nothing can be measured.
        Wanted::Measured { .. } if options.host.is_none() => Wanted::Here,
        wanted => wanted,
    }
}

/// Where an FMU lives; `make` makes it in a process of its own with a provider.
pub(super) fn place(
    wanted: Wanted,
    located: &Located,
    measured: Measured<'_>,
    options: &LoaderOptions,
    make: &dyn Fn(Provider) -> Result<Arc<dyn Model>, String>,
) -> Place {
    let isolated = match wanted {
        Wanted::Here => return Place::unmeasured(None),
        Wanted::Isolated(provider) => return Place::unmeasured(Some(provider)),
        Wanted::Measured { isolated } => isolated,
    };
    let verdicts = Verdicts::open(&options.cache);
    let mut make = |provider| make(provider);
    let wanted = if options.portable { Fidelity::Portable } else { Fidelity::Exact };
    let choice = Choice {
        subject: measured.subject,
        allowed: &options.providers,
        wanted,
        options: measured.check,
        verdicts: &verdicts,
        on_trial: measured.on_trial,
    };
    let chosen = fidelity::choose(choice, &mut make);
    let note = note_text(&chosen, located.fmu.name());
    let fidelity = chosen.fidelity;
    let provider = chosen.provider.unwrap_or(Provider::Native);
    // What its own process does not change is better off here.
    let isolated = (isolated || provider != Provider::Native).then_some(provider);
    let has_bytes = !(options.portable && fidelity == Fidelity::Exact);
    Place { isolated, fidelity, has_bytes, note, chosen: Some(chosen) }
}

/// The text for a person about the choice; none if the model saves its states itself.
fn note_text(chosen: &Chosen, model: &str) -> Option<String> {
    let what = match (chosen.provider, chosen.fidelity) {
        (Some(Provider::Native), Fidelity::Exact | Fidelity::Portable) => return None,
        (Some(provider), Fidelity::Repeatable) => {
            format!(
                "saved by `{provider}`; after a restore it continues differently, but always in the same way"
            )
        }
        (Some(provider), _) => format!("saved by `{provider}`"),
        (None, _) => "not saved by any provider".to_owned(),
    };
    let separator = if chosen.why.is_empty() { "" } else { ": " };
    Some(format!("states of `{model}` are {what}{separator}{}", chosen.why))
}

fn contradiction(request: &ModelRequest<'_>, provider: Provider) -> Diagnostic {
    let message = format!(
        "{} is to be saved by `{provider}`, which takes a process of its own, and not to be isolated",
        request.asker()
    );
    Diagnostic::error("model::no-isolation", message)
        .maybe_at(request.state.and_then(|it| it.span), "needs a process of its own")
        .help("remove `isolate = false`, or ask for `state = \"native\"`")
        .maybe_label(request.isolate.and_then(|it| it.span), "forbidden here")
}

fn ruled_out(request: &ModelRequest<'_>, provider: Provider, allowed: &[Provider]) -> Diagnostic {
    let names: Vec<String> = allowed.iter().map(|it| format!("`{it}`")).collect();
    let message = format!("{} asks for `{provider}`, which is ruled out", request.asker());
    Diagnostic::error("model::no-provider", message)
        .maybe_at(request.state.and_then(|it| it.span), "asked for here")
        .help(format!("the providers that may be used are {}", names.join(", ")))
}

fn no_host(request: &ModelRequest<'_>) -> Diagnostic {
    let message = format!("{} cannot live in a process of its own here", request.asker());
    let span = request.isolate.and_then(|it| it.span);
    Diagnostic::error("model::no-host", message)
        .maybe_at(span.or(request.state.and_then(|it| it.span)), "asked for here")
        .help("set the program that serves isolated models (`LoaderOptions::host`), as the command line does")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Asked;
    use consort_host::{HostOptions, ProcessLimits};
    use std::path::{Path, PathBuf};

    fn asked<T>(value: T) -> Option<Asked<T>> {
        Some(Asked { value, span: None })
    }

    fn options(saving: bool) -> LoaderOptions {
        let host = HostOptions {
            program: PathBuf::from("consort"),
            arguments: Vec::new(),
            limits: ProcessLimits::default(),
            scratch: PathBuf::new(),
        };
        LoaderOptions { host: Some(host), saving, ..LoaderOptions::new(PathBuf::new()) }
    }

    /// The component's own wish, the experiment's, the state; without and with saving.
    fn check(asked: (Option<bool>, bool, Option<Provider>), expected: [Wanted; 2]) {
        let (isolate, isolate_all, state) = asked;
        let own = |value| Asked { value, span: None };
        let state = state.map(|value| Asked { value, span: None });
        let request = ModelRequest {
            isolate: isolate.map(own),
            isolate_all,
            state,
            ..ModelRequest::new("a.fmu", Path::new(""))
        };
        let mut report = Report::default();
        let found = [false, true].map(|saving| wanted(&request, &options(saving), &mut report));
        assert_eq!((found, report.diagnostics()), (expected, &[][..]), "{asked:?}");
    }

    #[test]
    fn a_component_lives_where_it_says_and_else_where_the_experiment_says() {
        use Provider::{Image, Native};
        use Wanted::{Here, Isolated, Measured};
        let (inside, outside) = (Measured { isolated: false }, Measured { isolated: true });
        check((None, false, None), [Here, inside]);
        check((None, true, None), [Isolated(Native), outside]);
        check((Some(true), false, None), [Isolated(Native), outside]);
        check((Some(false), true, None), [Here, Here]);
        check((None, false, Some(Native)), [Here, Here]);
        check((None, true, Some(Native)), [Isolated(Native); 2]);
        check((Some(false), true, Some(Native)), [Here, Here]);
        check((None, false, Some(Image)), [Isolated(Image); 2]);
        check((Some(true), false, Some(Image)), [Isolated(Image); 2]);
    }

    #[test]
    fn what_cannot_be_is_reported_once() {
        let request = ModelRequest {
            isolate: asked(true),
            state: asked(Provider::Fork),
            ..ModelRequest::new("a.fmu", Path::new(""))
        };
        let code = |options: LoaderOptions| {
            let mut report = Report::default();
            assert_eq!(wanted(&request, &options, &mut report), Wanted::Here);
            report.diagnostics().iter().map(|it| it.code).collect::<Vec<_>>()
        };
        assert_eq!(code(LoaderOptions { host: None, ..options(true) }), ["model::no-host"]);
        let providers = vec![Provider::Native];
        assert_eq!(code(LoaderOptions { providers, ..options(true) }), ["model::no-provider"]);
    }
}
