//! A way to ClickHouse on which things go wrong, as a test tells: a proxy that forwards one request a connection.

use std::io::{Read, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::database::clickhouse_url;

/// What goes wrong.
#[derive(Clone, Debug, Default)]
pub(crate) enum Fault {
    /// Nothing.
    #[default]
    None,
    /// Every connection is closed at once.
    Closed,
    /// Nothing is ever answered.
    Silent,
    /// Inserts are answered with this status and text and go nowhere.
    Answer(u16, &'static str),
    /// Inserts are carried out, and their answers cut off.
    AnswerLost,
    /// Connections are cut after so many bytes of an insert.
    RequestCut(usize),
    /// Inserts are answered after a while.
    Slow(Duration),
}

/// The way.
pub(crate) struct FaultyWay {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    fault: Fault,
    /// How often it still goes wrong.
    times: usize,
}

impl FaultyWay {
    pub(crate) fn new() -> FaultyWay {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // Whatever breaks on the way is what the test is about.
                std::thread::spawn(move || drop(forward(stream, &state)));
            }
        });
        FaultyWay { url, state }
    }

    /// From now on this goes wrong, so many times.
    pub(crate) fn set(&self, fault: Fault, times: usize) {
        let mut state = self.state.lock().unwrap();
        state.fault = fault;
        state.times = times;
    }
}

fn forward(mut client: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let (head, body, is_insert) = {
        let head = read_head(&mut client)?;
        let is_insert = head.contains("INSERT+INTO") || head.contains("INSERT%20INTO");
        if let Fault::Closed = next(state, is_insert) {
            return client.shutdown(Shutdown::Both);
        }
        let cut = match peek(state, is_insert) {
            Fault::RequestCut(bytes) => Some(bytes),
            _ => None,
        };
        let Some(body) = read_body(&head, &mut client, cut)? else {
            next(state, is_insert);
            return client.shutdown(Shutdown::Both);
        };
        (head, body, is_insert)
    };
    let fault = match peek(state, is_insert) {
        Fault::Closed | Fault::RequestCut(_) => Fault::None,
        _ => next_taken(state, is_insert),
    };
    match fault {
        Fault::Silent => std::thread::sleep(Duration::from_secs(600)),
        Fault::Answer(status, text) => {
            let answer = format!(
                "HTTP/1.1 {status} Fault\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
                text.len()
            );
            return client.write_all(answer.as_bytes());
        }
        Fault::Slow(wait) => std::thread::sleep(wait),
        _ => {}
    }
    let url = clickhouse_url();
    let host = url
        .strip_prefix("http://")
        .unwrap_or(&url)
        .trim_end_matches('/')
        .to_owned();
    let mut server = TcpStream::connect(&host)?;
    let (first, rest) = head.split_once("\r\n").unwrap_or((&head, ""));
    let kept = rest.lines().filter(|line| {
        let line = line.to_ascii_lowercase();
        !["host:", "connection:", "transfer-encoding:", "content-length:"]
            .iter()
            .any(|name| line.starts_with(name))
    });
    let mut request = format!(
        "{first}\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for line in kept.filter(|line| !line.is_empty()) {
        request.push_str(line);
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    server.write_all(request.as_bytes())?;
    server.write_all(&body)?;
    let mut answer = Vec::new();
    read_answer(&mut server, &mut answer)?;
    if matches!(fault, Fault::AnswerLost) {
        return client.shutdown(Shutdown::Both);
    }
    client.write_all(&answer)?;
    client.shutdown(Shutdown::Both)
}

fn read_answer(server: &mut TcpStream, answer: &mut Vec<u8>) -> std::io::Result<()> {
    server.set_read_timeout(Some(Duration::from_secs(120)))?;
    let head = read_head(server)?;
    let body = read_body(&head, server, None)?.unwrap_or_default();
    let kept = head.split("\r\n").filter(|line| {
        let line = line.to_ascii_lowercase();
        !line.is_empty()
            && !["connection:", "transfer-encoding:", "content-length:"]
                .iter()
                .any(|name| line.starts_with(name))
    });
    for line in kept {
        answer.extend_from_slice(line.as_bytes());
        answer.extend_from_slice(b"\r\n");
    }
    answer
        .extend_from_slice(format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len()).as_bytes());
    answer.extend_from_slice(&body);
    Ok(())
}

/// The fault that a request meets, without counting it.
fn peek(state: &Mutex<State>, is_insert: bool) -> Fault {
    let state = state.lock().unwrap();
    let is_for_all = matches!(state.fault, Fault::Closed | Fault::Silent);
    if state.times > 0 && (is_insert || is_for_all) {
        state.fault.clone()
    } else {
        Fault::None
    }
}

/// Counts a request that is cut or closed.
fn next(state: &Mutex<State>, is_insert: bool) -> Fault {
    let fault = peek(state, is_insert);
    if matches!(fault, Fault::Closed | Fault::RequestCut(_)) {
        state.lock().unwrap().times -= 1;
    }
    fault
}

/// Counts a whole request.
fn next_taken(state: &Mutex<State>, is_insert: bool) -> Fault {
    let fault = peek(state, is_insert);
    let mut state = state.lock().unwrap();
    if !matches!(fault, Fault::None) {
        state.times -= 1;
    }
    fault
}

fn read_head(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// The body; none when it was cut on the way.
fn read_body(head: &str, stream: &mut TcpStream, cut: Option<usize>) -> std::io::Result<Option<Vec<u8>>> {
    let header = |name: &str| {
        head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name)
                .then(|| value.trim().to_ascii_lowercase())
        })
    };
    let mut body = Vec::new();
    if header("transfer-encoding").as_deref() == Some("chunked") {
        loop {
            let mut line = Vec::new();
            let mut byte = [0];
            while !line.ends_with(b"\r\n") {
                stream.read_exact(&mut byte)?;
                line.push(byte[0]);
            }
            let text = String::from_utf8_lossy(&line);
            let len = usize::from_str_radix(text.trim(), 16).unwrap_or(0);
            let mut chunk = vec![0; len + 2];
            stream.read_exact(&mut chunk)?;
            body.extend_from_slice(&chunk[..len]);
            if cut.is_some_and(|cut| body.len() >= cut) {
                return Ok(None);
            }
            if len == 0 {
                return Ok(Some(body));
            }
        }
    }
    match header("content-length").and_then(|len| len.parse().ok()) {
        Some(len) => {
            body.resize(len, 0);
            stream.read_exact(&mut body)?;
        }
        None if head.starts_with("HTTP/") => {
            stream.read_to_end(&mut body)?;
        }
        None => {}
    }
    Ok(Some(body))
}
