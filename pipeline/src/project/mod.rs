//! The projector: from the receipts topic into ClickHouse, every receipt there once.
//!
//! What it promises:
//!
//! - **Nothing is lost.** An offset is committed when every record before it is acknowledged by the store, or as a dead
//!   letter. A store that is down, slow, full or wrongly set up is waited for, however long.
//! - **Nothing counts twice.** A record that is stored again, in whatever batch and on whatever day, changes nothing.
//! - **One bad record stops nothing.** It becomes a dead letter with its reason, and the others go on.
//! - **Memory is bounded** by three batches and the client's queues, whatever waits in the topic.
//!
//! In the order of the data: a `source` gives `record`s; a `batch` collects them; a `storer` makes them rows and
//! stores them, or `dead_letter`s; `positions` knows up to where all of it is done; `run` drives the stages, and a
//! `monitor` shows them.

mod settings;

mod source;

mod record;

mod batch;
mod positions;

mod backoff;
mod dead_letter;
mod storer;

mod monitor;

mod rebuild;
mod run;

pub use monitor::{Monitor, Notice, State};
pub use rebuild::{RebuildError, rebuild};
pub use run::{ProjectError, project};
pub use settings::ProjectSettings;
