//! Finding and loading binaries, good and bad.

use crate::fixture::{Log, Probe, description, order, ready, step};
use consort_core::{Capabilities, ContinuousDescription, Diagnostic, Model, Report, Severity};
use consort_fmi::description::{FmiVersion, ModelExchange};
use consort_fmi::fmu::{Fmu, FmuModel, LoadError, LoadOptions, platform};
use std::fs;
use std::hint::black_box;
use std::sync::Arc;

/// The diagnostic in one text: code, message, notes, help.
fn shown(diagnostic: &Diagnostic) -> String {
    let mut lines = vec![format!("error[{}]: {}", diagnostic.code, diagnostic.message)];
    lines.extend(diagnostic.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(diagnostic.help.iter().map(|help| format!("help: {help}")));
    lines.join("\n")
}

fn failure(probe: &Probe) -> String {
    let error = probe.try_load().err().expect("loading fails");
    shown(&error.diagnostic("probe.fmu", None))
        .replace(&probe.directory.path().display().to_string(), "DIR")
}

#[test]
fn the_lane_is_part_of_the_capabilities() {
    let model = Probe::compile(FmiVersion::V2, &[]).load();
    assert_eq!(model.description().capabilities.lane.as_deref(), Some("lane"));
}

#[test]
fn functions_may_have_the_model_identifier_before_their_name() {
    let model = Probe::compile(FmiVersion::V2, &["-DPREFIX=probe"]).load();
    ready(&model, &Log::default()).step(&step(10)).unwrap();
}

#[test]
fn a_lone_binary_of_another_name_is_taken() {
    let probe = Probe::empty(FmiVersion::V3);
    probe.compile_as("water_tank.so", &[]);
    ready(&probe.load(), &Log::default()).step(&step(10)).unwrap();
    probe.compile_as("other.so", &[]);
    let platform = platform(FmiVersion::V3);
    assert_eq!(
        failure(&probe),
        format!(
            "error[fmi::no-binary]: `probe.fmu` has no binary for this platform, `{platform}`\n\
             note: it has `other.so`, `water_tank.so`, none of them `probe.so`\n\
             help: export the FMU for `{platform}`, or with its sources"
        )
    );
    probe.compile_as("probe.so", &[]);
    assert!(probe.fmu().binary().unwrap().ends_with("probe.so"));
}

#[test]
fn a_missing_platform_is_named_with_those_there_are() {
    let probe = Probe::empty(FmiVersion::V2);
    let binaries = probe.directory.path().join("binaries");
    fs::remove_dir(binaries.join(platform(FmiVersion::V2))).unwrap();
    for (folder, file) in [("win64", "probe.dll"), ("darwin64", "probe.dylib")] {
        fs::create_dir(binaries.join(folder)).unwrap();
        fs::write(binaries.join(folder).join(file), "").unwrap();
    }
    fs::create_dir(binaries.join("linux32")).unwrap();
    fs::create_dir(probe.directory.path().join("sources")).unwrap();
    assert_eq!(
        failure(&probe),
        format!(
            "error[fmi::no-binary]: `probe.fmu` has no binary for this platform, `{}`\n\
             note: it has binaries for `darwin64`, `win64`\n\
             help: it has sources: with a C compiler a binary can be made from them",
            platform(FmiVersion::V2)
        )
    );
}

#[test]
fn a_missing_function_is_named() {
    let probe = Probe::compile(FmiVersion::V2, &["-DWITHOUT_DO_STEP"]);
    assert_eq!(
        failure(&probe),
        "error[fmi::missing-function]: `probe.so` of `probe.fmu` has no function `fmi2DoStep`\n\
         help: every Co-Simulation FMU exports `fmi2DoStep`: export the FMU again"
    );
}

#[test]
fn a_missing_getter_of_a_declared_type_is_named() {
    let probe = Probe::empty(FmiVersion::V2);
    probe.compile_as("probe.so", &["-Dfmi2GetInteger=hidden"]);
    assert!(failure(&probe).contains("no function `fmi2GetInteger`"));
}

#[test]
fn an_unresolved_symbol_is_an_error_at_loading_and_not_a_crash_later() {
    let probe = Probe::compile(FmiVersion::V2, &["-DUNRESOLVED"]);
    assert_eq!(
        failure(&probe),
        "error[fmi::unresolved-symbol]: `probe.so` of `probe.fmu` uses the undefined symbol `nobody_defines_this`\n\
         help: the FMU was linked without a library it uses: ask its author for a complete one"
    );
}

#[test]
fn a_missing_library_is_named() {
    let probe = Probe::empty(FmiVersion::V2);
    let library = probe.directory.path().join("libgone_for_good.so");
    let built = probe.compile_as("probe.so", &["-Wl,-soname,libgone_for_good.so"]);
    fs::rename(built, &library).unwrap();
    let library_text = library.display().to_string();
    probe.compile_as("probe.so", &["-Wl,--no-as-needed", &library_text]);
    fs::remove_file(library).unwrap();
    assert_eq!(
        failure(&probe),
        "error[fmi::missing-library]: `probe.so` of `probe.fmu` needs `libgone_for_good.so`, which is not installed\n\
         help: install what provides `libgone_for_good.so`, or add its folder to `LD_LIBRARY_PATH`"
    );
}

#[test]
fn what_is_no_library_is_refused_with_the_loaders_words() {
    for (content, words) in [
        (
            &b"MZ this is for another system, and long enough to be read as a header......"[..],
            "invalid ELF header",
        ),
        (b"", "file too short"),
    ] {
        let probe = Probe::empty(FmiVersion::V3);
        let folder = probe.directory.path().join("binaries").join(platform(FmiVersion::V3));
        fs::write(folder.join("probe.so"), content).unwrap();
        let text = failure(&probe);
        assert!(
            text.starts_with(
                "error[fmi::not-a-library]: `probe.so` of `probe.fmu` cannot be loaded"
            ),
            "{text}"
        );
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn an_interpreter_that_is_not_there_is_asked_for_by_package() {
    let probe =
        Probe::compile(FmiVersion::V2, &["-DUNRESOLVED", "-Dnobody_defines_this=Py_Missing"]);
    let options = LoadOptions { python_library: Some("/nowhere/libpython.so".into()) };
    let fmu = Arc::new(probe.fmu());
    let binary = fmu.binary().unwrap();
    let error = FmuModel::load(fmu, &binary, String::new(), &options).err().unwrap();
    assert_eq!(
        shown(&error.diagnostic("probe.fmu", None)),
        "error[fmi::no-python]: `probe.so` of `probe.fmu` needs a Python interpreter\n\
         note: /nowhere/libpython.so: cannot open shared object file: No such file or directory\n\
         help: install the interpreter's library: `apt install libpython3.11` on Debian 12"
    );
}

#[test]
fn an_fmu_for_model_exchange_only_is_said_to_be_that() {
    let probe = Probe::empty(FmiVersion::V2);
    let mut description = description(FmiVersion::V2, "");
    description.co_simulation = None;
    description.model_exchange = Some(ModelExchange {
        model_identifier: "engine".to_owned(),
        needs_execution_tool: false,
        source_files: Vec::new(),
        capabilities: Capabilities::native(),
        continuous: ContinuousDescription::default(),
    });
    let fmu = Fmu::from_parts(probe.directory.path(), "engine.fmu", description, None);
    let error = fmu.binary().unwrap_err();
    assert!(matches!(error, LoadError::NoCoSimulation { .. }));
    assert_eq!(
        shown(&error.diagnostic("probe.fmu", None)),
        "error[fmi::no-co-simulation]: `engine.fmu` is for Model Exchange only\n\
         help: export the FMU for Co-Simulation, or use its Model Exchange interface"
    );
}

#[test]
fn a_folder_without_a_description_is_no_fmu() {
    let probe = Probe::empty(FmiVersion::V2);
    let mut report = Report::default();
    assert!(Fmu::open(probe.directory.path(), "tank.fmu", None, &mut report).is_none());
    let [diagnostic] = report.diagnostics() else { panic!("one diagnostic") };
    assert_eq!(diagnostic.severity, Severity::Error);
    assert_eq!(diagnostic.message, "`tank.fmu` has no readable `modelDescription.xml`");
}

#[test]
fn an_fmu_that_needs_its_tool_is_opened_with_a_warning() {
    let probe = Probe::empty(FmiVersion::V2);
    fs::write(
        probe.directory.path().join("modelDescription.xml"),
        r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g">
  <CoSimulation modelIdentifier="m" needsExecutionTool="true" canHandleVariableCommunicationStepSize="true"/>
  <ModelVariables><ScalarVariable name="y" valueReference="0" causality="output"><Real/></ScalarVariable></ModelVariables>
  <ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>"#,
    )
    .unwrap();
    let mut report = Report::default();
    let fmu = Fmu::open(probe.directory.path(), "tank.fmu", None, &mut report).unwrap();
    assert_eq!(fmu.description().version, FmiVersion::V2);
    let codes: Vec<&str> = report.diagnostics().iter().map(|it| it.code).collect();
    assert!(codes.contains(&"fmi::needs-tool"), "{codes:?}");
    assert!(!report.has_errors());
}

/// A model whose directory is watched.
fn watched() -> (Arc<()>, FmuModel) {
    let probe = Probe::compile(FmiVersion::V3, &[]);
    let keeper = Arc::new(());
    let description = description(FmiVersion::V3, "token");
    let kept = Box::new(Arc::clone(&keeper));
    let folder = probe.directory.path();
    let fmu = Arc::new(Fmu::from_parts(folder, "probe.fmu", description, Some(kept)));
    let binary = fmu.binary().unwrap();
    let model = FmuModel::load(fmu, &binary, String::new(), &LoadOptions::default()).unwrap();
    (keeper, model)
}

#[test]
fn the_directory_lives_as_long_as_an_instance() {
    let (keeper, model) = watched();
    let instance = ready(&model, &Log::default());
    drop(model);
    assert_eq!(Arc::strong_count(&keeper), 2);
    drop(instance);
    assert_eq!(Arc::strong_count(&keeper), 1);
}

#[test]
fn an_instance_that_cannot_be_freed_does_not_keep_the_directory() {
    let (keeper, model) = watched();
    let mut instance = ready(&model, &Log::default());
    order(&mut *instance, 100, 4);
    assert!(instance.step(&step(10)).is_err());
    drop((instance, model));
    assert_eq!(Arc::strong_count(&keeper), 1);
}

#[test]
fn a_library_built_with_fast_math_leaves_subnormals_alone() {
    let probe = Probe::compile(FmiVersion::V2, &["-ffast-math"]);
    let halved = || black_box(f64::MIN_POSITIVE) * black_box(0.5);
    // The same library loaded bare flips flush-to-zero, or this test would show nothing.
    let flushes = std::thread::scope(|scope| {
        let bare = scope.spawn(|| {
            // SAFETY: the probe's constructors do nothing but set the floating-point mode.
            let library = unsafe { libloading::Library::new(probe.fmu().binary().unwrap()) };
            (library, halved())
        });
        let (library, product) = bare.join().unwrap();
        drop(library);
        product == 0.0
    });
    assert_eq!(flushes, cfg!(target_arch = "x86_64"), "the compiler links crtfastmath");

    let model = probe.load();
    assert!(0.0 < halved(), "after loading");
    let log = Log::default();
    let mut instance = ready(&model, &log);
    instance.step(&step(10)).unwrap();
    assert!(0.0 < halved(), "after a step");
}
