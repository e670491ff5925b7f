//! Whether instances kept the parameters they were given, and what is done about it if they did not.
//!
//! Some FMUs reset their parameters when they are set up or initialized. Everything is initialized anew
//! then, with fresh instances, and the one that lost a parameter is given its values once more in
//! initialization mode. What is lost even so is a problem of the run, with both values.

use crate::error::{LostParameter, RunError};
use crate::interpreter::Interpreter;
use crate::run::trace::Sinks;
use crate::run::{Run, RunOptions};
use consort_core::{Kept, LogEntry, LogLevel, LogSink, SetupOrder, VariableId};

/// How often everything is initialized anew.
const RESTARTS_MAX: usize = 4;

/// What a run remembers about parameters, and what it takes to begin anew.
pub(in crate::run) struct ParameterCheck {
    log: LogSink,
    verbose: bool,
    workers: usize,
    /// One treatment per component.
    treatments: Vec<Treatment>,
    /// Parameters that have another value than they were given.
    lost: Vec<LostParameter>,
}

/// How a component is treated that does not keep its parameters.
#[derive(Clone, Default)]
struct Treatment {
    /// It is given them again in initialization mode.
    sets_again: bool,
    /// The instance refused to set the value again.
    refuses_again: bool,
    /// It refuses to say what value these have; an instance that was asked may be of no use any more.
    unread: Vec<VariableId>,
}

impl ParameterCheck {
    /// Nothing is known yet; the options say what a run that begins anew needs.
    pub(in crate::run) fn new(options: &RunOptions, components: usize) -> Self {
        ParameterCheck {
            log: options.log.clone(),
            verbose: options.verbose,
            workers: options.workers,
            treatments: vec![Treatment::default(); components],
            lost: Vec::new(),
        }
    }

    /// Whether a component is given its parameters again in initialization mode.
    pub(super) fn sets_again(&self, component: usize) -> bool {
        self.treatments[component].sets_again
    }

    /// Parameters that have another value than they were given; they are forgotten here.
    pub(in crate::run) fn take_lost(&mut self) -> impl Iterator<Item = RunError> + use<> {
        let lost = std::mem::take(&mut self.lost).into_iter();
        lost.map(|lost| RunError::ParameterLost(Box::new(lost)))
    }

    fn write_log(&self, component: &str, level: LogLevel, message: String) {
        let (component, category) = (component.to_owned(), "consort".to_owned());
        (self.log)(&LogEntry { component, level, category, message });
    }
}

impl Treatment {
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
    pub(in crate::run) fn keep_parameters(mut self) -> Result<Run, RunError> {
        for restarts in 0..=RESTARTS_MAX {
            let begin_anew = self.parameters.compare_all(&self.interpreter);
            // The nodes of a distributed run begin together: one cannot begin anew, and a result that is not
            // that of a run in one piece is worse than none.
            let is_part = self.interpreter.link.is_some();
            if is_part && begin_anew && !self.parameters.lost.is_empty() {
                let lost = self.parameters.lost.swap_remove(0);
                return Err(RunError::SetAgainNeeded(Box::new(lost)));
            }
            if !begin_anew || is_part || restarts == RESTARTS_MAX {
                break;
            }
            self = self.begin_anew()?;
        }
        Ok(self)
    }

    /// The same run with fresh instances, initialized with what was learned.
    fn begin_anew(mut self) -> Result<Run, RunError> {
        self.parameters.log_lost();
        let executable = self.executable();
        let Sinks { recorder, calls } = self.trace.take_sinks();
        let ParameterCheck { log, verbose, workers, treatments, .. } = &mut self.parameters;
        let treatments = std::mem::take(treatments);
        let options = RunOptions {
            log: log.clone(),
            verbose: *verbose,
            call_log: calls,
            ..RunOptions::quiet(*workers)
        };
        // Instances end before others are made: there may be models that have one at a time.
        drop(self);
        let (mut run, initialization) = Run::build(&executable, options)?;
        run.trace.set_recorder(recorder);
        run.parameters.treatments = treatments;
        match run.initialize_all(initialization) {
            Ok(()) => Ok(run),
            Err(error) => match run.parameters.yield_all() {
                true => run.begin_anew(),
                false => Err(error),
            },
        }
    }
}

impl ParameterCheck {
    /// Compares what all components have with what they were given; whether it is worth beginning anew.
    fn compare_all(&mut self, run: &Interpreter) -> bool {
        self.lost.clear();
        run.program.own.iter().fold(false, |anew, &index| self.compare(run, index) | anew)
    }

    fn compare(&mut self, run: &Interpreter, index: usize) -> bool {
        let component = &run.executable.system.components[index];
        let preparation = component.preparation(run.executable.description(index));
        let known = self.treatments[index].unread.clone();
        let mut begin_anew = false;
        for setting in preparation.given_parameters() {
            if known.contains(&setting.variable) {
                continue;
            }
            let variable = &preparation.variables[setting.variable.index()];
            let kept =
                run.with_member(index, |it| preparation.read_back(&mut *it.instance, setting));
            begin_anew |= match kept {
                Kept::Yes => false,
                Kept::Differs(found) => {
                    let is_structural = component.structural.contains(setting);
                    self.lost.push(LostParameter {
                        component: component.name.clone(),
                        variable: variable.name.clone(),
                        given: setting.values.clone(),
                        found,
                    });
                    let is_set_again = component.setup == SetupOrder::SetAgain;
                    !is_structural && !is_set_again && self.treatments[index].ask_again()
                }
                Kept::Refused(error) => {
                    let message = format!("`{}` could not be read back: {error}", variable.name);
                    self.write_log(&component.name, LogLevel::Info, message);
                    self.treatments[index].unread.push(setting.variable);
                    true
                }
            };
        }
        begin_anew
    }

    /// Takes back what components refused; whether there was anything.
    fn yield_all(&mut self) -> bool {
        self.treatments.iter_mut().fold(false, |any, it| it.yield_again() | any)
    }

    fn log_lost(&self) {
        for lost in &self.lost {
            let message = format!("{lost}; it is set again in initialization mode");
            self.write_log(&lost.component, LogLevel::Info, message);
        }
    }
}
