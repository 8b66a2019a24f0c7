//! `parking_lot`'s API on loom's locks.

use std::ops::{Deref, DerefMut};

/// As the one of `parking_lot`.
#[derive(Debug, Default)]
pub struct Mutex<T>(loom::sync::Mutex<T>);

/// As the one of `parking_lot`.
#[derive(Debug)]
pub struct MutexGuard<'a, T>(Option<loom::sync::MutexGuard<'a, T>>);

/// As the one of `parking_lot`.
#[derive(Debug, Default)]
pub struct Condvar(loom::sync::Condvar);

impl<T> Mutex<T> {
    /// With this value.
    pub fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    /// As in `parking_lot`.
    #[track_caller]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(Some(self.0.lock().expect("loom's locks are not poisoned")))
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("empty only while it waits")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("empty only while it waits")
    }
}

impl Condvar {
    /// As in `parking_lot`, but never wakes for no reason.
    #[track_caller]
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let inner = guard.0.take().expect("empty only while it waits");
        guard.0 = Some(self.0.wait(inner).expect("loom's locks are not poisoned"));
    }

    /// As in `parking_lot`.
    #[track_caller]
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// As in `parking_lot`.
    #[track_caller]
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}
