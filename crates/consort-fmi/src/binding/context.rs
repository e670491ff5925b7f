//! The log callback of an FMU.

use super::Status;
use super::registry::{self, Addressee, Number};
use consort_core::{LogEntry, LogLevel, LogSink};
use std::collections::VecDeque;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// How many of the last log lines an error carries.
const RECENT_MAX: usize = 10;

unsafe extern "C" {
    /// In `csrc/logger.c`: formats and calls [`consort_fmi_receive`].
    pub(crate) fn consort_fmi2_logger(
        environment: *mut c_void,
        instance_name: *const c_char,
        status: c_int,
        category: *const c_char,
        message: *const c_char,
        ...
    );

    /// The same for FMI 3, where the text is ready.
    pub(crate) fn consort_fmi3_logger(
        environment: *mut c_void,
        status: c_int,
        category: *const c_char,
        message: *const c_char,
    );
}

/// The other end of an instance's callbacks. The FMU knows it by a number: see [`registry`].
pub(crate) struct Context {
    number: Number,
    component: Arc<str>,
    sink: LogSink,
    /// FMUs may log from threads of their own.
    recent: Mutex<VecDeque<String>>,
}

impl Context {
    pub(crate) fn new(component: &str, sink: LogSink) -> Arc<Self> {
        let component: Arc<str> = component.into();
        Arc::new_cyclic(|context| Context {
            number: registry::admit(Arc::clone(&component), Weak::clone(context)),
            component,
            sink,
            recent: Mutex::new(VecDeque::new()),
        })
    }

    /// What the FMU is handed, and is to hand back with every callback.
    pub(crate) fn number(&self) -> Number {
        self.number
    }

    /// The last lines, oldest first.
    pub(crate) fn recent(&self) -> Vec<String> {
        lock(&self.recent).iter().cloned().collect()
    }

    /// Passes a line on and remembers it.
    pub(crate) fn log(&self, level: LogLevel, category: &str, message: &str) {
        self.remember(category, message);
        (self.sink)(&LogEntry {
            component: self.component.to_string(),
            level,
            category: category.to_owned(),
            message: message.to_owned(),
        });
    }

    fn remember(&self, category: &str, message: &str) {
        let line = match category {
            "" => message.to_owned(),
            category => format!("[{category}] {message}"),
        };
        let mut recent = lock(&self.recent);
        if recent.len() == RECENT_MAX {
            recent.pop_front();
        }
        recent.push_back(line);
    }
}

/// A panic of a sink does not spoil lines of text: continue with what is there.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Context {
    fn drop(&mut self) {
        registry::dismiss(self.number);
    }
}

/// Where both loggers end.
///
/// # Safety
/// The texts end in NUL; `name` may be null.
#[unsafe(no_mangle)]
unsafe extern "C" fn consort_fmi_receive(
    environment: *mut c_void,
    name: *const c_char,
    status: c_int,
    category: *const c_char,
    message: *const c_char,
) {
    let level = match Status(status) {
        Status::OK | Status::PENDING => LogLevel::Info,
        Status::WARNING | Status::DISCARD => LogLevel::Warning,
        _ => LogLevel::Error,
    };
    // SAFETY: the caller's promise.
    let (name, category, message) = unsafe { (text(name), text(category), text(message)) };
    let (number, message) = (Number::from_environment(environment), message.trim_end());
    let name = Some(&*name).filter(|name| !name.is_empty());
    match registry::find(number, name) {
        Some(Addressee { context, gone: None }) => context.log(level, &category, message),
        Some(Addressee { context, gone: Some(component) }) => {
            let category = category.into_owned();
            let message = format!("{message} (logged after the instance was freed)");
            (context.sink)(&LogEntry { component, level, category, message });
        }
        // No log is left; a failure to write to standard error is no reason to stop.
        None => {
            let name = name.unwrap_or("an FMU");
            let _ = writeln!(io::stderr(), "{name} [{category}] {message}");
        }
    }
}

/// # Safety
/// `pointer` is null or a text that ends in NUL and lives as long as the result is used.
pub(crate) unsafe fn text<'a>(pointer: *const c_char) -> std::borrow::Cow<'a, str> {
    if pointer.is_null() {
        return "".into();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy()
}
