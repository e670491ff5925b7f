//! The world of Sinisi et al. (2021), Fig. 3, in closed form, and ways to drive strategies.

use consort_core::Prng;
use consort_explore::space::{InputAlphabet, Shape, Space};
use consort_explore::strategy::{Conclusion, Strategy, UnitResult, WorkUnit};
use consort_explore::visit::{
    Budget, Explorer, Permit, ScenarioSummary, ScenarioVerdict, StepGuard,
};
use consort_explore::world::{PrefixEvaluation, RobustnessInterval, World};

/// x' = -x or x' = x by the letter, for a period of one second each: x = exp(up - down). A third letter and
/// more leave x as it is. Two properties: x is never more than a ceiling; x is some time not more than a floor.
#[derive(Clone)]
pub(crate) struct Growth {
    pub(crate) horizon: usize,
    pub(crate) ceiling: f64,
    pub(crate) floor: f64,
    /// The period after these letters cannot be simulated.
    pub(crate) fails: Option<Vec<u32>>,
    /// Going back to the start does not work.
    pub(crate) is_lost: bool,
    pub(crate) state: State,
    /// Cannot continue before it is brought back.
    pub(crate) is_broken: bool,
    /// Every node that was simulated, in order.
    pub(crate) visited: Vec<(Vec<u32>, f64)>,
}

#[derive(Clone)]
pub(crate) struct State {
    letters: Vec<u32>,
    exponent: i32,
    below_ceiling: f64,
    below_floor: f64,
}

impl Growth {
    pub(crate) fn new(horizon: u32, ceiling: f64, floor: f64) -> Self {
        let state = State {
            letters: Vec::new(),
            exponent: 0,
            below_ceiling: ceiling - 1.0,
            below_floor: floor - 1.0,
        };
        Self {
            horizon: horizon as usize,
            ceiling,
            floor,
            fails: None,
            is_lost: false,
            state,
            is_broken: false,
            visited: Vec::new(),
        }
    }

    fn evaluation(&self) -> PrefixEvaluation {
        let is_end = self.state.letters.len() == self.horizon;
        let (always, eventually) = (self.state.below_ceiling, self.state.below_floor);
        let low = if is_end { always } else { f64::NEG_INFINITY };
        let high = if is_end { eventually } else { f64::INFINITY };
        let known = |verdict: bool, value: bool| (is_end || verdict).then_some(value);
        let verdicts =
            vec![known(always < 0.0, 0.0 <= always), known(0.0 <= eventually, 0.0 <= eventually)];
        let is_decided = verdicts.contains(&Some(false)) || !verdicts.contains(&None);
        let robustness = vec![
            RobustnessInterval { low, high: always },
            RobustnessInterval { low: eventually, high },
        ];
        PrefixEvaluation { robustness, verdicts, is_decided }
    }
}

impl World for Growth {
    type Saved = State;
    type Error = String;

    fn reset(&mut self) -> Result<(), String> {
        if self.is_lost {
            return Err("the start is gone".into());
        }
        *self = Self {
            fails: self.fails.take(),
            visited: std::mem::take(&mut self.visited),
            ..Self::new(self.horizon as u32, self.ceiling, self.floor)
        };
        Ok(())
    }

    fn choose(&mut self, letter: u32) -> Result<PrefixEvaluation, String> {
        assert!(!self.is_broken, "a world that failed is brought back first");
        self.state.letters.push(letter);
        assert!(self.state.letters.len() <= self.horizon, "the scenario is over");
        if self.fails.as_ref() == Some(&self.state.letters) {
            self.is_broken = true;
            return Err("the integrator gave up".into());
        }
        self.state.exponent += match letter {
            0 => -1,
            1 => 1,
            _ => 0,
        };
        let x = libm::exp(f64::from(self.state.exponent));
        self.visited.push((self.state.letters.clone(), x));
        self.state.below_ceiling = self.state.below_ceiling.min(self.ceiling - x);
        self.state.below_floor = self.state.below_floor.max(self.floor - x);
        Ok(self.evaluation())
    }

    fn save(&mut self) -> Result<State, String> {
        Ok(self.state.clone())
    }

    fn restore(&mut self, saved: &State) -> Result<(), String> {
        self.state = saved.clone();
        self.is_broken = false;
        Ok(())
    }

    fn unshared_bytes(&self, saved: &State) -> u64 {
        16 + 4 * saved.letters.len() as u64
    }

    fn fingerprint(&mut self) -> Option<u128> {
        let State { exponent, below_ceiling, below_floor, .. } = self.state;
        let monitors = below_ceiling.to_bits() ^ below_floor.to_bits().rotate_left(17);
        Some(u128::from(monitors) << 64 | u128::from(exponent.cast_unsigned()))
    }
}

/// One disturbance.
pub(crate) fn space(letters: u32, changes_max: Option<u32>, horizon: u32) -> Space {
    let disturbances = vec![InputAlphabet { name: "u".into(), letters, changes_max }];
    let shape = Shape { disturbances, changes_max: None, horizon };
    Space::new(&shape, &|_| true).expect("there are scenarios")
}

