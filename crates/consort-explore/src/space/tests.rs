use super::*;
use proptest::prelude::*;

fn shape(alphabets: &[(u32, Option<u32>)], changes_max: Option<u32>, horizon: u32) -> Shape {
    let disturbances = alphabets.iter().enumerate().map(|(place, &(letters, changes_max))| {
        InputAlphabet { name: format!("d{place}"), letters, changes_max }
    });
    Shape { disturbances: disturbances.collect(), changes_max, horizon }
}

fn free(alphabets: &[(u32, Option<u32>)], changes_max: Option<u32>, horizon: u32) -> Space {
    Space::new(&shape(alphabets, changes_max, horizon), &|_| true).unwrap()
}

/// Every sequence of letters, kept if it satisfies what the shape says, in order.
fn enumerate(shape: &Shape, allowed: &dyn Fn(&[u32]) -> bool) -> Vec<Vec<Vec<u32>>> {
    let mut letters = vec![vec![]];
    for disturbance in &shape.disturbances {
        letters = letters
            .into_iter()
            .flat_map(|known: Vec<u32>| {
                (0..disturbance.letters).map(move |next| [known.clone(), vec![next]].concat())
            })
            .collect();
    }
    let mut found = vec![vec![]];
    for _ in 0..shape.horizon {
        found = found
            .into_iter()
            .flat_map(|known: Vec<Vec<u32>>| {
                letters.iter().map(move |next| [known.clone(), vec![next.clone()]].concat())
            })
            .collect();
    }
    found.retain(|scenario| {
        scenario.iter().all(|choices| allowed(choices)) && satisfies(shape, scenario)
    });
    found
}

fn satisfies(shape: &Shape, scenario: &[Vec<u32>]) -> bool {
    let changes = |place: usize| {
        let letters = std::iter::once(0).chain(scenario.iter().map(|choices| choices[place]));
        let letters: Vec<u32> = letters.collect();
        u32::try_from(letters.windows(2).filter(|pair| pair[0] != pair[1]).count()).unwrap()
    };
    let each: Vec<u32> = (0..shape.disturbances.len()).map(changes).collect();
    let within = |limit: Option<u32>, used: u32| limit.is_none_or(|limit| used <= limit);
    shape.disturbances.iter().zip(&each).all(|(known, &used)| within(known.changes_max, used))
        && within(shape.changes_max, each.iter().sum())
}

#[test]
fn a_free_tree_of_five_letters_and_fifty_periods_is_counted() {
    let space = free(&[(5, None)], None, 50);
    assert_eq!(space.count(), 5_u128.pow(50));
    let last = space.count() - 1;
    assert_eq!(space.unrank(last), vec![4; 50]);
    assert_eq!(space.rank(&[4; 50]), Some(last));
}

#[test]
fn limits_of_changes_are_those_of_the_closed_form() {
    // At most k changes of a switch in h periods: choose the periods.
    let choose = |n: u128, k: u128| (0..k).fold(1, |product, i| product * (n - i) / (i + 1));
    for k in 0..4 {
        let space = free(&[(2, Some(k))], None, 50);
        let expected: u128 = (0..=u128::from(k)).map(|changes| choose(50, changes)).sum();
        assert_eq!(space.count(), expected, "at most {k} changes");
    }
}

#[test]
fn impossible_spaces_are_refused_with_the_reason() {
    let check = |alphabets: &[(u32, Option<u32>)], horizon: u32, expected: SpaceError| {
        let refused = Space::new(&shape(alphabets, None, horizon), &|_| true);
        assert_eq!(refused.unwrap_err(), expected);
    };
    check(&[(2, None)], 0, SpaceError::NoPeriods);
    check(&[(2, None), (0, None)], 3, SpaceError::NoLetters { name: "d1".into() });
    check(&[(300, None), (300, None)], 3, SpaceError::TooManyLetters);
    check(&[(2, None)], 128, SpaceError::TooManyScenarios);
    check(&[(1, None)], u32::MAX, SpaceError::TooManyStates);
    check(&[(4000, Some(9))], 1000, SpaceError::TooManyStates);
    let nothing = Space::new(&shape(&[(2, None)], None, 3), &|_| false);
    assert_eq!(nothing.unwrap_err(), SpaceError::Empty);
    let stuck = Space::new(&shape(&[(2, Some(0))], None, 3), &|choices| choices[0] == 1);
    assert_eq!(stuck.unwrap_err(), SpaceError::Empty);
}

#[test]
fn a_prefix_that_is_not_in_the_space_has_nothing_below() {
    let space = free(&[(3, Some(1))], None, 3);
    assert_eq!(space.count_below(&[1, 2]), 0);
    assert_eq!(space.first_below(&[1, 2]), None);
    assert_eq!(space.rank(&[1, 1]), None);
    assert_eq!(space.children(&[1]), [1]);
    assert_eq!(space.children(&[1, 1, 1]), [0_u32; 0]);
    assert_eq!(space.changes(&[0, 1, 1]), 1);
}

#[test]
fn a_shortened_space_holds_the_beginnings() {
    let space = free(&[(3, Some(2))], None, 6);
    let short = space.shortened(3);
    assert_eq!(short.count(), free(&[(3, Some(2))], None, 3).count());
    assert_eq!(space.shortened(9).count(), space.count());
}

fn alphabets() -> impl Strategy<Value = Vec<(u32, Option<u32>)>> {
    prop::collection::vec((1_u32..4, prop::option::of(0_u32..3)), 1..3)
}

proptest! {
    #[test]
    fn counting_and_numbering_agree_with_enumeration(
        alphabets in alphabets(),
        changes_max in prop::option::of(0_u32..4),
        horizon in 1_u32..4,
        forbidden in prop::collection::vec(0_u32..3, 2),
    ) {
        let shape = shape(&alphabets, changes_max, horizon);
        let allowed = |choices: &[u32]| choices.len() < 2 || choices != &forbidden[..];
        let expected = enumerate(&shape, &allowed);
        match Space::new(&shape, &allowed) {
            Err(error) => {
                prop_assert_eq!(error, SpaceError::Empty);
                prop_assert!(expected.is_empty());
            }
            Ok(space) => agree(&space, &expected),
        }
    }
}

fn agree(space: &Space, expected: &[Vec<Vec<u32>>]) {
    assert_eq!(space.count(), expected.len() as u128);
    for (index, scenario) in expected.iter().enumerate() {
        let index = index as u128;
        let letters = space.unrank(index);
        let choices: Vec<Vec<u32>> = letters.iter().map(|&letter| space.choices(letter)).collect();
        assert_eq!(&choices, scenario);
        assert_eq!(space.rank(&letters), Some(index));
        for length in 0..=letters.len() {
            let shares = |other: &&Vec<Vec<u32>>| other[..length] == scenario[..length];
            let prefix = &letters[..length];
            assert_eq!(space.count_below(prefix), expected.iter().filter(shares).count() as u128);
            let first = expected.iter().position(|other| shares(&other)).unwrap();
            assert_eq!(space.first_below(prefix), Some(first as u128));
        }
    }
}
