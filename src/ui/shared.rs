//! What several components use: large values, and one way to write an instant.

use crate::engine::SimTime;
use std::ops::Deref;
use std::rc::Rc;

/// A large value, compared by address: comparing it by content would cost more than drawing it again.
pub struct Shared<T: ?Sized>(pub Rc<T>);

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Rc::clone(&self.0))
    }
}
impl<T: ?Sized> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}
impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// `70.7 s`: the tenth that has begun, as the timeline writes it at the playhead.
pub fn tenths(t: SimTime) -> String {
    format!("{}.{} s", t.0 / 1_000_000, t.0 % 1_000_000 / 100_000)
}
