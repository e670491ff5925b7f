//! Oracles from PyPI: FMPy, pyssp-standard, libRoadRunner, rtamt, the FMU builders `pythonfmu` and `pythonfmu3`, and HELICS.

mod environment;

use crate::{cache, process};
use environment::Environment;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What is installed; FMPy's own dependencies take the versions pip finds.
pub const PACKAGES: &[&str] = &[
    "fmpy[cli]==0.3.32",
    "pythonfmu==0.7.0",
    "pythonfmu3==0.3.4",
    "pyssp-standard==0.9.1",
    "numpy<3",
];

/// What is installed beside it, where biochemical models are compared.
pub const BIOLOGY: &[&str] = &["libroadrunner==2.10.0", "numpy<3"];

/// What is installed beside it, where properties are compared.
pub const LOGIC: &[&str] = &["rtamt==0.4.10", "antlr4-python3-runtime==4.7"];

/// What is installed beside it, where federations are compared.
pub const FEDERATION: &[&str] = &["helics==3.6.1"];

/// What is installed beside it, where recordings are read.
pub const RECORDING: &[&str] = &["mcap==1.3.1"];

/// What is installed beside it, where JSON schemas are checked.
pub const SCHEMAS: &[&str] = &["jsonschema==4.25.1"];

/// A command that runs the environment's Python, with nothing of the caller's Python settings.
///
/// # Panics
/// If the environment is not there and cannot be made.
pub fn command() -> Command {
    Environment::get().command()
}

/// Runs a script of `crates/consort-testkit/python` by its file name; whatever its exit code.
///
/// # Panics
/// If Python cannot be started.
pub fn run_script<S: AsRef<std::ffi::OsStr>>(
    script: &str,
    arguments: impl IntoIterator<Item = S>,
) -> Output {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("python").join(script);
    assert!(path.is_file(), "there is no script `{script}`");
    command().arg(path).args(arguments).output().expect("the environment's Python starts")
}

/// The problems `fmpy validate` finds in an FMU.
///
/// # Panics
/// If the script fails otherwise.
pub fn validate(fmu: &Path) -> Vec<String> {
    validate_all([fmu]).concat()
}

/// The problems in each of the FMUs; starting FMPy once is much faster than once for each.
///
/// # Panics
/// If the script fails otherwise.
pub fn validate_all<P: AsRef<Path>>(fmus: impl IntoIterator<Item = P>) -> Vec<Vec<String>> {
    let paths = fmus.into_iter().map(|fmu| fmu.as_ref().to_path_buf().into_os_string());
    let output = run_script("validate.py", paths);
    serde_json::from_value(parse(&output, &[0, 1])).expect("validate.py prints lists of texts")
}

/// What FMPy does with an FMU when it is driven call by call: see `python/drive.py` for the form of
/// the request and the answer.
///
/// # Panics
/// If the FMU cannot be driven.
pub fn drive(fmu: &Path, request: &Value) -> Value {
    drive_all(fmu, std::slice::from_ref(request)).remove(0)
}

/// Several requests to one FMU, each to a fresh instance, one after another in one process.
///
/// # Panics
/// If the FMU cannot be driven.
pub fn drive_all(fmu: &Path, requests: &[Value]) -> Vec<Value> {
    let file = tempfile::NamedTempFile::new().expect("the temporary folder is writable");
    let text = Value::from(requests.to_vec()).to_string();
    fs::write(file.path(), text).expect("the temporary folder is writable");
    let output = run_script("drive.py", [fmu, file.path()]);
    serde_json::from_value(parse(&output, &[0])).expect("drive.py prints one answer per request")
}

/// A Model Exchange FMU folder integrated by FMPy's raw calls and explicit Euler steps: see
/// `python/exchange.py` for the form of the request and the answer.
///
/// # Panics
/// If the FMU cannot be driven.
pub fn integrate(folder: &Path, request: &Value) -> Vec<Value> {
    let file = tempfile::NamedTempFile::new().expect("the temporary folder is writable");
    fs::write(file.path(), request.to_string()).expect("the temporary folder is writable");
    let output = run_script("exchange.py", [folder, file.path()]);
    serde_json::from_value(parse(&output, &[0])).expect("exchange.py prints a list of rows")
}

