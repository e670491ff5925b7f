//! The operations and functions every model has: those of MathML as SBML uses it, and a few more.

use std::fmt;

/// How many arguments something takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arity {
    /// The least number of arguments.
    pub min: usize,
    /// At most; `None` for any number.
    pub max: Option<usize>,
}

impl Arity {
    /// An arity of exactly so many arguments.
    pub const fn exactly(count: usize) -> Self {
        Arity { min: count, max: Some(count) }
    }

    /// Whether `count` arguments fit.
    pub fn fits(self, count: usize) -> bool {
        self.min <= count && self.max.is_none_or(|max| count <= max)
    }
}

impl fmt::Display for Arity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.max {
            Some(1) if self.min == 1 => f.write_str("1 argument"),
            Some(max) if self.min == max => write!(f, "{max} arguments"),
            Some(max) => write!(f, "{} to {max} arguments", self.min),
            None if self.min == 1 => f.write_str("at least 1 argument"),
            None => write!(f, "at least {} arguments", self.min),
        }
    }
}

const ANY: Arity = Arity { min: 0, max: None };
const SOME: Arity = Arity { min: 1, max: None };
const CHAIN: Arity = Arity { min: 2, max: None };
const ONE: Arity = Arity::exactly(1);
const TWO: Arity = Arity::exactly(2);

macro_rules! builtins {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $arity:ident;)*) => {
        /// A built-in operation or function.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Builtin { $($(#[$doc])* $variant,)* }

        impl Builtin {
            /// Every built-in function and operation.
            pub const ALL: &[Builtin] = &[$(Builtin::$variant,)*];

            /// The operator or the function's name in the text.
            pub const fn name(self) -> &'static str {
                match self { $(Builtin::$variant => $name,)* }
            }

            /// The number of arguments.
            pub const fn arity(self) -> Arity {
                match self { $(Builtin::$variant => $arity,)* }
            }
        }
    };
}

builtins! {
    /// A sum, added from the left; zero if empty.
    Add = "+", ANY;
    /// The first less the second.
    Subtract = "-", TWO;
    /// The opposite number; written `-x`.
    Negate = "negate", ONE;
    /// A product, multiplied from the left; one if empty.
    Multiply = "*", ANY;
    /// The first divided by the second.
    Divide = "/", TWO;
    /// The first to the power of the second.
    Power = "^", TWO;
    /// Equal to the next, for each.
    Equal = "==", CHAIN;
    /// Not equal.
    NotEqual = "!=", TWO;
    /// Less than the next, for each.
    Less = "<", CHAIN;
    /// Less than the next or equal, for each.
    LessEqual = "<=", CHAIN;
    /// Greater than the next, for each.
    Greater = ">", CHAIN;
    /// Greater than the next or equal, for each.
    GreaterEqual = ">=", CHAIN;
    /// All are true; `true` if empty.
    And = "and", ANY;
    /// At least one is true; `false` if empty.
    Or = "or", ANY;
    /// An odd number of them is true; `false` if empty.
    Xor = "xor", ANY;
    /// The opposite condition.
    Not = "not", ONE;
    /// The second is true, or the first is not.
    Implies = "implies", TWO;
    /// Exponential function.
    Exp = "exp", ONE;
    /// Natural logarithm.
    Ln = "ln", ONE;
    /// Logarithm to base 10.
    Log10 = "log10", ONE;
    /// Logarithm of the second to the base given first.
    Log = "log", TWO;
    /// Square root.
    Sqrt = "sqrt", ONE;
    /// Root of the second of the degree given first.
    Root = "root", TWO;
    /// The first to the power of the second, as a function.
    Pow = "power", TWO;
    /// Absolute value.
    Abs = "abs", ONE;
    /// -1, 0 or 1.
    Sign = "sign", ONE;
    /// Greatest whole number not above.
    Floor = "floor", ONE;
    /// Least whole number not below.
    Ceil = "ceil", ONE;
    /// Product of the whole numbers up to it; the gamma function between them.
    Factorial = "factorial", ONE;
    /// Least of all.
    Min = "min", SOME;
    /// Greatest of all.
    Max = "max", SOME;
    /// The whole part of the first divided by the second, toward zero.
    Quotient = "quotient", TWO;
    /// What remains then; has the sign of the first.
    Rem = "rem", TWO;
    /// Sine of radians.
    Sin = "sin", ONE;
    /// Cosine.
    Cos = "cos", ONE;
    /// Tangent.
    Tan = "tan", ONE;
    /// Secant.
    Sec = "sec", ONE;
    /// Cosecant.
    Csc = "csc", ONE;
    /// Cotangent.
    Cot = "cot", ONE;
    /// Inverse sine.
    Asin = "asin", ONE;
    /// Inverse cosine.
    Acos = "acos", ONE;
    /// Inverse tangent.
    Atan = "atan", ONE;
    /// Inverse secant.
    Asec = "asec", ONE;
    /// Inverse cosecant.
    Acsc = "acsc", ONE;
    /// Inverse cotangent, as `atan(1/x)`.
    Acot = "acot", ONE;
    /// Angle of the point whose ordinate is first and abscissa second.
    Atan2 = "atan2", TWO;
    /// Hyperbolic sine.
    Sinh = "sinh", ONE;
    /// Hyperbolic cosine.
    Cosh = "cosh", ONE;
    /// Hyperbolic tangent.
    Tanh = "tanh", ONE;
    /// Hyperbolic secant.
    Sech = "sech", ONE;
    /// Hyperbolic cosecant.
    Csch = "csch", ONE;
    /// Hyperbolic cotangent.
    Coth = "coth", ONE;
    /// Inverse hyperbolic sine.
    Asinh = "asinh", ONE;
    /// Inverse hyperbolic cosine.
    Acosh = "acosh", ONE;
    /// Inverse hyperbolic tangent.
    Atanh = "atanh", ONE;
    /// Inverse hyperbolic secant.
    Asech = "asech", ONE;
    /// Inverse hyperbolic cosecant.
    Acsch = "acsch", ONE;
    /// Inverse hyperbolic cotangent.
    Acoth = "acoth", ONE;
}

impl Builtin {
    /// The one called by this name as a function: `sin`, not `+`.
    pub fn function(name: &str) -> Option<Self> {
        let found = Self::functions().find(|(known, _)| *known == name);
        found.map(|(_, builtin)| builtin)
    }

    /// Those called as functions, by name.
    pub fn functions() -> impl Iterator<Item = (&'static str, Builtin)> {
        let is_function = |builtin: &&Builtin| Builtin::Exp <= **builtin;
        Self::ALL.iter().filter(is_function).map(|builtin| (builtin.name(), *builtin))
    }
}
