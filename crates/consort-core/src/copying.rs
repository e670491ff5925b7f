//! Cheap copies of what is saved and restored again and again.
//!
//! [`clone_by_field!`](crate::clone_by_field) makes `clone_from` reuse what is allocated; what is [`Shared`]
//! is not copied at all until it is changed, and [`Room`] for work never is.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Implements `Clone` field by field such that `clone_from` reuses what the target has allocated: a derived
/// one makes everything anew. A field that is forgotten does not compile.
///
/// ```
/// struct Point {
///     t: f64,
///     x: Vec<f64>,
/// }
/// consort_core::clone_by_field!(Point { t, x });
///
/// let (mut to, from) = (Point { t: 0.0, x: vec![0.0; 3] }, Point { t: 1.0, x: vec![1.0; 3] });
/// let place = to.x.as_ptr();
/// to.clone_from(&from);
/// assert_eq!((to.t, &to.x[..], to.x.as_ptr()), (1.0, &[1.0; 3][..], place));
/// ```
#[macro_export]
macro_rules! clone_by_field {
    ($type:ty { $($field:ident),+ $(,)? }) => {
        impl Clone for $type {
            fn clone(&self) -> Self {
                let Self { $($field),+ } = self;
                Self { $($field: Clone::clone($field)),+ }
            }

            fn clone_from(&mut self, source: &Self) {
                let Self { $($field),+ } = source;
                $(Clone::clone_from(&mut self.$field, $field);)+
            }
        }
    };
}

/// A value that copies share until one of them changes it.
#[derive(PartialEq, Debug)]
pub struct Shared<T: ?Sized>(Arc<T>);

impl<T> Shared<T> {
    /// A value with one owner.
    pub fn new(value: T) -> Self {
        Shared(Arc::new(value))
    }
}

impl<T: ?Sized> Shared<T> {
    /// Whether it has one owner now.
    pub fn is_own(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// How many bytes it takes that are not shared, without what it points to itself.
    pub fn unshared_bytes(&self) -> usize {
        if self.is_own() { size_of_val(&*self.0) } else { 0 }
    }
}

impl<T: Clone> Shared<T> {
    /// To be changed: a copy of its own if it is shared.
    pub fn to_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T: Copy> Shared<[T]> {
    /// A list with `len` copies of a value.
    pub fn filled(value: T, len: usize) -> Self {
        Shared(std::iter::repeat_n(value, len).collect())
    }

    /// To be changed: a copy of its own if it is shared.
    pub fn slice_mut(&mut self) -> &mut [T] {
        Arc::make_mut(&mut self.0)
    }

    /// The same everywhere, without a copy of what was there.
    pub fn fill(&mut self, value: T) -> &mut [T] {
        if self.is_empty() {
            return &mut [];
        }
        if Arc::get_mut(&mut self.0).is_none() {
            *self = Self::filled(value, self.len());
        }
        let own = self.slice_mut();
        own.fill(value);
        own
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }

    fn clone_from(&mut self, source: &Self) {
        // Counting costs more than looking.
        if !Arc::ptr_eq(&self.0, &source.0) {
            self.0 = Arc::clone(&source.0);
        }
    }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<Vec<T>> for Shared<[T]> {
    fn from(list: Vec<T>) -> Self {
        Shared(list.into())
    }
}

/// Room for work within a call. It means nothing between calls and so is not copied: a copy begins with
/// none, and one that becomes a copy of another keeps its own.
#[derive(Debug, Default)]
pub struct Room<T>(pub T);

impl<T: Default> Clone for Room<T> {
    fn clone(&self) -> Self {
        Room::default()
    }

    fn clone_from(&mut self, _: &Self) {}
}

impl<T> Deref for Room<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Room<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_is_copied_when_it_changes_and_not_before() {
        let mut one = Shared::from(vec![1.0, 2.0]);
        assert_eq!((one.is_own(), one.unshared_bytes()), (true, 16));
        let mut two = one.clone();
        assert_eq!(one.as_ptr(), two.as_ptr());
        assert_eq!((one.is_own(), one.unshared_bytes()), (false, 0));
        two.slice_mut()[0] = 5.0;
        assert_eq!((&one[..], &two[..]), (&[1.0, 2.0][..], &[5.0, 2.0][..]));
        let place = two.as_ptr();
        assert_eq!(two.fill(0.0), [0.0, 0.0], "it is its own");
        assert_eq!(two.as_ptr(), place);
        one.clone_from(&two);
        assert_eq!(one.fill(3.0), [3.0, 3.0]);
        assert_eq!((two[0], two.as_ptr()), (0.0, place), "and was left alone");
    }
}
