//! Components that are programs of the user's own, in whatever language: `foreign:FILE.toml`.
//!
//! The file is the program's interface: its variables, and how it is started. To a plan the component is like an
//! FMU for Co-Simulation: outputs are those of the last step, inputs are held during a step.
//!
//! The program talks over a [`ForeignChannel`], a stream socket, by the messages of `docs/foreign-nodes.md`; the
//! C library in `bindings/c` does that for it. Either it is started here, with the channel as its standard
//! input, or it was there first and started us; then the owner of the [`Loader`](crate::Loader) has the channel.
//!
//! # Determinism
//!
//! A program receives the time of a tag and the inputs, and nothing else: what it computes from that is the same in
//! every run if the program is. How long it takes has no influence.

mod channel;
mod instance;
mod interface;
mod program;
mod state;
mod table;
mod wire;

pub use interface::INTERFACE;
pub use wire::{FRAME_BYTES_MAX, VERSION};

use channel::Channel;
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Instance, Instantiation, Model, ModelDescription};
use instance::ForeignInstance;
pub(crate) use interface::{Interface, Launch, read};
use program::Program;
use std::ffi::OsString;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The files that a program in C is compiled with, by name: the library of `bindings/c`.
pub const C_LIBRARY: [(&str, &str); 2] = [
    ("consort.c", include_str!("../../../bindings/c/consort.c")),
    ("consort.h", include_str!("../../../bindings/c/consort.h")),
];

/// The package for programs in Python, as far as they need it: `consort.node` is over that library.
pub(crate) const PYTHON_PACKAGE: [(&str, &str); 2] = [
    ("__init__.py", include_str!("../../../bindings/python/consort/__init__.py")),
    ("node.py", include_str!("../../../bindings/python/consort/node.py")),
];

/// The way to a program that is there already, for one instance.
#[derive(Debug)]
pub struct ForeignChannel(UnixStream);

impl ForeignChannel {
    /// Over a stream socket at whose other end the program is.
    pub fn new(stream: UnixStream) -> Self {
        ForeignChannel(stream)
    }
}

/// A kind of component that is a program of the user's own.
pub struct ForeignModel {
    description: ModelDescription,
    launch: Option<Start>,
    /// Of a program that was there before us; taken by the first instance.
    channel: Mutex<Option<ForeignChannel>>,
    call_limit: Option<Duration>,
}

/// How a program is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Start {
    /// The program and its arguments.
    pub(crate) words: Vec<String>,
    /// The folder in which it is started.
    pub(crate) folder: PathBuf,
    /// What is added to its environment.
    pub(crate) environment: Vec<(&'static str, OsString)>,
}

impl ForeignModel {
    pub(crate) fn new(
        description: ModelDescription,
        launch: Option<Start>,
        channel: Option<ForeignChannel>,
        call_limit: Option<Duration>,
    ) -> Self {
        ForeignModel { description, launch, channel: Mutex::new(channel), call_limit }
    }

    fn connect(&self) -> Result<Channel, String> {
        let waiting = self.channel.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (stream, program) = match (waiting, &self.launch) {
            (Some(ForeignChannel(stream)), _) => (stream, None),
            (None, Some(start)) => {
                let (stream, program) = Program::start(start)?;
                (stream, Some(program))
            }
            (None, None) => return Err(NOT_CONNECTED.to_owned()),
        };
        Channel::new(stream, program, self.call_limit).map_err(|error| error.to_string())
    }
}

/// The kind of a model that is a program.
pub const FOREIGN_KIND: &str = "foreign program";

/// What the description of a program says whose interface names neither `source` nor `command`.
pub const STARTED_BY_HAND: (&str, &str) = ("program", "started by hand");

const NOT_CONNECTED: &str = "no program is connected: its interface names none (`source` or `command`), \
                             so it must be started by hand and call `consort_join`, as in `docs/foreign-nodes.md`";

impl Model for ForeignModel {
    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn instantiate(&self, instantiation: &Instantiation<'_>) -> CallResult<Box<dyn Instance>> {
        let channel = self
            .connect()
            .map_err(|reason| CallError::new("start", CallStatus::Refused(reason)))?;
        let (name, log) = (instantiation.name, instantiation.log.clone());
        let instance = ForeignInstance::join(&self.description, channel, name, log)?;
        Ok(Box::new(instance))
    }
}
