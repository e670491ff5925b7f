//! Whether instances kept the parameters they were given, and what is done about it if they did not.
//!
//! Some FMUs reset their parameters when they are set up or initialized. Everything is initialized anew
//! then, with fresh instances, and the one that lost a parameter is given its values once more in
//! initialization mode. What is lost even so is a problem of the run, with both values.

use crate::error::{LostParameter, RunError};
use crate::run::{Run, RunOptions};
use consort_core::{Kept, LogEntry, LogLevel, LogSink, SetupOrder, VariableId};

/// How often everything is initialized anew.
const RESTARTS_MAX: usize = 4;

/// What a run remembers about parameters, and what it takes to begin anew.
pub(crate) struct Keeping {
    log: LogSink,
    verbose: bool,
    workers: usize,
    /// By component.
    care: Vec<Care>,
    /// Parameters that have another value than they were given.
    pub(crate) lost: Vec<LostParameter>,
}

/// How a component is treated that does not keep its parameters.
#[derive(Clone, Default)]
struct Care {
    /// It is given them again in initialization mode.
    sets_again: bool,
    /// It refused that.
    refuses_again: bool,
    /// It refuses to say what value these have; an instance that was asked may be of no use any more.
    unread: Vec<VariableId>,
}

impl Keeping {
    pub(crate) fn new(options: &RunOptions, components: usize) -> Self {
        Keeping {
            log: options.log.clone(),
            verbose: options.verbose,
            workers: options.workers,
            care: vec![Care::default(); components],
            lost: Vec::new(),
        }
    }

    pub(crate) fn sets_again(&self, component: usize) -> bool {
        self.care[component].sets_again
    }

    fn say(&self, component: &str, level: LogLevel, message: String) {
        let (component, category) = (component.to_owned(), "consort".to_owned());
        (self.log)(&LogEntry { component, level, category, message });
    }
}

impl Care {
    /// Whether setting parameters again is something new to try.
    fn ask_again(&mut self) -> bool {
        !self.refuses_again && !std::mem::replace(&mut self.sets_again, true)
    }

    /// Takes back what was refused; whether there was anything.
    fn yield_again(&mut self) -> bool {
        self.refuses_again |= self.sets_again;
        std::mem::take(&mut self.sets_again)
    }
}

impl Run {
    /// Sees to it that every instance has the parameters it was given, as far as that can be had.
    pub(crate) fn keep_parameters(mut self) -> Result<Run, RunError> {
        for restarts in 0..=RESTARTS_MAX {
            self.keeping.lost.clear();
            let mut again = false;
            for at in 0..self.program.own.len() {
                again |= self.look_back(self.program.own[at]);
            }
            // The nodes of a distributed run begin together: one cannot begin anew, and a result that is not
            // that of a run in one piece is worse than none.
            if self.link.is_some() && again && !self.keeping.lost.is_empty() {
                let lost = self.keeping.lost.swap_remove(0);
                return Err(RunError::SetAgainNeeded(Box::new(lost)));
            }
            if !again || self.link.is_some() || restarts == RESTARTS_MAX {
                break;
            }
            self = self.begin_anew()?;
        }
        Ok(self)
    }

    /// Compares what a component has with what it was given; whether it is worth beginning anew.
    fn look_back(&mut self, index: usize) -> bool {
        let component = &self.system.components[index];
        let preparation = component.preparation(self.models[index].description());
        let home = self.program.homes[index];
        let mut lane = self.pool.lane(home.lane);
        let instance = &mut *lane.members[home.member as usize].instance;
        let known = self.keeping.care[index].unread.clone();
        let mut again = false;
        for setting in preparation.given_parameters() {
            if known.contains(&setting.variable) {
                continue;
            }
            let variable = &preparation.variables[setting.variable.index()];
            again |= match preparation.read_back(instance, setting) {
                Kept::Yes => false,
                Kept::No(found) => {
                    let is_structural = component.structural.contains(setting);
                    self.keeping.lost.push(LostParameter {
                        component: component.name.clone(),
                        variable: variable.name.clone(),
                        given: setting.values.clone(),
                        found,
                    });
                    let is_set_again = component.setup == SetupOrder::SetAgain;
                    !is_structural && !is_set_again && self.keeping.care[index].ask_again()
                }
                Kept::Refused(error) => {
                    let message = format!("`{}` could not be read back: {error}", variable.name);
                    self.keeping.say(&component.name, LogLevel::Info, message);
                    self.keeping.care[index].unread.push(setting.variable);
                    true
                }
            };
        }
        again
    }

    /// The same run with fresh instances, initialized with what was learned.
    fn begin_anew(mut self) -> Result<Run, RunError> {
        self.tell_what_is_lost();
        let (recorder, call_log) = (self.recorder.take(), self.call_log.take());
        let Keeping { log, verbose, workers, care, .. } = &mut self.keeping;
        let care = std::mem::take(care);
        let options = RunOptions {
            log: log.clone(),
            verbose: *verbose,
            call_log,
            ..RunOptions::quiet(*workers)
        };
        let executable = self.executable();
        // Instances end before others are made: there may be models that have one at a time.
        drop(self);
        let (mut run, initialization) = Run::build(&executable, options)?;
        (run.recorder, run.keeping.care) = (recorder, care);
        match run.initialize_all(initialization) {
            Ok(()) => Ok(run),
            Err(error) => {
                let care = run.keeping.care.iter_mut();
                let refused = care.filter_map(|care| care.yield_again().then_some(())).count();
                if 0 < refused { run.begin_anew() } else { Err(error) }
            }
        }
    }

    fn tell_what_is_lost(&self) {
        for lost in &self.keeping.lost {
            let message = format!("{lost}; it is set again in initialization mode");
            self.keeping.say(&lost.component, LogLevel::Info, message);
        }
    }
}
