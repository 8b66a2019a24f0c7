//! Models: small programs of real code that loom runs in every interleaving, and the proof that they would notice.
//!
//! [`Model::check`] explores the model as it is. Then it starts the same test again, once for each memory order that
//! the covered files ask for, with that one weakened to Relaxed, and once for each mistake that the model can make,
//! and demands that each of these fails. So an order that nothing needs is found too: make it Relaxed.
//!
//! Broken models run in processes of their own, because loom's threads unwind in the middle of the code under test,
//! which aborts the process there by design.
#![expect(clippy::print_stdout, reason = "a tool of tests: says how each broken model failed")]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::Location;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// Names what is broken in this process.
const BROKEN: &str = "ONELOG_LOOM_BROKEN";

/// Times that a thread loses the processor while it could go on, in one interleaving, unless `LOOM_MAX_PREEMPTIONS`
/// says otherwise.
const PREEMPTIONS_MAX: usize = 2;

static BROKEN_HERE: LazyLock<Option<String>> = LazyLock::new(|| std::env::var(BROKEN).ok());

thread_local! {
    /// Where an order beyond Relaxed was asked for. loom runs a model on one thread.
    static ORDERS: RefCell<BTreeSet<Location<'static>>> = const { RefCell::new(BTreeSet::new()) };
}

/// The memory order to use at the caller's place.
#[track_caller]
pub(crate) fn order(wanted: Ordering) -> Ordering {
    if wanted == Ordering::Relaxed {
        return wanted;
    }
    let place = Location::caller();
    ORDERS.with_borrow_mut(|orders| orders.insert(*place));
    let is_broken = BROKEN_HERE.as_ref().is_some_and(|broken| *broken == place.to_string());
    if is_broken { Ordering::Relaxed } else { wanted }
}

/// Whether the model is to make a mistake.
pub fn is_broken(mistake: &str) -> bool {
    BROKEN_HERE.as_deref() == Some(mistake)
}

/// See the module.
#[derive(Debug)]
pub struct Model {
    test: &'static str,
    orders: Vec<(&'static str, usize)>,
    mistakes: &'static [&'static str],
}

impl Model {
    /// The model that this test checks: its path in the crate.
    pub fn new(test: &'static str) -> Self {
        Self { test, orders: Vec::new(), mistakes: &[] }
    }

    /// Weakens the memory orders that a source file asks for: its path in the workspace and its text. The model must
    /// reach all of them.
    #[must_use]
    pub fn orders(mut self, file: &'static str, text: &str) -> Self {
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        let all = product.matches("Ordering::").count();
        self.orders.push((file, all - product.matches("Ordering::Relaxed").count()));
        self
    }

    /// Mistakes that the model makes when [`is_broken`] says so.
    #[must_use]
    pub fn mistakes(mut self, mistakes: &'static [&'static str]) -> Self {
        self.mistakes = mistakes;
        self
    }

    /// Explores the model, whole and broken.
    ///
    /// # Panics
    /// If it fails, or passes although it is broken.
    pub fn check(self, model: impl Fn() + Send + Sync + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = builder.preemption_bound.or(Some(PREEMPTIONS_MAX));
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        builder.check(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            model();
        });
        println!("{}: {} interleavings", self.test, count.load(Ordering::Relaxed));
        if BROKEN_HERE.is_some() {
            return;
        }
        let orders = ORDERS.with_borrow(Clone::clone);
        for (file, count) in &self.orders {
            let reached: Vec<_> = orders.iter().filter(|place| place.file() == *file).collect();
            assert_eq!(reached.len(), *count, "{}: orders of {file}: {reached:?}", self.test);
            for place in reached {
                self.check_broken(&place.to_string());
            }
        }
        for mistake in self.mistakes {
            self.check_broken(mistake);
        }
    }

    fn check_broken(&self, broken: &str) {
        let this = std::env::current_exe().expect("a process knows its program");
        let run = Command::new(this)
            .args([self.test, "--exact", "--nocapture"])
            .env(BROKEN, broken)
            .env("RUST_BACKTRACE", "0")
            .output()
            .expect("a test runs again");
        let said = String::from_utf8_lossy(&run.stderr);
        let reason = said.lines().skip_while(|line| !line.contains("panicked at")).nth(1);
        assert!(!run.status.success(), "{}: passes although it is broken: {broken}", self.test);
        let reason = reason.unwrap_or_else(|| panic!("{}: {broken}: no reason: {said}", self.test));
        assert!(!reason.contains("Model exceeded"), "{}: {broken}: {reason}", self.test);
        println!("{}: broken: {broken}: {reason}", self.test);
    }
}
