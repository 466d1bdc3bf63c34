//! A bounded cache of compiled schemas, so that a batch with one schema compiles it once.
//!
//! The key is the schema as it was written, token by token: `1.0` and `1` are one canonical form, but may differ in
//! validity (draft-04) and in texts. Entries are found by a keyed hash and confirmed by comparison.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{CompileOptions, Schema, SchemaError};
use crate::json::Value;

/// Bytes that the compiled schemas of a cache may hold together.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// Compiled schemas by what was written.
pub struct SchemaCache {
    options: CompileOptions,
    hash_key: RandomState,
    max_entries: usize,
    entries: Mutex<Entries>,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Default)]
struct Entries {
    by_hash: HashMap<u64, Entry>,
    bytes: usize,
    clock: u64,
}

struct Entry {
    schema: Arc<Schema>,
    last_used: u64,
}

/// How a cache has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// Look-ups that found a compiled schema.
    pub hits: u64,
    /// Look-ups that had to compile.
    pub misses: u64,
    /// Schemas held now.
    pub entries: usize,
}

impl SchemaCache {
    /// A cache of at most that many schemas.
    pub fn new(max_entries: usize, options: CompileOptions) -> SchemaCache {
        SchemaCache {
            options,
            hash_key: RandomState::new(),
            max_entries: max_entries.max(1),
            entries: Mutex::default(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The compiled schema, compiled now if it is not held.
    ///
    /// # Errors
    /// As [`Schema::compile`]; a schema that cannot be used is not held.
    pub fn get(&self, schema: Value<'_>) -> Result<Arc<Schema>, SchemaError> {
        let hash = schema.token_hash(&self.hash_key);
        if let Some(found) = self.find(hash, schema) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(found);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        // Two threads may compile the same schema at once; the lock is not held over it.
        let compiled = Arc::new(Schema::compile(schema, &self.options)?);
        self.insert(hash, Arc::clone(&compiled));
        Ok(compiled)
    }

    /// How it has done so far.
    pub fn statistics(&self) -> CacheStatistics {
        CacheStatistics {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            entries: self.lock().by_hash.len(),
        }
    }

    fn find(&self, hash: u64, schema: Value<'_>) -> Option<Arc<Schema>> {
        let mut entries = self.lock();
        entries.clock += 1;
        let now = entries.clock;
        let entry = entries.by_hash.get_mut(&hash)?;
        if !entry.schema.source().same_tokens(schema) {
            return None;
        }
        entry.last_used = now;
        Some(Arc::clone(&entry.schema))
    }

    fn insert(&self, hash: u64, schema: Arc<Schema>) {
        let mut entries = self.lock();
        let bytes = schema.memory();
        if bytes > MAX_BYTES {
            return;
        }
        while entries.by_hash.len() >= self.max_entries || entries.bytes + bytes > MAX_BYTES {
            let oldest = entries
                .by_hash
                .iter()
                .min_by_key(|(_, entry)| entry.last_used)
                .map(|(hash, _)| *hash);
            let Some(entry) = oldest.and_then(|oldest| entries.by_hash.remove(&oldest)) else {
                break;
            };
            entries.bytes -= entry.schema.memory();
        }
        let last_used = entries.clock;
        entries.bytes += bytes;
        if let Some(replaced) = entries.by_hash.insert(hash, Entry { schema, last_used }) {
            entries.bytes -= replaced.schema.memory();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Entries> {
        // The entries are whole after every statement, so a panic elsewhere does not spoil them.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for SchemaCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SchemaCache")
            .field("statistics", &self.statistics())
            .finish_non_exhaustive()
    }
}

impl Value<'_> {
    /// A hash of the value as it was written, in the sense of [`Value::same_tokens`].
    fn token_hash(self, key: &RandomState) -> u64 {
        use std::hash::Hasher;
        let mut hasher = key.build_hasher();
        self.hash_tokens(&mut |bytes| hasher.write(bytes));
        hasher.finish()
    }
}
