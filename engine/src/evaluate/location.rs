//! Where in the instance the walker is: a list on the call stack, written out only for a violation.

use crate::json::Value;
use crate::text::{push_index, push_member};

/// One step from the root of the instance, and those before it.
#[derive(Clone, Copy)]
pub(super) enum Location<'l> {
    Root,
    Member {
        parent: &'l Location<'l>,
        name: Value<'l>,
    },
    Element {
        parent: &'l Location<'l>,
        index: usize,
    },
}

impl Location<'_> {
    /// The path as texts name it: `line_items[0].qty`, `$` for the root.
    pub(super) fn field(&self) -> String {
        let mut path = String::new();
        self.write(&mut path);
        if path.is_empty() {
            path.push('$');
        }
        path
    }

    fn write(&self, path: &mut String) {
        match self {
            Location::Root => {}
            Location::Member { parent, name } => {
                parent.write(path);
                push_member(path, name.as_str().unwrap_or_default());
            }
            Location::Element { parent, index } => {
                parent.write(path);
                push_index(path, *index);
            }
        }
    }
}
