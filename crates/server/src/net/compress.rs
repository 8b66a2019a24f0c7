//! The compressed protocol: between packets and the stream, bytes go in frames that zlib may have compressed.
//!
//! ```text
//! offset size
//!      0    3  length of the payload as it is sent
//!      3    1  sequence number of the frame, apart from those of packets: a reply goes on behind the command's
//!      4    3  length of the payload without compression; 0 if it is not compressed
//!      7    n  payload: packets, or parts of them
//! ```
//! All integers are little-endian. Both sides have said at the login that they can do this; it begins behind the login's OK
//! packet. Above TLS, if there is TLS.
//!
//! **Bounds:** a frame has less than 16 MiB on either side of zlib; a connection holds one each way, and gives memory back
//! that a large one has taken. zlib takes milliseconds for [`FRAME_MAX`] bytes: after each such frame others may run. A frame
//! without a payload is an error, as one that lies about its lengths: the connection ends.

use std::fmt::Debug;
use std::io::{self, ErrorKind, Read, Write};
use std::task::{Context, Poll, ready};

use flate2::Compression as Level;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use parking_lot::Mutex;

const HEADER_SIZE: usize = 7;

/// What is shorter is not worth it: MySQL's limit.
const WORTH_IT: usize = 50;

/// Bytes that one frame takes of what is written.
const FRAME_MAX: usize = 64 << 10;

/// Bytes that are read at a time, and what each buffer keeps of its memory between frames.
const READ_SIZE: usize = 16 << 10;

/// See the module. One for both halves of a stream.
#[derive(Debug)]
pub(super) struct Compression {
    inbound: Mutex<Inbound>,
    outbound: Mutex<Outbound>,
}

#[derive(Debug, Default)]
struct Inbound {
    /// Bytes that were read: at most a frame, and what came along with its end. Those of frames before have been opened.
    raw: Vec<u8>,
    opened: usize,
    /// The payload of the last frame, and how much of it was given.
    plain: Vec<u8>,
    given: usize,
    /// Its number.
    sequence: u8,
}

#[derive(Debug, Default)]
struct Outbound {
    frame: Vec<u8>,
    /// How much of the frame is on its way.
    sent: usize,
    sequence: u8,
    /// zlib has worked since others could run.
    worked: bool,
}

impl Compression {
    /// `early` was read behind the client's login already.
    pub(super) fn new(early: Vec<u8>) -> Self {
        let inbound = Inbound { raw: early, ..Inbound::default() };
        Self { inbound: Mutex::new(inbound), outbound: Mutex::default() }
    }

