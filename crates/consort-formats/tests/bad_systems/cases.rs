//! The mistakes, by name. Models are those of `consort_formats::fuzz`.

/// Deeper than anything a person writes.
const DEEP: &str = concat!(
    "x = ",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
);

/// Right as it is; the cases of [`ADDED`] follow it.
pub(crate) const BASE: &str = r#"[experiment]
stop = 60
step = 0.1
[components.tank]
model = "tank"
parameters = { inflow = 0.5 }
[components.pid]
model = "pid"
[[connections]]
from = "tank.level"
to = "pid.measurement"
[[connections]]
from = "pid.u"
to = "tank.valve"
"#;

/// A system whose input comes from a table.
pub(crate) const FED: &str = r#"[experiment]
stop = 60
step = 0.1
input = "table.csv"
[components.tank]
model = "tank"
[components.pid]
model = "pid"
[components.typed]
model = "typed"
[components.twin]
model = "typed"
[components.rod]
model = "rod"
parameters = { B = 0 }
[[connections]]
from = "tank.level"
to = "pid.measurement"
"#;

pub(crate) const ALONE: &[(&str, &str)] = &[
    (
        "nodes that are no table",
        "nodes = 3\n[experiment]\nstop = 1\nstep = 0.1\n[components.a]\nmodel = \"single\"\n",
    ),
    ("an empty file", ""),
    ("no components", "[experiment]\nstop = 1\n[components]\n"),
    (
        "several syntax errors",
        "name = \nstop = = 1\n[components.a\nmodel = \"tank\"\n[experiment]\nspeed = 3\n",
    ),
    ("no TOML at all", "PK\u{3}\u{4}\u{14}\u{0}\u{8}\nhello world\n<xml/>\n"),
    ("a key given twice", "[components.a]\nmodel = \"tank\"\nmodel = \"pid\"\n"),
    ("a component given twice", "[components.a]\nmodel = \"x\"\n[components.a]\nmodel = \"y\"\n"),
    (
        "unknown keys at the top",
        "title = \"x\"\nconection = 3\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "unknown keys in the experiment",
        "[experiment]\nstpo = 1\nstop = -1\nfrobnicate = true\n[components.a]\nmodel = \"single\"\n",
    ),
    ("unknown keys in a component", "[components.a]\nmodel = \"single\"\nparams = { x = 1 }\n"),
    (
        "keys with underscores",
        "[experiment]\nstop = 1\nstep = 1\nsend_start_values = true\n[components.a]\nmodel = \"single\"\nstep_length = \"fixed\"\nevent_mode = true\n",
    ),
    ("no model", "[components.a]\nstep = 1\n[components.b]\n"),
    (
        "names that are none",
        "[components.\"a.b\"]\nmodel = \"tank\"\n[components.\"\"]\nmodel = \"tank\"\n[components.\"a b\"]\nmodel = \"tank\"\n",
    ),
    (
        "wrong kinds everywhere",
        "name = 3\n[experiment]\nstart = true\nstop = [1]\nseed = \"x\"\ntolerance = \"x\"\nrecord = 5\nplot = 1\nunhashed = 2\ninput = 1979-05-27\nsend-start-values = 1\n[components]\nb = 5\n[components.a]\nmodel = 4\nconcurrent = \"yes\"\nstep = {}\nparameters = [1]\nreactive = [1, \"x\"]\n",
    ),
    (
        "tables where lists are expected",
        "connections = 1\ninterventions = [1]\n[components.a]\nmodel = \"single\"\n",
    ),
    ("components that are no table", "components = [1]\nexperiment = 3\n"),
    (
        "texts that are no times",
        "[experiment]\nstart = \"soon\"\nstop = \"1/0\"\nstep = nan\nresolution = 1e-400\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "words that are no choice",
        "[experiment]\nrecord = \"output\"\nstop = 1\nstep = 1\n[components.a]\nmodel = \"single\"\nstep-length = \"long\"\n",
    ),
    (
        "all in processes of their own, in a word",
        "[experiment]\nstop = 1\nstep = 1\nisolate = \"all\"\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "a solver and its numbers for all components",
        "[experiment]\nstop = 1\nstep = 1\nsolver = \"rk45\"\nsolver-step = 0\ntolerance = 1\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "seed and tolerance out of range",
        "[experiment]\nstop = 1\nstep = 1\nseed = -1\ntolerance = 0\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "connections without ends",
        "[components.a]\nmodel = \"single\"\n[[connections]]\nto = \"a.y\"\n[[connections]]\nfrom = \"a.y\"\nform = 3\n",
    ),
    (
        "values that are none",
        "[components.a]\nmodel = \"tank\"\n[components.a.parameters]\narea = { unit = \"m2\" }\nlevel0 = { value = 1, units = \"m\" }\nvalve = 1979-05-27\ninflow = 1e999\ngains = [{}]\n",
    ),
    (
        "a parameter given twice by a dotted name",
        "[components.a]\nmodel = \"pid\"\n[components.a.parameters]\n\"state.integral\" = 1\nstate.integral = 2\n",
    ),
    (
        "steps that are not positive",
        "[experiment]\nstop = 1\nstep = 0\nresolution = -1\n[components.a]\nmodel = \"single\"\nstep = -0.5\n",
    ),
    (
        "stop before start",
        "[experiment]\nstart = 2\nstop = 1\nstep = 1\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "a stop off the grid",
        "[experiment]\nstart = -1\nstop = 1\nstep = 0.3\n[components.a]\nmodel = \"single\"\n[components.b]\nmodel = \"pid\"\nstep = \"1/7\"\nparameters = { measurement = 0 }\n[components.c]\nmodel = \"typed\"\nstep = 0.5\n",
    ),
    (
        "a step that is no multiple of the resolution",
        "[experiment]\nstop = 1\nstep = 0.01\nresolution = 0.003\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "no common tick",
        "[experiment]\nstop = 1\nstep = \"1/18446744073709551557\"\n[components.a]\nmodel = \"single\"\nstep = \"1/3\"\n",
    ),
    (
        "more ticks than 64 bits hold",
        "[experiment]\nstop = 1e10\nstep = 1\nresolution = 1e-9\n[components.a]\nmodel = \"single\"\n",
    ),
    ("no stop and no step", "[components.a]\nmodel = \"typed\"\n"),
    (
        "models that disagree about the step",
        "[experiment]\nstop = 1\n[components.a]\nmodel = \"single\"\n[components.b]\nmodel = \"pid\"\nparameters = { measurement = 0 }\n",
    ),
    (
        "a stop that is assumed and off the grid",
        "[experiment]\nstep = 7\n[components.a]\nmodel = \"tank\"\nparameters = { inflow = 0 }\n",
    ),
    (
        "patterns that match nothing",
        "[experiment]\nstop = 1\nstep = 1\nrecord = [\"a.yy\", \"a.y\", \"b.*\", \"a.time\"]\nunhashed = [\"A.y\", \"*.CPUtime\"]\nplot = [\"a.x\", \"*.z\", \"a\"]\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "a plot of what is not recorded",
        "[experiment]\nstop = 1\nstep = 1\nrecord = \"nothing\"\nplot = true\n[components.a]\nmodel = \"single\"\n",
    ),
    ("a misspelt model", "[experiment]\nstop = 1\n[components.a]\nmodle = \"single\"\n"),
    ("nesting without end", DEEP),
    (
        "a model that can be used only once",
        "[experiment]\nstop = 1\n[components.a]\nmodel = \"single\"\n[components.b]\nmodel = \"single\"\n",
    ),
    (
        "a coupling of wrong kinds",
        "[experiment]\nstop = 1\nstep = 1\norder = \"jacoby\"\nloops = \"ignore\"\niteration = 3\nvariable-step = true\n[components.a]\nmodel = \"single\"\n[[connections]]\nfrom = \"a.y\"\nto = \"a.y\"\ndelay = 1\nfactor = \"2\"\nsuppress-unit-conversion = 0\n",
    ),
    (
        "equations that are neither together nor apart",
        "[experiment]\nstop = 1\nstep = 1\ncontinuous = \"togther\"\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "unknown keys of the coupling",
        "loop = 1\n[experiment]\nstop = 1\nvariable_step = 1\n[experiment.iteration]\ntolernace = 1\nlimit = 1.5\nmethod = \"secant\"\n[experiment.variable-step]\nstep = 1\nerror-control = \"on\"\nmin = \"x\"\n[components.a]\nmodel = \"single\"\n[[loops]]\nvia = \"a.y\"\n[[loops]]\npolicy = \"stop\"\n",
    ),
    (
        "constraints of steps that cannot be",
        "[experiment]\nstop = 1\nstep = 1\n[experiment.variable-step]\nerror-control = false\n[[experiment.variable-step.constraints]]\nkind = \"sampling\"\n[[experiment.variable-step.constraints]]\nvariables = [\"a.y\"]\n[[experiment.variable-step.constraints]]\nkind = \"zerocrossing\"\n[[experiment.variable-step.constraints]]\nkind = \"sampling\"\nperiod = 1\nrate = 3\n[components.a]\nmodel = \"tank\"\n",
    ),
    (
        "constraints of steps on what is no real output",
        "[experiment]\nstop = 1\nstep = 1\n[experiment.variable-step]\nerror-control = false\n[[experiment.variable-step.constraints]]\nkind = \"zero-crossing\"\nvariables = [\"tank.level\", \"tank.level\", \"tank.level\"]\n[[experiment.variable-step.constraints]]\nkind = \"bounded-difference\"\nvariables = [\"tank.inflow\", \"tank.levle\"]\nabsolute = 0\n[[experiment.variable-step.constraints]]\nkind = \"sampling\"\nperiod = -1\n[components.tank]\nmodel = \"tank\"\n",
    ),
    (
        "iterations out of range",
        "[experiment]\nstop = 1\nstep = 1\nloops = \"iterate\"\n[experiment.iteration]\ntolerance = 0\nlimit = 0\nrelaxation = 1.5\n[components.a]\nmodel = \"single\"\n[[loops]]\nthrough = \"a.y\"\ntolerance = inf\nrelaxation = nan\n",
    ),
    (
        "steps of changing size that do not fit",
        "[experiment]\nstop = 1\nstep = 1\n[experiment.variable-step]\nmin = 0.1\nmax = 0.01\nrelative = 0\nabsolute = -1\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "steps of changing size that are not positive",
        "[experiment]\nstop = 1\n[experiment.variable-step]\ninitial = 0\nmin = -1\nmax = 1\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "own steps beside steps of changing size, and a model that cannot",
        "[experiment]\nstop = 1\nstep = 0.1\n[experiment.variable-step]\nerror-control = false\nrelative = 1\n[components.a]\nmodel = \"single\"\nstep = 0.1\n[components.b]\nmodel = \"typed\"\n",
    ),
    (
        "steps of changing size off the given ticks",
        "[experiment]\nstop = 1\nstep = 0.1\nresolution = 0.01\n[experiment.variable-step]\nmin = 0.001\n[components.a]\nmodel = \"single\"\n",
    ),
    (
        "an input that nothing feeds",
        "[experiment]\nstop = 1\nstep = 1\n[components.a]\nmodel = \"tank\"\n[components.r]\nmodel = \"rod\"\n[[connections]]\nfrom = \"a.level\"\nto = \"r.B[1,2]\"\n",
    ),
];