/// Several tasks with one FMU of both interfaces: see `python/exported.py` for their form and that of the answers.
///
/// # Panics
/// If FMPy fails.
pub fn exported(fmu: &Path, tasks: &[Value]) -> Vec<Value> {
    let file = tempfile::NamedTempFile::new().expect("the temporary folder is writable");
    fs::write(file.path(), Value::from(tasks.to_vec()).to_string()).expect("it is writable");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/exported.py");
    let mut command = command();
    command.arg(script).arg(fmu).arg(file.path());
    if tasks.iter().any(|task| task.get("compile").is_some()) {
        with_cmake(&mut command);
    }
    let output = command.output().expect("the environment's Python starts");
    serde_json::from_value(parse(&output, &[0])).expect("exported.py prints one answer per task")
}

/// With it FMPy compiles sources.
const CMAKE: &str = "cmake==4.1.2";

/// Puts CMake on the search path, in a folder beside the environment: few tests need it.
fn with_cmake(python: &mut Command) {
    let folder = cache::folder("cmake", &cache::key([CMAKE.as_bytes()]), |folder| {
        let mut pip = command();
        pip.args(["-m", "pip", "install", "--quiet", "--target"]).arg(folder).arg(CMAKE);
        process::run(&mut pip);
    });
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.join("bin")).chain(std::env::split_paths(&path));
    python.env("PATH", std::env::join_paths(folders).expect("no folder of ours has a colon"));
    python.env("PYTHONPATH", folder);
}

/// FMPy's own run of an FMU (`simulate_fmu`): columns by name, see `python/simulate.py`.
///
/// # Panics
/// If FMPy fails.
pub fn simulate(fmu: &Path, stop: f64, step: f64) -> Value {
    let (stop, step) = (stop.to_string(), step.to_string());
    let output = run_script("simulate.py", [fmu.as_os_str(), stop.as_ref(), step.as_ref()]);
    parse(&output, &[0])
}

/// FMPy's own run of an FMU whose inputs come from a CSV file: as [`simulate`].
///
/// # Panics
/// If FMPy fails.
pub fn simulate_fed(fmu: &Path, table: &Path, stop: f64, step: f64) -> Value {
    let numbers = [stop, step].map(|number| number.to_string());
    let [stop, step] = numbers.each_ref().map(std::ffi::OsStr::new);
    let options = [fmu.as_os_str(), stop, step, "--input".as_ref(), table.as_os_str()];
    parse(&run_script("simulate.py", options), &[0])
}

/// FMPy's own run of an FMU by Model Exchange and CVODE with this relative tolerance: as
/// [`simulate`], with a row before and one after each event.
///
/// # Panics
/// If FMPy fails.
pub fn simulate_exchange(fmu: &Path, stop: f64, step: f64, tolerance: f64) -> Value {
    let numbers = [stop, step].map(|number| number.to_string());
    let [stop, step] = numbers.each_ref().map(std::ffi::OsStr::new);
    let tolerance = tolerance.to_string();
    let options = [fmu.as_os_str(), stop, step, "--exchange".as_ref(), tolerance.as_ref()];
    parse(&run_script("simulate.py", options), &[0])
}

/// FMPy's own run of an SSP (`simulate_ssp`): columns by name, see `python/simulate_ssp.py`.
///
/// # Panics
/// If FMPy fails.
pub fn simulate_ssp(ssp: &Path, stop: f64, step: f64) -> Value {
    let (stop, step) = (stop.to_string(), step.to_string());
    let output = run_script("simulate_ssp.py", [ssp.as_os_str(), stop.as_ref(), step.as_ref()]);
    parse(&output, &[0])
}

/// A run of several FMUs by a straight-line master over FMPy: see `python/master.py` for the form of the request and
/// the answer.
///
/// # Panics
/// If FMPy fails.
pub fn master(request: &Value) -> Value {
    let file = tempfile::NamedTempFile::new().expect("the temporary folder is writable");
    fs::write(file.path(), request.to_string()).expect("the temporary folder is writable");
    parse(&run_script("master.py", [file.path()]), &[0])
}

/// Time courses of SBML models as libRoadRunner computes them, one process for all: see
/// `python/time_course.py` for the form of the requests and the answers.
///
/// # Panics
/// If libRoadRunner fails as a whole.
pub fn roadrunner(requests: &[Value]) -> Vec<Value> {
    let file = tempfile::NamedTempFile::new().expect("the temporary folder is writable");
    let text = Value::from(requests.to_vec()).to_string();
    fs::write(file.path(), text).expect("the temporary folder is writable");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/time_course.py");
    let mut command = Environment::biology().command();
    let output = command.arg(script).arg(file.path()).output().expect("Python starts");
    serde_json::from_value(parse(&output, &[0])).expect("time_course.py prints one answer each")
}

