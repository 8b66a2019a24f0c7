//! loom's atomics, whose memory order can be broken at one place in the source: [`crate::model`].

pub use std::sync::atomic::Ordering;

use crate::model::order;

macro_rules! atomic {
    ($name:ident, $value:ty) => {
        /// As the one of `std`.
        #[derive(Debug, Default)]
        pub struct $name(loom::sync::atomic::$name);

        impl $name {
            /// With this value.
            pub fn new(value: $value) -> Self {
                Self(loom::sync::atomic::$name::new(value))
            }

            /// As in `std`.
            #[track_caller]
            pub fn load(&self, wanted: Ordering) -> $value {
                self.0.load(order(wanted))
            }

            /// As in `std`.
            #[track_caller]
            pub fn store(&self, value: $value, wanted: Ordering) {
                self.0.store(value, order(wanted));
            }

            /// As in `std`.
            #[track_caller]
            pub fn swap(&self, value: $value, wanted: Ordering) -> $value {
                self.0.swap(value, order(wanted))
            }

            /// As in `std`.
            #[track_caller]
            pub fn fetch_or(&self, value: $value, wanted: Ordering) -> $value {
                self.0.fetch_or(value, order(wanted))
            }

            /// As in `std`.
            #[track_caller]
            pub fn fetch_and(&self, value: $value, wanted: Ordering) -> $value {
                self.0.fetch_and(value, order(wanted))
            }
        }
    };
}

atomic!(AtomicU8, u8);
atomic!(AtomicU64, u64);
