//! The two visits, timed.

use crate::tube::Tube;
use consort_explore::run_world::RunWorld;
use consort_explore::space::{PrefixNode, Space};
use consort_explore::statistics::OperationCosts;
use consort_explore::strategy::{Exhaustive, ExhaustiveOptions, StopRule, Strategy, UnitTask};
use consort_explore::visit::{Budget, Explorer};
use consort_explore::world::World;
use std::time::Instant;

/// So many subtrees are timed in turns.
const PARTS: u128 = 9;
/// Of each operation alone.
const SAMPLES: u32 = 200;

/// What was measured.
pub(crate) struct Measured {
    /// Average costs of one operation [s].
    pub(crate) costs: OperationCosts,
    pub(crate) nodes: u128,
    /// How much faster a visit would be whose saving and restoring cost nothing, with periods that cost what
    /// they do at each depth.
    pub(crate) free: f64,
    /// The visit with saving and restoring.
    pub(crate) tree: Timing,
    /// The visit of every node from the root.
    pub(crate) root: Timing,
}

/// How long something took [s].
#[derive(Clone, Copy, Default)]
pub(crate) struct Timing {
    /// On a processor, workers included.
    pub(crate) spent: f64,
    /// On the clock.
    pub(crate) clock: f64,
}

impl Timing {
    fn add<T>(&mut self, processes: &Processes, work: impl FnOnce() -> T) -> T {
        let (begun, spent) = (Instant::now(), processes.seconds());
        let result = work();
        self.clock += begun.elapsed().as_secs_f64();
        self.spent += processes.seconds() - spent;
        result
    }
}

impl Measured {
    pub(crate) fn speed_up(&self) -> f64 {
        self.root.spent / self.tree.spent
    }
}

/// Visits the whole tree in both ways.
pub(crate) fn measure(tube: &Tube<'_>) -> Measured {
    let (space, mut baseline) = tube.world();
    let (get, set) = costs(&mut baseline, tube.horizon);
    let budget = Budget { snapshots_max: tube.horizon as usize, bytes_max: u64::MAX };
    let mut explorer = Explorer::new(space.clone(), tube.world().1, budget);
    let unit = space.count().div_ceil(PARTS);
    let options = ExhaustiveOptions { unit, until: StopRule::Complete, limit: None };
    let mut strategy = Exhaustive::new(&space, options);
    let processes = Processes::find();
    let (mut tree, mut root) = (Timing::default(), Timing::default());
    let mut depths = vec![Depth::default(); tube.horizon as usize];
    for unit in strategy.offer(usize::MAX) {
        let result = tree.add(&processes, || explorer.work(&unit, &mut ()));
        let result = result.expect("the tube can be simulated");
        let UnitTask::Range { first, count, .. } = unit.task else { continue };
        let range = first..first + count;
        root.add(&processes, || from_the_root(&space, &mut baseline, range, &mut depths));
        strategy.absorb(&unit, result);
    }
    let summary = strategy.summary();
    assert_eq!(summary.tally.holds, space.count(), "the tube stays within its bound");
    let steps: usize = depths.iter().map(|depth| depth.0.len()).sum();
    let costs = OperationCosts { get, set, sim: root.spent / steps as f64 };
    let free = free(&depths, f64::from(tube.letters));
    Measured { costs, nodes: summary.nodes, free, tree, root }
}

/// How long the periods at one depth took [s].
#[derive(Clone, Default)]
struct Depth(Vec<f64>);

impl Depth {
    /// What a period costs here, but for those during which something else had the processor.
    fn cost(&self) -> f64 {
        let most = 10.0 * median(self.0.clone());
        let fair = || self.0.iter().filter(|cost| **cost <= most);
        fair().sum::<f64>() / fair().count() as f64
    }
}

/// What the baseline takes, over what simulating each node once takes.
fn free(depths: &[Depth], letters: f64) -> f64 {
    let all = depths.iter().map(|depth| depth.cost() * depth.0.len() as f64);
    let nodes = (1..).map(|depth| letters.powi(depth));
    let once = depths.iter().zip(nodes).map(|(depth, nodes)| nodes * depth.cost());
    all.sum::<f64>() / once.sum::<f64>()
}

/// Reaches each node whose first scenario is in the range from the root.
fn from_the_root(
    space: &Space,
    world: &mut RunWorld,
    range: std::ops::Range<u128>,
    depths: &mut [Depth],
) {
    let mut waiting: Vec<(Vec<u32>, PrefixNode)> = vec![(Vec::new(), space.root())];
    while let Some((prefix, node)) = waiting.pop() {
        if !prefix.is_empty() && range.contains(&node.first) {
            world.reset().expect("the start can be restored");
            for (&letter, depth) in prefix.iter().zip(&mut *depths) {
                let begun = Instant::now();
                world.choose(letter).expect("the tube can be simulated");
                depth.0.push(begun.elapsed().as_secs_f64());
            }
        }
        for (letter, child) in space.below(node) {
            let is_inside = child.first < range.end && range.start < child.first + child.count;
            if is_inside {
                waiting.push(([prefix.clone(), vec![letter]].concat(), child));
            }
        }
    }
}

/// What saving and restoring cost alone: the median, which does not mind being interrupted.
fn costs(world: &mut RunWorld, horizon: u32) -> (f64, f64) {
    let (mut get, mut set) = (Vec::new(), Vec::new());
    for sample in 0..SAMPLES {
        if sample % horizon == 0 {
            world.reset().expect("the start can be restored");
        }
        let begun = Instant::now();
        let saved = world.save().expect("the tube can be saved");
        get.push(begun.elapsed().as_secs_f64());
        world.choose(1).expect("the tube can be simulated");
        let begun = Instant::now();
        world.restore(&saved).expect("the tube can be restored");
        set.push(begun.elapsed().as_secs_f64());
        world.choose(sample % 3).expect("the tube can be simulated");
    }
    (median(get), median(set))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// This process and those that it started.
struct Processes(Vec<String>);

impl Processes {
    fn find() -> Self {
        let own = std::process::id();
        let processes = std::fs::read_dir("/proc").expect("Linux lists processes");
        let names = processes.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Self(names.filter(|name| *name == own.to_string() || parent(name) == Some(own)).collect())
    }

    /// What they have spent on a processor so far; of each the first thread, which is the one that works.
    fn seconds(&self) -> f64 {
        let nanoseconds = self.0.iter().filter_map(|name| {
            let text = std::fs::read_to_string(format!("/proc/{name}/schedstat")).ok()?;
            text.split(' ').next()?.parse::<f64>().ok()
        });
        nanoseconds.sum::<f64>() * 1e-9
    }
}

/// Who started a process. The name in its line may hold anything but ends with the last parenthesis.
fn parent(process: &str) -> Option<u32> {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after) = line.rsplit_once(')')?;
    after.split_whitespace().nth(1)?.parse().ok()
}
