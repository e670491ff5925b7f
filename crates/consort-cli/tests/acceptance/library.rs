//! The library and the command line give the same results.

use crate::world::{World, shortened};
use consort::run::End;
use consort::{
    Advance, CampaignRequest, Context, Error, ModelOptions, PreparedData, ReadyCampaign, ReadyRun,
    Repeat, RepeatAnswer, RepeatRequest, Replay, Run, RunRequest, RunSettings, System,
};
use consort_core::Report;
use consort_testkit::fmus::example;
use std::fs;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

/// Examples that are one piece: those on nodes run there, and their hash is the same.
fn examples() -> Vec<String> {
    let names = fs::read_dir(example("")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let is_system = |name: &String| {
        ["system.toml", "mm.json"].iter().any(|file| example(name).join(file).is_file())
    };
    let mut names: Vec<String> = names.filter(is_system).collect();
    names.sort();
    names
}

/// The options of the command line as changes of a system.
fn system(world: &World, name: &str) -> System {
    let mut system = System::load(example(name)).unwrap();
    let options = shortened(name);
    if let [_, stop] = options {
        system.changes_mut().stop = Some(stop.parse().unwrap());
    }
    system.models_mut().loader.cache = world.cache().to_owned();
    system
}

fn finished(mut run: Run) -> String {
    run.advance_to_end().unwrap();
    run.finish().summary.trace_hash.to_string()
}

#[test]
fn every_example_has_one_hash_by_library_and_command_line() {
    let world = World::new();
    let names = examples();
    assert!(15 < names.len(), "{names:?}");
    for name in names {
        let path = example(&name).display().to_string();
        let line = ["run", &path, "--local", "--out", "run"];
        world.done(&[&line[..], shortened(&name)].concat());
        let prepared = system(&world, &name).prepare().unwrap();
        let settings = RunSettings { workers: 2, is_recorded: false, ..RunSettings::default() };
        let run = prepared.start_with(settings).unwrap();
        assert_eq!(finished(run), world.trace_hash("run"), "{name}");
    }
}

#[test]
fn a_system_built_in_code_is_that_of_its_file() {
    let world = World::new();
    let folder = world.path("built");
    fs::create_dir(&folder).unwrap();
    fs::copy(example("bouncing-ball").join("ball.eq"), folder.join("ball.eq")).unwrap();
    let builder = System::build("built", &folder)
        .component("ball", "ball.eq")
        .component("half", "native:gain")
        .connect("ball.h", "half.u")
        .with(|system| system.experiment.seed = 7);
    fs::write(folder.join("system.toml"), builder.to_toml()).unwrap();
    let mut hashes = Vec::new();
    for system in [builder.finish(), System::load(&folder).unwrap()] {
        let mut system = system.set("half.k", 0.5).step("1/100").stop(2);
        assert_eq!(system.description().experiment.seed, 7);
        system.models_mut().loader.cache = world.cache().to_owned();
        hashes.push(finished(system.prepare().unwrap().start().unwrap()));
    }
    let options = ["--set", "half.k=0.5", "--step", "0.01", "--stop", "2", "--out", "run"];
    world.done(&[&["run", "built"], &options[..]].concat());
    assert_eq!(hashes, [world.trace_hash("run"), world.trace_hash("run")]);
}

#[test]
fn a_system_built_in_code_leaves_records_here_and_on_nodes() {
    let world = World::new();
    let folder = world.path("coded");
    fs::create_dir(&folder).unwrap();
    let builder = System::build("coded", &folder)
        .component("wave", "native:sine")
        .component("sum", "native:integrator")
        .connect("wave.y", "sum.u");
    let mut system = builder.finish().step("0.01").stop(2);
    system.models_mut().loader.cache = world.cache().to_owned();
    let expected = finished(system.prepare().unwrap().start().unwrap());
    let program = env!("CARGO_BIN_EXE_consort").into();
    system.models_mut().loader.host.as_mut().expect("`consort` is built").program = program;
    let mut on_nodes = RunRequest::default();
    on_nodes.nodes.place = vec![("wave".to_owned(), "a".into()), ("sum".to_owned(), "b".into())];
    for (name, request) in [("whole", RunRequest::default()), ("parts", on_nodes)] {
        let request = RunRequest { out: Some(world.path(name)), ..request };
        let mut ready = system.recorded(request).unwrap();
        for _ in 0..2 {
            ready.record(&Context::default()).unwrap();
            assert_eq!(world.trace_hash(name), expected, "{name}");
        }
    }
}

#[test]
fn what_does_not_fit_in_a_built_system_is_reported_at_once() {
    let wrong = System::build("wrong", ".")
        .component("a", "native:gain")
        .connect("a.z", "a.u")
        .connect("b.y", "a.u");
    let error = wrong.finish().stop("soon").prepare().map(drop).unwrap_err();
    let codes: Vec<_> = error.errors().into_iter().map(|it| it.code).collect();
    for code in ["cli::bad-time", "system::unknown-variable", "system::unknown-component"] {
        assert!(codes.contains(&code), "{codes:?}");
    }
}

#[test]
fn a_trace_in_memory_is_written_in_every_form() {
    let world = World::new();
    let mut run = system(&world, "quickstart").prepare().unwrap().start().unwrap();
    run.advance(1.0).unwrap();
    let trace = run.trace().unwrap();
    for form in ["parquet", "csv"] {
        let file = world.path(&format!("trace.{form}"));
        consort::write_trace(&trace, &file).unwrap();
        let read = consort::read_trace(&file, trace.schema().resolution()).unwrap();
        assert_eq!(read.hash(), trace.hash(), "{form}");
    }
    let file = world.path("trace.mcap");
    consort::write_trace(&trace, &file).unwrap();
    assert!(fs::read(&file).unwrap().starts_with(b"\x89MCAP0"));
    let error = consort::write_trace(&trace, &world.path("trace.txt")).unwrap_err().to_string();
    assert!(error.contains("is no name of a trace"), "{error}");
}

#[test]
fn a_system_that_is_sent_to_another_process_is_the_same() {
    let world = World::new();
    let file = world.path("system.bin");
    for name in examples() {
        let system = system(&world, &name);
        let prepared = system.prepare().unwrap();
        prepared.to_data().write(&file).unwrap();
        let mut loader = ModelOptions::served_by(world.cache().to_owned(), None).loader();
        let sent = PreparedData::read(&file).unwrap();
        assert!(sent == prepared.to_data(), "{name}");
        let here = sent.load(|_| true, &mut loader).unwrap();
        assert_eq!(here.plan_text(), prepared.plan_text(), "{name}");
        let is_short = shortened(&name).is_empty() && name != "uav";
        if is_short {
            let hash = finished(prepared.start().unwrap());
            assert_eq!(finished(here.start().unwrap()), hash, "{name}");
        }
    }
}

#[test]
fn only_the_components_of_a_node_have_models_there() {
    let world = World::new();
    let file = world.path("system.bin");
    system(&world, "quickstart").prepare().unwrap().to_data().write(&file).unwrap();
    let mut loader = ModelOptions::served_by(world.cache().to_owned(), None).loader();
    let part = PreparedData::read(&file).unwrap().load(|_| false, &mut loader).unwrap();
    let error = part.start().map(drop).unwrap_err().to_string();
    assert!(error.contains("could not be instantiated"), "{error}");
    fs::write(&file, b"no system").unwrap();
    let error = PreparedData::read(&file).map(drop).unwrap_err().to_string();
    assert!(error.contains("is not a prepared system"), "{error}");
}

#[test]
fn a_run_is_over_at_its_end_or_where_an_observer_ends_it() {
    let world = World::new();
    for (last, expected) in [(f64::INFINITY, 60.0), (20.0, 20.0)] {
        let mut run = system(&world, "quickstart").prepare().unwrap().start().unwrap();
        run.observe(&[], move |time, _| match time < last {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
        .unwrap();
        let mut calls = 0;
        while !run.is_over() && calls < 100 {
            run.advance(run.time() + 10.0).unwrap();
            calls += 1;
        }
        assert_eq!(run.time().to_bits(), f64::to_bits(expected), "{last}");
        assert!(calls < 10, "{calls} calls");
    }
}

#[test]
fn a_model_that_changed_since_it_was_sent_is_refused() {
    let world = World::new();
    let folder = world.path("changing");
    fs::create_dir(&folder).unwrap();
    let model = |rate: &str| format!("model m\n  output state x = 1\n  der(x) = {rate}*x\nend\n");
    fs::write(folder.join("m.eq"), model("-1")).unwrap();
    let system =
        System::build("changing", &folder).component("m", "m.eq").finish().step(0.1).stop(1);
    let data = system.prepare().unwrap().to_data();
    let mut loader = ModelOptions::served_by(world.cache().to_owned(), None).loader();
    assert!(data.clone().load(|_| true, &mut loader).is_ok());
    // Its variables are the same; what it computes is not.
    fs::write(folder.join("m.eq"), model("-2")).unwrap();
    let mut loader = ModelOptions::served_by(world.cache().to_owned(), None).loader();
    let error = data.load(|_| true, &mut loader).map(drop).unwrap_err();
    let codes: Vec<_> = error.errors().into_iter().map(|it| it.code).collect();
    assert_eq!(codes, ["node::another-system"]);
}

#[test]
fn runs_that_are_isolated_saved_and_branched_have_the_hash_of_the_command_line() {
    let world = World::new();
    let path = example("quickstart").display().to_string();
    world.done(&["run", &path, "--out", "run"]);
    let mut isolated = system(&world, "quickstart").saved();
    isolated.changes_mut().isolate = true;
    // The program that serves isolated models is not the one that runs this test.
    let host =
        isolated.models_mut().loader.host.as_mut().expect("`consort` is built beside its tests");
    host.program = env!("CARGO_BIN_EXE_consort").into();
    for system in [system(&world, "quickstart").saved(), isolated] {
        let mut run = system.prepare().unwrap().start().unwrap();
        run.advance(20.0).unwrap();
        let branch = run.branch().unwrap();
        let snapshot = run.save().unwrap();
        run.advance(33.0).unwrap();
        assert_eq!(run.time().to_bits(), 33.0_f64.to_bits());
        run.restore(&snapshot).unwrap();
        assert_eq!(run.time().to_bits(), 20.0_f64.to_bits());
        let hash = world.trace_hash("run");
        assert_eq!((finished(run), finished(branch)), (hash.clone(), hash));
    }
}

#[test]
fn mistakes_are_reported_with_their_codes_and_cures() {
    let missing = System::load("no/such/system.toml").unwrap_err().to_string();
    assert!(
        missing.starts_with("cli::no-system: `no/such/system.toml` could not be read"),
        "{missing}"
    );
    let world = World::new();
    let wrong = system(&world, "quickstart").set("tank.aera", 2).stop("soon");
    let wrong = wrong.prepare().err().expect("two things are wrong").to_string();
    assert!(wrong.contains("cli::bad-time: ") && wrong.contains("did you mean `area`?"), "{wrong}");
    let run = system(&world, "quickstart").prepare().unwrap().start().unwrap();
    assert_eq!(run.number("tank.level").unwrap().to_bits(), 0.8_f64.to_bits());
    let unknown = run.get("tank.no").unwrap_err().to_string();
    assert!(unknown.contains("`tank.no` is not in this system"), "{unknown}");
}

/// Models as the library makes them in a program that is not `consort`: that is found beside this test.
fn models(world: &World) -> ModelOptions {
    let mut models = ModelOptions::default();
    assert!(models.program().is_some_and(|path| path.ends_with("consort")), "{models:?}");
    models.loader.cache = world.cache().to_owned();
    models
}

/// Records a run of the quickstart by the library; its hash.
fn recorded(world: &World, out: &str, change: impl FnOnce(&mut RunRequest)) -> String {
    let mut request = RunRequest::new(example("quickstart"));
    request.out = Some(world.path(out));
    change(&mut request);
    let context = Context::default();
    let mut run = ReadyRun::prepare(&request, models(world), Report::default(), &context).unwrap();
    let recorded = run.record(&context).unwrap();
    assert_eq!(recorded.run.outcome.end, End::Finished);
    recorded.run.outcome.summary.trace_hash.to_string()
}

#[test]
fn records_of_library_and_command_line_are_the_same() {
    let world = World::new();
    let path = example("quickstart").display().to_string();
    world.done(&["run", &path, "--out", "run"]);
    let place = ["tank=plant", "controller=control"].map(|pair| {
        let (component, node) = pair.split_once('=').unwrap();
        (component.to_owned(), node.to_owned())
    });
    let ways = [
        recorded(&world, "local", |_| {}),
        recorded(&world, "isolated", |request| request.changes.isolate = true),
        recorded(&world, "nodes", |request| request.nodes.place = place.to_vec()),
    ];
    assert_eq!(ways, [world.trace_hash("run"), world.trace_hash("run"), world.trace_hash("run")]);
    for out in ["local", "isolated", "nodes"] {
        assert_eq!(world.trace_hash(out), ways[0], "the manifest of `{out}`");
        let trace = |folder: &str| fs::read(world.path(folder).join("trace.parquet")).unwrap();
        assert_eq!(trace(out), trace("run"), "{out}");
        world.done(&["replay", out]);
        let context = Context::default();
        let replay = Replay::prepare(&world.path(out), None, models(&world), &context).unwrap();
        assert!(replay.changes().is_empty(), "{:?}", replay.changes());
        assert!(replay.run(None, &context).unwrap().is_identical, "{out}");
    }
}

#[test]
fn repetitions_of_the_library_have_the_hash_of_the_command_line() {
    let world = World::new();
    let path = example("quickstart");
    world.done(&["run", &path.display().to_string(), "--out", "run"]);
    let request = RepeatRequest { runs: 4, load: Some(0), ..RepeatRequest::new(path) };
    let request = RepeatRequest { placements: Some(2), ..request };
    let context = Context::default();
    let mut repeat = Repeat::prepare(request, models(&world), Report::default(), &context).unwrap();
    let mut hashes = Vec::new();
    let answer = repeat.run(&context, &mut |run| hashes.push(run.result.hash.clone())).unwrap();
    assert!(matches!(answer, RepeatAnswer::Identical(_)));
    assert_eq!(hashes, vec![world.trace_hash("run"); 4]);
}

#[test]
fn campaigns_of_library_and_command_line_have_one_report() {
    let world = World::new();
    let path = example("scenario-tree");
    let line = ["explore", &path.display().to_string(), "--out", "line", "--limit", "40"];
    world.consort(&line);
    let mut request = CampaignRequest::new(path);
    (request.out, request.changes.limit) = (Some(world.path("library")), Some(40));
    let context = Context::default();
    let campaign = ReadyCampaign::prepare(&request, models(&world), &context).unwrap();
    let outcome = campaign.explore(&context).unwrap();
    assert!(0 < outcome.tally.total(), "{:?}", outcome.tally);
    let report = |folder: &str| {
        let text = world.read(&format!("{folder}/report.json"));
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    assert_eq!(report("library"), report("line"));
    assert_eq!(outcome.report, report("line"));
}

#[test]
fn a_run_is_read_and_written_by_handles_and_observed() {
    let world = World::new();
    let mut run = system(&world, "quickstart").saved().prepare().unwrap().start().unwrap();
    let level = run.handle("tank.level").unwrap();
    let area = run.handle("tank.area").unwrap();
    let seen: Arc<Mutex<Vec<(f64, f64)>>> = Arc::default();
    let noted = Arc::clone(&seen);
    run.observe(&["tank.level"], move |time, values| {
        noted.lock().unwrap().push((time, values[0]));
        if time < 30.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .unwrap();
    let mut values = [0.0; 2];
    run.advance(10.0).unwrap();
    run.read(&[level, area], &mut values).unwrap();
    assert_eq!(values[0].to_bits(), run.number("tank.level").unwrap().to_bits());
    assert_eq!(values[1].to_bits(), run.number("tank.area").unwrap().to_bits(), "a parameter");
    let before = run.save().unwrap();
    assert_eq!(run.advance_to_end().unwrap(), Advance::Decided);
    let observed = seen.lock().unwrap().clone();
    assert_eq!((observed.len(), observed.last().unwrap().0), (300, 30.0));
    // Rows are those of the way that led here, whatever was tried in between.
    run.restore(&before).unwrap();
    let setpoint = run.handle("controller.setpoint").unwrap();
    run.write(&[setpoint], &[1.5]).unwrap();
    run.advance(12.0).unwrap();
    let trace = run.trace().unwrap();
    let times: Vec<f64> = trace.times().collect();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]) && times.last() == Some(&12.0));
}

#[test]
fn a_driven_run_is_saved_to_a_file_and_resumed_by_library_and_command_line() {
    let world = World::new();
    let whole = finished(system(&world, "quickstart").prepare().unwrap().start().unwrap());
    let prepared = system(&world, "quickstart").saved().prepare().unwrap();
    let mut run = prepared.start().unwrap();
    run.advance(20.0).unwrap();
    let file = world.path("at-20.snapshot");
    run.save_to_file(&file).unwrap();
    assert_eq!(finished(run), whole, "saving changes nothing");
    let mut resumed = prepared.resume(&file).unwrap();
    assert_eq!(resumed.time().to_bits(), 20.0_f64.to_bits());
    let seen: Arc<Mutex<usize>> = Arc::default();
    let count = Arc::clone(&seen);
    let observe = move |_: f64, _: &[f64]| {
        *count.lock().unwrap() += 1;
        ControlFlow::Continue(())
    };
    resumed.observe(&["tank.level"], observe).unwrap();
    let branch = resumed.branch().unwrap();
    assert_eq!([finished(resumed), finished(branch)], [whole.clone(), whole.clone()]);
    assert_eq!(*seen.lock().unwrap(), 400);
    let line = ["run", "--resume", "at-20.snapshot", "--verify", "--out", "line"];
    world.done(&line);
    assert_eq!(world.trace_hash("line"), whole);
    // A file of a recorded run is continued here, and a file of another system is refused.
    let path = example("quickstart").display().to_string();
    world.done(&["run", &path, "--save-at", "30", "--save", "at-30.snapshot", "--out", "saved"]);
    assert_eq!(finished(prepared.resume(world.path("at-30.snapshot")).unwrap()), whole);
    let other = system(&world, "quickstart").set("tank.area", 2).saved().prepare().unwrap();
    let refused = other.resume(&file).err().unwrap();
    assert!(refused.to_string().contains("saved"), "{refused}");
}

#[test]
fn a_cancelled_run_can_continue() {
    let world = World::new();
    let settings = RunSettings::default();
    let cancel = Arc::clone(&settings.cancel);
    let prepared = system(&world, "quickstart").prepare().unwrap();
    let mut run = prepared.start_with(settings).unwrap();
    run.advance(5.0).unwrap();
    cancel.cancel();
    assert!(matches!(run.advance(10.0), Err(Error::Cancelled)));
    assert_eq!(run.time().to_bits(), 5.0_f64.to_bits());
}
