//! The FMU of `liar.c`, and systems of it.

use crate::record::Record;
use crate::world::{Said, World};
use consort_fmi::description::FmiVersion;
use consort_fmi::fmu::platform;
use consort_testkit::fmus::Fmi;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// What the FMU does; the numbers are those of `liar.c`.
pub(super) mod fault {
    pub(in super::super) const HONEST: u32 = 0;
    pub(in super::super) const RESETS_IN_SETUP: u32 = 1;
    pub(in super::super) const RESETS_AT_ENTER: u32 = 2;
    pub(in super::super) const RESETS_AT_EXIT: u32 = 3;
    pub(in super::super) const REFUSES_READS: u32 = 4;
    pub(in super::super) const NEEDS_PARAMETERS: u32 = 5;
    pub(in super::super) const REFUSES_AFTER_SETUP: u32 = 6;
    pub(in super::super) const CLAMPS: u32 = 7;
    pub(in super::super) const REFUSES_AGAIN: u32 = 8;
    pub(in super::super) const DIES_OF_NOTHING: u32 = 10;
    pub(in super::super) const REFUSES_NOTHING: u32 = 11;
    pub(in super::super) const HAS_MORE_STATES: u32 = 12;
    pub(in super::super) const CLAIMS_TOO_MUCH: u32 = 13;
    pub(in super::super) const LOGS_TO_ONE: u32 = 20;
    pub(in super::super) const LOGS_TO_NULL: u32 = 21;
    pub(in super::super) const LOGS_TO_ITSELF: u32 = 22;
    pub(in super::super) const LOGS_TO_STALE: u32 = 23;
    pub(in super::super) const LOGS_NULLS: u32 = 24;
    pub(in super::super) const LOGS_FORMATS: u32 = 25;
    pub(in super::super) const LOGS_FROM_THREAD: u32 = 26;
    pub(in super::super) const LOGS_AFTER_FREE: u32 = 27;
    pub(in super::super) const LOGS_AT_BIRTH: u32 = 28;
    pub(in super::super) const LOGS_BAD_TEXTS: u32 = 29;
    pub(in super::super) const LOGS_HUGE: u32 = 30;
}

pub(super) const BOTH: [Fmi; 2] = [Fmi::V2, Fmi::V3];
pub(super) const CO_SIMULATION: &str = "co-simulation";
pub(super) const MODEL_EXCHANGE: &str = "model-exchange";
pub(super) const INTERFACES: [&str; 2] = [CO_SIMULATION, MODEL_EXCHANGE];

/// One liar in one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) fmi: Fmi,
    pub(super) fault: u32,
    pub(super) interface: &'static str,
    pub(super) isolated: bool,
    /// What its description declares, and what it has but for its fault.
    pub(super) states: bool,
    pub(super) indicators: u32,
    /// More keys of its component.
    pub(super) keys: &'static str,
}

impl Case {
    pub(super) fn new(fault: u32, fmi: Fmi) -> Case {
        let interface = CO_SIMULATION;
        Case { fmi, fault, interface, isolated: false, states: true, indicators: 0, keys: "" }
    }

    /// The same by both interfaces, here and in a process of its own.
    pub(super) fn everywhere(self) -> Vec<Case> {
        let places = INTERFACES.into_iter().flat_map(|it| [(it, false), (it, true)]);
        places.map(|(interface, isolated)| Case { interface, isolated, ..self }).collect()
    }

    /// A folder with the system `s`, in which the liar is called `odd`.
    pub(super) fn world(&self) -> World {
        let world = World::new();
        let (version, folder) = match self.fmi {
            Fmi::V2 => (FmiVersion::V2, platform(FmiVersion::V2)),
            Fmi::V3 => (FmiVersion::V3, platform(FmiVersion::V3)),
        };
        let description = match version {
            FmiVersion::V2 => self.description_2(),
            FmiVersion::V3 => self.description_3(),
        };
        world.write("s/liar/modelDescription.xml", description);
        let binary = fs::read(self.binary()).unwrap();
        world.write(&format!("s/liar/binaries/{folder}/liar.so"), binary);
        let Case { interface, keys, .. } = self;
        world.system(&format!(
            "[experiment]\nstop = 2\nstep = 0.1\nrecord = [\"odd.y\", \"odd.x\", \"odd.count\"]\n\
             [components.odd]\nmodel = \"liar\"\ninterface = \"{interface}\"\n{keys}\n\
             parameters = {{ k = 2.5, n = 7, b = true, s = \"abc\" }}\n"
        ));
        world
    }

    /// Runs it; the trace is in `run`.
    pub(super) fn run(&self, world: &World) -> Said {
        let mut args = vec!["run", "s", "--out", "run", "--csv"];
        args.extend(self.isolated.then_some("--isolate"));
        world.consort(&args)
    }

    /// The binary for this fault, compiled once.
    fn binary(&self) -> PathBuf {
        static COMPILING: Mutex<()> = Mutex::new(());
        let Case { fault, indicators, states, .. } = *self;
        let version = if self.fmi == Fmi::V2 { 2 } else { 3 };
        let name = format!("liar-{version}-{fault}-{states}-{indicators}.so");
        let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _one = COMPILING.lock().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acceptance/liars/liar.c");
        let modified = |path: &Path| fs::metadata(path).and_then(|it| it.modified()).ok();
        if modified(&source) < modified(&binary) {
            return binary;
        }
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"])
            .args([format!("-DFMI={version}"), format!("-DFAULT={fault}")])
            .arg(format!("-DINDICATORS={indicators}"))
            .args((!states).then_some("-DSTATELESS"))
            .arg(source)
            .arg("-o")
            .arg(&binary)
            .args(["-lm", "-pthread"])
            .status()
            .unwrap();
        assert!(status.success(), "{self:?} compiles");
        binary
    }

