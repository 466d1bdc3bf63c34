//! The inputs: files and standard input, compressed or not, one record a line or one JSON document.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

/// Where records come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// How records stand in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One record a line (`.ndjson`, `.jsonl`, standard input).
    Lines,
    /// One record, or an array of them, laid out in any way (`.json`).
    Document,
}

/// Bytes read at once.
const READ_BUFFER_BYTES: usize = 256 * 1024;

/// Memory that a zstd frame may ask for, as a power of two: what the zstd tool allows without a flag.
const MAX_ZSTD_WINDOW_LOG: u32 = 27;

impl Input {
    /// The input that a command line names; `-` is standard input.
    pub fn from_argument(argument: &Path) -> Input {
        if argument.as_os_str() == "-" {
            Input::Stdin
        } else {
            Input::File(argument.to_owned())
        }
    }

    /// What people call it.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) => path.display().to_string(),
            Input::Stdin => "standard input".to_owned(),
        }
    }

    /// How its records stand, by its name less an ending that tells of compression.
    pub fn layout(&self) -> Layout {
        let Input::File(path) = self else {
            return Layout::Lines;
        };
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().to_lowercase())
            .unwrap_or_default();
        let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
        if name.ends_with(".json") {
            Layout::Document
        } else {
            Layout::Lines
        }
    }

    /// Its size in bytes as stored, when that is known.
    pub fn size(&self) -> Option<u64> {
        match self {
            Input::File(path) => std::fs::metadata(path)
                .ok()
                .filter(|meta| meta.is_file())
                .map(|meta| meta.len()),
            Input::Stdin => None,
        }
    }

    /// Opens it; compression is told by the first bytes, and `bytes_read` counts the bytes as stored.
    pub(crate) fn open(&self, bytes_read: Arc<AtomicU64>) -> io::Result<Box<dyn Read + Send>> {
        let raw: Box<dyn Read + Send> = match self {
            Input::File(path) => Box::new(File::open(path)?),
            Input::Stdin => Box::new(io::stdin()),
        };
        let mut counted = BufReader::with_capacity(
            READ_BUFFER_BYTES,
            Counted {
                inner: raw,
                bytes_read,
            },
        );
        let start = counted.fill_buf()?;
        const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
        const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
        if start.starts_with(&GZIP_MAGIC) {
            Ok(Box::new(MultiGzDecoder::new(counted)))
        } else if start.starts_with(&ZSTD_MAGIC) {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(counted)?;
            decoder.window_log_max(MAX_ZSTD_WINDOW_LOG)?;
            Ok(Box::new(decoder))
        } else {
            Ok(Box::new(counted))
        }
    }
}

struct Counted<R> {
    inner: R,
    bytes_read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes_read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
