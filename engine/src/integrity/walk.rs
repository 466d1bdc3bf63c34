//! The walk along a path: every place of the output that it leads to, and every place where it breaks off.

use smallvec::SmallVec;

use super::path::Step;
use crate::json::{Elements, Value};
use crate::meter::{LimitExceeded, Meter};
use crate::text::{push_index, push_member, quote_str};

/// Which element of each array on the way was stepped into.
pub(super) type Indices = SmallVec<[u32; 4]>;

/// A place that a walk came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached<'d> {
    /// How many steps of the path lead there.
    pub(super) depth: usize,
    /// What is there.
    pub(super) what: What<'d>,
}

/// What is at a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum What<'d> {
    /// The end of the path and a value other than null.
    Value(Value<'d>),
    /// Nothing: the object lacks the key.
    Absent,
    /// Null, at the end of the path or before it.
    Null,
    /// Something that the next step cannot go into: no object for a key, no array for `[]`.
    Obstacle(Value<'d>),
}

/// An array whose elements are being visited.
#[derive(Debug)]
struct Open<'d> {
    elements: Elements<'d>,
    /// Elements visited so far.
    visited: u32,
    /// The step after the `[]`.
    step: usize,
}

/// A walk along some steps of a path, in document order. It keeps its own stack, so depth costs no call stack.
#[derive(Debug)]
pub(super) struct Walk<'p, 'd> {
    /// The whole path.
    steps: &'p [Step],
    first: usize,
    end: usize,
    start: Option<Value<'d>>,
    /// The indices on the way to the start.
    outer: Indices,
    open: SmallVec<[Open<'d>; 4]>,
}

impl<'p, 'd> Walk<'p, 'd> {
    /// A walk along the whole path.
    pub(super) fn new(steps: &'p [Step], root: Value<'d>) -> Walk<'p, 'd> {
        Walk::between(steps, 0..steps.len(), root, Indices::new())
    }

    /// A walk along the steps of `range`, from `start`, which the steps before them reach by `outer`.
    pub(super) fn between(
        steps: &'p [Step],
        range: std::ops::Range<usize>,
        start: Value<'d>,
        outer: Indices,
    ) -> Walk<'p, 'd> {
        Walk {
            steps,
            first: range.start,
            end: range.end,
            start: Some(start),
            outer,
            open: SmallVec::new(),
        }
    }

    /// The next place.
    ///
    /// # Errors
    /// When the meter allows no further step.
    pub(super) fn next(&mut self, meter: &mut Meter) -> Result<Option<Reached<'d>>, LimitExceeded> {
        /// Passing over this many members takes about as long as one step of the meter.
        const MEMBERS_PER_STEP: usize = 8;
        loop {
            let (mut value, mut depth) = match self.start.take() {
                Some(start) => (start, self.first),
                None => {
                    let Some(innermost) = self.open.last_mut() else {
                        return Ok(None);
                    };
                    let Some(element) = innermost.elements.next() else {
                        self.open.pop();
                        continue;
                    };
                    innermost.visited += 1;
                    (element, innermost.step)
                }
            };
            meter.charge(1)?;
            loop {
                if value.is_null() {
                    let what = What::Null;
                    return Ok(Some(Reached { depth, what }));
                }
                if depth == self.end {
                    let what = What::Value(value);
                    return Ok(Some(Reached { depth, what }));
                }
                match &self.steps[depth] {
                    Step::Key { name, hash } => {
                        let Some(members) = value.as_object() else {
                            let what = What::Obstacle(value);
                            return Ok(Some(Reached { depth, what }));
                        };
                        meter.charge(1 + (members.len() / MEMBERS_PER_STEP) as u64)?;
                        depth += 1;
                        match value.get_hashed(*hash, name.as_bytes()) {
                            Some(member) => value = member,
                            None => {
                                let what = What::Absent;
                                return Ok(Some(Reached { depth, what }));
                            }
                        }
                    }
                    Step::Each => {
                        let Some(elements) = value.as_array() else {
                            let what = What::Obstacle(value);
                            return Ok(Some(Reached { depth, what }));
                        };
                        self.open.push(Open {
                            elements,
                            visited: 0,
                            step: depth + 1,
                        });
                        break;
                    }
                }
            }
        }
    }

    /// Whether the last place was come to without stepping through an array: what is there, or is not, is all that the
    /// walk leads to.
    pub(super) fn is_single(&self) -> bool {
        self.open.is_empty()
    }

    /// The indices of the last place.
    pub(super) fn indices(&self) -> Indices {
        let own = self.open.iter().map(|open| open.visited.saturating_sub(1));
        self.outer.iter().copied().chain(own).collect()
    }

    /// The last place as a concrete path: `line_items[2].qty`.
    pub(super) fn place(&self, reached: Reached<'_>) -> String {
        concrete_path(&self.steps[..reached.depth], &self.indices())
    }

    /// What the path needs at a place in order to go on: `None` at its end.
    pub(super) fn shape(&self, depth: usize) -> Option<String> {
        match self.steps.get(depth)? {
            Step::Each => Some("an array".to_owned()),
            Step::Key { name, .. } => Some(format!("an object with {}", quote_str(name))),
        }
    }
}

/// Writes steps with the elements that were stepped into, and `[]` for arrays past these; `$` when there are no steps.
pub(super) fn concrete_path(steps: &[Step], indices: &[u32]) -> String {
    let mut text = String::new();
    let mut indices = indices.iter();
    for step in steps {
        match step {
            Step::Key { name, .. } => push_member(&mut text, name),
            Step::Each => match indices.next() {
                Some(index) => push_index(&mut text, *index as usize),
                None => text.push_str("[]"),
            },
        }
    }
    if text.is_empty() {
        text.push('$');
    }
    text
}
