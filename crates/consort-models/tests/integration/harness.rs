//! One block on a bench: made from text, stepped on a grid, read by name.

use consort_core::{
    Diagnostic, Instance, Instantiation, Literal, ModelDescription, Prng, Reference, Report,
    Resolution, Setup, Step, Tag, Time, Values,
};
use consort_models::{LoadedModel, ModelRequest, Parameter, native};
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
    let parameters: Vec<Parameter<'_>> = given
        .iter()
        .map(|(name, value)| Parameter { name, value, has_unit: false, span: None })
        .collect();
    let model = format!("native:{name}");
    let request = ModelRequest {
        component: "block",
        parameters: &parameters,
        ..ModelRequest::new(&model, base)
    };
    native::load(name, &request, report)
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

    /// Every variable, to the bit.
    pub(crate) fn all_values(&mut self) -> Vec<Values> {
        let variables = self.description.variables.clone();
        variables
            .iter()
            .map(|variable| {
                let mut values = Values::zeros(variable.value_type, count(variable));
                let length = values.len();
                let place = values.slice_mut(0, length);
                self.instance.get(&[variable.reference], place).unwrap();
                values
            })
            .collect()
    }
}

pub(crate) fn count(variable: &consort_core::Variable) -> usize {
    let extent = |dimension: &consort_core::Dimension| match dimension {
        consort_core::Dimension::Fixed(extent) => usize::try_from(*extent).unwrap(),
        consort_core::Dimension::Structural(_) => panic!("blocks have fixed shapes"),
    };
    variable.dimensions.iter().map(extent).product()
}

/// A damped oscillator with feedthrough; three substeps in a step of 0.01 s.
const OSCILLATOR: &str = "A = [[0.0, 1.0], [-4.0, -0.3]]\nB = [[0.0], [1.0]]\nC = [[1.0, 0.0]]\n\
                          D = [[0.5]]\nx0 = [1.0, 0.0]\nsubstep = 0.004";

/// Every gain does something.
const CONTROLLER: &str = "altitude_gain = 0.01\naltitude_integral = 0.02\nclimb_gain = 0.03\n\
                          pitch_gain = 0.6\npitch_damping = 0.1\nroll_gain = 0.7\n\
                          roll_damping = 0.2\nyaw_damping = 0.3\ncoordination_gain = 0.04\n\
                          speed_gain = 0.05\nspeed_integral = 0.1\nthrottle_trim = 0.5\n\
                          roll = 0.2\npitch_rate = 0.1\nyaw_rate = -0.1";

/// Every derivative does something.
const AIRPLANE: &str = "mass = 900\ninertia = [1200, 1500, 2500]\ninertia_xz = 80\n\
                        wing = [15, 1.5, 10]\nlift = [0.3, 4.5, 8, 4, 0.6]\ndrag = [0.03, 0.06]\n\
                        side_force = [-0.6, -0.1, 0.3, 0.02, 0.2]\n\
                        roll_moment = [-0.1, -0.5, 0.1, 0.17, 0.02]\n\
                        pitch_moment = [0.05, -0.4, -20, -9, -1.5]\n\
                        yaw_moment = [0.1, -0.03, -0.15, -0.02, -0.1]\nengine = [2, -0.2]\n\
                        speed0 = 60\naltitude0 = 1000\npitch0 = 0.02\nangle_of_attack0 = 0.05\n\
                        rates0 = [0.1, 0.2, -0.1]\nsideslip0 = 0.1";

/// The ways to solve `native:state-space` but the default.
pub(crate) const METHODS: [&str; 5] = [
    "method = \"euler\"",
    "method = \"ab2\"",
    "method = \"ab2\"\nstarter = \"rk4\"",
    "method = \"ab3\"",
    "method = \"ab3\"\nstarter = \"rk4\"",
];

/// The [`samples`], and one more for every way to solve.
pub(crate) fn all_samples() -> Vec<(&'static str, String)> {
    let solved = METHODS.map(|method| ("state-space", format!("{OSCILLATOR}\n{method}")));
    samples().into_iter().chain(solved).collect()
}

/// One set of parameters for every block, good for a long run.
pub(crate) fn samples() -> Vec<(&'static str, String)> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/flow.csv");
    let table = format!("file = \"{}\"", table.display());
    vec![
        ("actuator", "y0 = 0.1\nrate_max = 0.5\nmin = -0.4\nmax = 0.4".to_owned()),
        (
            "aircraft-sensors",
            "mach = 0.3\npressure = 8e4\ntemperature = 280\nrate_bias = 0.01".to_owned(),
        ),
        ("atmosphere", "gust = [1.0, 2.0, -3.0]\ngust_duration = 0.3".to_owned()),
        ("constant", "value = [1.5, -2.5]".to_owned()),
        ("flight-controller", CONTROLLER.to_owned()),
        ("flight-dynamics", AIRPLANE.to_owned()),
        ("gain", "size = 3\nk = -0.3".to_owned()),
        ("geocentric", "longitude = 0.5\npitch = 0.1\nheading = 0.2".to_owned()),
        ("integrator", "x0 = 0.25\nmax = 0.6\nmin = -0.4".to_owned()),
        ("noise", "deviation = 2.0\nperiod = 0.02".to_owned()),
        ("pid", "kp = 2.0\nki = 0.7\nkd = 0.05\nmin = -1.5\nmax = 1.5".to_owned()),
        ("piston-engine", "opening0 = 0.7".to_owned()),
        ("pulse", "period = 0.07\nduty = 0.3".to_owned()),
        ("ramp", "start = 0.1\nduration = 0.5".to_owned()),
        ("round", "method = \"up\"\ntype = \"Int16\"".to_owned()),
        ("saturation", "min = -0.2\nmax = 0.4".to_owned()),
        ("sine", "frequency = 3.0\nphase = 0.1".to_owned()),
        ("state-space", OSCILLATOR.to_owned()),
        ("step", "time = 0.3".to_owned()),
        ("sum", "signs = \"+-+\"".to_owned()),
        ("table", table),
        ("threshold", "threshold = 0.2".to_owned()),
        ("unit-delay", "y0 = 0.5".to_owned()),
    ]
}
