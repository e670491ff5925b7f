//! A program of the user's own that started us: its channel is our standard input.

use crate::outcome::CommandError;
use consort_core::{Diagnostic, ModelDescription};
use consort_models::Loader;
use consort_models::foreign::{ForeignChannel, STARTED_BY_HAND};
use consort_system::{Component, System};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;

/// Whether a model is a program that nobody starts but the user.
pub(crate) fn is_started_by_hand(model: &ModelDescription) -> bool {
    model.facts.iter().any(|(name, value)| (&**name, &**value) == STARTED_BY_HAND)
}

/// Gives the component that was named on the command line the program behind standard input.
///
/// # Errors
/// If there is no such component, or no standard input.
pub(super) fn attach(
    component: &str,
    system: &System,
    loader: &mut Loader,
) -> Result<(), CommandError> {
    let is_foreign = |it: &&Component| it.model.value.starts_with("foreign:");
    let mut foreign = system.components.iter().filter(is_foreign).map(|it| &*it.name.value);
    if !foreign.clone().any(|name| name == component) {
        let message = format!("`--foreign {component}` names no component that is a program");
        let help = match foreign.next() {
            Some(one) => format!("such a component of `{}` is `{one}`", system.name),
            None => "the model of such a component is `foreign:FILE.toml`".to_owned(),
        };
        let diagnostic = Diagnostic::error("cli::no-foreign", message);
        return Err(CommandError::invalid(diagnostic.help(help)));
    }
    let channel = std::io::stdin().as_fd().try_clone_to_owned()?;
    loader.attach(component, ForeignChannel::new(UnixStream::from(channel)));
    Ok(())
}
