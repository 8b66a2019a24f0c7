//! The receiver: from the source's connection into a bounded queue.

use std::sync::Arc;
use std::time::Duration;

use binlog::EventType;
use binlog::decode::Event;
use replication::replica::{Dump, Groups, Payload, Position, SourceError, SourceEvent, Step, is_between};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::is_before;
use crate::session::Shared;

/// Bytes of events that wait to be applied; a larger event waits alone.
const QUEUE_SIZE: u32 = 64 << 20;

/// Bytes that an event takes beside its own as it waits, about: what a worker is told, with a position and its file's name.
const TASK_SIZE: usize = 256;

/// Room in the queue: whatever waits because of an event has the event's.
pub(super) type Room = OwnedSemaphorePermit;

/// An event, and the room that it takes in the queue.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) event: SourceEvent,
    pub(super) room: Room,
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
    let replica = &shared.common.replica;
    let groups = Groups::new(replica.reached());
    let room = Arc::new(Semaphore::new(QUEUE_SIZE as usize));
    let mut intake = Intake { shared: Arc::clone(&shared), queue, room, groups };
    replica.state.lock().queued.at_hand = None;
    // Of what the source waits to hear that it is durable here, the last; and what it was told.
    let (mut asked, mut told): (Option<Position>, _) = (None, replica.reached());
    loop {
        if let Some(end) = &asked {
            let reached = replica.reached();
            let is_there = !is_before(&reached, end);
            // Who waits for less than the last is told at once: there may always be another one.
            if is_there || reached != told {
                if let Err(error) = dump.acknowledge(&reached.file, reached.position, patience).await {
                    return error;
                }
                told = reached;
            }
            if is_there {
                asked = None;
            }
        }
        let received = tokio::select! {
            biased;
            () = replica.progress.notified(), if asked.is_some() => continue,
            received = dump.next(patience) => received,
        };
        let (event, asks) = match received {
            Ok(received) => received,
            Err(error) => return error,
        };
        if let Err(error) = note(&shared, &event) {
            return error;
        }
        if asks {
            asked = Some(replica.state.lock().read.clone());
        }
        if let Err(error) = intake.take(event).await {
            return error;
        }
    }
}

/// Where what is received goes.
struct Intake {
    shared: Arc<Shared>,
    queue: mpsc::UnboundedSender<Received>,
    room: Arc<Semaphore>,
    /// Knows where transactions begin and end.
    groups: Groups,
}

impl Intake {
    /// Puts an event, or the events of a compressed transaction, into the queue.
    async fn take(&mut self, event: SourceEvent) -> Result<(), SourceError> {
        if event.header.event_type != EventType::TRANSACTION_PAYLOAD {
            return self.put(event).await;
        }
        let mut payload = Payload::open(event)?;
        while let Some(event) = payload.take()? {
            self.put(event).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Puts an event into the queue when there is room.
    async fn put(&mut self, event: SourceEvent) -> Result<(), SourceError> {
        let size = u32::try_from(event.size() + TASK_SIZE).unwrap_or(QUEUE_SIZE).min(QUEUE_SIZE);
        // What is wrong with an event, the applier finds and says.
        let step = self.groups.take(&event).unwrap_or(Step::Nothing);
        if let Step::Begin(head) = &step {
            let mut state = self.shared.common.replica.state.lock();
            state.queued.begin(head);
            state.received_at_s = head.timestamp;
        }
        let taken = Arc::clone(&self.room).acquire_many_owned(size).await;
        let taken = taken.map_err(|_| SourceError::Lost("the queue is closed".to_owned()))?;
        let sent = self.queue.send(Received { event, room: taken });
        sent.map_err(|_| SourceError::Lost("nobody applies what is received".to_owned()))?;
        match step {
            Step::End(..) | Step::Statement(_) => self.shared.common.replica.state.lock().queued.end(),
            Step::File(_) => self.shared.common.replica.state.lock().queued.at_hand = None,
            _ => {}
        }
        Ok(())
    }
}

/// Notes how far the source was read.
fn note(shared: &Shared, event: &SourceEvent) -> Result<(), SourceError> {
    let mut state = shared.common.replica.state.lock();
    let header = &event.header;
    match header.event_type {
        EventType::ROTATE => {
            if let Event::Rotate(rotate) = event.event()? {
                let file = String::from_utf8_lossy(rotate.file).into_owned();
                (state.read.file, state.read.position) = (file, rotate.position);
            }
        }
        EventType::GTID => {
            if let Event::Gtid(gtid) = event.event()?
                && let Some(gtid) = gtid.gtid
            {
                state.retrieved.add(gtid);
            }
        }
        EventType::HEARTBEAT => {
            state.heartbeats += 1;
            state.heartbeat_us = crate::clock::unix_us();
        }
        _ => {}
    }
    match header.event_type {
        EventType::ROTATE => {}
        _ if is_between(header) => {
            state.read.pass_between(header);
        }
        _ => state.read.pass(header),
    }
    Ok(())
}
