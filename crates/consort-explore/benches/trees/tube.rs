//! The system: a tube of cells in which two substances react and diffuse.

use consort_core::{Model, Provider, Report};
use consort_engine::{Executable, RunOptions};
use consort_explore::campaign::{Questions, resolve};
use consort_explore::run_world::{RunUntil, RunWorld};
use consort_explore::space::Space;
use consort_export::{FmiVersion, FmuOptions, fmu_files};
use consort_models::loader::{
    HostOptions, Loader, LoaderOptions, ProcessLimits, default_cache_dir,
};
use consort_models::{Asked, ModelRequest, SolverRequest};
use std::path::Path;
use std::sync::Arc;

/// What makes this program a worker process.
pub(crate) const HOST: &str = "host";

/// How fast neighbors exchange substances [1/s].
const EXCHANGE: f64 = 0.05;

/// How the tube is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// As equations, with our solver.
    Equations,
    /// As an FMU for Model Exchange, with our solver, in this process.
    Exchange,
    /// The same FMU and solver in another process, saved by the image of its memory.
    Image,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Equations => "equations",
            Kind::Exchange => "exchange",
            Kind::Image => "image",
        }
    }
}

/// A tree of scenarios of the tube.
pub(crate) struct Tube<'a> {
    /// Where its model is written; workers find it there as long as they live.
    pub(crate) folder: &'a Path,
    pub(crate) kind: Kind,
    pub(crate) cells: usize,
    /// Between two choices [s].
    pub(crate) period: f64,
    pub(crate) letters: u32,
    pub(crate) horizon: u32,
}

impl Tube<'_> {
    /// The tube at its start, and the space of its scenarios.
    pub(crate) fn world(&self) -> (Space, RunWorld) {
        let mut report = Report::default();
        let world = self.try_world(&mut report);
        world.unwrap_or_else(|| panic!("the tube is right: {report:?}"))
    }

    fn try_world(&self, report: &mut Report) -> Option<(Space, RunWorld)> {
        let model = self.model(report)?;
        let description = model.description();
        let system = consort_formats::read_system("tube", &self.system_text(), report)?;
        let system = consort_system::resolve(&system, &[Some(description)], report)?;
        let plan = consort_planner::plan(&system, &[description], report)?;
        let campaign = consort_formats::read_campaign("tube", &self.campaign_text(), report)?;
        let questions = Questions::of(&campaign, report);
        let campaign = resolve(&campaign, questions, &system, &[description], report)?;
        let space = campaign.space.clone();
        let options = RunOptions::quiet(1);
        let executable = Executable::new(system, plan, vec![Arc::clone(&model)]);
        let world = RunWorld::start(campaign, executable, options, RunUntil::Decided);
        Some((space, world.expect("the tube starts")))
    }

    fn system_text(&self) -> String {
        let (stop, step) = (self.period * f64::from(self.horizon), self.period);
        let experiment = format!("[experiment]\nstop = {stop}\nstep = {step}\n");
        format!("name = \"tube\"\n{experiment}[components.tube]\nmodel = \"tube\"\n")
    }

    fn campaign_text(&self) -> String {
        let (period, horizon) = (self.period, self.period * f64::from(self.horizon));
        let values: Vec<f64> =
            (0..self.letters).map(|letter| 0.8 + 0.1 * f64::from(letter)).collect();
        format!(
            "system = \"tube\"\nperiod = {period}\nhorizon = {horizon}\n\
             [[disturbances]]\ninput = \"tube.feed\"\nvalues = {values:?}\n\
             [[properties]]\nname = \"bound\"\nformula = \"always (tube.u1 < 1000)\"\n\
             [strategy]\nkind = \"exhaustive\"\n"
        )
    }

    fn model(&self, report: &mut Report) -> Option<Arc<dyn Model>> {
        let name = self.write_model(report);
        let program = std::env::current_exe().expect("this program has a path");
        let cache = default_cache_dir();
        let host = HostOptions {
            program,
            arguments: vec![HOST.into()],
            limits: ProcessLimits::default(),
            scratch: cache.clone(),
        };
        let mut loader =
            Loader::new(LoaderOptions { host: Some(host), ..LoaderOptions::new(cache) });
        let is_apart = self.kind == Kind::Image;
        let asked = is_apart.then_some(Asked { value: true, span: None });
        let interface = (self.kind != Kind::Equations)
            .then_some(Asked { value: consort_core::Interface::ModelExchange, span: None });
        let request = ModelRequest {
            component: "tube",
            isolate: asked,
            state: is_apart.then_some(Asked { value: Provider::Image, span: None }),
            solving: SolverRequest { interface, ..SolverRequest::default() },
            ..ModelRequest::new(&name, self.folder)
        };
        loader.load(&request, report).map(|loaded| loaded.model)
    }

    /// Writes the equations, or an FMU made of them, to a folder; its name there.
    fn write_model(&self, report: &mut Report) -> String {
        let (folder, text) = (self.folder, equations(self.cells));
        if self.kind == Kind::Equations {
            std::fs::write(folder.join("tube.eq"), text).expect("the folder is writable");
            return "tube.eq".into();
        }
        let model = consort_equations::read("tube.eq", &text, report);
        let equations = model.and_then(|model| consort_equations::compile(&model, report));
        let equations = equations.unwrap_or_else(|| panic!("the equations are right: {report:?}"));
        for (path, bytes) in fmu_files(&equations, &FmuOptions::new(FmiVersion::V2)) {
            let path = folder.join("tube").join(path);
            let parent = path.parent().expect("a file is in a folder");
            std::fs::create_dir_all(parent).expect("the folder is writable");
            std::fs::write(path, bytes).expect("the folder is writable");
        }
        "tube".into()
    }
}

/// A Brusselator in each cell; neighbors exchange both substances, the ends let nothing out.
fn equations(cells: usize) -> String {
    let starts = on_the_cycle(cells);
    let mut text = format!("model tube\n  parameter c = {EXCHANGE}\n  input feed = 1\n");
    for (cell, (u, v)) in starts.into_iter().enumerate() {
        let (left, right) = (cell.saturating_sub(1), (cell + 1).min(cells - 1));
        let seen = if cell == 1 { "output " } else { "" };
        let lines = format!(
            "  {seen}state u{cell} = {u:?}\n  state v{cell} = {v:?}\n  \
             der(u{cell}) = feed + u{cell}^2*v{cell} - 4*u{cell} + c*(u{left} - 2*u{cell} + u{right})\n  \
             der(v{cell}) = 3*u{cell} - u{cell}^2*v{cell} + c*(v{left} - 2*v{cell} + v{right})\n"
        );
        text.push_str(&lines);
    }
    text + "end\n"
}

/// Each cell on its cycle, a little ahead of the one before it; by Euler's method, one cell at a time. A start
/// elsewhere would make the first periods cost more than the others.
fn on_the_cycle(cells: usize) -> Vec<(f64, f64)> {
    const STEP: f64 = 0.001;
    const CYCLE: usize = 7_000;
    let cell = |number: usize| {
        let (mut u, mut v) = (1.5_f64, 3.0_f64);
        for _ in 0..20_000 + number * CYCLE / cells {
            let reaction = u * u * v;
            u += STEP * (1.0 + reaction - 4.0 * u);
            v += STEP * (3.0 * u - reaction);
        }
        (u, v)
    };
    (0..cells).map(cell).collect()
}
