//! Numbers in JSON without loss: as texts, because a JSON number is read as a double by most, to the
//! last bit by few, and is never infinite.

use serde::{Deserialize, Deserializer, Serializer, de::Error};
use std::fmt::Display;
use std::str::FromStr;

/// Writes a number as text; the shortest that reads back as the same number.
pub(crate) fn serialize<N: Display, S: Serializer>(
    number: &N,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

/// Reads a number from its text.
pub(crate) fn deserialize<'de, N: FromStr, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<N, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|_| D::Error::custom(format!("`{text}` is not a number of this kind")))
}

/// The same for a number that may be missing.
pub(crate) mod optional {
    use super::{Deserialize, Deserializer, Display, Error, FromStr, Serializer};

    pub(crate) fn serialize<N: Display, S: Serializer>(
        number: &Option<N>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match number {
            Some(number) => serializer.collect_str(number),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, N: FromStr, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<N>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        let parse = |text: String| {
            text.parse()
                .map_err(|_| D::Error::custom(format!("`{text}` is not a number of this kind")))
        };
        text.map(parse).transpose()
    }
}

#[cfg(test)]
mod tests {
    use crate::world::RobustnessInterval;

    #[test]
    fn every_bound_survives_json() {
        for low in [0.1, -0.0, f64::MIN_POSITIVE / 3.0, f64::NEG_INFINITY, 1e300 / 3.0] {
            let bounds = RobustnessInterval { low, high: f64::INFINITY };
            let text = serde_json::to_string(&bounds).unwrap();
            let back: RobustnessInterval = serde_json::from_str(&text).unwrap();
            assert_eq!(back.low.to_bits(), low.to_bits(), "{text}");
            assert!(back.high == f64::INFINITY, "{text}");
        }
    }
}
