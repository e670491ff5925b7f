//! A program of the user's own that started us.

use crate::models::ForeignProgram;
use consort_core::{Diagnostic, ModelReference};
use consort_models::Loader;
use consort_models::foreign::ForeignChannel;
use consort_run::error::{Error, plain_words};
use consort_system::{Component, SystemDescription};
use std::os::unix::net::UnixStream;

/// Gives the component that was named on the command line its program.
///
/// # Errors
/// If there is no such component, or its channel cannot be used.
pub(super) fn attach(
    program: &ForeignProgram,
    system: &SystemDescription,
    loader: &mut Loader,
) -> Result<(), Error> {
    let component = &*program.component;
    let is_foreign = |it: &&Component| ModelReference::is_foreign(&it.model.value);
    let mut foreign = system.components.iter().filter(is_foreign).map(|it| &*it.name.value);
    if !foreign.clone().any(|name| name == component) {
        let message = format!("`--foreign {component}` names no component that is a program");
        let help = match foreign.next() {
            Some(one) => format!("a component of `{}` that is a program is `{one}`", system.name),
            None => "the model of a program is `foreign:FILE.toml`".to_owned(),
        };
        let diagnostic = Diagnostic::error("cli::no-foreign", message);
        return Err(Error::invalid(diagnostic.help(help)));
    }
    let channel = program.channel.try_clone();
    let channel = channel.map_err(|error| {
        let message =
            format!("the channel to `{component}` cannot be used: {}", plain_words(&error));
        let diagnostic = Diagnostic::error("cli::no-foreign", message);
        Error::failed(diagnostic.help("let the program start the node, as `consort_join` does"))
    })?;
    loader.attach(component, ForeignChannel::new(UnixStream::from(channel)));
    Ok(())
}
