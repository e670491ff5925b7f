//! The instructions of a program, and what each computes.
//!
//! Constants are folded with the same functions that run, so folding never changes a bit.

/// What an instruction does with up to three operands. Conditions are 1 and 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Op {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a * b + c`, rounded after each operation
    MulAdd,
    /// `a * b - c`, rounded after each operation
    MulSub,
    /// `c - a * b`, rounded after each operation
    SubMul,
    /// `(a + b) * c`, rounded after each operation
    AddMul,
    /// `-a`
    Neg,
    /// `a` to the power of `b`
    Pow,
    /// the lesser; `a` if they cannot be compared
    Min,
    /// the greater; `a` if they cannot be compared
    Max,
    /// what remains of `a` divided by `b`, with the sign of `a`
    Rem,
    /// `a / b` toward zero
    Quotient,
    /// angle of the point (`b`, `a`)
    Atan2,
    /// `b` if `a` is true, else `c`
    Select,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// both
    And,
    /// at least one
    Or,
    /// exactly one
    Xor,
    /// the opposite
    Not,
    /// what buffer number `b` held `a` seconds ago
    Delay,
    /// exponential function
    Exp,
    /// natural logarithm
    Ln,
    /// logarithm to base 10
    Log10,
    /// square root
    Sqrt,
    /// cubic root
    Cbrt,
    /// absolute value
    Abs,
    /// -1, 0 or 1
    Sign,
    /// toward minus infinity
    Floor,
    /// toward infinity
    Ceil,
    /// gamma function of `a + 1`; exact for whole numbers
    Factorial,
    /// sine
    Sin,
    /// cosine
    Cos,
    /// tangent
    Tan,
    /// inverse sine
    Asin,
    /// inverse cosine
    Acos,
    /// inverse tangent
    Atan,
    /// hyperbolic sine
    Sinh,
    /// hyperbolic cosine
    Cosh,
    /// hyperbolic tangent
    Tanh,
    /// inverse hyperbolic sine
    Asinh,
    /// inverse hyperbolic cosine
    Acosh,
    /// inverse hyperbolic tangent
    Atanh,
}

impl Op {
    /// How many operands it reads.
    pub const fn operands(self) -> usize {
        match self {
            Op::MulAdd | Op::MulSub | Op::SubMul | Op::AddMul | Op::Select => 3,
            _ if self.is_unary() => 1,
            _ => 2,
        }
    }

    const fn is_unary(self) -> bool {
        matches!(self, Op::Neg | Op::Not) || Op::Exp as u8 <= self as u8
    }

    /// Whether its operands may be swapped.
    pub const fn commutes(self) -> bool {
        matches!(self, Op::Add | Op::Mul | Op::Equal | Op::NotEqual | Op::And | Op::Or | Op::Xor)
    }

    /// Whether its result stays as it is but for jumps.
    pub(crate) const fn is_stepped(self) -> bool {
        matches!(
            self,
            Op::Less
                | Op::LessEqual
                | Op::Equal
                | Op::NotEqual
                | Op::And
                | Op::Or
                | Op::Xor
                | Op::Not
        ) || matches!(self, Op::Sign | Op::Floor | Op::Ceil | Op::Quotient)
    }

    /// What it computes; `None` for [`Op::Delay`], which needs the past.
    pub fn apply(self, [a, b, c]: [f64; 3]) -> Option<f64> {
        Some(match self {
            Op::Delay => return None,
            Op::MulAdd => a * b + c,
            Op::MulSub => a * b - c,
            Op::SubMul => c - a * b,
            Op::AddMul => (a + b) * c,
            Op::Select => select(a, b, c),
            _ if self.is_unary() => self.unary(a),
            _ => self.binary(a, b),
        })
    }

    pub(crate) fn unary(self, a: f64) -> f64 {
        match self {
            Op::Neg => -a,
            Op::Not => truth(a == 0.0),
            Op::Exp => libm::exp(a),
            Op::Ln => libm::log(a),
            Op::Log10 => libm::log10(a),
            Op::Sqrt => a.sqrt(),
            Op::Cbrt => libm::cbrt(a),
            Op::Abs => a.abs(),
            Op::Sign => sign(a),
            Op::Floor => a.floor(),
            Op::Ceil => a.ceil(),
            Op::Factorial => factorial(a),
            Op::Sin => libm::sin(a),
            Op::Cos => libm::cos(a),
            Op::Tan => libm::tan(a),
            Op::Asin => libm::asin(a),
            Op::Acos => libm::acos(a),
            Op::Atan => libm::atan(a),
            Op::Sinh => libm::sinh(a),
            Op::Cosh => libm::cosh(a),
            Op::Tanh => libm::tanh(a),
            Op::Asinh => libm::asinh(a),
            Op::Acosh => libm::acosh(a),
            Op::Atanh => libm::atanh(a),
            _ => unreachable!("not one operand"),
        }
    }

    #[expect(clippy::float_cmp, reason = "`==` in a model means equal values")]
    pub(crate) fn binary(self, a: f64, b: f64) -> f64 {
        match self {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            Op::Div => a / b,
            Op::Pow => libm::pow(a, b),
            Op::Min => min(a, b),
            Op::Max => max(a, b),
            Op::Rem => libm::fmod(a, b),
            Op::Quotient => (a / b).trunc(),
            Op::Atan2 => libm::atan2(a, b),
            Op::Less => truth(a < b),
            Op::LessEqual => truth(a <= b),
            Op::Equal => truth(a == b),
            Op::NotEqual => truth(a != b),
            Op::And => truth(a != 0.0 && b != 0.0),
            Op::Or => truth(a != 0.0 || b != 0.0),
            Op::Xor => truth((a != 0.0) != (b != 0.0)),
            _ => unreachable!("not two operands"),
        }
    }
}

pub(crate) const fn truth(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

#[inline]
pub(crate) fn select(condition: f64, then: f64, otherwise: f64) -> f64 {
    if condition == 0.0 { otherwise } else { then }
}

#[inline]
fn min(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[inline]
fn max(a: f64, b: f64) -> f64 {
    if a < b { b } else { a }
}

fn sign(a: f64) -> f64 {
    if 0.0 < a {
        1.0
    } else if a < 0.0 {
        -1.0
    } else {
        a
    }
}

fn factorial(a: f64) -> f64 {
    let is_whole = (0.0..=170.0).contains(&a) && a.fract() == 0.0;
    if !is_whole {
        return libm::tgamma(a + 1.0);
    }
    let mut product = 1.0;
    let mut factor = 2.0;
    while factor <= a {
        product *= factor;
        factor += 1.0;
    }
    product
}
