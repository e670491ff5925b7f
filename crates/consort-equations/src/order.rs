//! The order in which unknowns are computed: each after those its definition needs.

use crate::findings::Findings;
use crate::scope::{Scope, Symbol};
use crate::tree::{Expression, ExpressionKind, Name};
use consort_core::Diagnostic;

/// Whether values at the start are looked for, or those of a running model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// States and discretes are unknown too, except states that equations determine.
    Start,
    /// States and discretes are known.
    Running,
}

/// What is computed: all outputs, variables and computed parameters, then all derivatives, then the
/// first values of all states and discretes.
pub(crate) struct Unknowns<'s, 'm> {
    pub(crate) scope: &'s Scope<'m>,
    pub(crate) phase: Phase,
}

impl<'m> Unknowns<'_, 'm> {
    /// How many there are in this phase.
    pub(crate) fn len(&self) -> usize {
        let scope = self.scope;
        let running = scope.assigned.len() + scope.states.len();
        match self.phase {
            Phase::Running => running,
            Phase::Start => running + scope.states.len() + scope.discretes.len(),
        }
    }

    pub(crate) fn derivative(&self, state: usize) -> usize {
        self.scope.assigned.len() + state
    }

    /// The unknown behind a name, if it is one in this phase.
    pub(crate) fn of(&self, symbol: Symbol) -> Option<usize> {
        let starts = self.derivative(self.scope.states.len());
        match symbol {
            Symbol::Assigned(at) => Some(at),
            // Their registers stand for the solution, which is put in place at last.
            Symbol::State(at) if self.scope.implicit.contains(&at) => None,
            Symbol::State(at) if self.phase == Phase::Start => Some(starts + at),
            Symbol::Discrete(at) if self.phase == Phase::Start => {
                Some(starts + self.scope.states.len() + at)
            }
            _ => None,
        }
    }

    /// What defines an unknown; a first value that is left out is zero.
    pub(crate) fn definition(&self, unknown: usize) -> Option<&'m Expression> {
        let scope = self.scope;
        let (assigned, states) = (scope.assigned.len(), scope.states.len());
        if unknown < assigned {
            scope.definitions[unknown]
        } else if unknown < assigned + states {
            scope.derivatives[unknown - assigned]
        } else if unknown < assigned + 2 * states {
            scope.states[unknown - assigned - states].value.as_ref()
        } else {
            scope.discretes[unknown - assigned - 2 * states].value.as_ref()
        }
    }

    fn name(&self, unknown: usize) -> (&'m Name, bool) {
        let scope = self.scope;
        let (assigned, states) = (scope.assigned.len(), scope.states.len());
        if unknown < assigned {
            (&scope.assigned[unknown].name, false)
        } else if unknown < assigned + states {
            (&scope.states[unknown - assigned].name, true)
        } else if unknown < assigned + 2 * states {
            (&scope.states[unknown - assigned - states].name, false)
        } else {
            (&scope.discretes[unknown - assigned - 2 * states].name, false)
        }
    }

    fn title(&self, unknown: usize) -> String {
        let (name, is_derivative) = self.name(unknown);
        if is_derivative { format!("`der({})`", name.text) } else { format!("`{}`", name.text) }
    }

    /// The unknowns that the definition of an unknown needs, in the order of the text.
    fn needs(&self, unknown: usize) -> Vec<usize> {
        let mut needs = Vec::new();
        let mut open: Vec<&Expression> = self.definition(unknown).into_iter().collect();
        while let Some(expression) = open.pop() {
            match &expression.kind {
                ExpressionKind::Variable(name) => {
                    needs.extend(self.scope.symbol(name).and_then(|symbol| self.of(symbol)));
                }
                ExpressionKind::Derivative(name) => {
                    if let Some(Symbol::State(state)) = self.scope.symbol(name) {
                        needs.push(self.derivative(state));
                    }
                }
                // The past is known while the model runs.
                ExpressionKind::Delay(_, duration) if self.phase == Phase::Running => {
                    open.push(duration);
                }
                _ => {
                    let first = open.len();
                    expression.push_parts(&mut open);
                    open[first..].reverse();
                }
            }
        }
        needs
    }

    /// All unknowns in an order in which they can be computed, and closed chains; unknowns on those
    /// stand somewhere.
    pub(crate) fn sorted(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut search = Search {
            marks: vec![Mark::New; self.len()],
            path: Vec::new(),
            order: Vec::new(),
            chains: Vec::new(),
        };
        for unknown in 0..self.len() {
            search.visit(self, unknown);
        }
        (search.order, search.chains)
    }

    pub(crate) fn report_cycle(&self, chain: &[usize], findings: &mut Findings<'_>) {
        let mut titles: Vec<String> = chain.iter().map(|unknown| self.title(*unknown)).collect();
        titles.push(titles[0].clone());
        let when = match self.phase {
            Phase::Start => "at the start these need each other",
            Phase::Running => "these need each other",
        };
        let message = format!("{when}: {}", titles.join(" -> "));
        let mut diagnostic = Diagnostic::error("equations::cycle", message)
            .maybe_at(self.name(chain[0]).0.span, "needs itself in the end")
            .help("make one of them a state, or solve the equations by hand");
        for unknown in chain.iter().skip(1).take(5) {
            diagnostic = diagnostic.maybe_label(self.name(*unknown).0.span, "on the way");
        }
        findings.push(diagnostic);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

/// Depth-first, with a stack of its own: chains of assignments may be long.
struct Search {
    marks: Vec<Mark>,
    /// Open unknowns and what each still waits for, last first.
    path: Vec<(usize, Vec<usize>)>,
    order: Vec<usize>,
    /// The closed chains that were found.
    chains: Vec<Vec<usize>>,
}

impl Search {
    fn visit(&mut self, unknowns: &Unknowns<'_, '_>, root: usize) {
        self.open(unknowns, root);
        while let Some((unknown, waiting)) = self.path.last_mut() {
            match waiting.pop() {
                None => {
                    self.marks[*unknown] = Mark::Done;
                    self.order.push(*unknown);
                    self.path.pop();
                }
                Some(next) if self.marks[next] == Mark::Open => {
                    let chain = self.path.iter().map(|(unknown, _)| *unknown);
                    let chain: Vec<usize> = chain.skip_while(|unknown| *unknown != next).collect();
                    self.chains.push(chain);
                }
                Some(next) => self.open(unknowns, next),
            }
        }
    }

    fn open(&mut self, unknowns: &Unknowns<'_, '_>, unknown: usize) {
        if self.marks[unknown] == Mark::New {
            self.marks[unknown] = Mark::Open;
            let mut waiting = unknowns.needs(unknown);
            waiting.reverse();
            self.path.push((unknown, waiting));
        }
    }
}
