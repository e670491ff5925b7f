//! Placements drawn by chance, among those that are allowed.

use consort_core::{ComponentId, ModelDescription, Prng};
use consort_node::LinkKind;
use consort_run::Prepared;
use consort_system::Placement;
use std::collections::BTreeMap;

/// The most nodes that a drawn placement has: more processes find nothing new.
const NODES_MAX: usize = 6;

/// Which components may be apart: components of one number share a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Units {
    of_component: Vec<usize>,
    count: usize,
}

impl Units {
    /// What must share a node if nodes are linked so.
    pub(super) fn of(prepared: &Prepared, link: LinkKind) -> Self {
        let models = prepared.descriptions();
        let groups = consort_planner::groups(prepared.resolved(), &models, prepared.plan());
        let groups = groups
            .into_iter()
            .map(|group| group.components.into_iter().map(ComponentId::index).collect());
        let mut together: Vec<Vec<usize>> = groups.collect();
        if !link.has_processes() {
            together.extend(libraries(&models));
        }
        Units::joined(models.len(), &together)
    }

    /// Components that are alone but for those that are listed together.
    fn joined(components: usize, together: &[Vec<usize>]) -> Self {
        let mut of_component: Vec<usize> = (0..components).collect();
        for group in together {
            let numbers: Vec<usize> = group.iter().map(|&index| of_component[index]).collect();
            let Some(&least) = numbers.iter().min() else { continue };
            for number in &mut of_component {
                if numbers.contains(number) {
                    *number = least;
                }
            }
        }
        let mut numbers = of_component.clone();
        numbers.sort_unstable();
        numbers.dedup();
        for number in &mut of_component {
            *number = numbers.partition_point(|known| known < number);
        }
        Units { count: numbers.len(), of_component }
    }

    /// Whether a placement keeps together what belongs together.
    pub(super) fn allow(&self, placement: &Placement) -> bool {
        let mut nodes = vec![None; self.count];
        let placed = self.of_component.iter().zip(&placement.of_component);
        placed.into_iter().all(|(&unit, node)| nodes[unit].get_or_insert(node) == &node)
    }

    /// Some placement on two nodes at least, if that is possible.
    pub(super) fn draw(&self, random: &mut Prng) -> Placement {
        let most = self.count.min(NODES_MAX);
        let nodes = match most {
            0 | 1 => 1,
            most => 2 + random.below(most as u64 - 1),
        };
        // The first units are on different nodes, so that no node is empty.
        let node = |unit: usize| match unit as u64 {
            unit if unit < nodes => unit,
            _ => random.below(nodes),
        };
        let names: Vec<String> = (0..self.count).map(node).map(|node| format!("n{node}")).collect();
        let named: Vec<&str> = self.of_component.iter().map(|&unit| names[unit].as_str()).collect();
        Placement::from_names(&named)
    }
}

/// Those who share a library: threads of one process must not compute with one at once.
fn libraries(models: &[&ModelDescription]) -> Vec<Vec<usize>> {
    let mut sharing: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, model) in models.iter().enumerate() {
        if let Some(key) = &model.capabilities.lane {
            sharing.entry(key).or_default().push(index);
        }
    }
    sharing.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_overlap_are_one() {
        let units = Units::joined(6, &[vec![1, 2], vec![4, 5], vec![2, 4]]);
        assert_eq!(units, Units { of_component: vec![0, 1, 1, 2, 1, 1], count: 3 });
        assert_eq!(Units::joined(2, &[]).count, 2);
        assert_eq!(Units::joined(0, &[]).count, 0);
    }

    #[test]
    fn drawn_placements_are_allowed_and_differ() {
        let units = Units::joined(8, &[vec![1, 2], vec![5, 7]]);
        let seed = 7;
        let mut random = Prng::new(seed);
        let drawn: Vec<Placement> = (0..50).map(|_| units.draw(&mut random)).collect();
        for placement in &drawn {
            assert!(units.allow(placement), "seed {seed}: {placement:?}");
            assert!((2..=NODES_MAX).contains(&placement.nodes.len()), "{placement:?}");
        }
        assert!(drawn.iter().any(|placement| placement != &drawn[0]));
        assert!(!units.allow(&Placement::from_names(&["a", "a", "b", "a", "a", "a", "a", "a"])));
    }

    #[test]
    fn what_cannot_be_parted_is_on_one_node() {
        let units = Units::joined(3, &[vec![0, 1, 2]]);
        assert_eq!(units.draw(&mut Prng::new(1)).nodes, ["n0"]);
    }
}
