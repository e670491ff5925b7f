//! What the inputs of a model are while it is put through its course: varied, so that the state moves, and a
//! function of the seed, so that every run sees the same.

use super::watch::element_count;
use consort_core::model::{CallResult, Enumeration};
use consort_core::{
    Causality, Instance, ModelDescription, Prng, Reference, ValueType, Values, Variable,
};

/// How far an input without a range is moved from its start value, as a part of its magnitude.
const AMPLITUDE: f64 = 0.1;

/// The inputs that are varied.
pub(super) struct Signals {
    inputs: Vec<Input>,
    seed: u64,
}

struct Input {
    name: String,
    reference: Reference,
    start: Values,
    shape: Shape,
}

/// Which values an input takes.
enum Shape {
    /// Between two numbers, or about its start value by so much.
    Between(f64, f64),
    About(f64),
    /// One of these.
    Items(Vec<i64>),
    /// Either.
    Boolean,
}

/// Which of the runs of a model a signal is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Path {
    /// The one that is compared.
    Main,
    /// An excursion: elsewhere.
    Excursion(u32),
}

impl Signals {
    /// All inputs that can be varied.
    pub(super) fn new(model: &ModelDescription, seed: u64) -> Self {
        let is_input = |it: &&Variable| it.causality == Causality::Input && it.clocks.is_empty();
        let inputs = model.variables.iter().filter(is_input);
        Signals { inputs: inputs.filter_map(|input| Input::new(model, input)).collect(), seed }
    }

    /// None: inputs keep their start values.
    pub(super) fn held(&self) -> Self {
        Signals { inputs: Vec::new(), seed: self.seed }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Gives the inputs their values for the period of length tau that is `index` after the start.
    pub(super) fn apply(
        &self,
        instance: &mut dyn Instance,
        path: Path,
        index: i64,
    ) -> CallResult<()> {
        for input in &self.inputs {
            let mut prng = Prng::new(self.seed).split(&format!("{}/{path:?}/{index}", input.name));
            let mut values = input.start.clone();
            input.shape.fill(&mut values, &mut prng);
            instance.set(&[input.reference], values.view())?;
        }
        Ok(())
    }
}

impl Input {
    fn new(model: &ModelDescription, variable: &Variable) -> Option<Self> {
        let count = element_count(model, variable)?;
        let start = match &variable.start {
            Some(start) if start.len() == count => start.clone(),
            Some(start) if start.len() == 1 => {
                let mut all = Values::zeros(variable.value_type, 0);
                (0..count).for_each(|_| {
                    all.extend(start.view());
                });
                all
            }
            _ => Values::zeros(variable.value_type, count),
        };
        let enumeration = variable.enumeration.and_then(|index| model.enumerations.get(index));
        let shape = Shape::of(variable, enumeration)?;
        Some(Input { name: variable.name.clone(), reference: variable.reference, start, shape })
    }
}

impl Shape {
    fn of(variable: &Variable, enumeration: Option<&Enumeration>) -> Option<Self> {
        let range = variable.min.zip(variable.max);
        let range = range.filter(|(min, max)| min.is_finite() && max.is_finite() && min <= max);
        match variable.value_type {
            value_type if value_type.is_float() => Some(match range {
                Some((min, max)) => Shape::Between(min, max),
                None => Shape::About(variable.nominal.unwrap_or(1.0).abs()),
            }),
            ValueType::Boolean => Some(Shape::Boolean),
            ValueType::Enumeration => {
                let items = enumeration?.items.iter().map(|(_, value)| *value).collect();
                Some(Shape::Items(items))
                    .filter(|_| !enumeration.is_some_and(|it| it.items.is_empty()))
            }
            value_type if value_type.is_integer() => {
                let (min, max) = range?;
                Some(Shape::Between(min, max))
            }
            _ => None,
        }
    }

    fn fill(&self, values: &mut Values, prng: &mut Prng) {
        match values {
            Values::Float64(values) => values.iter_mut().for_each(|it| *it = self.float(*it, prng)),
            Values::Float32(values) => {
                values.iter_mut().for_each(|it| *it = self.float(f64::from(*it), prng) as f32);
            }
            Values::Boolean(values) => values.iter_mut().for_each(|it| *it = prng.below(2) == 1),
            Values::Enumeration(values) => {
                values.iter_mut().for_each(|it| *it = self.item(*it, prng));
            }
            _ => self.fill_integers(values, prng),
        }
    }

    fn fill_integers(&self, values: &mut Values, prng: &mut Prng) {
        macro_rules! whole {
            ($values:ident, $type:ty) => {
                $values
                    .iter_mut()
                    .for_each(|it| *it = self.float(*it as f64, prng).floor() as $type)
            };
        }
        match values {
            Values::Int8(values) => whole!(values, i8),
            Values::UInt8(values) => whole!(values, u8),
            Values::Int16(values) => whole!(values, i16),
            Values::UInt16(values) => whole!(values, u16),
            Values::Int32(values) => whole!(values, i32),
            Values::UInt32(values) => whole!(values, u32),
            Values::Int64(values) => whole!(values, i64),
            Values::UInt64(values) => whole!(values, u64),
            _ => {}
        }
    }

    fn float(&self, start: f64, prng: &mut Prng) -> f64 {
        match *self {
            Shape::Between(min, max) => min + (max - min) * prng.next_f64(),
            Shape::About(nominal) => {
                let amplitude = AMPLITUDE * start.abs().max(nominal);
                start + amplitude * (2.0 * prng.next_f64() - 1.0)
            }
            Shape::Items(_) | Shape::Boolean => start,
        }
    }

    fn item(&self, start: i64, prng: &mut Prng) -> i64 {
        match self {
            Shape::Items(items) => {
                let at = usize::try_from(prng.below(items.len() as u64)).unwrap_or(0);
                items[at]
            }
            _ => start,
        }
    }
}
