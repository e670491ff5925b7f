//! Multi-models, right and wrong. Models are those of `consort_formats::fuzz`.

pub(crate) const GOOD: &str = r#"{
  "fmus": { "{control}": "pid", "{tank 1}": "some\\folder\\tank.fmu" },
  "connections": {
    "{control}.c.u": ["{tank 1}.t.valve"],
    "{tank 1}.t.level": ["{control}.c.measurement"]
  },
  "parameters": { "{control}.c.kp": 2, "{tank 1}.t.state.level0": 0.5 }
}
"#;

pub(crate) const CONFIGURATION: &str = r#"{
  "startTime": -1,
  "endTime": 30,
  "algorithm": { "type": "fixed-step", "size": 0.1 },
  "logVariables": { "{tank 1}.t": ["level"], "{control}.c": [] },
  "stabalizationEnabled": false,
  "global_relative_tolerance": 0.01,
  "multimodel_path": "",
  "overrideLogLevel": null
}
"#;

/// What follows [`GOOD`] in place of its last brace.
pub(crate) const VARIABLE: &str = r#", "endTime": 1, "stabalizationEnabled": true,
  "global_absolute_tolerance": 0, "global_relative_tolerance": 0.01,
  "algorithm": { "type": "var-step", "initsize": 0.01, "size": [1e-6, 0.5], "constraints": {
    "fast": { "type": "fmumaxstepsize" },
    "bd": { "type": "boundeddifference", "ports": ["{tank 1}.t.level"], "abstol": 1e-3 },
    "zc": { "type": "zerocrossing", "ports": ["{tank 1}.t.level", "{tank 1}.t.level"],
      "order": "2", "abstol": 0.5, "safety": 0.4 },
    "sr": { "type": "samplingrate", "base": -3, "rate": 10, "startTime": 3 },
    "slow": { "type": "samplingrate", "base": 2, "rate": 2, "startTime": 0 } } } }"#;

/// Everything that a multi-model cannot say.
pub(crate) const RICH: &str = r#"
[experiment]
start = 0.5
stop = 2
step = "1/30"
seed = 7
tolerance = 1e-6
solver = "adams"
isolate = true
solver-step = 0.25
resolution = 1e-9
record = ["tank.level", "a/pid.*", "*.u"]
unhashed = ["tank.CPUtime"]
plot = true
input = "in.csv"
order = "gauss-seidel"
loops = "iterate"
[experiment.iteration]
method = "newton"
tolerance = 1e-6
[experiment.variable-step]
max = 0.5
[components.tank]
model = "models/tank.fmu"
concurrent = true
reactive = ["inflow"]
parameters = { level0 = { value = 20, unit = "cm" }, title = "a \"b\" \\ c", list = [1, 2.5] }
[components."a/pid"]
model = "native:pid"
step = 0.5
event-mode = false
solver = "rk4"
isolate = false
state = "fork"
solver-step = 0.001
[components.other]
model = "other/tank.fmu"
send-start-values = true
setup = "after-parameters"
step-length = "to-end"
interface = "model-exchange"
tolerance = 1e-8
[components.twin]
model = "models/tank.fmu"
[[connections]]
from = "tank.level"
to = ["a/pid.measurement", "other.inflow"]
delay = true
hold = "extrapolate"
group = "bus"
[[connections]]
from = "a/pid.u"
to = "tank.valve"
factor = 2
suppress-unit-conversion = true
[[loops]]
through = "a/pid.u"
[[interventions]]
at = 1
target = "tank.valve"
freeze = true
[nodes]
plant = ["tank"]
control = ["a/pid"]
"#;

/// Right as it is.
const BASE: &str = r#"{"fmus": {"{p}": "pid", "{t}": "tank"},
"connections": {"{t}.tank.level": ["{p}.pid.measurement"]},
"parameters": {"{t}.tank.inflow": 0.5},
"endTime": 60, "algorithm": {"type": "fixed-step", "size": 0.1}}"#;