pub(crate) const ADDED: &[(&str, &str)] = &[
    ("an unknown component", "[[connections]]\nfrom = \"Tank.level\"\nto = \"nowhere.x\"\n"),
    ("unknown variables", "[[connections]]\nfrom = \"tank.levle\"\nto = \"pid.xyzzy\"\n"),
    ("a path without a dot", "[[connections]]\nfrom = \"tank\"\nto = \"pid.setpoint\"\n"),
    ("directions the wrong way", "[[connections]]\nfrom = \"pid.setpoint\"\nto = \"tank.level\"\n"),
    ("a local as a source", "[[connections]]\nfrom = \"tank.pressure\"\nto = \"pid.setpoint\"\n"),
    ("a parameter as a target", "[[connections]]\nfrom = \"tank.level\"\nto = \"pid.kp\"\n"),
    ("two sources", "[[connections]]\nfrom = \"tank.CPUtime\"\nto = \"pid.measurement\"\n"),
    (
        "types that do not fit",
        "[components.t]\nmodel = \"typed\"\n[[connections]]\nfrom = \"tank.CPUtime\"\nto = \"t.count\"\n[[connections]]\nfrom = \"tank.level\"\nto = \"t.title\"\n[[connections]]\nfrom = \"t.flag\"\nto = \"pid.setpoint\"\n",
    ),
    (
        "units that measure different things",
        "[components.b]\nmodel = \"tank\"\n[[connections]]\nfrom = \"tank.level\"\nto = \"b.inflow\"\n",
    ),
    (
        "an unknown unit",
        "[components.t]\nmodel = \"typed\"\n[components.b]\nmodel = \"tank\"\n[[connections]]\nfrom = \"t.odd\"\nto = \"b.inflow\"\n",
    ),
    (
        "sizes that do not fit",
        "[components.r]\nmodel = \"rod\"\nparameters = { B = 0 }\n[[connections]]\nfrom = \"r.temperature\"\nto = \"r.B\"\n[[connections]]\nfrom = \"pid.u\"\nto = \"r.heat\"\n",
    ),
    (
        "indices that do not exist",
        "[components.r]\nmodel = \"rod\"\nparameters = { B = 0 }\n[[connections]]\nfrom = \"r.temperature[4]\"\nto = \"r.heat[0]\"\n[[connections]]\nfrom = \"r.temperature[1,1]\"\nto = \"r.B[x]\"\n[[connections]]\nfrom = \"tank.level[1]\"\nto = \"r.heat[1]\"\n",
    ),
    (
        "elements fed twice",
        "[components.r]\nmodel = \"rod\"\nparameters = { B = 0 }\n[components.s]\nmodel = \"rod\"\nparameters = { B = 0 }\n[[connections]]\nfrom = \"pid.u\"\nto = \"r.heat[2]\"\n[[connections]]\nfrom = \"pid.u\"\nto = [\"r.heat[1]\", \"r.heat[2]\"]\n",
    ),
    (
        "sizes that are none",
        "[components.r]\nmodel = \"rod\"\nparameters = { n = 0, B = 0 }\n[components.s]\nmodel = \"rod\"\nparameters = { n = 99999999999, B = 0 }\n[components.t]\nmodel = \"rod\"\nparameters = { n = 1.5, B = 0 }\n",
    ),
    (
        "unknown parameters",
        "[components.b]\nmodel = \"pid\"\nparameters = { Kp = 1, gain = 2, measurement = 0 }\n",
    ),
    (
        "parameters that cannot be set",
        "[components.b]\nmodel = \"tank\"\nparameters = { inflow = 0, level = 1, volume = 1, pressure = 2, time = 3 }\n[components.t]\nmodel = \"typed\"\nparameters = { tick = true }\n",
    ),
    (
        "values of another kind",
        "[components.b]\nmodel = \"tank\"\nparameters = { inflow = \"much\", area = true }\n[components.t]\nmodel = \"typed\"\nparameters = { count = 1.5, on = 1, big = -1, title = 3, data = \"xyz\" }\n",
    ),
    (
        "values of another shape",
        "[components.r]\nmodel = \"rod\"\nparameters = { B = [1, 2, 3], gains = [1, 2], A = [[1, 2, 3], [4, 5]] }\n[components.b]\nmodel = \"tank\"\nparameters = { inflow = [1] }\n[components.s]\nmodel = \"rod\"\nparameters = { B = 0, \"gains[2]\" = 1 }\n",
    ),
    (
        "a value out of range",
        "[components.b]\nmodel = \"tank\"\nparameters = { inflow = 0, area = 1000 }\n",
    ),
    (
        "values in units that do not fit",
        "[components.b]\nmodel = \"tank\"\nparameters = { inflow = { value = 1, unit = \"kg\" }, level0 = { value = 1, unit = \"furlong\" }, valve = { value = 1, unit = \"%\" } }\n",
    ),
    (
        "an unknown item of an enumeration",
        "[components.b]\nmodel = \"pid\"\nparameters = { measurement = 0, mode = \"manuell\" }\n[components.c]\nmodel = \"pid\"\nparameters = { measurement = 0, mode = \"off\" }\n",
    ),
    (
        "a value given twice by an alias",
        "[components.b]\nmodel = \"tank\"\nparameters = { inflow = 0, level = 1, h = 2 }\n",
    ),
    (
        "reactive names that are no inputs",
        "[components.b]\nmodel = \"tank\"\nreactive = [\"valv\", \"level\"]\nparameters = { inflow = 0 }\n",
    ),
    (
        "extrapolation that is not possible",
        "[components.b]\nmodel = \"tank\"\nparameters = { inflow = 0 }\n[[connections]]\nfrom = \"pid.u\"\nto = \"b.valve\"\nhold = \"extrapolate\"\n[[connections]]\nfrom = \"tank.CPUtime\"\nto = \"pid.setpoint\"\nhold = \"maybe\"\n",
    ),
    (
        "interventions without a time or with two",
        "[[interventions]]\ntarget = \"pid.kp\"\nset = 1\n[[interventions]]\nat = 1\nwhen = \"tank.level > 1\"\ntarget = \"pid.kp\"\nset = 1\n",
    ),
    (
        "interventions without an action or with several",
        "[[interventions]]\nat = 1\ntarget = \"pid.kp\"\n[[interventions]]\nat = 1\ntarget = \"pid.kp\"\nset = 1\nfreeze = true\noffset = 2\n[[interventions]]\nat = 1\ntarget = \"pid.kp\"\nrelease = false\n",
    ),
    (
        "interventions without a target",
        "[[interventions]]\nat = 1\nset = 1\n[[interventions]]\nat = 1\nset = 1\ntraget = \"pid.kp\"\n",
    ),
    (
        "targets that cannot be changed",
        "[[interventions]]\nat = 1\ntarget = \"pid.ki\"\nset = 1\n[[interventions]]\nat = 1\ntarget = \"tank.pressure\"\nset = 1\n[[interventions]]\nat = 1\ntarget = \"pid.kpp\"\nset = 1\n",
    ),
    (
        "a wire that does not exist",
        "[[interventions]]\nat = 1\ntarget = \"tank.level -> pid.setpoint\"\nfreeze = true\n[[interventions]]\nat = 1\ntarget = \"tank.levl -> pid.setpoint\"\nfreeze = true\n",
    ),
    (
        "interventions with values that do not fit",
        "[[interventions]]\nat = 1\ntarget = \"pid.kp\"\nset = \"high\"\n[[interventions]]\nat = 1\ntarget = \"pid.mode\"\noffset = 1\n[[interventions]]\nat = 1\ntarget = \"tank.level\"\noverride = 1\nunit = \"kg\"\n",
    ),
    (
        "conditions that are none",
        "[[interventions]]\nwhen = \"tank.level\"\ntarget = \"pid.kp\"\nset = 1\n[[interventions]]\nwhen = \"tank.level > high\"\ntarget = \"pid.kp\"\nset = 1\n[[interventions]]\nwhen = \"tank.lvel >= 1\"\ntarget = \"pid.kp\"\nset = 1\n[[interventions]]\nwhen = \"tank.pressure >= 1\"\ntarget = \"pid.kp\"\nset = 1\n",
    ),
    (
        "an intervention that never happens",
        "[[interventions]]\nat = 61\ntarget = \"pid.kp\"\nset = 1\n",
    ),
    (
        "interventions that share some elements",
        "[components.rod]\nmodel = \"rod\"\nparameters = { B = 0, heat = 0 }\n[[interventions]]\nat = 1\ntarget = \"rod.temperature\"\nfreeze = true\n[[interventions]]\nat = 2\ntarget = \"rod.temperature[2]\"\nfreeze = true\n",
    ),
    (
        "loops through what does not exist",
        "[[loops]]\nthrough = \"tank.levle\"\n[[loops]]\nthrough = \"tankk.level\"\n[[loops]]\nthrough = \"pid.kp\"\n[[loops]]\nthrough = \"tank\"\n",
    ),
    (
        "reactive inputs that are none",
        "[components.c]\nmodel = \"pid\"\nreactive = [\"measurment\", \"u\", \"setpoint\"]\nparameters = { measurement = 0 }\n",
    ),
    ("an iteration that nothing uses", "[experiment.iteration]\nlimit = 10\n"),
    (
        "transformations that cannot be",
        "[components.t]\nmodel = \"typed\"\n[[connections]]\nfrom = \"t.whole\"\nto = \"t.count\"\nfactor = 2\n[[connections]]\nfrom = \"tank.CPUtime\"\nto = \"pid.setpoint\"\nfactor = inf\n",
    ),
    (
        "unknown solvers",
        "[components.a]\nmodel = \"single\"\nsolver = \"dopri\"\n[components.b]\nmodel = \"single\"\nsolver = \"cvode\"\n[components.c]\nmodel = \"single\"\nsolver = 4\n",
    ),
    (
        "interfaces that are none",
        "[components.a]\nmodel = \"single\"\ninterface = \"cosimulation\"\n[components.b]\nmodel = \"single\"\ninterface = \"scheduled\"\n",
    ),
    (
        "numbers no solver can work with",
        "[components.a]\nmodel = \"single\"\ntolerance = -1\nsolver-step = 0\n[components.b]\nmodel = \"tank\"\ntolerance = 1.5\nsolver-step = -0.1\n",
    ),
    (
        "texts where a solver needs numbers",
        "[components.a]\nmodel = \"single\"\ntolerance = \"small\"\nsolver-step = \"short\"\n",
    ),
    (
        "processes and states that make no sense",
        "[components.a]\nmodel = \"single\"\nisolate = \"yes\"\nstate = \"snapshot\"\n[components.b]\nmodel = \"single\"\nisolated = true\nstate = 1\n",
    ),
    (
        "keys of solvers in other words",
        "[components.a]\nmodel = \"single\"\nsolver_step = 0.1\ntolerence = 0.1\n",
    ),
    ("a node that is no list", "[nodes]\nplant = 2\ncontrol = [1, \"pid\"]\n"),
    ("a node of a node", "[nodes.plant]\ncomponents = [\"tank\"]\n"),
    (
        "nodes with unknown components",
        "[nodes]\nplant = [\"tnak\", \"pump\"]\ncontrol = [\"pid\"]\n",
    ),
    ("a component on two nodes", "[nodes]\nplant = [\"tank\", \"pid\"]\ncontrol = [\"pid\"]\n"),
    ("a component on two nodes by patterns", "[nodes]\nplant = [\"*\"]\ncontrol = [\"p*\"]\n"),
    ("nodes with nothing on them", "[nodes]\nplant = [\"tank\", \"pid\"]\ncontrol = []\n"),
    (
        "a node whose components are all named elsewhere",
        "[nodes]\nplant = [\"tank\", \"pid\"]\nspare = [\"*\"]\n",
    ),
    ("names that are none of nodes", "[nodes]\n\"the plant\" = [\"tank\"]\n\"\" = [\"pid\"]\n"),
    (
        "a pattern that chooses nothing",
        "[nodes]\nplant = [\"tank\", \"arm/*\"]\ncontrol = [\"pid\"]\n",
    ),
    (
        "a model that is not there hides nothing else",
        "[components.gone]\nmodel = \"gone\"\n[[connections]]\nfrom = \"gone.x\"\nto = \"pid.setpoint\"\n[[connections]]\nfrom = \"tank.lvel\"\nto = \"gone.x\"\n",
    ),
];

