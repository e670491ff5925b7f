//! What a campaign means: every name looked up, every value of its type, the scenarios counted.
//!
//! Two steps, because what the properties look at has to be known before a system can be planned:
//! [`Questions::of`] reads the formulas, [`resolve`] checks the rest against the system.

mod approach;
mod constraints;
mod inputs;

pub use approach::{budget, strategy};

use crate::space::{InputAlphabet, Shape, Space, SpaceError};
use consort_core::diagnostic::nearest_name;
use consort_core::{
    Diagnostic, ModelDescription, Report, Resolution, Span, Time, ValueType, Values, Variable,
};
use consort_property::{Property, PropertyMonitor, Reading};
use consort_system::campaign::{PropertyReading, PropertyText};
use consort_system::{Campaign, ResolvedSystem, Spanned};

/// What must hold, understood.
#[derive(Clone)]
pub struct Question {
    /// The name in reports.
    pub name: String,
    /// The formula.
    pub property: Property,
    /// What a trace means between its rows.
    pub reading: Reading,
    /// Robustness is divided by this.
    pub scale: f64,
    span: Option<Span>,
}

impl Question {
    /// A monitor that checks from `start` on whether it holds.
    pub fn monitor(&self, resolution: Resolution, start: Time) -> PropertyMonitor {
        self.property.monitor(self.reading, resolution, start)
    }
}

/// The questions of a campaign.
#[derive(Clone)]
pub struct Questions {
    /// In the campaign's order.
    pub list: Vec<Question>,
    constraints: Vec<(Property, Option<Span>)>,
}

impl Questions {
    /// Reads the formulas and constraints of a campaign; mistakes go to `report`, and the questions
    /// that could be read are there all the same.
    pub fn of(campaign: &Campaign, report: &mut Report) -> Self {
        let list = campaign.properties.iter().filter_map(|text| question(text, report)).collect();
        let parse = |text: &Spanned<String>, report: &mut Report| {
            let name = format!("the constraint `{}`", text.value);
            Property::parse(&name, &text.value, report).map(|property| (property, text.span))
        };
        let constraints =
            campaign.constraints.iter().filter_map(|text| parse(text, report)).collect();
        Questions { list, constraints }
    }

    /// Everything they look at, `component.variable`, each once.
    pub fn signals(&self) -> Vec<String> {
        let all = self.list.iter().flat_map(|question| question.property.signals());
        let mut signals: Vec<String> = all.cloned().collect();
        signals.sort();
        signals.dedup();
        signals
    }
}

fn question(text: &PropertyText, report: &mut Report) -> Option<Question> {
    let name = format!("the property `{}`", text.name.value);
    let property = Property::parse(&name, &text.formula.value, report)?;
    let reading = match text.reading {
        PropertyReading::Sampled => Reading::Sampled,
        PropertyReading::Dense => Reading::Dense,
    };
    let scale = text.scale.as_ref().map_or(1.0, |scale| scale.value);
    Some(Question {
        name: text.name.value.clone(),
        property,
        reading,
        scale,
        span: text.formula.span,
    })
}

/// A disturbed input, found.
#[derive(Clone, PartialEq, Debug)]
pub struct CampaignInput {
    /// `component.variable`.
    pub path: String,
    /// What it may be; the first is the nominal one.
    pub values: Vec<Values>,
}

/// A campaign in which everything was found and fits.
#[derive(Clone)]
pub struct ResolvedCampaign {
    /// Which scenarios there are.
    pub space: Space,
    /// What is chosen: a letter of the space has one value of each.
    pub inputs: Vec<CampaignInput>,
    /// The properties to check.
    pub questions: Vec<Question>,
    /// How long a choice holds.
    pub period: Time,
}

impl ResolvedCampaign {
    /// The values of a letter, in the order of the inputs.
    pub fn values(&self, letter: u32) -> impl Iterator<Item = (&str, &Values)> {
        let choices = self.space.choices(letter).into_iter();
        let pair = |(input, choice): (_, u32)| -> (&str, &Values) {
            let input: &CampaignInput = input;
            (&input.path, &input.values[choice as usize])
        };
        self.inputs.iter().zip(choices).map(pair)
    }
}

/// Looks everything up in a system; what is wrong goes to `report`.
pub fn resolve(
    campaign: &Campaign,
    questions: Questions,
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    report: &mut Report,
) -> Option<ResolvedCampaign> {
    let before = report.error_count();
    let names = Names { system, models };
    for question in &questions.list {
        for signal in question.property.signals() {
            names.check_signal(signal, question.span, report);
        }
    }
    let inputs = inputs::resolve(campaign, &names, report);
    let period = period(campaign, system, report);
    let allowed = constraints::allowed(campaign, &questions.constraints, &inputs, report);
    // A question that could not be read was reported already; without it the answer would be wrong.
    let is_whole = questions.list.len() == campaign.properties.len()
        && questions.constraints.len() == campaign.constraints.len();
    if before < report.error_count() || !is_whole {
        return None;
    }
    let (period, horizon) = period?;
    let space = space(campaign, horizon, &allowed, report)?;
    Some(ResolvedCampaign { space, inputs, questions: questions.list, period })
}