    /// Reads what was sent; 0 bytes at the end of the stream, which `read` reads.
    pub(super) fn poll_read(
        &self,
        context: &mut Context<'_>,
        out: &mut [u8],
        mut read: impl FnMut(&mut Context<'_>, &mut [u8]) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let mut inbound = self.inbound.lock();
        loop {
            if inbound.given < inbound.plain.len() {
                return Poll::Ready(Ok(inbound.give(out)));
            }
            if inbound.open()? {
                continue;
            }
            inbound.forget();
            let size = inbound.raw.len();
            inbound.raw.resize(size + READ_SIZE, 0);
            let polled = read(context, &mut inbound.raw[size..]);
            let count = if let Poll::Ready(Ok(count)) = &polled { *count } else { 0 };
            inbound.raw.truncate(size + count);
            if ready!(polled)? == 0 {
                return Poll::Ready(Ok(0));
            }
        }
    }

    /// The next frame that is written answers what was read last.
    pub(super) fn answer(&self) {
        self.number(self.inbound.lock().sequence.wrapping_add(1));
    }

    /// Says which number the next frame that is written has.
    pub(super) fn number(&self, sequence: u8) {
        self.outbound.lock().sequence = sequence;
    }

    /// Bytes that are there of a frame whose rest is not.
    pub(super) fn frame_size(&self) -> usize {
        let inbound = self.inbound.lock();
        if inbound.frame().is_some() { 0 } else { inbound.raw.len() - inbound.opened }
    }

    /// Whether there is something to read without the stream.
    pub(super) fn is_readable(&self) -> bool {
        let inbound = self.inbound.lock();
        inbound.given < inbound.plain.len() || inbound.frame().is_some()
    }

    /// Compresses and sends. What it has taken is on its way when [`Self::poll_flush`] says so.
    pub(super) fn poll_write(
        &self,
        context: &mut Context<'_>,
        bytes: &[u8],
        mut write: impl FnMut(&mut Context<'_>, &[u8]) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let mut outbound = self.outbound.lock();
        ready!(outbound.flush(context, &mut write))?;
        if std::mem::take(&mut outbound.worked) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let taken = &bytes[..bytes.len().min(FRAME_MAX)];
        outbound.close(taken)?;
        match outbound.flush(context, &mut write) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            _ => Poll::Ready(Ok(taken.len())),
        }
    }

    /// Sends what was compressed.
    pub(super) fn poll_flush(
        &self,
        context: &mut Context<'_>,
        mut write: impl FnMut(&mut Context<'_>, &[u8]) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<()>> {
        let mut outbound = self.outbound.lock();
        ready!(outbound.flush(context, &mut write))?;
        outbound.worked = false;
        Poll::Ready(Ok(()))
    }
}

impl Inbound {
    fn give(&mut self, out: &mut [u8]) -> usize {
        let rest = &self.plain[self.given..];
        let count = rest.len().min(out.len());
        out[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        if self.given == self.plain.len() {
            self.plain.clear();
            self.given = 0;
            self.plain.shrink_to(READ_SIZE);
        }
        count
    }

    /// Makes room: what was opened goes.
    fn forget(&mut self) {
        // A frame of which more comes keeps its room: it would be copied each time.
        if self.opened == 0 {
            return;
        }
        self.raw.drain(..self.opened);
        self.raw.shrink_to(READ_SIZE);
        self.opened = 0;
    }

    /// The sequence number of the frame that is there, the length of its payload without compression, and the payload.
    fn frame(&self) -> Option<(u8, usize, &[u8])> {
        let (header, rest) = self.raw[self.opened..].split_first_chunk::<HEADER_SIZE>()?;
        Some((header[3], u24(&header[4..]), rest.get(..u24(&header[..3]))?))
    }

    /// Takes the frame that is there apart. False if there is none.
    fn open(&mut self) -> io::Result<bool> {
        let mut plain = std::mem::take(&mut self.plain);
        let Some((sequence, size, payload)) = self.frame() else { return Ok(false) };
        let end = self.opened + HEADER_SIZE + payload.len();
        if size == 0 {
            plain.extend_from_slice(payload);
        } else {
            ZlibDecoder::new(payload).take(size as u64 + 1).read_to_end(&mut plain)?;
        }
        if plain.is_empty() || (size > 0 && plain.len() != size) {
            return Err(ErrorKind::InvalidData.into());
        }
        (self.plain, self.opened, self.sequence) = (plain, end, sequence);
        Ok(true)
    }
}

impl Outbound {
    /// Makes a frame of bytes.
    fn close(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.frame.clear();
        self.frame.shrink_to(READ_SIZE);
        self.sent = 0;
        self.frame.extend_from_slice(&[0; HEADER_SIZE]);
        let mut size = 0;
        if bytes.len() >= WORTH_IT {
            let mut encoder = ZlibEncoder::new(&mut self.frame, Level::default());
            encoder.write_all(bytes)?;
            encoder.finish()?;
            size = bytes.len();
            self.worked = size == FRAME_MAX;
        }
        if size == 0 || self.frame.len() - HEADER_SIZE >= size {
            self.frame.truncate(HEADER_SIZE);
            self.frame.extend_from_slice(bytes);
            size = 0;
        }
        let payload_size = self.frame.len() - HEADER_SIZE;
        self.frame[..3].copy_from_slice(&payload_size.to_le_bytes()[..3]);
        self.frame[3] = self.sequence;
        self.frame[4..HEADER_SIZE].copy_from_slice(&size.to_le_bytes()[..3]);
        self.sequence = self.sequence.wrapping_add(1);
        Ok(())
    }

    fn flush(
        &mut self,
        context: &mut Context<'_>,
        write: &mut impl FnMut(&mut Context<'_>, &[u8]) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<()>> {
        while self.sent < self.frame.len() {
            match ready!(write(context, &self.frame[self.sent..]))? {
                0 => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                count => self.sent += count,
            }
        }
        Poll::Ready(Ok(()))
    }
}

fn u24(bytes: &[u8]) -> usize {
    usize::from(bytes[0]) | usize::from(bytes[1]) << 8 | usize::from(bytes[2]) << 16
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    fn context() -> Context<'static> {
        Context::from_waker(Waker::noop())
    }

    /// Everything that a side writes of these bytes, to a stream that takes so many at a time.
    fn written(side: &Compression, bytes: &[u8], at_a_time: usize) -> Vec<u8> {
        let mut stream = Vec::new();
        let mut turn = 0;
        let mut write = |_: &mut Context<'_>, bytes: &[u8]| {
            turn += 1;
            if turn % 2 == 0 {
                return Poll::Pending;
            }
            let taken = &bytes[..bytes.len().min(at_a_time)];
            stream.extend_from_slice(taken);
            Poll::Ready(Ok(taken.len()))
        };
        let mut sent = 0;
        while sent < bytes.len() {
            if let Poll::Ready(count) = side.poll_write(&mut context(), &bytes[sent..], &mut write) {
                sent += count.unwrap();
            }
        }
        while side.poll_flush(&mut context(), &mut write).is_pending() {}
        stream
    }

    /// Everything that a side reads of a stream that gives so many bytes at a time.
    fn read(side: &Compression, stream: &[u8], at_a_time: usize) -> io::Result<Vec<u8>> {
        let (mut rest, mut plain, mut buf) = (stream, Vec::new(), [0; 1000]);
        loop {
            let polled = side.poll_read(&mut context(), &mut buf, |_, out| {
                let count = rest.len().min(at_a_time).min(out.len());
                out[..count].copy_from_slice(&rest[..count]);
                rest = &rest[count..];
                Poll::Ready(Ok(count))
            });
            match polled {
                Poll::Ready(Ok(0)) => return Ok(plain),
                Poll::Ready(Ok(count)) => plain.extend_from_slice(&buf[..count]),
                Poll::Ready(Err(error)) => return Err(error),
                Poll::Pending => unreachable!("the stream has something"),
            }
        }
    }

    #[test]
    fn what_is_written_is_read_whatever_the_pieces() {
        let noise: Vec<u8> =
            (0..3_000_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[2]).collect();
        let long = vec![7; 5_000_000];
        for bytes in [&b""[..], b"x", &[7; 49], &[7; 50], &long, &noise] {
            for at_a_time in [1000, 7, 1 << 20] {
                let stream = written(&Compression::new(Vec::new()), bytes, at_a_time);
                assert_eq!(read(&Compression::new(Vec::new()), &stream, at_a_time).unwrap(), bytes);
            }
        }
    }

    #[test]
    fn a_frame_is_these_bytes() {
        let side = Compression::new(Vec::new());
        assert_eq!(written(&side, b"abc", 100), b"\x03\0\0\0\0\0\0abc", "too short for zlib");
        let stream = written(&side, &[7; 200], 100);
        assert_eq!((stream[3], &stream[4..7]), (1, &[200, 0, 0][..]), "the next number, and the length");
        assert_eq!(usize::from(stream[0]), stream.len() - 7);
        // A reply goes on where the command was; what else is read changes nothing.
        read(&side, b"\x01\0\0\x08\0\0\0x", 100).unwrap();
        assert_eq!(written(&side, b"y", 100)[3], 2);
        side.answer();
        assert_eq!(written(&side, b"y", 100)[3], 9);
    }

    #[test]
    fn a_frame_that_comes_in_pieces_is_not_copied_for_each() {
        let mut frame = 300_000_u32.to_le_bytes()[..3].to_vec();
        frame.resize(HEADER_SIZE, 0);
        frame.resize(300_000, 7);
        let side = Compression::new(Vec::new());
        let (mut room, mut moves) = (0, 0);
        for piece in frame.chunks(100) {
            let mut piece = Some(piece);
            let polled = side.poll_read(&mut context(), &mut [0; 50], |_, out| {
                let Some(piece) = piece.take() else { return Poll::Pending };
                out[..piece.len()].copy_from_slice(piece);
                Poll::Ready(Ok(piece.len()))
            });
            assert!(polled.is_pending(), "seven bytes are missing");
            let capacity = side.inbound.lock().raw.capacity();
            moves += usize::from(capacity != room);
            room = capacity;
        }
        assert!(moves < 20, "its memory moved {moves} times");
        assert_eq!(side.frame_size(), frame.len());
    }

    #[test]
    fn frames_that_lie_are_errors() {
        let mut stream = written(&Compression::new(Vec::new()), &[7; 200], 1000);
        for size in [199, 201, 1] {
            stream[4] = size;
            assert!(read(&Compression::new(Vec::new()), &stream, 1000).is_err(), "{size}");
        }
        assert!(read(&Compression::new(Vec::new()), b"\x03\0\0\0\x05\0\0abc", 1000).is_err(), "no zlib");
        assert!(read(&Compression::new(Vec::new()), &[0; 14], 1000).is_err(), "nothing in it");
        assert!(read(&Compression::new(Vec::new()), &stream[..20], 1000).unwrap().is_empty(), "cut off");
    }

    #[test]
    fn others_may_run_between_frames_that_cost() {
        let side = Compression::new(Vec::new());
        let mut write = |_: &mut Context<'_>, bytes: &[u8]| Poll::Ready(Ok(bytes.len()));
        let bytes = vec![7; 3 * FRAME_MAX];
        for frame in 0..3 {
            let taken = side.poll_write(&mut context(), &bytes[frame * FRAME_MAX..], &mut write);
            assert!(matches!(taken, Poll::Ready(Ok(FRAME_MAX))), "frame {frame}");
            if frame < 2 {
                assert!(side.poll_write(&mut context(), &bytes, &mut write).is_pending());
            }
        }
        assert!(side.poll_flush(&mut context(), &mut write).is_ready());
        assert!(side.poll_write(&mut context(), b"the next reply", &mut write).is_ready());
    }

    #[test]
    fn many_frames_may_come_at_once() {
        let frames = b"\x01\0\0\0\0\0\0x".repeat(100_000);
        assert_eq!(read(&Compression::new(Vec::new()), &frames, 1 << 20).unwrap(), vec![b'x'; 100_000]);
    }

    #[test]
    fn what_came_early_is_read_first() {
        let side = Compression::new(b"\x01\0\0\0\0\0\0x\x01\0".to_vec());
        assert!(side.is_readable());
        assert_eq!(read(&side, b"\0\x01\0\0\0y", 1).unwrap(), b"xy");
        assert!(!side.is_readable());
    }
}