/// What is known of a scenario.
pub(crate) struct Known {
    pub(crate) letters: Vec<u32>,
    pub(crate) verdict: ScenarioVerdict,
    /// How many letters it takes to know.
    pub(crate) length: usize,
    pub(crate) robustness: Vec<RobustnessInterval>,
}

/// Runs every scenario from the start.
pub(crate) fn brute_force(space: &Space, world: &Growth) -> Vec<Known> {
    (0..space.count()).map(|index| run(world, space.unrank(index))).collect()
}

pub(crate) fn run(world: &Growth, letters: Vec<u32>) -> Known {
    let mut world = world.clone();
    world.reset().expect("it can go back to its start");
    let (mut verdict, mut length, mut robustness) = (ScenarioVerdict::Undecided, 0, Vec::new());
    for &letter in &letters {
        length += 1;
        match world.choose(letter) {
            Err(_) => (verdict, robustness) = (ScenarioVerdict::Failed, Vec::new()),
            Ok(evaluation) => {
                verdict = match &evaluation.verdicts[..] {
                    verdicts if verdicts.contains(&Some(false)) => ScenarioVerdict::Violated,
                    verdicts if verdicts.contains(&None) => ScenarioVerdict::Undecided,
                    _ => ScenarioVerdict::Holds,
                };
                robustness = evaluation.robustness;
                if !evaluation.is_decided {
                    continue;
                }
            }
        }
        break;
    }
    Known { letters, verdict, length, robustness }
}

/// The summary of a strategy that judged all of these agrees with them.
pub(crate) fn agree(summary: &ScenarioSummary, known: &[Known]) {
    let count =
        |wanted: ScenarioVerdict| known.iter().filter(|k| k.verdict == wanted).count() as u128;
    assert_eq!(summary.tally.holds, count(ScenarioVerdict::Holds));
    assert_eq!(summary.tally.violated, count(ScenarioVerdict::Violated));
    assert_eq!(summary.tally.undecided, count(ScenarioVerdict::Undecided));
    assert_eq!(summary.tally.failed, count(ScenarioVerdict::Failed));
    for (place, property) in summary.properties.iter().enumerate() {
        let highs = known.iter().filter_map(|known| known.robustness.get(place));
        let lowest = highs.map(|bounds| bounds.high).min_by(f64::total_cmp);
        let lowest = lowest.expect("something was judged");
        let worst = property.worst.as_ref().expect("something was judged");
        assert!(worst.robustness.high.total_cmp(&lowest).is_eq());
    }
}

pub(crate) const PLENTY: Budget = Budget { snapshots_max: 1000, bytes_max: 1 << 30 };

pub(crate) fn budget(snapshots_max: usize) -> Budget {
    Budget { snapshots_max, ..PLENTY }
}

pub(crate) fn explorer(space: &Space, world: &Growth, budget: Budget) -> Explorer<Growth> {
    Explorer::new(space.clone(), world.clone(), budget)
}

/// Does one unit after another until the strategy is done.
pub(crate) fn conclude(strategy: &mut dyn Strategy, explorer: &mut Explorer<Growth>) -> Conclusion {
    while strategy.conclusion().is_none() {
        for unit in strategy.offer(1) {
            let result = explorer.work(&unit, &mut ()).expect("the world works");
            strategy.absorb(&unit, result);
        }
    }
    strategy.conclusion().expect("it was waited for")
}

/// Does the units in an arbitrary order, by workers that differ in what they keep, through JSON; as a
/// campaign with several workers would.
pub(crate) fn conclude_in_any_order(
    strategy: &mut dyn Strategy,
    space: &Space,
    world: &Growth,
    prng: &mut Prng,
) -> Conclusion {
    let mut workers: Vec<Explorer<Growth>> =
        [0, 1, 3, 100].map(|most| explorer(space, world, budget(most))).into();
    let mut waiting: Vec<WorkUnit> = Vec::new();
    while strategy.conclusion().is_none() {
        let asked = below(prng, 5);
        waiting.extend(strategy.offer(asked));
        if waiting.is_empty() {
            continue;
        }
        let chosen = below(prng, waiting.len());
        let unit: WorkUnit = through_json(&waiting.swap_remove(chosen));
        let worker = below(prng, workers.len());
        let result = workers[worker].work(&unit, &mut ()).expect("the world works");
        let result: UnitResult = through_json(&result);
        strategy.absorb(&unit, result.clone());
        if prng.below(4) == 0 {
            strategy.absorb(&unit, result);
        }
    }
    strategy.conclusion().expect("it was waited for")
}

pub(crate) fn below(prng: &mut Prng, bound: usize) -> usize {
    usize::try_from(prng.below(bound as u64)).expect("it is below a usize")
}

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("it has a text");
    serde_json::from_str(&text).expect("the text is read back")
}

/// Says the same of every prefix that begins with these letters.
pub(crate) struct About(pub(crate) Vec<u32>, pub(crate) Permit);

impl StepGuard for About {
    fn before(&mut self, prefix: &[u32]) -> Permit {
        if prefix == self.0 { self.1.clone() } else { Permit::Go }
    }
}
