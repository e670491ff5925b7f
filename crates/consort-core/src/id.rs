//! Typed indices. Names live in descriptions and messages; the hot path sees only these.

use serde::{Deserialize, Serialize};

macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into the array it belongs to.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of the element at `index`.
            ///
            /// # Panics
            /// If `index` does not fit in 32 bits: four thousand million of anything is a mistake.
            #[inline]
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("an index fits in 32 bits"))
            }
        }
    };
}

typed_id! {
    /// A place in a system: index into its components.
    ComponentId
}
typed_id! {
    /// A variable of a model: index into [`ModelDescription::variables`](crate::ModelDescription).
    VariableId
}
typed_id! {
    /// A connection of a system: index into its connections.
    ConnectionId
}
typed_id! {
    /// A node of a run that is spread over several: index into its nodes, sorted by name.
    NodeId
}

/// The handle by which an instance knows a variable of a given type: an FMI value reference, or
/// whatever a native model chose. Unique per value type only (FMI 2.0, section 2.2.7).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Reference(pub u32);
