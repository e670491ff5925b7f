//! Drawing cases from seeds: only functions that are called with that version and interface, and only
//! arguments that mean something there.

use super::{Case, Function, Interface, Kind, Lie, Shape};
use crate::fmus::Fmi;
use consort_core::Prng;

/// Every function that a run calls, with any interface.
const ALWAYS: [Function; 11] = [
    Function::Instantiate,
    Function::EnterInitialization,
    Function::ExitInitialization,
    Function::Set,
    Function::GetReal,
    Function::GetInteger,
    Function::GetBoolean,
    Function::GetString,
    Function::Terminate,
    Function::Free,
    Function::DebugLogging,
];
const EXCHANGE: [Function; 7] = [
    Function::SetTime,
    Function::SetStates,
    Function::GetStates,
    Function::Derivatives,
    Function::Indicators,
    Function::Nominals,
    Function::Completed,
];
const EVENTS: [Function; 3] = [Function::EnterEvent, Function::Update, Function::LeaveEvent];
const SAVING: [Function; 6] = [
    Function::GetState,
    Function::SetState,
    Function::FreeState,
    Function::StateSize,
    Function::Serialize,
    Function::Deserialize,
];

const KINDS: [Kind; 15] = [
    Kind::StatusAfter,
    Kind::StatusInstead,
    Kind::Numbers,
    Kind::Pointer,
    Kind::Size,
    Kind::Moment,
    Kind::Flag,
    Kind::Reset,
    Kind::Log,
    Kind::Sleep,
    Kind::Hang,
    Kind::Die,
    Kind::World,
    Kind::Allocate,
    Kind::Zero,
];

/// Statuses of the standard, some that are none, and 100 for one below zero.
const STATUSES: [u32; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 99, 100];

pub(super) fn case(seed: u64, fmi: Fmi, interface: Interface) -> Case {
    let mut prng = Prng::new(seed).split(&format!("{fmi:?} {}", interface.name()));
    let exchange = interface == Interface::ModelExchange;
    let states = !exchange || prng.below(6) != 0;
    let indicators = !exchange || prng.below(6) != 0;
    let saves = prng.below(5) == 0;
    let functions = functions(fmi, interface, saves);
    let count = [1, 1, 2, 3][index(&mut prng, 4)];
    let lies = (0..count).map(|_| lie(&mut prng, &functions)).collect();
    Case { seed, fmi, interface, shape: Shape { states, indicators }, saves, lies }
}

fn functions(fmi: Fmi, interface: Interface, saves: bool) -> Vec<Function> {
    let mut functions = ALWAYS.to_vec();
    match interface {
        Interface::ModelExchange => functions.extend(EXCHANGE.iter().chain(&EVENTS)),
        Interface::CoSimulation => functions.push(Function::Step),
    }
    match (fmi, interface) {
        (Fmi::V2, Interface::CoSimulation) => functions.push(Function::StepStatus),
        (Fmi::V3, Interface::CoSimulation) => functions.extend(EVENTS),
        _ => {}
    }
    functions.push(match fmi {
        Fmi::V2 => Function::SetupExperiment,
        Fmi::V3 => Function::GetBinary,
    });
    if saves {
        functions.extend(SAVING);
    }
    functions
}

fn lie(prng: &mut Prng, functions: &[Function]) -> Lie {
    loop {
        let kind = KINDS[index(prng, KINDS.len())];
        // Endless calls take long, and the others of these end most runs.
        if kind == Kind::Hang && prng.below(6) != 0 || kind == Kind::Die && prng.below(2) != 0 {
            continue;
        }
        let fitting: Vec<Function> =
            functions.iter().copied().filter(|function| fits(kind, *function)).collect();
        if fitting.is_empty() {
            continue;
        }
        let function = fitting[index(prng, fitting.len())];
        let call = [1, 1, 1, 2, 3, 5][index(prng, 6)];
        let argument = argument(prng, kind);
        let forever = may_repeat(kind, argument) && prng.below(3) == 0;
        return Lie { kind, function, call, forever, argument };
    }
}

/// Whether a function has something to lie about.
fn fits(kind: Kind, function: Function) -> bool {
    use Function as F;
    match kind {
        Kind::StatusAfter => !matches!(function, F::Instantiate | F::Free),
        Kind::StatusInstead => function != F::Free,
        Kind::Numbers => matches!(
            function,
            F::GetReal
                | F::GetInteger
                | F::GetBoolean
                | F::GetStates
                | F::Derivatives
                | F::Indicators
                | F::Nominals
        ),
        Kind::Pointer => {
            matches!(function, F::GetString | F::GetBinary | F::GetState | F::Deserialize)
        }
        Kind::Size => matches!(function, F::GetBinary | F::StateSize),
        Kind::Moment => matches!(function, F::Step | F::Update | F::StepStatus),
        Kind::Flag => matches!(function, F::Step | F::Update | F::Completed | F::StepStatus),
        Kind::Zero => matches!(
            function,
            F::SetStates | F::GetStates | F::Derivatives | F::Indicators | F::Nominals
        ),
        _ => true,
    }
}

fn argument(prng: &mut Prng, kind: Kind) -> u32 {
    let mut below = |bound| u32::try_from(prng.below(bound)).expect("a small number");
    match kind {
        Kind::StatusAfter => STATUSES[1 + below(9) as usize],
        Kind::StatusInstead => STATUSES[below(10) as usize],
        Kind::Numbers => below(8),
        Kind::Pointer | Kind::Size | Kind::Flag => below(6),
        Kind::Moment => below(9),
        Kind::Reset | Kind::Hang => 0,
        Kind::Log => below(15),
        Kind::Sleep => [1, 2, 10, 50][below(4) as usize],
        Kind::Die => below(10),
        Kind::World => below(20),
        Kind::Allocate => below(4),
        Kind::Zero => [0, 2, 3][below(3) as usize],
    }
}

/// What takes time, room or lines is done once: a solver calls some functions a thousand times.
fn may_repeat(kind: Kind, argument: u32) -> bool {
    match kind {
        Kind::Log | Kind::World | Kind::Die | Kind::Hang => false,
        Kind::Sleep => argument < 10,
        _ => true,
    }
}

fn index(prng: &mut Prng, length: usize) -> usize {
    usize::try_from(prng.below(length as u64)).expect("an index")
}
