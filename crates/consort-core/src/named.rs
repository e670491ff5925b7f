//! Choices of which each has a name: in files, on the command line, in plans and in messages.

/// A choice that is known by its name; [`named!`](macro@crate::named) makes them.
pub trait Named: Copy + 'static {
    /// Every choice with its name, in the order of the declaration.
    const NAMES: &'static [(Self, &'static str)];

    /// The name of this choice.
    fn name(self) -> &'static str;
}

/// Declares an enum whose variants have names. Each variant is written once, as `Variant => "name"`; the enum gets the
/// table `ALL`, `name`, `from_name`, [`Named`] and `Display` from that. What else it is to derive stands before it.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$of:meta])* $variant:ident => $text:literal,)* }) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $(#[$meta])*
        $vis enum $name { $($(#[$of])* $variant,)* }

        impl $name {
            /// Every choice with its name, in the order of the declaration.
            $vis const ALL: [($name, &'static str); [$($text),*].len()] = [$(($name::$variant, $text)),*];

            /// The name of this choice.
            $vis const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The choice of that name.
            $vis fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl $crate::Named for $name {
            const NAMES: &'static [(Self, &'static str)] = &Self::ALL;

            fn name(self) -> &'static str {
                $name::name(self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($name::name(*self))
            }
        }
    };
}
