//! Names for what comes and goes.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use crate::agenda::Handle;

/// Names a pending event, or an instance of an activity.
///
/// In a block its type is written `Key<NAME>`. A key stays what it is when what it names is gone: it is stale then, and
/// whoever uses it is told so. Keys are small and can be copied, compared and kept in states.
pub struct Key<T> {
    handle: Handle,
    of: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    #[doc(hidden)]
    #[inline]
    #[expect(clippy::must_use_candidate, reason = "a body may leave the key alone")]
    pub fn new(handle: Handle) -> Self {
        Key { handle, of: PhantomData }
    }

    /// A key that names nothing.
    #[must_use]
    pub fn stale() -> Self {
        Key::new(Handle::new(u32::MAX, u32::MAX))
    }

    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn handle(self) -> Handle {
        self.handle
    }

    /// The number of what it names among those there are now: of an activity, the index of the instance.
    #[must_use]
    pub fn index(self) -> usize {
        self.handle.slot() as usize
    }
}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Key<T> {}

impl<T> PartialEq for Key<T> {
    fn eq(&self, other: &Self) -> bool {
        self.handle == other.handle
    }
}

impl<T> Eq for Key<T> {}

impl<T> PartialOrd for Key<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Key<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.handle.cmp(&other.handle)
    }
}

impl<T> Hash for Key<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.handle.hash(state);
    }
}

impl<T> fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({}.{})", self.handle.slot(), self.handle.generation())
    }
}
