//! What saving, restoring and continuing cost, and trees that are really visited.

use consort_core::{
    ContinuousInstance, ContinuousModel, Instance, Instantiation, Model, Prng, Resolution,
    SavedState, Setup, SolverKind, Step, Tag, Time,
};
use consort_models::continuous::SolvedModel;
use consort_solve::integrate::{Integration, Integrator, JacobianPattern, iterate_events};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// A communication step is this part of the horizon, as in GetSet.
const STEPS: usize = 100;
/// The tree that is computed.
const COMPUTED: (f64, i32) = (5.0, 50);
/// The tree that is visited, and where its root is.
const BRANCHES: usize = 3;
const LEVELS: usize = 6;
const ROOT: usize = 44;
/// The best of so many is what it costs: others share the machine.
const ROUNDS: usize = 15;
const TOLERANCE: f64 = 1e-6;

/// In nanoseconds, on average over the horizon.
pub(crate) struct Costs {
    pub(crate) save: f64,
    pub(crate) restore: f64,
    pub(crate) go_on: f64,
    /// Of a state, written.
    pub(crate) bytes: usize,
}

impl Costs {
    /// Of a model with a solver for stiff problems.
    pub(crate) fn measure(model: &Arc<dyn ContinuousModel>, end: f64) -> Self {
        let model = SolvedModel::new(Arc::clone(model), SolverKind::Bdf);
        let mut instance = model.instantiate(&instantiation()).expect("an instance");
        instance.enter_initialization(&setup()).expect("a start");
        instance.exit_initialization().expect("a start");
        let steps = steps(end);
        let mut states = vec![instance.save().expect("a state")];
        for step in &steps {
            instance.step(step).expect("a step");
            states.push(instance.save().expect("a state"));
        }
        let last = states.last().expect("one at least");
        let bytes = instance.serialize(last).expect("bytes").len();
        let mut costs = Costs { save: f64::MAX, restore: f64::MAX, go_on: f64::MAX, bytes };
        for _ in 0..ROUNDS {
            costs.take_least(&mut *instance, &states, &steps);
        }
        costs
    }

    fn take_least(&mut self, instance: &mut dyn Instance, states: &[SavedState], steps: &[Step]) {
        let per_step = |start: Instant| start.elapsed().as_secs_f64() * 1e9 / STEPS as f64;
        let start = Instant::now();
        states[..STEPS].iter().for_each(|state| instance.restore(state).expect("a state"));
        self.restore = self.restore.min(per_step(start));
        instance.restore(&states[0]).expect("a state");
        let start = Instant::now();
        for step in steps {
            black_box(instance.step(step).expect("a step"));
        }
        self.go_on = self.go_on.min(per_step(start));
        let start = Instant::now();
        steps.iter().for_each(|_| drop(black_box(instance.save().expect("a state"))));
        self.save = self.save.min(per_step(start));
    }

    /// By GetSet's formula.
    pub(crate) fn speed_up(&self) -> f64 {
        ideal() * self.go_on / (self.save / COMPUTED.0 + self.restore + self.go_on)
    }
}

/// The speed-up if saving and restoring cost nothing.
pub(crate) fn ideal() -> f64 {
    let (b, h) = COMPUTED;
    let (mut nodes, mut steps) = (0.0, 0.0);
    for level in 1..=h {
        nodes += b.powi(level);
        steps += f64::from(level) * b.powi(level);
    }
    steps / nodes
}

/// Nodes per second of a tree.
pub(crate) struct Rates {
    /// With the solver's state restored at each node.
    pub(crate) carried: f64,
    /// With a solver that begins anew at each node.
    pub(crate) anew: f64,
}

impl Rates {
    /// Of a model with a solver for stiff problems.
    pub(crate) fn measure(model: &Arc<dyn ContinuousModel>, end: f64) -> Self {
        let mut tree = Tree::start(model, end);
        tree.grow(ROOT);
        let (mut carried, mut anew) = (f64::MAX, f64::MAX);
        let root = tree.save();
        for _ in 0..ROUNDS {
            for (is_anew, least) in [(false, &mut carried), (true, &mut anew)] {
                tree.restore(&root);
                tree.nodes = 0;
                let start = Instant::now();
                tree.visit(LEVELS, is_anew);
                *least = least.min(start.elapsed().as_secs_f64() / f64::from(tree.nodes));
            }
        }
        Rates { carried: 1.0 / carried, anew: 1.0 / anew }
    }

    /// How much more is visited where the solver's state is restored.
    pub(crate) fn ratio(&self) -> f64 {
        self.carried / self.anew
    }
}

/// A live model and its solver, somewhere in a tree.
struct Tree {
    instance: Box<dyn ContinuousInstance>,
    integrator: Integrator,
    run: Integration,
    steps: Vec<Step>,
    depth: usize,
    nodes: u32,
}

/// Where a tree was.
type Node = (SavedState, Integration, usize);

impl Tree {
    fn start(model: &Arc<dyn ContinuousModel>, end: f64) -> Self {
        let mut instance = model.instantiate(&instantiation()).expect("an instance");
        instance.enter_initialization(&setup()).expect("a start");
        instance.exit_initialization().expect("a start");
        let pattern = Arc::new(JacobianPattern::of(&**model));
        let mut integrator = Integrator::new(SolverKind::Bdf, TOLERANCE, pattern);
        let event = iterate_events(&mut *instance, 0.0).expect("a start");
        let run = integrator.begin(&mut *instance, 0.0, event).expect("a start");
        Tree { instance, integrator, run, steps: steps(end), depth: 0, nodes: 0 }
    }

    /// Goes down by so many steps.
    fn grow(&mut self, count: usize) {
        for _ in 0..count {
            let target = Resolution::NANOSECOND.to_f64(self.steps[self.depth].to);
            let Tree { instance, integrator, run, .. } = self;
            integrator.integrate(&mut **instance, run, target).expect("a step");
            self.depth += 1;
            self.nodes += 1;
        }
    }

    fn save(&mut self) -> Node {
        (self.instance.save().expect("a state"), self.run.clone(), self.depth)
    }

    fn restore(&mut self, node: &Node) {
        self.instance.restore(&node.0).expect("a state");
        self.run.clone_from(&node.1);
        self.depth = node.2;
    }

    /// All that hangs below, depth first.
    fn visit(&mut self, levels: usize, is_anew: bool) {
        if levels == 0 {
            return;
        }
        let here = self.save();
        for _ in 0..BRANCHES {
            self.restore(&here);
            if is_anew {
                self.run.forget();
            }
            self.grow(1);
            self.visit(levels - 1, is_anew);
        }
    }
}

fn steps(end: f64) -> Vec<Step> {
    let resolution = Resolution::NANOSECOND;
    let time = |point: usize| {
        let time = resolution.from_f64(end * point as f64 / STEPS as f64);
        time.expect("a known time")
    };
    let step = |point: usize| {
        let (from, to) = (time(point), time(point + 1));
        let (start, length) = (resolution.to_f64(from), resolution.to_f64(to - from));
        Step { from: Tag::at(from), to, start, length }
    };
    (0..STEPS).map(step).collect()
}

fn setup() -> Setup {
    let (resolution, start) = (Resolution::NANOSECOND, Time::ZERO);
    Setup { resolution, start, stop: None, tolerance: Some(TOLERANCE) }
}

fn instantiation() -> Instantiation<'static> {
    Instantiation::quiet("model", Prng::new(1).split("model"))
}