/// The period in ticks, and how many of them a scenario has.
fn period(
    campaign: &Campaign,
    system: &ResolvedSystem,
    report: &mut Report,
) -> Option<(Time, u32)> {
    let (written, resolution) = (&campaign.period, system.experiment.resolution);
    if system.coupling.variable_step.is_some() {
        let message = "steps of this system change their size";
        let diagnostic = Diagnostic::error("campaign::variable-step", message);
        let diagnostic = diagnostic.maybe_at(campaign.system.span, "named here");
        let help = "choices need a step that ends where they change: take a fixed one";
        report.push(diagnostic.help(help));
        return None;
    }
    let period = resolution.ticks(written.value).ok();
    let steps = system.components.iter().map(|component| component.period);
    let steps: Vec<Time> =
        steps.chain([system.experiment.step]).filter(|&step| Time::ZERO < step).collect();
    let fits = |period: Time| steps.iter().any(|step| period.ticks() % step.ticks() == 0);
    let Some(period) = period.filter(|&period| fits(period)) else {
        let step = resolution.to_f64(system.experiment.step);
        let message = format!("the period of {} s is not a multiple of a step", written.value);
        let diagnostic = Diagnostic::error("campaign::period", message);
        let diagnostic = diagnostic.maybe_at(written.span, format!("the step is {step} s"));
        report.push(diagnostic.help("choices change where steps end: change one of the two"));
        return None;
    };
    let horizon = resolution.ticks(campaign.horizon.value).ok()?;
    Some((period, u32::try_from(horizon.ticks() / period.ticks()).ok()?))
}

fn space(
    campaign: &Campaign,
    horizon: u32,
    allowed: &dyn Fn(&[u32]) -> bool,
    report: &mut Report,
) -> Option<Space> {
    let disturbances = campaign.disturbances.iter().map(|written| InputAlphabet {
        name: written.input.value.clone(),
        letters: u32::try_from(written.values.len()).unwrap_or(u32::MAX),
        changes_max: written.changes_max.as_ref().map(|count| count.value),
    });
    let shape = Shape {
        disturbances: disturbances.collect(),
        changes_max: campaign.changes_max.as_ref().map(|count| count.value),
        horizon,
    };
    match Space::new(&shape, allowed) {
        Ok(space) => Some(space),
        Err(error) => {
            let diagnostic = Diagnostic::error("campaign::space", error.to_string());
            let constraint = campaign.constraints.first().and_then(|text| text.span);
            let diagnostic = match error {
                SpaceError::Empty => diagnostic
                    .maybe_at(constraint, "with this one")
                    .help("relax the constraints, or add values that satisfy them"),
                _ => diagnostic
                    .maybe_at(campaign.horizon.span, "with this horizon")
                    .help("take fewer values, a shorter horizon, or fewer changes (`changes-max`)"),
            };
            report.push(diagnostic);
            None
        }
    }
}

/// The names of a system.
pub(crate) struct Names<'n> {
    pub(crate) system: &'n ResolvedSystem,
    pub(crate) models: &'n [&'n ModelDescription],
}

impl<'n> Names<'n> {
    /// The component and the variable behind a path.
    pub(crate) fn find(&self, path: &str) -> Option<(usize, usize, &'n Variable)> {
        let (component, variable) = path.split_once('.')?;
        let is_named = |known: &consort_system::ResolvedComponent| known.name == component;
        let component = self.system.components.iter().position(is_named)?;
        let variable = self.models[component].variable(variable)?.index();
        Some((component, variable, &self.models[component].variables[variable]))
    }

    /// A path that nothing answers to.
    pub(crate) fn unknown(&self, path: &str, span: Option<Span>, report: &mut Report) {
        let known = self.system.components.iter().zip(self.models);
        let known = known.flat_map(|(component, model)| {
            model.variables.iter().map(|known| format!("{}.{}", component.name, known.name))
        });
        let known: Vec<String> = known.collect();
        let message = format!("`{path}` is not in `{}`", self.system.name);
        let help = match nearest_name(path, known.iter().map(String::as_str)) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`consort inspect` lists the variables of a system".to_owned(),
        };
        let diagnostic = Diagnostic::error("campaign::unknown-variable", message);
        report.push(diagnostic.maybe_at(span, "not found").help(help));
    }

    /// A property looks at numbers and Booleans, one at a time.
    fn check_signal(&self, path: &str, span: Option<Span>, report: &mut Report) {
        let Some((_, _, variable)) = self.find(path) else {
            return self.unknown(path, span, report);
        };
        let is_text = matches!(variable.value_type, ValueType::String | ValueType::Binary);
        if is_text || !variable.dimensions.is_empty() {
            let what = if is_text { "no number" } else { "an array" };
            let message = format!("`{path}` is {what}");
            let diagnostic = Diagnostic::error("campaign::not-a-number", message);
            let diagnostic = diagnostic.maybe_at(span, "this property looks at it");
            report.push(diagnostic.help("properties are about numbers and Booleans"));
        }
    }
}
