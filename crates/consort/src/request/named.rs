//! Values that are written by their names.

use consort_core::Named;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

pub(crate) fn serialize<T: Named, S: Serializer>(
    value: &Option<T>,
    to: S,
) -> Result<S::Ok, S::Error> {
    value.map(T::name).serialize(to)
}

pub(crate) fn deserialize<'d, T: Named, D: Deserializer<'d>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let name = Option::<String>::deserialize(from)?;
    name.map(|name| known(&name)).transpose()
}

fn known<T: Named, E: Error>(name: &str) -> Result<T, E> {
    let found = T::NAMES.iter().find(|(_, known)| *known == name);
    found.map(|(value, _)| *value).ok_or_else(|| E::custom(format!("unknown name `{name}`")))
}

/// A number; older records have it as text.
pub(crate) fn number<'d, D: Deserializer<'d>>(from: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Text(String),
    }
    match Option::<Written>::deserialize(from)? {
        None => Ok(None),
        Some(Written::Number(number)) => Ok(Some(number)),
        Some(Written::Text(text)) => text.trim().parse().map(Some).map_err(D::Error::custom),
    }
}

/// Lists of names; nothing is written for an empty one.
pub(crate) mod list {
    use super::{Deserialize, Deserializer, Named, Serialize, Serializer, known};

    pub(crate) fn serialize<T: Named, S: Serializer>(
        values: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let names: Vec<&str> = values.iter().map(|value| value.name()).collect();
        (!names.is_empty()).then_some(names).serialize(to)
    }

    pub(crate) fn deserialize<'d, T: Named, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        let names = Option::<Vec<String>>::deserialize(from)?.unwrap_or_default();
        names.iter().map(|name| known(name)).collect()
    }
}
