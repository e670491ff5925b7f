//! The strategy of a campaign.

use crate::history::CampaignHistory;
use crate::space::Space;
use crate::statistics::{Sprt, SprtOptions};
use crate::strategy::{
    Deepening, DeepeningOptions, Exhaustive, ExhaustiveOptions, Goal, MonteCarlo,
    MonteCarloOptions, RandomOptions, RandomOrder, Search, SearchKind, SearchOptions, StopRule,
    Strategy, unit_of,
};
use crate::visit::Budget;
use consort_system::Campaign;
use consort_system::campaign::{StatisticalTest, StrategyKind};

/// Snapshots of a path that are kept unless the campaign says otherwise: recomputing the rest costs
/// less than a hundredth with five letters, a twelfth with two.
const SNAPSHOTS: u32 = 8;
/// Candidates that a beam keeps unless the campaign says otherwise.
const WIDTH: u32 = 20;
/// Nodes that a search expands at a time, and in a unit, unless the campaign says otherwise.
const EXPANSIONS: u32 = 8;
/// Nodes that a best-first search remembers.
const FRONTIER_MAX: u32 = 100_000;
/// Scenarios that searches and tests stop at unless the campaign says otherwise.
const LIMIT: u64 = 1_000_000;
/// Memory of a worker's snapshots unless the campaign says otherwise.
const MEMORY: u64 = 256 << 20;

/// What a worker may keep.
pub fn budget(campaign: &Campaign) -> Budget {
    let kind = campaign.strategy.kind.value;
    let is_search = matches!(kind, StrategyKind::BestFirst | StrategyKind::Beam);
    let snapshots = campaign.strategy.snapshots.as_ref().map_or(SNAPSHOTS, |count| count.value);
    Budget {
        // A search goes back to wherever it looks promising; only memory limits it.
        snapshots_max: if is_search { usize::MAX } else { snapshots as usize },
        bytes_max: campaign.memory.as_ref().map_or(MEMORY, |bytes| bytes.value),
    }
}

/// The strategy at its beginning.
pub fn strategy(campaign: &Campaign, space: &Space) -> CampaignHistory {
    let written = &campaign.strategy;
    let limit = campaign.limit.scenarios.as_ref().map(|count| count.value);
    let block = written.block.as_ref().map(|count| count.value);
    let until = if written.stops_at_first { StopRule::Violations(1) } else { StopRule::Complete };
    let unit = block.map_or(unit_of(space.count()), u128::from);
    let limit_wide = limit.map(u128::from);
    let boxed: Box<dyn Strategy> = match written.kind.value {
        StrategyKind::Exhaustive => {
            Box::new(Exhaustive::new(space, ExhaustiveOptions { unit, until, limit: limit_wide }))
        }
        StrategyKind::Shortest => {
            Box::new(Deepening::new(space, DeepeningOptions { unit, limit: limit_wide }))
        }
        StrategyKind::Random => {
            let block = block.map_or_else(|| narrow(unit), u64::from);
            let seed = campaign.seed;
            let options = RandomOptions { seed, block, until, limit: limit_wide };
            Box::new(RandomOrder::new(space, options))
        }
        StrategyKind::MonteCarlo => Box::new(MonteCarlo::new(monte_carlo(campaign))),
        StrategyKind::BestFirst | StrategyKind::Beam => {
            Box::new(Search::new(space, search(campaign)))
        }
    };
    CampaignHistory::new(boxed)
}

fn narrow(wide: u128) -> u64 {
    u64::try_from(wide).unwrap_or(u64::MAX)
}

fn monte_carlo(campaign: &Campaign) -> MonteCarloOptions {
    let limit = campaign.limit.scenarios.as_ref().map(|count| count.value);
    let goal = match (campaign.strategy.test, limit) {
        (StatisticalTest::Estimate { epsilon, delta }, _) if campaign.strategy.stops_at_first => {
            Goal::ZeroFailures { epsilon, delta }
        }
        (StatisticalTest::Estimate { delta, .. }, Some(count)) => Goal::Count { count, delta },
        (StatisticalTest::Estimate { epsilon, delta }, None) => Goal::Hoeffding { epsilon, delta },
        (StatisticalTest::Sequential { p0, p1, alpha, beta }, limit) => {
            let test = Sprt::new(SprtOptions { p_low: p0, p_high: p1, alpha, beta });
            Goal::Sprt { test, count_max: limit.unwrap_or(LIMIT) }
        }
    };
    let unit = campaign.strategy.block.as_ref().map_or(64, |count| u64::from(count.value));
    MonteCarloOptions { seed: campaign.seed, unit, goal }
}

fn search(campaign: &Campaign) -> SearchOptions {
    let written = &campaign.strategy;
    let unit = written.block.as_ref().map_or(EXPANSIONS, |count| count.value);
    let kind = match written.kind.value {
        StrategyKind::Beam => {
            let width = written.width.as_ref().map_or(WIDTH, |count| count.value);
            SearchKind::Beam { width }
        }
        _ => SearchKind::BestFirst { batch: unit, frontier_max: FRONTIER_MAX },
    };
    let nodes_max = campaign.limit.scenarios.as_ref().map_or(LIMIT, |count| count.value);
    SearchOptions {
        seed: campaign.seed,
        kind,
        children_max: None,
        unit,
        until: StopRule::Violations(1),
        nodes_max: nodes_max.into(),
        merge_equal: false,
    }
}
