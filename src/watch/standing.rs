//! What a long-running command says of itself.

use serde::Serialize;

/// How it stands. A stall is lag without progress; no lag is idleness, which is well.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Standing {
    /// In a word.
    pub(crate) status: Status,
    /// Why it is not well, if it isn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Seconds since something was last done.
    pub(crate) seconds_without_progress: u64,
    /// Records that wait, as far as is known.
    pub(crate) lag: u64,
}

/// A standing in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// Not connected yet.
    Starting,
    /// There is work, and it goes on.
    Working,
    /// There is nothing to do.
    Idle,
    /// What it writes to refuses or is away; it waits for it and loses nothing.
    Held,
    /// There is work, and none is done.
    Stalled,
    /// It drains and ends.
    Ending,
}

impl Status {
    /// Whether it lives; a supervisor starts it anew when it doesn't.
    pub(crate) fn is_healthy(self) -> bool {
        self != Status::Stalled
    }

    /// Whether it does what it is there for.
    pub(crate) fn is_ready(self) -> bool {
        matches!(self, Status::Working | Status::Idle)
    }
}