pub(crate) const TABLES: &[(&str, &[u8])] = &[
    ("an empty table", b""),
    ("a table without rows", b"time,tank.inflow\n"),
    ("a table that is not UTF-8", b"time,tank.inflow\n0,\xFF\n"),
    ("ragged rows", b"time,tank.inflow\n0,1\n1\n2,3,4\n"),
    ("times that are none", b"time,tank.inflow\nsoon,1\nnan,2\n,3\n"),
    ("times that go back", b"time,tank.inflow\n0,1\n0,2\n1,3\n0.5,4\n"),
    ("headers given twice or not at all", b"time,tank.inflow,tank.inflow,\n0,1,2,3\n"),
    ("no time column", b"seconds,tank.inflow\n0,1\n"),
    ("a value too large for a number", b"time,tank.inflow\n0,1e999\n"),
    ("unknown columns", b"time,tank.inflow,tank.inflwo,zzz,gone.x\n0,1,1,1,1\n"),
    ("an ambiguous column", b"time,inflow,on\n0,1,true\n"),
    ("columns that are no inputs", b"time,tank.inflow,tank.level\n0,1,2\n"),
    ("a column for a whole array", b"time,tank.inflow,rod.heat\n0,1,2\n"),
    ("an input that is connected too", b"time,tank.inflow,measurement\n0,1,2\n"),
    ("values that do not fit", b"time,tank.inflow,typed.count\n0,much,1\n1,2,1.5\n"),
    ("a time beyond 64 bits", b"time,tank.inflow\n0,1\n1e300,2\n"),
];
