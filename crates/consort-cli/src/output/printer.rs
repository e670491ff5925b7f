//! The one place that decides where output goes: data to standard output, all else to standard
//! error.

use super::waiting::Waiting;
use super::{campaign_progress, progress};
use crate::cli::{Global, ProgressMode, When};
use consort::Monitor;
use consort::diagnostics::{self, ReportStyle};
use consort::run::monitor::{CampaignProgress, ProgressReport};
use consort_core::{LogEntry, Report, Severity};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Below are the three standard streams.
const FIRST_OF_OURS: i32 = 3;

/// Where data and messages go. Clones are one.
#[derive(Clone, Debug)]
pub(crate) struct Printer {
    data: Arc<Mutex<File>>,
    drawn: Arc<AtomicBool>,
    color: bool,
    data_color: bool,
    quiet: bool,
    verbose: bool,
    progress: ProgressMode,
}

impl Printer {
    /// Takes standard output for data: from now on, whatever else in this process writes to file
    /// descriptor 1, such as an FMU that prints, writes to standard error.
    ///
    /// # Errors
    /// If the descriptors cannot be duplicated.
    pub(crate) fn take_stdout(global: &Global) -> io::Result<Self> {
        let data_color = wants_color(global.color, io::stdout().is_terminal());
        let data = rustix::io::fcntl_dupfd_cloexec(io::stdout(), FIRST_OF_OURS)?;
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(Printer {
            data: Arc::new(Mutex::new(File::from(data))),
            drawn: Arc::default(),
            color: wants_color(global.color, io::stderr().is_terminal()),
            data_color,
            quiet: global.quiet,
            verbose: global.verbose,
            progress: progress_mode(global),
        })
    }

    /// One that draws nothing, for those who work beside others.
    pub(crate) fn hushed(&self) -> Self {
        Printer { progress: ProgressMode::None, ..self.clone() }
    }

    /// Writes data to standard output.
    ///
    /// # Errors
    /// If it cannot be written. A closed pipe is no error where the program ends.
    pub(crate) fn data(&self, data: impl AsRef<[u8]>) -> io::Result<()> {
        let mut file = self.data.lock().expect("no writer panics");
        file.write_all(data.as_ref())
    }

    /// Says a line to the user, unless `--quiet`.
    pub(crate) fn say(&self, line: &str) {
        if !self.quiet {
            to_user(line);
        }
    }

    /// Says a line to a user who wants to know more.
    pub(crate) fn detail(&self, line: &str) {
        if self.verbose {
            to_user(line);
        }
    }

    /// Says a line whatever the user asked for.
    pub(crate) fn insist(&self, line: &str) {
        to_user(line);
    }

    /// Shows what a report holds; `ending` says what follows from its errors.
    pub(crate) fn report(&self, report: &Report, ending: &'static str) {
        let least = if self.quiet { Severity::Error } else { Severity::Note };
        let (color, all) = (self.color, self.verbose);
        let points_on = !self.quiet && io::stderr().is_terminal();
        let style = ReportStyle { color, least, all, ending, points_on };
        let text = diagnostics::render(report, style);
        if !text.is_empty() {
            to_user(text.strip_suffix('\n').unwrap_or(&text));
        }
    }

    /// Whether data may be colored: only where a person looks at it.
    pub(crate) fn data_has_color(&self) -> bool {
        self.data_color
    }

    /// Whether every detail is wanted.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Shows what is being waited for until the answer is dropped.
    pub(crate) fn waiting(&self, what: &str) -> Waiting {
        Waiting::start(self.progress, &one_line(what))
    }

    /// Shows a line of progress, if there is one; at the end it is taken away.
    fn show(&self, line: Option<&str>, is_end: bool) {
        match (self.progress, line) {
            (_, None) => {}
            (ProgressMode::Json, Some(line)) => to_user(line),
            (ProgressMode::Auto | ProgressMode::None, Some(line)) => {
                self.drawn.store(true, Ordering::Relaxed);
                draw(line);
            }
        }
        if is_end && self.drawn.swap(false, Ordering::Relaxed) {
            erase();
        }
    }

    /// How progress is shown.
    pub(crate) fn progress(&self) -> ProgressMode {
        self.progress
    }
}

impl Monitor for Printer {
    fn waiting(&self, what: &str) -> consort::run::monitor::Waiting {
        consort::run::monitor::Waiting::until(Printer::waiting(self, what))
    }

    fn progress(&self, report: &ProgressReport<'_>) {
        self.show(progress::line(self.progress, report).as_deref(), report.is_end);
    }

    fn campaign(&self, progress: &CampaignProgress) {
        let line = campaign_progress::line(self.progress, progress);
        self.show(line.as_deref(), progress.is_end);
    }

    fn message(&self, line: &str) {
        self.say(line);
    }

    fn log(&self, entry: &LogEntry) {
        if entry.category == LogEntry::WAIT && !self.quiet {
            to_user(&visible(&entry.message));
        } else if self.verbose {
            let LogEntry { component, category, message, .. } = entry;
            to_user(&visible(&format!("{component} [{category}] {message}")));
        }
    }

    fn is_verbose(&self) -> bool {
        self.verbose
    }
}

/// What a model says, without what would steer a terminal.
fn visible(text: &str) -> String {
    text.trim_end().replace(|letter: char| letter.is_control() && letter != '\n', "\u{FFFD}")
}

/// Writes a line to standard error, which may be closed.
pub(crate) fn to_user(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Draws a line over the one drawn before. The terminal cuts what is too wide: a line that wraps
/// could not be drawn over.
pub(crate) fn draw(line: &str) {
    let mut stderr = io::stderr().lock();
    let _ = write!(stderr, "\r\u{1b}[?7l{line}\u{1b}[K\u{1b}[?7h");
    let _ = stderr.flush();
}

/// Takes a drawn line away.
pub(crate) fn erase() {
    let _ = write!(io::stderr().lock(), "\r\u{1b}[K");
}

/// A name as it may be shown: on one line, and without what would steer a terminal.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(char::is_control, "\u{FFFD}")
}

fn wants_color(when: When, is_terminal: bool) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => is_terminal && !is_set("NO_COLOR") && !is_dumb_terminal(),
    }
}

/// A terminal that only knows lines.
fn is_dumb_terminal() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Progress only on a terminal, and never among the lines of `--verbose`.
fn progress_mode(global: &Global) -> ProgressMode {
    let can_draw = io::stderr().is_terminal() && !is_dumb_terminal();
    let fits = can_draw && !global.verbose && !global.quiet;
    match global.progress {
        ProgressMode::Auto if !fits => ProgressMode::None,
        mode => mode,
    }
}
