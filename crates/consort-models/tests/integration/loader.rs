//! FMUs from archives, folders and sources.

use crate::harness::{instantiation, render_all};
use crate::source_fmu::{DOUBLER_2, SOURCE_FILES, description, write, write_doubler};
use consort_core::{Reference, Report, Resolution, Setup, Step, Tag, Time, ValuesMut, ValuesRef};
use consort_models::{InputFileRole, LoadedModel, Loader, LoaderOptions, ModelKinds, ModelRequest};
use consort_testkit::fmus::{self, BuildOptions, EXCHANGE_MODELS, Fmi, MODELS};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn base(&self) -> PathBuf {
        let base = self.folder.path().join("system");
        fs::create_dir_all(&base).unwrap();
        base
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    pub(crate) fn loader(&self) -> Loader {
        let kinds = ModelKinds::with_packs(&[consort_aircraft::BLOCKS]);
        Loader::new(LoaderOptions { kinds, ..LoaderOptions::new(self.cache()) })
    }

    pub(crate) fn load(&self, loader: &mut Loader, model: &str) -> Result<LoadedModel, String> {
        let mut report = Report::default();
        let base = self.base();
        let request = ModelRequest { component: "tank", ..ModelRequest::new(model, &base) };
        loader.load(&request, &mut report).ok_or_else(|| render_all(&report))
    }

    fn files_in(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.cache().join(folder)).into_iter().flatten();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// What the model's variable 1 is after its variable 0 was set and a step was made.
pub(crate) fn answer(loaded: &LoadedModel, u: f64) -> f64 {
    let mut instance = loaded.model.instantiate(&instantiation(1)).unwrap();
    let (resolution, start) = (Resolution::NANOSECOND, Time::ZERO);
    let setup = Setup { resolution, start, stop: None, tolerance: None };
    instance.enter_initialization(&setup).unwrap();
    instance.exit_initialization().unwrap();
    instance.set(&[Reference(0)], ValuesRef::Float64(&[u])).unwrap();
    let to = Time::from_ticks(1_000_000_000);
    instance.step(&Step { from: Tag::at(start), to, start: 0.0, length: 1.0 }).unwrap();
    let mut y = [f64::NAN];
    instance.get(&[Reference(1)], ValuesMut::Float64(&mut y)).unwrap();
    instance.terminate().unwrap();
    y[0]
}

fn zip(folder: &Path, archive: &Path) {
    let mut writer = zip::ZipWriter::new(fs::File::create(archive).unwrap());
    for name in ["modelDescription.xml", "sources/doubler.c"] {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&fs::read(folder.join(name)).unwrap()).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn a_source_fmu_folder_is_compiled_and_runs() {
    let place = Place::new();
    write_doubler(&place.base().join("doubler"));
    let loaded = place.load(&mut place.loader(), "doubler").unwrap();
    assert_eq!(answer(&loaded, 21.0), 42.0);
    let inputs: Vec<_> = loaded.inputs.iter().map(|file| (file.path.as_str(), file.role)).collect();
    assert_eq!(
        inputs,
        [
            ("doubler", InputFileRole::Fmu),
            ("doubler/sources/doubler.c", InputFileRole::Source),
            ("doubler/doubler.so", InputFileRole::Binary),
        ]
    );
    let binary = loaded.inputs.last().unwrap();
    assert_eq!(binary.sha256.len(), 64);
    let lane = &loaded.model.description().capabilities.lane;
    assert_eq!(lane.as_ref(), Some(&binary.sha256), "instances of one binary share a lane");
    assert!(loaded.assumed.iter().any(|line| line.starts_with("compiled `doubler` with ")));
}

#[test]
fn an_archive_is_unpacked_and_compiled_once() {
    let place = Place::new();
    write_doubler(&place.folder.path().join("doubler"));
    zip(&place.folder.path().join("doubler"), &place.base().join("doubler.fmu"));
    let mut loader = place.loader();
    let first = place.load(&mut loader, "doubler.fmu").unwrap();
    assert_eq!(answer(&first, 1.5), 3.0);
    let built = place.files_in("build");
    let binary = place.cache().join("build").join(&built[0]).join("doubler.so");
    let made = fs::metadata(&binary).unwrap().modified().unwrap();

    for _ in 0..10_000 {
        let again = place.load(&mut loader, "doubler.fmu").unwrap();
        assert!(Arc::ptr_eq(&first.model, &again.model));
    }
    let spelled = place.load(&mut loader, "../system/./doubler.fmu").unwrap();
    assert!(Arc::ptr_eq(&first.model, &spelled.model), "another way to write the same path");

    let later = place.load(&mut place.loader(), "doubler.fmu").unwrap();
    assert_eq!(later.inputs, first.inputs);
    assert_eq!(fs::metadata(&binary).unwrap().modified().unwrap(), made);
    assert_eq!((place.files_in("fmu").len(), place.files_in("build")), (1, built));
}

#[test]
fn another_source_is_another_binary() {
    let place = Place::new();
    let folder = place.base().join("doubler");
    write_doubler(&folder);
    let double = place.load(&mut place.loader(), "doubler").unwrap();
    write(&folder, &description(SOURCE_FILES), &DOUBLER_2.replace("FACTOR", "3.0"));
    let triple = place.load(&mut place.loader(), "doubler").unwrap();
    assert_eq!((answer(&double, 1.0), answer(&triple, 1.0)), (2.0, 3.0));
    assert_eq!(place.files_in("build").len(), 2);
}

#[test]
fn functions_with_a_prefix_are_found() {
    let place = Place::new();
    let source = DOUBLER_2.replace("FACTOR", "2.0");
    let by_standard = format!("#define FMI2_FUNCTION_PREFIX doubler_\n{source}");
    write(&place.base().join("standard"), &description(SOURCE_FILES), &by_standard);
    // Binaries whose functions keep the prefix are common; the binding looks for both names.
    let kept = format!("#define FMI2_ACTUAL_FUNCTION_PREFIX doubler_\n{source}");
    write(&place.base().join("kept"), &description(SOURCE_FILES), &kept);
    for folder in ["standard", "kept"] {
        let loaded = place.load(&mut place.loader(), folder).unwrap();
        assert_eq!(answer(&loaded, 4.0), 8.0, "{folder}");
    }
}

#[test]
fn sources_that_are_not_listed_are_found_and_that_is_said() {
    let place = Place::new();
    write(&place.base().join("bare"), &description(""), &DOUBLER_2.replace("FACTOR", "2.0"));
    let loaded = place.load(&mut place.loader(), "bare").unwrap();
    assert_eq!(loaded.assumed[0], "no source files are listed; took doubler.c");
    assert_eq!(answer(&loaded, 2.0), 4.0);
}

#[test]
fn a_build_description_is_followed_where_that_is_harmless() {
    let place = Place::new();
    let folder = place.base().join("described");
    write(&folder, &description(""), &DOUBLER_2.replace("FACTOR", "(FROM_BUILD + FROM_HEADER)"));
    let build = r#"<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="doubler">
    <SourceFileSet language="C99" compiler="gcc" compilerOptions="-ffast-math -o/tmp/evil -include part.h">
      <SourceFile name="doubler.c"/>
      <PreprocessorDefinition name="FROM_BUILD" value="5.0"/>
      <PreprocessorDefinition name="FACTOR" value="wrong" optional="true"/>
      <IncludeDirectory name="include"/>
    </SourceFileSet>
    <Library name="m"/>
  </BuildConfiguration>
</fmiBuildDescription>"#;
    fs::write(folder.join("sources/buildDescription.xml"), build).unwrap();
    fs::create_dir(folder.join("sources/include")).unwrap();
    fs::write(folder.join("sources/include/part.h"), "#define FROM_HEADER 0.25\n").unwrap();
    let source = fs::read_to_string(folder.join("sources/doubler.c")).unwrap();
    fs::write(folder.join("sources/doubler.c"), format!("#include \"part.h\"\n{source}")).unwrap();
    let loaded = place.load(&mut place.loader(), "described").unwrap();
    assert_eq!(answer(&loaded, 2.0), (5.0 + 0.25) * 2.0);
    assert!(!Path::new("/tmp/evil").exists());
    let left_out: Vec<&String> =
        loaded.assumed.iter().filter(|line| line.contains("left out")).collect();
    assert_eq!(left_out.len(), 3, "{left_out:?}");
}

#[test]
fn two_loaders_may_build_the_same_at_once() {
    let place = Place::new();
    write_doubler(&place.base().join("doubler"));
    std::thread::scope(|scope| {
        let load = || answer(&place.load(&mut place.loader(), "doubler").unwrap(), 3.0);
        let threads = [scope.spawn(load), scope.spawn(load), scope.spawn(load)];
        for thread in threads {
            assert_eq!(thread.join().unwrap(), 6.0);
        }
    });
    assert_eq!(place.files_in("build").len(), 1, "no working folder is left");
}

#[test]
fn a_compile_error_shows_the_compilers_words_and_leaves_nothing() {
    let place = Place::new();
    write(&place.base().join("broken"), &description(SOURCE_FILES), "int f( { return x; }\n");
    let mut loader = place.loader();
    let error = place.load(&mut loader, "broken").err().unwrap();
    let (head, rest) = error.split_once("note: the compiler says:\n").unwrap();
    assert_eq!(
        head,
        "error[model::compile-failed]: the sources of `broken` cannot be compiled to `doubler.so`\n"
    );
    assert!(rest.contains("doubler.c:1"), "{rest}");
    assert!(rest.contains("note: the command, in `broken/sources`:\n"), "{rest}");
    assert!(rest.contains(" -O2 -fPIC "), "{rest}");
    assert!(rest.ends_with(
        "help: repair the sources, or export the FMU with a binary for this platform\n"
    ));
    assert!(place.files_in("build").is_empty(), "{:?}", place.files_in("build"));
}

#[test]
fn a_broken_model_is_reported_once_per_report() {
    let place = Place::new();
    write(&place.base().join("broken"), &description(SOURCE_FILES), "int f( { return x; }\n");
    let mut loader = place.loader();
    for _ in 0..2 {
        let mut report = Report::default();
        for component in ["one", "two", "three"] {
            let (model, base) = ("broken", place.base());
            let request = ModelRequest { component, ..ModelRequest::new(model, &base) };
            assert!(loader.load(&request, &mut report).is_none());
            assert_eq!(report.error_count(), 1, "{component}");
        }
    }
}

#[test]
fn a_long_tale_of_a_compiler_is_cut() {
    let place = Place::new();
    let source: String = (0..500).map(|line| format!("oops_{line} x;\n")).collect();
    write(&place.base().join("broken"), &description(SOURCE_FILES), &source);
    let error = place.load(&mut place.loader(), "broken").err().unwrap();
    assert!(error.lines().count() < 40, "{error}");
    assert!(error.contains("more lines\n"), "{error}");
}

#[test]
fn a_native_block_needs_no_file() {
    let place = Place::new();
    let loaded = place.load(&mut place.loader(), "native:gain").unwrap();
    assert_eq!(loaded.model.description().name, "native:gain");
    assert!(!place.cache().exists(), "nothing is written");
}

#[test]
fn every_model_of_the_test_kit_is_compiled_from_source_and_instantiated() {
    let place = Place::new();
    let mut loader = place.loader();
    for model in MODELS.iter().chain(EXCHANGE_MODELS) {
        for &version in model.versions {
            for options in [BuildOptions::source(), BuildOptions::source_archive()] {
                let fmu = fmus::build(model.name, version, &options);
                let loaded = place.load(&mut loader, fmu.to_str().unwrap()).unwrap();
                let roles: Vec<InputFileRole> =
                    loaded.inputs.iter().map(|file| file.role).collect();
                assert_eq!(roles.first(), Some(&InputFileRole::Fmu));
                assert_eq!(roles.last(), Some(&InputFileRole::Binary));
                let mut instance = loaded.model.instantiate(&instantiation(1)).unwrap();
                let (resolution, start) = (Resolution::NANOSECOND, Time::ZERO);
                let setup = Setup { resolution, start, stop: None, tolerance: None };
                instance.enter_initialization(&setup).unwrap();
                instance.exit_initialization().unwrap();
                instance.terminate().unwrap();
            }
        }
    }
}

#[test]
fn a_binary_is_used_where_there_is_one() {
    let place = Place::new();
    let fmu = fmus::build("gain", Fmi::V2, &BuildOptions::archive());
    let loaded = place.load(&mut place.loader(), fmu.to_str().unwrap()).unwrap();
    assert!(loaded.inputs.iter().all(|file| file.role != InputFileRole::Source));
    assert!(loaded.inputs.last().unwrap().path.contains("/binaries/"));
    assert!(place.files_in("build").is_empty());
}

#[test]
fn an_fmu_for_model_exchange_only_gets_a_solver() {
    let place = Place::new();
    let mut loader = place.loader();
    let load = |loader: &mut _, name: &str| {
        let fmu = fmus::build(name, Fmi::V3, &BuildOptions::archive());
        place.load(loader, fmu.to_str().unwrap()).unwrap()
    };
    let ball = load(&mut loader, "exchange-ball");
    assert_eq!(ball.model.description().kind, "FMI 3.0 Model Exchange");
    assert_eq!(ball.assumed.len(), 1);
    assert!(ball.assumed[0].ends_with("is integrated by `auto`"), "{}", ball.assumed[0]);
    let both = load(&mut loader, "dahlquist");
    assert_eq!(both.model.description().kind, "FMI 3.0 Co-Simulation");
    assert!(both.assumed.is_empty(), "{:?}", both.assumed);
}