/// The robustness of properties as rtamt computes it, one process for all: see `python/robustness.py` for
/// the form of the requests and the answers.
///
/// # Panics
/// If rtamt fails.
pub fn rtamt(requests: &[Value]) -> Vec<Value> {
    let file = tempfile::NamedTempFile::new().expect("the temporary folder is writable");
    let text = Value::from(requests.to_vec()).to_string();
    fs::write(file.path(), text).expect("the temporary folder is writable");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/robustness.py");
    let mut command = Environment::logic().command();
    let output = command.arg(script).arg(file.path()).output().expect("Python starts");
    serde_json::from_value(parse(&output, &[0])).expect("robustness.py prints one answer each")
}

/// What the Python library for MCAP reads in a file: see `python/recording.py` for the form of the answer.
///
/// # Panics
/// If it cannot be read.
pub fn recording(file: &Path) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/recording.py");
    let mut command = Environment::recording().command();
    let output = command.arg(script).arg(file).output().expect("Python starts");
    parse(&output, &[0])
}

/// What JSON schemas find wrong with texts in TOML: see `python/schema.py` for the form of the requests.
///
/// # Panics
/// If a text is not a JSON schema, or not TOML.
pub fn schema_findings(requests: &[Value]) -> Vec<Vec<String>> {
    let file = tempfile::NamedTempFile::new().expect("the temporary folder is writable");
    let text = Value::from(requests.to_vec()).to_string();
    fs::write(file.path(), text).expect("the temporary folder is writable");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/schema.py");
    let mut command = Environment::schemas().command();
    let output = command.arg(script).arg(file.path()).output().expect("Python starts");
    serde_json::from_value(parse(&output, &[0])).expect("schema.py prints a list of texts each")
}

/// Where the HELICS library is installed, with its header (`include/helics`) and `lib64`.
///
/// # Panics
/// If Python cannot be asked.
pub fn helics() -> PathBuf {
    let ask =
        "import importlib.util as u, os; print(os.path.dirname(u.find_spec('helics').origin))";
    let output = process::run(Environment::federation().command().args(["-c", ask]));
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).join("install")
}

/// A float as the scripts write it: the hexadecimal digits of its bits.
pub fn exact(value: f64) -> Value {
    Value::from(format!("0x{:016x}", value.to_bits()))
}

/// A float that a script wrote.
///
/// # Panics
/// If the value is none.
pub fn float(value: &Value) -> f64 {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x"));
    let bits = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    f64::from_bits(bits.unwrap_or_else(|| panic!("{value} is no float")))
}

/// An FMI 2.0 archive made by `pythonfmu` from `fmus/python/mixer2.py`.
///
/// # Panics
/// If the tool fails.
pub fn pythonfmu_archive() -> PathBuf {
    python_archive("pythonfmu", "mixer2.py", "Mixer2.fmu")
}

/// An FMI 3.0 archive made by `pythonfmu3` from `fmus/python/mixer3.py`.
///
/// # Panics
/// If the tool fails.
pub fn pythonfmu3_archive() -> PathBuf {
    python_archive("pythonfmu3", "mixer3.py", "Mixer3.fmu")
}

/// The interpreter's shared library, which FMUs made by `pythonfmu` need in their process.
///
/// # Panics
/// If Python cannot be asked.
pub fn libpython() -> Option<PathBuf> {
    let ask = "import sysconfig as s; v = s.get_config_var; \
               print(v('LIBDIR') + '/' + (v('INSTSONAME') or ''))";
    let output = process::run(command().args(["-c", ask]));
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    path.is_file().then_some(path)
}

fn python_archive(tool: &str, script: &str, archive: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fmus/python").join(script);
    let source = fs::read(&path).expect("the script is part of this crate");
    let key = cache::key([source.as_slice(), PACKAGES.concat().as_bytes()]);
    let make = |folder: &Path| {
        let mut build = command();
        build.args(["-m", tool, "build", "--no-external-tool", "-f"]).arg(&path);
        process::run(build.arg("-d").arg(folder));
    };
    cache::folder(tool, &key, make).join(archive)
}

/// The JSON on the last line; FMUs and FMPy may print before it.
fn parse(output: &Output, codes: &[i32]) -> Value {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let expected = output.status.code().is_some_and(|code| codes.contains(&code));
    assert!(expected, "{}\n{stdout}\n{stderr}", output.status);
    let line = stdout.lines().last().unwrap_or_default();
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line:?}\n{stderr}"))
}