pub(crate) const BAD: &[(&str, &[&str])] = &[
    ("nothing is wrong", &[BASE]),
    ("an empty file", &[""]),
    ("no object", &["[1, 2]"]),
    ("no JSON at all", &["PK\u{3}\u{4}hello"]),
    ("a comma too many", &["{\"fmus\": {\"{a}\": \"single\",}}"]),
    ("a comma too few", &["{\"fmus\": {\"{a}\": \"single\" \"{b}\": \"x\"}}"]),
    ("a comment", &["{ // all FMUs\n\"fmus\": {}}"]),
    ("an object that is not closed", &["{\"fmus\": {\"{a}\": \"single\""]),
    ("a backslash that is not doubled", &["{\"fmus\": {\"{a}\": \"FMUs\\single.fmu\"}}"]),
    ("a key without quotes", &["{fmus: {}}"]),
    ("no FMUs", &["{\"connections\": {}}"]),
    ("no instances", &["{\"fmus\": {\"{a}\": \"single\"}, \"connections\": {}}"]),
    ("keys without braces", &["{\"fmus\": {\"a\": \"single\", \"{b\": \"x\", \"{}\": \"y\"}}"]),
    (
        "wrong kinds",
        &[
            "{\"fmus\": {\"{a}\": 3}, \"connections\": [], \"parameters\": 1, \"logVariables\": true, \"startTime\": [], \"endTime\": true, \"algorithm\": 1, \"stabalizationEnabled\": \"yes\", \"global_relative_tolerance\": \"x\"}",
        ],
    ),
    (
        "connections that are none",
        &[
            "{\"fmus\": {\"{a}\": \"single\"}, \"connections\": {\"{a}.x.y\": \"{a}.x.u\", \"a.x.y\": [\"{a}.x\"], \"{a}.\": [3], \"{a}.x y.z\": []}}",
        ],
    ),
    (
        "an FMU that is not there",
        &[
            "{\"fmus\": {\"{tank}\": \"tank\"}, \"connections\": {\"{tnak}.t.level\": [\"{zzzzzz}.p.u\"]}}",
        ],
    ),
    (
        "an FMU that is not used",
        &[
            "{\"fmus\": {\"{s}\": \"single\", \"{t}\": \"typed\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1}",
        ],
    ),
    (
        "a key given twice",
        &[
            "{\"fmus\": {\"{s}\": \"single\", \"{s}\": \"tank\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"endTime\": 2}",
        ],
    ),
    (
        "two files that say the same",
        &[
            BASE,
            "{\"endTime\": 50, \"parameters\": {\"{t}.tank.inflow\": 1, \"{t}.tank.area\": 2}}",
        ],
    ),
    (
        "two ends that differ",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"end_time\": 2}",
        ],
    ),
    (
        "times that are none",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": [\"y\"]}, \"startTime\": \"soon\", \"endTime\": 1e999}",
        ],
    ),
    (
        "values that are none",
        &[
            "{\"fmus\": {\"{p}\": \"pid\"}, \"parameters\": {\"{p}.p.kp\": null, \"{p}.p.ki\": {}, \"{p}.p.measurement\": [1, null]}}",
        ],
    ),
    (
        "values too large",
        &[
            "{\"fmus\": {\"{p}\": \"pid\"}, \"parameters\": {\"{p}.p.kp\": 1e999, \"{p}.p.ki\": [1, -2e400]}}",
        ],
    ),
    (
        "a mark at the start and a mistake behind it",
        &[
            "\u{feff}{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": true}",
        ],
    ),
    (
        "unknown and misspelt keys",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endtime\": 1, \"frobnicate\": 1}",
        ],
    ),
    (
        "names of the wrong case",
        &[
            "{\"fmus\": {\"{t}\": \"tank\"}, \"parameters\": {\"{t}.t.Inflow\": 1, \"{t}.t.inflow\": 0}, \"connections\": {\"{t}.t.Level\": [\"{t}.t.Valve\"]}, \"endTime\": 1}",
        ],
    ),
    (
        "an unknown algorithm",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"algorithm\": {\"type\": \"fixed-size\", \"size\": 0.1}}",
        ],
    ),
    (
        "an algorithm without a type, with unknown settings",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"algorithm\": {\"size\": 0.1}}",
        ],
    ),
    (
        "settings of an unknown algorithm",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"algorithm\": {\"type\": \"fixed-step\", \"sise\": 0.1}}",
        ],
    ),
    (
        "sizes that are none",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"algorithm\": {\"type\": \"var-step\", \"initsize\": 2, \"size\": [1]}}",
        ],
    ),
    (
        "constraints that are not honored",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"algorithm\": {\"type\": \"var-step\", \"initsize\": 0.1, \"size\": [0.01, 1], \"constraints\": {\"zc\": {\"type\": \"zerocrossing\", \"ports\": [], \"order\": 2}, \"bd\": {\"type\": \"boundeddifference\", \"reltol\": 0.1}, \"sr\": {\"type\": \"samplingrate\", \"base\": -3, \"rate\": 10}, \"ms\": {\"type\": \"fmumaxstepsize\"}}}}",
        ],
    ),
    (
        "constraints that are wrong",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"algorithm\": {\"type\": \"var-step\", \"initsize\": 0.1, \"constraints\": {\"a\": {\"type\": \"zero\"}, \"b\": {}, \"c\": 3, \"d\": {\"type\": \"boundeddifference\", \"abstol\": \"x\"}}}}",
        ],
    ),
    (
        "what is not supported",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"modelSwaps\": {\"a\": 1}, \"modelTransfers\": {}, \"faultInjectConfigurationPath\": \"x.xml\", \"faultInjectInstances\": {\"{s}.s\": \"a\"}}",
        ],
    ),
    (
        "what is passed over",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"visible\": true, \"loggingOn\": false, \"parallelSimulation\": true, \"simulationProgramDelay\": true, \"logLevels\": {\"{s}.s\": [\"x\"]}, \"livestream\": {}}",
        ],
    ),
    (
        "loops that are iterated",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": []}, \"endTime\": 1, \"stabalizationEnabled\": true, \"global_absolute_tolerance\": -1}",
        ],
    ),
    (
        "an FMU elsewhere",
        &[
            "{\"fmus\": {\"{s}\": \"http://example.org/single.fmu\", \"{t}\": \"C:\\\\tank.fmu\"}, \"logVariables\": {\"{s}.s\": [], \"{t}.t\": []}, \"endTime\": 1}",
        ],
    ),
    (
        "wires that do not fit",
        &[
            "{\"fmus\": {\"{p}\": \"pid\", \"{t}\": \"tank\"}, \"connections\": {\"{t}.tank.level\": [\"{p}.pid.measurement\", \"{t}.tank.inflow\"], \"{p}.pid.u\": [\"{p}.pid.measurement\"]}, \"endTime\": 1}",
        ],
    ),
    (
        "logged variables that are none",
        &[
            "{\"fmus\": {\"{s}\": \"single\"}, \"logVariables\": {\"{s}.s\": [\"yy\", 3], \"{s}.s.y\": [], \"{s}\": []}, \"endTime\": 1}",
        ],
    ),
];
