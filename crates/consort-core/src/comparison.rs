//! How two numbers are compared, in conditions and in properties.

use crate::named;
use serde::{Deserialize, Serialize};

named! {
    /// How two numbers are compared.
    #[derive(Serialize, Deserialize)]
    pub enum Comparison {
        /// `<`
        Less => "<",
        /// `<=`
        LessEqual => "<=",
        /// `>`
        Greater => ">",
        /// `>=`
        GreaterEqual => ">=",
        /// `==`
        Equal => "==",
        /// `!=`
        NotEqual => "!=",
    }
}

impl Comparison {
    /// The one a text begins with: the longest sign counts.
    pub fn at_start(text: &str) -> Option<Self> {
        let signs = Self::ALL.into_iter().filter(|(_, sign)| text.starts_with(sign));
        signs.max_by_key(|(_, sign)| sign.len()).map(|(comparison, _)| comparison)
    }

    /// Whether `left OPERATOR right` holds; nothing but `!=` holds for NaN.
    #[expect(clippy::float_cmp, reason = "the user asked for exactly this comparison")]
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Greater => right < left,
            Comparison::GreaterEqual => right <= left,
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
        }
    }
}
