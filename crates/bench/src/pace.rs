//! When a client that writes at a fixed rate begins its transactions.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long a turn is, and how long nobody writes behind it: what was begun in one is not finished in another's.
pub const SLICE: Duration = Duration::from_millis(400);
pub const REST: Duration = Duration::from_millis(50);

/// Turns that alternate: those of one client, and those of clients of another server.
const TURNS: u32 = 2;

/// A transaction each period, in all the time or in every second turn of [`SLICE`]. Processes that have different turns need not
/// know of each other: turns are counted by the machine's clock.
#[derive(Debug)]
pub struct Pace {
    period: Duration,
    turn: Option<u32>,
    origin: Instant,
    /// When the next one begins, in time of its own since the origin.
    due: Duration,
}

impl Pace {
    /// One that has not begun.
    pub fn new(period: Duration, turn: Option<u32>) -> Self {
        Self { period, turn, origin: Instant::now(), due: Duration::ZERO }
    }

    /// Its first transaction begins after this share of a period.
    pub fn begin(&mut self, share: f64) {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.origin = Instant::now() + self.turn.map_or(Duration::ZERO, |turn| until_turn(clock, turn));
        self.due = self.period.mul_f64(share);
    }

    /// Waits for the next one. When it begins, or should have begun if the one before took too long.
    pub async fn next(&mut self) -> Instant {
        let due = self.origin + self.turn.map_or(self.due, |_| outside(self.due));
        self.due += self.period;
        if due < Instant::now() {
            return due;
        }
        tokio::time::sleep_until(due.into()).await;
        Instant::now()
    }
}

/// From a moment to the next beginning of this turn.
fn until_turn(clock: Duration, turn: u32) -> Duration {
    let [clock, cycle, begins] =
        [clock, (SLICE + REST) * TURNS, (SLICE + REST) * (turn % TURNS)].map(|it| it.as_nanos());
    let left = cycle - (clock + cycle - begins) % cycle;
    Duration::from_nanos(u64::try_from(left).expect("at most a cycle"))
}

/// Time that has passed since the beginning of the first turn when so much was within turns.
fn outside(own: Duration) -> Duration {
    let turns = u32::try_from(own.as_nanos() / SLICE.as_nanos()).unwrap_or(u32::MAX);
    own + (SLICE * (TURNS - 1) + REST * TURNS) * turns
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn its_time_is_that_of_its_turns() {
        for (own, passed) in [(0, 0), (399, 399), (400, 900), (1000, 2000)] {
            assert_eq!(outside(ms(own)), ms(passed), "{own}");
        }
    }

    #[test]
    fn turns_follow_the_clock() {
        for (clock, turn, wait) in
            [(0, 0, 900), (100, 0, 800), (100, 1, 350), (450, 1, 900), (9_000_500, 1, 850)]
        {
            assert_eq!(until_turn(ms(clock), turn), ms(wait), "{clock} {turn}");
        }
    }
}
