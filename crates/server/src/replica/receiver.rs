//! The receiver: from the source's connection into a bounded queue.

use std::sync::Arc;
use std::time::Duration;

use binlog::decode::Event;
use replication::replica::{Dump, SourceError, SourceEvent};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::session::Shared;

/// Bytes of events that wait to be applied; a larger event waits alone.
const QUEUE_SIZE: u32 = 64 << 20;

/// An event, and the room that it takes in the queue.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) event: SourceEvent,
    pub(super) _room: OwnedSemaphorePermit,
}

/// A queue of received events.
pub(super) type Queue = mpsc::UnboundedReceiver<Received>;

/// Receives until the connection ends, which is what it returns, or until nobody takes what is received.
pub(super) async fn receive(
    shared: Arc<Shared>,
    mut dump: Dump,
    queue: mpsc::UnboundedSender<Received>,
    patience: Duration,
) -> SourceError {
    let room = Arc::new(Semaphore::new(QUEUE_SIZE as usize));
    loop {
        let event = match dump.next(patience).await {
            Ok(event) => event,
            Err(error) => return error,
        };
        if let Err(error) = note(&shared, &event) {
            return error;
        }
        let size = u32::try_from(event.size()).unwrap_or(QUEUE_SIZE).min(QUEUE_SIZE);
        let taken = Arc::clone(&room).acquire_many_owned(size).await;
        let Ok(taken) = taken else { return SourceError::Lost("the queue is closed".to_owned()) };
        if queue.send(Received { event, _room: taken }).is_err() {
            return SourceError::Lost("nobody applies what is received".to_owned());
        }
    }
}

/// Notes how far the source was read.
fn note(shared: &Shared, event: &SourceEvent) -> Result<(), SourceError> {
    let mut state = shared.common.replica.state.lock();
    let header = &event.header;
    match header.event_type {
        binlog::EventType::ROTATE => {
            if let Event::Rotate(rotate) = event.event()? {
                let file = String::from_utf8_lossy(rotate.file).into_owned();
                (state.read.file, state.read.position) = (file, rotate.position);
            }
        }
        binlog::EventType::GTID => {
            if let Event::Gtid(gtid) = event.event()?
                && let Some(gtid) = gtid.gtid
            {
                state.retrieved.add(gtid);
            }
        }
        _ => {}
    }
    if header.end_log_pos > 0 && header.event_type != binlog::EventType::ROTATE {
        state.read.position = header.end_log_pos.into();
    }
    Ok(())
}
