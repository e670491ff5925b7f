//! The inputs that the Gauss-Seidel order makes reactive.

use super::{Fitness, Reactivity, Setting};
use crate::flow::group_of;
use crate::graph::Graph;
use crate::nodes::Node;
use consort_core::ComponentId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) fn choose(setting: &Setting<'_>, fit: &Fitness, written: &[bool]) -> Reactivity {
    let is_candidate = |set: u32| !written[set as usize] && fit.obstacle(set).is_none();
    let wish = |set: u32| Some(written[set as usize] || is_candidate(set));
    let wished = circles(setting, wish);
    let sure = |set: u32| if is_candidate(set) { None } else { Some(written[set as usize]) };
    let ranks = Ranks::of(setting, sure);
    let latest = latest_steps(setting, &wished, &ranks);
    let mut reactive = written.to_owned();
    for set in setting.nodes.sets().filter(|&set| is_candidate(set)) {
        let Node::Set(component, _) = setting.nodes.node(set) else { continue };
        let step = setting.nodes.step(component);
        let in_circle = wished[set as usize] == wished[step as usize];
        let source = latest[set as usize];
        let before = source.is_none_or(|source| source < ranks.by_component[component.index()]);
        reactive[set as usize] = !in_circle || before;
    }
    Reactivity { reactive, kept_order: kept_order(setting, &wished, &ranks) }
}

fn with_steps(setting: &Setting<'_>, reactive: impl Fn(u32) -> Option<bool>) -> Graph {
    let mut edges: Vec<(u32, u32)> = setting.base.edges().collect();
    edges.extend(setting.step_edges(reactive));
    Graph::new(setting.nodes.len(), edges)
}

/// For each node its circle, if every candidate were reactive.
fn circles(setting: &Setting<'_>, reactive: impl Fn(u32) -> Option<bool>) -> Vec<u32> {
    let graph = with_steps(setting, reactive);
    group_of(&graph.components(), graph.len())
}

/// The order in which components would step one after another: as the system lists them, but for
/// what the user's own reactive inputs demand.
struct Ranks {
    /// Components on one loop of the user's making share a rank.
    by_component: Vec<u32>,
}

impl Ranks {
    fn of(setting: &Setting<'_>, reactive: impl Fn(u32) -> Option<bool>) -> Self {
        let graph = with_steps(setting, reactive);
        let groups = graph.components();
        let group_of = group_of(&groups, graph.len());
        let mut by_component = vec![0; setting.system.components.len()];
        let listed = |group: u32| first_component(setting, &groups[group as usize]);
        for (rank, group) in in_listed_order(&graph, &groups, &group_of, listed).enumerate() {
            for &node in &groups[group as usize] {
                if let Node::Step(component) = setting.nodes.node(node) {
                    for member in setting.nodes.groups().members(component) {
                        by_component[member.index()] = u32::try_from(rank).expect("few groups");
                    }
                }
            }
        }
        Ranks { by_component }
    }
}

fn first_component(setting: &Setting<'_>, group: &[u32]) -> ComponentId {
    let component = |&node: &u32| setting.nodes.node(node).component();
    group.iter().map(component).min().expect("a group has members")
}

/// The groups, each after those it waits for; of those that may come next, the first listed.
fn in_listed_order(
    graph: &Graph,
    groups: &[Vec<u32>],
    group_of: &[u32],
    listed: impl Fn(u32) -> ComponentId,
) -> impl Iterator<Item = u32> {
    let mut waits_for = vec![0u32; groups.len()];
    for (from, to) in graph.edges() {
        waits_for[group_of[to as usize] as usize] +=
            u32::from(group_of[from as usize] != group_of[to as usize]);
    }
    let all = 0..u32::try_from(groups.len()).expect("no more groups than nodes");
    let free = all.filter(|&group| waits_for[group as usize] == 0);
    let mut free: BinaryHeap<_> = free.map(|group| Reverse((listed(group), group))).collect();
    let mut order = Vec::with_capacity(groups.len());
    while let Some(Reverse((_, group))) = free.pop() {
        order.push(group);
        for &next in groups[group as usize].iter().flat_map(|&node| graph.successors(node)) {
            let next = group_of[next as usize];
            if next != group {
                waits_for[next as usize] -= 1;
                if waits_for[next as usize] == 0 {
                    free.push(Reverse((listed(next), next)));
                }
            }
        }
    }
    order.into_iter()
}

/// For each node the rank of the last step of its own circle that it waits for, not looking
/// through reactive inputs.
fn latest_steps(setting: &Setting<'_>, circle: &[u32], ranks: &Ranks) -> Vec<Option<u32>> {
    let mut latest: Vec<Option<u32>> = vec![None; setting.nodes.len()];
    for get in setting.nodes.gets() {
        let Node::Get(component, _) = setting.nodes.node(get) else { continue };
        let step = setting.nodes.step(component);
        if circle[get as usize] == circle[step as usize] {
            latest[get as usize] = Some(ranks.by_component[component.index()]);
        }
    }
    for group in setting.base.components() {
        let last = group.iter().filter_map(|&node| latest[node as usize]).max();
        for &node in &group {
            latest[node as usize] = last;
            for &next in setting.base.successors(node) {
                if circle[node as usize] == circle[next as usize] {
                    latest[next as usize] = latest[next as usize].max(last);
                }
            }
        }
    }
    latest
}

/// Within a circle no component steps in a later stage than one that comes after it, so that "stepped
/// before" and "listed before" are the same.
fn kept_order(setting: &Setting<'_>, circle: &[u32], ranks: &Ranks) -> Vec<(u32, u32)> {
    let ids = (0..setting.system.components.len()).map(ComponentId::from_index);
    let mut steps: Vec<(u32, u32, u32)> = ids
        .map(|id| {
            let step = setting.nodes.step(id);
            (circle[step as usize], ranks.by_component[id.index()], step)
        })
        .collect();
    steps.sort_unstable();
    let pairs = steps.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 < pair[1].1);
    pairs.map(|pair| (pair[0].2, pair[1].2)).collect()
}
