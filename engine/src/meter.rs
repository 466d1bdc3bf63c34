//! The meter of one verification: what goes over it ends in an error, never in a verdict.

use std::time::Duration;

use crate::limits;

/// Which limit a verification went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitExceeded {
    /// [`limits::BASE_STEPS`] and what the sizes add to it.
    #[error("the check takes more steps than a schema and an output of this size may take")]
    Steps,
    /// [`limits::MAX_EVALUATION_DEPTH`].
    #[error("schemas are applied inside one another too deeply, or refer to one another in a circle")]
    Depth,
    /// [`limits::MAX_PATTERN_TIME`] and what the size adds to it.
    #[error("a pattern takes too long on a string of the output")]
    PatternTime,
}

/// What a verification may still use.
#[derive(Debug)]
pub struct Meter {
    steps: u64,
    pattern_time: Duration,
}

impl Meter {
    /// A meter for an output of that many nodes with that many bytes of text, and a schema of that many subschemas.
    pub fn for_sizes(output_nodes: usize, output_bytes: usize, subschemas: usize) -> Meter {
        let bytes = u32::try_from(output_bytes).unwrap_or(u32::MAX);
        Meter {
            steps: limits::BASE_STEPS
                + limits::STEPS_PER_OUTPUT_NODE * output_nodes as u64
                + limits::STEPS_PER_OUTPUT_BYTE * output_bytes as u64
                + limits::STEPS_PER_SUBSCHEMA * subschemas as u64,
            pattern_time: limits::MAX_PATTERN_TIME + limits::PATTERN_TIME_PER_BYTE * bytes,
        }
    }

    /// Uses steps; one step is some tens of nanoseconds of work.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn charge(&mut self, steps: u64) -> Result<(), LimitExceeded> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => {
                self.steps = 0;
                Err(LimitExceeded::Steps)
            }
        }
    }

    /// The wall time that patterns may still take.
    pub(crate) fn pattern_time(&self) -> Duration {
        self.pattern_time
    }

    /// Uses wall time of a pattern.
    pub(crate) fn charge_pattern_time(&mut self, time: Duration) {
        self.pattern_time = self.pattern_time.saturating_sub(time);
    }
}
