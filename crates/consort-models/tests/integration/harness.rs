//! One block on a bench: made from text, stepped on a grid, read by name.

use consort_core::{
    Diagnostic, Instance, Instantiation, Literal, ModelDescription, Prng, Reference, Report,
    Resolution, Setup, Step, Tag, Time,
};
use consort_models::native::Blocks;
use consort_models::{GivenParameter, LoadedModel, ModelRequest};
use std::path::Path;

/// A literal as a system file has it: `1.5`, `3`, `true`, `"text"`, `[[1.0, 2.0]]`.
pub(crate) fn literal(text: &str) -> Literal {
    let mut rest = text;
    let literal = read_literal(&mut rest);
    assert!(rest.trim().is_empty(), "{text}");
    literal
}

fn read_literal(rest: &mut &str) -> Literal {
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('[') {
        *rest = inner;
        return read_list(rest);
    }
    if let Some(inner) = rest.strip_prefix('"') {
        let (text, after) = inner.split_once('"').unwrap();
        *rest = after;
        return Literal::Text(text.to_owned());
    }
    let end = rest.find([',', ']']).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    match word.trim() {
        "true" => Literal::Boolean(true),
        "false" => Literal::Boolean(false),
        word => word
            .parse()
            .map(Literal::Integer)
            .unwrap_or_else(|_| Literal::Float(word.parse().unwrap())),
    }
}

fn read_list(rest: &mut &str) -> Literal {
    let mut items = Vec::new();
    loop {
        *rest = rest.trim_start().trim_start_matches(',').trim_start();
        if let Some(after) = rest.strip_prefix(']') {
            *rest = after;
            return Literal::Array(items);
        }
        items.push(read_literal(rest));
    }
}

/// Our blocks and those of the aircraft pack.
pub(crate) fn blocks() -> Blocks {
    Blocks::with_packs(&[consort_aircraft::BLOCKS])
}

/// Loads `native:name`; parameters are lines `name = literal`.
pub(crate) fn load(name: &str, parameters: &str, report: &mut Report) -> Option<LoadedModel> {
    load_in(Path::new("."), name, parameters, report)
}

pub(crate) fn load_in(
    base: &Path,
    name: &str,
    parameters: &str,
    report: &mut Report,
) -> Option<LoadedModel> {
    let given: Vec<(&str, Literal)> = parameters
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, value)| (name.trim(), literal(value)))
        .collect();
    let parameters: Vec<GivenParameter<'_>> = given
        .iter()
        .map(|(name, value)| GivenParameter { name, value, has_unit: false, span: None })
        .collect();
    let model = format!("native:{name}");
    let request = ModelRequest {
        component: "block",
        parameters: &parameters,
        ..ModelRequest::new(&model, base)
    };
    blocks().load(name, &request, report)
}

pub(crate) fn instantiation(seed: u64) -> Instantiation<'static> {
    Instantiation::quiet("block", Prng::new(seed).split("block"))
}

/// A diagnostic as plain text.
pub(crate) fn render(diagnostic: &Diagnostic) -> String {
    let mut text =
        format!("{}[{}]: {}\n", diagnostic.severity, diagnostic.code, diagnostic.message);
    for note in &diagnostic.notes {
        text += &format!("note: {note}\n");
    }
    if let Some(help) = &diagnostic.help {
        text += &format!("help: {help}\n");
    }
    text
}

pub(crate) fn render_all(report: &Report) -> String {
    report.diagnostics().iter().map(render).collect()
}

/// A live block and its grid.
pub(crate) struct Bench {
    pub(crate) description: ModelDescription,
    pub(crate) instance: Box<dyn Instance>,
    pub(crate) resolution: Resolution,
    pub(crate) now: Time,
    pub(crate) step: Time,
}

impl Bench {
    /// Made, but not yet initialized; the step is given in seconds as a person writes it.
    pub(crate) fn fresh(name: &str, parameters: &str, step: &str) -> Self {
        Self::with_seed(name, parameters, step, 1)
    }

    pub(crate) fn with_seed(name: &str, parameters: &str, step: &str, seed: u64) -> Self {
        let mut report = Report::default();
        let loaded = load(name, parameters, &mut report)
            .unwrap_or_else(|| panic!("{}", render_all(&report)));
        Self::of(&loaded, step, seed)
    }

    pub(crate) fn of(loaded: &LoadedModel, step: &str, seed: u64) -> Self {
        let resolution = Resolution::for_all(&[step.parse().unwrap()]).unwrap();
        Bench {
            description: loaded.model.description().clone(),
            instance: loaded.model.instantiate(&instantiation(seed)).unwrap(),
            resolution,
            now: Time::ZERO,
            step: resolution.ticks(step.parse().unwrap()).unwrap(),
        }
    }

    /// Made and initialized at time zero.
    pub(crate) fn started(name: &str, parameters: &str, step: &str) -> Self {
        let mut bench = Self::fresh(name, parameters, step);
        bench.start();
        bench
    }

    pub(crate) fn start(&mut self) {
        self.instance.enter_initialization(&self.setup()).unwrap();
        self.instance.exit_initialization().unwrap();
    }

    pub(crate) fn setup(&self) -> Setup {
        Setup { resolution: self.resolution, start: self.now, stop: None, tolerance: None }
    }

    pub(crate) fn reference(&self, name: &str) -> Reference {
        let id = self.description.variable(name).unwrap_or_else(|| panic!("no `{name}`"));
        self.description.variables[id.index()].reference
    }

    pub(crate) fn get(&mut self, name: &str) -> f64 {
        let mut place = [f64::NAN];
        self.get_list(name, &mut place);
        place[0]
    }

    pub(crate) fn get_list(&mut self, name: &str, place: &mut [f64]) {
        let reference = self.reference(name);
        let place = consort_core::ValuesMut::Float64(place);
        self.instance.get(&[reference], place).unwrap();
    }

    pub(crate) fn set(&mut self, name: &str, value: f64) {
        self.set_list(name, &[value]);
    }

    pub(crate) fn set_list(&mut self, name: &str, values: &[f64]) {
        let reference = self.reference(name);
        self.instance.set(&[reference], consort_core::ValuesRef::Float64(values)).unwrap();
    }

    pub(crate) fn step(&mut self) {
        let step = self.next_step();
        self.instance.step(&step).unwrap();
        self.now = step.to;
    }

    pub(crate) fn next_step(&self) -> Step {
        Step {
            from: Tag::at(self.now),
            to: self.now + self.step,
            start: self.resolution.to_f64(self.now),
            length: self.resolution.to_f64(self.step),
        }
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.resolution.to_f64(self.now)
    }
}