    fn description_2(&self) -> String {
        let scalar = |name: &str, reference: u32, more: &str, of: &str| {
            format!(
                "<ScalarVariable name=\"{name}\" valueReference=\"{reference}\" {more}>{of}</ScalarVariable>\n"
            )
        };
        let (parameter, output) =
            ("causality=\"parameter\" variability=\"fixed\"", "causality=\"output\"");
        let local = "causality=\"local\" variability=\"continuous\" initial=\"calculated\"";
        let slope = if self.states { "<Real derivative=\"7\"/>" } else { "<Real/>" };
        let variables = [
            scalar("k", 1, parameter, "<Real start=\"1\"/>"),
            scalar("n", 2, parameter, "<Integer start=\"3\"/>"),
            scalar("b", 3, parameter, "<Boolean start=\"false\"/>"),
            scalar("s", 4, parameter, "<String start=\"start\"/>"),
            scalar("u", 5, "causality=\"input\" variability=\"continuous\"", "<Real start=\"0\"/>"),
            scalar("y", 6, output, "<Real/>"),
            scalar("x", 7, output, "<Real/>"),
            scalar("der(x)", 8, local, slope),
            scalar("count", 9, "causality=\"output\" variability=\"discrete\"", "<Integer/>"),
        ];
        let derivatives =
            if self.states { "<Derivatives><Unknown index=\"8\"/></Derivatives>" } else { "" };
        format!(
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"liar\" guid=\"g\" numberOfEventIndicators=\"{}\">\n\
             <ModelExchange modelIdentifier=\"liar\" providesDirectionalDerivative=\"true\"/>\n\
             <CoSimulation modelIdentifier=\"liar\" canHandleVariableCommunicationStepSize=\"true\"/>\n\
             <DefaultExperiment stopTime=\"2\"/>\n<ModelVariables>\n{}</ModelVariables>\n\
             <ModelStructure><Outputs><Unknown index=\"6\"/><Unknown index=\"7\"/><Unknown index=\"9\"/></Outputs>\
             {derivatives}</ModelStructure>\n</fmiModelDescription>\n",
            self.indicators,
            variables.concat()
        )
    }

    fn description_3(&self) -> String {
        let slope = if self.states { " derivative=\"7\"" } else { "" };
        let derivative =
            if self.states { "<ContinuousStateDerivative valueReference=\"8\"/>" } else { "" };
        let indicator =
            if self.indicators == 1 { "<EventIndicator valueReference=\"10\"/>" } else { "" };
        format!(
            "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"liar\" instantiationToken=\"g\">\n\
             <ModelExchange modelIdentifier=\"liar\" providesDirectionalDerivatives=\"true\"/>\n\
             <CoSimulation modelIdentifier=\"liar\" canHandleVariableCommunicationStepSize=\"true\"/>\n\
             <DefaultExperiment stopTime=\"2\"/>\n<ModelVariables>\n\
             <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" variability=\"continuous\"/>\n\
             <Float64 name=\"k\" valueReference=\"1\" causality=\"parameter\" variability=\"fixed\" start=\"1\"/>\n\
             <Int32 name=\"n\" valueReference=\"2\" causality=\"parameter\" variability=\"fixed\" start=\"3\"/>\n\
             <Boolean name=\"b\" valueReference=\"3\" causality=\"parameter\" variability=\"fixed\" start=\"false\"/>\n\
             <String name=\"s\" valueReference=\"4\" causality=\"parameter\" variability=\"fixed\"><Start value=\"start\"/></String>\n\
             <Float64 name=\"u\" valueReference=\"5\" causality=\"input\" start=\"0\"/>\n\
             <Float64 name=\"y\" valueReference=\"6\" causality=\"output\"/>\n\
             <Float64 name=\"x\" valueReference=\"7\" causality=\"output\"/>\n\
             <Float64 name=\"der(x)\" valueReference=\"8\" causality=\"local\"{slope}/>\n\
             <Int32 name=\"count\" valueReference=\"9\" causality=\"output\" variability=\"discrete\"/>\n\
             <Float64 name=\"z\" valueReference=\"10\" causality=\"local\"/>\n\
             </ModelVariables>\n<ModelStructure><Output valueReference=\"6\"/><Output valueReference=\"7\"/>\
             <Output valueReference=\"9\"/>{derivative}{indicator}</ModelStructure>\n</fmiModelDescription>\n"
        )
    }
}

/// The last value of one of its variables.
pub(super) fn last(world: &World, variable: &str) -> f64 {
    *Record::parse(&world.read("run/trace.csv")).floats(&format!("odd.{variable}")).last().unwrap()
}

/// The value of one of its variables at a time.
pub(super) fn at(world: &World, variable: &str, time: f64) -> f64 {
    let record = Record::parse(&world.read("run/trace.csv"));
    let row = record.times().iter().rposition(|it| (it - time).abs() < 1e-9).unwrap();
    record.floats(&format!("odd.{variable}"))[row]
}

/// What the log has of it, level and message.
pub(super) fn logged(world: &World) -> Vec<(String, String)> {
    let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
    let lines = world.events("run", "log").into_iter();
    let own = lines.filter(|line| line["component"] == "odd");
    own.map(|line| (text(&line, "level"), text(&line, "message"))).collect()
}

pub(super) fn is_logged(world: &World, level: &str, part: &str) -> bool {
    logged(world).iter().any(|(of, message)| of == level && message.contains(part))
}

/// `y` of the parameters that are given, and of those it starts with.
pub(super) const GIVEN: f64 = 2.5 + 0.007 + 0.25 + 0.0003;
pub(super) const FORGOTTEN: f64 = 1.0 + 0.003 + 0.0005;

pub(super) fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}
