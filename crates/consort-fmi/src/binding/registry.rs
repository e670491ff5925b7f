//! Maps a callback of an FMU to the instance it belongs to.
//!
//! An FMU is handed a number as its environment, not an address, and a number is never used again: what
//! comes back may be null, made up, the FMU's own instance, or that of an instance freed long ago. What
//! is no number of ours is attributed by the name that comes with it, then to the call that this thread
//! is in, then to the instance that was made last.

use super::context::Context;
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The first number: FMUs make up smaller ones.
const FIRST: usize = 0x1_0001;
/// How many of those that are gone are remembered by name.
const GONE_MAX: usize = 1024;

/// What an FMU is handed, as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Number(usize);

impl Number {
    /// What an FMU handed back.
    pub(crate) fn from_environment(environment: *mut std::ffi::c_void) -> Self {
        Number(environment.addr())
    }

    /// As the FMU gets it.
    pub(crate) fn to_environment(self) -> *mut std::ffi::c_void {
        std::ptr::without_provenance_mut(self.0)
    }
}

struct Registry {
    next: usize,
    known: BTreeMap<Number, KnownInstance>,
    /// Those that are gone, oldest first.
    gone: VecDeque<Number>,
}

struct KnownInstance {
    component: Arc<str>,
    context: Weak<Context>,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { next: FIRST, known: BTreeMap::new(), gone: VecDeque::new() });

thread_local! {
    /// Of the instance that this thread called last.
    static CALLED: Cell<Number> = const { Cell::new(Number(0)) };
}

/// The instance to which a callback belongs.
pub(crate) struct Addressee {
    /// The context whose sink takes the message.
    pub(crate) context: Arc<Context>,
    /// The component that the message is about, if its instance was freed.
    pub(crate) gone: Option<String>,
}

/// A number that nothing else has had; `context` is found by it until it is dropped.
pub(crate) fn admit(component: Arc<str>, context: Weak<Context>) -> Number {
    let mut registry = registry();
    let number = Number(registry.next);
    registry.next += 1;
    registry.known.insert(number, KnownInstance { component, context });
    number
}

/// The context of a number was dropped.
pub(crate) fn dismiss(number: Number) {
    let mut registry = registry();
    registry.gone.push_back(number);
    if GONE_MAX < registry.gone.len()
        && let Some(oldest) = registry.gone.pop_front()
    {
        registry.known.remove(&oldest);
    }
}

/// From now on this thread is in a call of that instance. Costs one store: it is on the way of every call.
#[inline]
pub(crate) fn note_call(number: Number) {
    CALLED.set(number);
}

/// The instance that a callback on this thread belongs to; `None` if no instance is left.
pub(crate) fn find(number: Number, name: Option<&str>) -> Option<Addressee> {
    let registry = registry();
    let by_name = || registry.named(name?);
    // A thread that ends may log while what it had is being dropped.
    let called = || registry.entry(CALLED.try_with(Cell::get).ok()?);
    let found = registry.entry(number).or_else(by_name).or_else(called);
    let found = found.or_else(|| registry.last().map(Found::Here));
    match found? {
        Found::Here(context) => Some(Addressee { context, gone: None }),
        Found::Gone(component) => {
            Some(Addressee { context: registry.last()?, gone: Some(component) })
        }
    }
}

enum Found {
    Here(Arc<Context>),
    Gone(String),
}

impl Registry {
    fn entry(&self, number: Number) -> Option<Found> {
        let entry = self.known.get(&number)?;
        Some(match entry.context.upgrade() {
            Some(context) => Found::Here(context),
            None => Found::Gone(entry.component.to_string()),
        })
    }

    /// The last one of that name that lives.
    fn named(&self, name: &str) -> Option<Found> {
        let named = self.known.values().rev().filter(|entry| *entry.component == *name);
        named.filter_map(|entry| entry.context.upgrade()).next().map(Found::Here)
    }

    fn last(&self) -> Option<Arc<Context>> {
        self.known.values().rev().find_map(|entry| entry.context.upgrade())
    }
}

/// A panic of a sink or hook does not spoil a list of names.
fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}
