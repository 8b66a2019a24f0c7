//! What the server counts, over HTTP, for Prometheus: `GET /metrics`, and nothing else.
//!
//! It asks for no password: it says how many, never what or whose. Off unless `onelog_metrics_address` says where.
//!
//! **Bounds:** [`CLIENTS_MAX`] at a time, the others wait to be accepted; each has [`PATIENCE`] for all of it, and [`REQUEST_MAX`]
//! bytes for what it asks.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

const CLIENTS_MAX: usize = 4;
const PATIENCE: Duration = Duration::from_secs(10);
const REQUEST_MAX: usize = 8 << 10;
/// How long nobody is accepted after an error of the operating system.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers for ever with what `text` says then.
pub async fn serve(listener: TcpListener, text: impl Fn() -> String + Send + Sync + 'static) {
    let (places, text) = (Arc::new(Semaphore::new(CLIENTS_MAX)), Arc::new(text));
    loop {
        let place = Arc::clone(&places).acquire_owned().await.expect("it is never closed");
        match listener.accept().await {
            Ok((stream, _)) => {
                let text = Arc::clone(&text);
                tokio::spawn(async move {
                    // A client that breaks off is its own business.
                    let _ = tokio::time::timeout(PATIENCE, answer(stream, &*text)).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::error!(%error, "could not accept a connection for metrics");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

async fn answer(mut stream: TcpStream, text: &(impl Fn() -> String + Sync)) -> io::Result<()> {
    let mut request = Vec::with_capacity(1 << 10);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if request.len() > REQUEST_MAX || stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ');
    let (method, target) = (words.next(), words.next().unwrap_or_default());
    let path = target.split(|byte| *byte == b'?').next();
    let (status, body) = match (method, path) {
        (Some(b"GET"), Some(b"/metrics")) => ("200 OK", text()),
        (Some(b"GET"), _) => ("404 Not Found", "what is counted is at /metrics\n".to_owned()),
        _ => ("405 Method Not Allowed", "GET is all there is\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole answer to these bytes.
    async fn asked(listener: &TcpListener, bytes: &[u8]) -> String {
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let answering =
            tokio::spawn(async move { answer(stream, &|| "onelog_commits 7\n".to_owned()).await });
        client.write_all(bytes).await.unwrap();
        client.shutdown().await.unwrap();
        let mut said = String::new();
        client.read_to_string(&mut said).await.unwrap();
        answering.await.unwrap().unwrap();
        said
    }

    #[tokio::test]
    async fn one_thing_is_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        for target in ["/metrics", "/metrics?name=x"] {
            let said = asked(&listener, format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await;
            assert!(said.starts_with("HTTP/1.1 200 OK\r\n"), "{said}");
            assert!(said.ends_with("\r\n\r\nonelog_commits 7\n") && said.contains("Content-Length: 17\r\n"));
        }
        assert!(asked(&listener, b"GET / HTTP/1.1\r\n\r\n").await.starts_with("HTTP/1.1 404 "));
        assert!(asked(&listener, b"POST /metrics HTTP/1.1\r\n\r\n").await.starts_with("HTTP/1.1 405 "));
        assert!(asked(&listener, b"\r\n\r\n").await.starts_with("HTTP/1.1 405 "));
        for broken in [&b""[..], b"GET /metrics HTTP/1.1\r\n", &[b'x'; REQUEST_MAX - 1]] {
            assert_eq!(asked(&listener, broken).await, "");
        }
    }
}
