//! JSON as this project reads and writes it: one strict reading, one value model, one canonical form.
//!
//! In the order of the data: [`Parser`] reads bytes into a [`Document`]; a [`Value`] walks it; numbers compare and
//! compute as exact decimals ([`Number`], [`Decimal`]); [`write_canonical`] writes RFC 8785.

mod canonical;
mod decimal;
mod equal;
mod exact;
mod number;
mod parser;
mod tape;

pub use canonical::{write_canonical, write_canonical_string};
pub use decimal::Decimal;
pub use equal::equal;
pub(crate) use equal::{ValueKey, structural_hash};
pub use exact::{SyntaxError, SyntaxErrorKind};
pub use number::Number;
pub use parser::{ParseLimits, Parser, parse_exact};
pub use tape::{Document, Elements, Kind, Member, Members, Value, View};
pub(crate) use tape::{HashFilter, Node, array_index, key_hash, unescape_token};
