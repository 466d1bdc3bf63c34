//! Locks over values that are changed in single steps, and so are whole even after a panic elsewhere.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks such a value.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
