//! The one value model: a document is a flat tape of nodes over an arena of text.
//!
//! A node is 16 bytes. A container is followed by its content (an object by key, value, key, value…) and knows where
//! its content ends, so that skipping a value is one addition. The tape borrows nothing, so its buffers are used again
//! for the next document and a part of it can be kept.

use super::number::Number;

/// One entry of a tape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    /// An integer that an `i64` holds.
    Integer(i64),
    /// An integer above `i64::MAX` that a `u64` holds.
    Unsigned(u64),
    /// Any other integer; its digits stand in the arena.
    BigInteger {
        start: u32,
        len: u32,
    },
    /// A number written with a fraction or an exponent.
    Float(f64),
    /// A string, or a key; `hash` is zero for a string and never for a key.
    String {
        hash: u32,
        start: u32,
        len: u32,
    },
    /// `len` elements; the next value after the array is at `end`.
    Array {
        len: u32,
        end: u32,
    },
    /// `len` members; the next value after the object is at `end`.
    Object {
        len: u32,
        end: u32,
    },
}

impl Node {
    /// The number of its variant, from 0 to 8.
    #[inline]
    pub(crate) fn variant(&self) -> u8 {
        match self {
            Node::Null => 0,
            Node::Bool(_) => 1,
            Node::Integer(_) => 2,
            Node::Unsigned(_) => 3,
            Node::BigInteger { .. } => 4,
            Node::Float(_) => 5,
            Node::String { .. } => 6,
            Node::Array { .. } => 7,
            Node::Object { .. } => 8,
        }
    }

    /// How many nodes the value at `at` whose first node it is has.
    #[inline]
    fn width(&self, at: u32) -> u32 {
        match self {
            Node::Array { end, .. } | Node::Object { end, .. } => *end - at,
            _ => 1,
        }
    }
}

/// A parsed JSON text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    pub(super) text: String,
    pub(super) nodes: Vec<Node>,
}

impl Document {
    /// An empty document, to be filled by a [`super::Parser`].
    pub fn new() -> Document {
        Document::default()
    }

    /// The root value. An unfilled document reads as null.
    pub fn root(&self) -> Value<'_> {
        Value {
            document: self,
            at: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.nodes.clear();
    }

    pub(super) fn push_text(&mut self, text: &str) -> (u32, u32) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        (start, text.len() as u32)
    }

    /// Puts the hash of each key into its node and finds the first object with two equal keys.
    ///
    /// Returns the index of the node of the second of the two keys.
    pub(super) fn index_keys(&mut self) -> Option<usize> {
        let mut order: Vec<u32> = Vec::new();
        for at in 0..self.nodes.len() {
            let Node::Object { len, end } = self.nodes[at] else {
                continue;
            };
            let mut key_at = at + 1;
            while key_at < end as usize {
                if let Node::String { start, len, .. } = self.nodes[key_at] {
                    let hash = key_hash(&self.text.as_bytes()[start as usize..(start + len) as usize]);
                    self.nodes[key_at] = Node::String { hash, start, len };
                }
                key_at = self.after(key_at + 1);
            }
            if len >= 2
                && let Some(second) = self.duplicate_key(at, end as usize, len as usize, &mut order)
            {
                return Some(second);
            }
        }
        None
    }

    fn duplicate_key(&self, object: usize, end: usize, len: usize, order: &mut Vec<u32>) -> Option<usize> {
        /// Up to this many members, comparing the hashes of all pairs is cheaper than sorting.
        const PAIRWISE_MEMBERS: usize = 12;
        if len <= PAIRWISE_MEMBERS {
            let mut hashes = [0u32; PAIRWISE_MEMBERS];
            let mut places = [0usize; PAIRWISE_MEMBERS];
            let mut seen = 0;
            let mut key_at = object + 1;
            while key_at < end {
                let hash = self.key_hash_at(key_at);
                for earlier in 0..seen {
                    if hashes[earlier] == hash && self.string_at(places[earlier]) == self.string_at(key_at) {
                        return Some(key_at);
                    }
                }
                hashes[seen] = hash;
                places[seen] = key_at;
                seen += 1;
                key_at = self.after(key_at + 1);
            }
            return None;
        }
        order.clear();
        let mut key_at = object + 1;
        while key_at < end {
            order.push(key_at as u32);
            key_at = self.after(key_at + 1);
        }
        order.sort_unstable_by(|a, b| {
            let (a, b) = (*a as usize, *b as usize);
            self.string_at(a)
                .as_bytes()
                .cmp(self.string_at(b).as_bytes())
                .then(a.cmp(&b))
        });
        order
            .windows(2)
            .filter(|pair| self.string_at(pair[0] as usize) == self.string_at(pair[1] as usize))
            .map(|pair| pair[1] as usize)
            .min()
    }

    #[inline]
    fn key_hash_at(&self, at: usize) -> u32 {
        match self.nodes[at] {
            Node::String { hash, .. } => hash,
            _ => 0,
        }
    }

    #[inline]
    fn bytes(&self, start: u32, len: u32) -> &[u8] {
        &self.text.as_bytes()[start as usize..(start + len) as usize]
    }

    #[inline]
    pub(crate) fn string_at(&self, at: usize) -> &str {
        match self.nodes[at] {
            Node::String { start, len, .. } | Node::BigInteger { start, len } => {
                &self.text[start as usize..(start + len) as usize]
            }
            _ => "",
        }
    }

    /// The index of the value after the one at `at`.
    #[inline]
    pub(super) fn after(&self, at: usize) -> usize {
        match self.nodes[at] {
            Node::Array { end, .. } | Node::Object { end, .. } => end as usize,
            _ => at + 1,
        }
    }
}

/// A fast, unkeyed hash of a key. Equal hashes are always confirmed by comparing the keys, and no table is built on
/// it whose time an attacker could spoil.
pub(crate) fn key_hash(key: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = (key.len() as u64).wrapping_mul(FACTOR);
    let mut chunks = key.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0u8; 8];
        word.copy_from_slice(chunk);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let mut word = [0u8; 8];
        word[..rest.len()].copy_from_slice(rest);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    // Never zero: a string with the hash zero is a value, not a key.
    (hash >> 32) as u32 | 1
}

/// A few bits that tell of most hashes that they are not in a set.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HashFilter(u64);

impl HashFilter {
    pub(crate) fn add(&mut self, hash: u32) {
        self.0 |= 1 << (hash >> 26);
    }

    #[inline]
    pub(crate) fn may_have(self, hash: u32) -> bool {
        self.0 >> (hash >> 26) & 1 != 0
    }
}

/// The JSON type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// any number
    Number,
    /// a string
    String,
    /// an array
    Array,
    /// an object
    Object,
}

impl Kind {
    /// The name that JSON Schema gives the type.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }
}

/// A value in a document.
#[derive(Clone, Copy, Debug)]
pub struct Value<'d> {
    document: &'d Document,
    at: u32,
}

/// What a value is, with its content.
#[derive(Clone, Copy, Debug)]
pub enum View<'d> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// any number
    Number(Number<'d>),
    /// a string
    String(&'d str),
    /// an array
    Array(Elements<'d>),
    /// an object
    Object(Members<'d>),
}

impl<'d> Value<'d> {
    pub(crate) fn at(document: &'d Document, at: u32) -> Value<'d> {
        Value { document, at }
    }

    /// Its place on the tape: equal for the same value of the same document only.
    pub(crate) fn position(self) -> u32 {
        self.at
    }

    /// The document that it stands in.
    pub fn document(self) -> &'d Document {
        self.document
    }

    #[inline]
    pub(crate) fn node(self) -> &'d Node {
        self.document.nodes.get(self.at as usize).unwrap_or(&Node::Null)
    }

    /// How many values there are in it, itself and every key included: a measure of its size.
    pub fn node_count(self) -> usize {
        if self.document.nodes.is_empty() {
            1
        } else {
            self.document.after(self.at as usize) - self.at as usize
        }
    }

    /// Bytes of the text in its document: an upper bound of the strings in it.
    pub fn text_bytes(self) -> usize {
        self.document.text.len()
    }

    /// The steps beyond one that a comparison with it takes.
    pub(crate) fn comparison_cost(self) -> u64 {
        /// Bytes of text that are compared in about the time of one step.
        const BYTES_PER_STEP: u64 = 256;
        (self.node_count() as u64 - 1) + self.own_text_bytes() / BYTES_PER_STEP
    }

    /// The steps that hashing it takes.
    pub(crate) fn hash_cost(self) -> u64 {
        /// Bytes of text that are hashed in about the time of one step.
        const BYTES_PER_STEP: u64 = 32;
        self.node_count() as u64 + self.own_text_bytes() / BYTES_PER_STEP
    }

    /// Bytes of the strings, keys and long integers in it.
    fn own_text_bytes(self) -> u64 {
        let at = self.at as usize;
        let nodes = self
            .document
            .nodes
            .get(at..at + self.node_count())
            .unwrap_or_default();
        let bytes = |node: &Node| match node {
            Node::String { len, .. } | Node::BigInteger { len, .. } => u64::from(*len),
            _ => 0,
        };
        nodes.iter().map(bytes).sum()
    }

    /// Its JSON type.
    #[inline]
    pub fn kind(self) -> Kind {
        match *self.node() {
            Node::Null => Kind::Null,
            Node::Bool(_) => Kind::Boolean,
            Node::Integer(_) | Node::Unsigned(_) | Node::BigInteger { .. } | Node::Float(_) => Kind::Number,
            Node::String { .. } => Kind::String,
            Node::Array { .. } => Kind::Array,
            Node::Object { .. } => Kind::Object,
        }
    }

    /// Its content.
    #[inline]
    pub fn view(self) -> View<'d> {
        match *self.node() {
            Node::Null => View::Null,
            Node::Bool(value) => View::Bool(value),
            Node::Integer(value) => View::Number(Number::Integer(value)),
            Node::Unsigned(value) => View::Number(Number::Unsigned(value)),
            Node::BigInteger { .. } => View::Number(Number::Big(self.document.string_at(self.at as usize))),
            Node::Float(value) => View::Number(Number::Float(value)),
            Node::String { .. } => View::String(self.document.string_at(self.at as usize)),
            Node::Array { .. } => self.as_array().map_or(View::Null, View::Array),
            Node::Object { .. } => self.as_object().map_or(View::Null, View::Object),
        }
    }

    /// The nodes between this one and `end`.
    #[inline]
    fn content(self, end: u32) -> &'d [Node] {
        let content = self.at as usize + 1..end as usize;
        self.document.nodes.get(content).unwrap_or_default()
    }

    /// Every string and every array in it and itself, in the order of the text; keys are no strings here.
    pub(crate) fn strings_and_arrays(self) -> impl Iterator<Item = Value<'d>> {
        let positions = self.at..self.at + self.node_count() as u32;
        let document = self.document;
        let wanted = |at: &u32| {
            matches!(
                document.nodes.get(*at as usize),
                Some(Node::String { hash: 0, .. } | Node::Array { .. })
            )
        };
        positions.filter(wanted).map(move |at| Value { document, at })
    }

    /// The key under which it stands, when it is a member of an object.
    pub(crate) fn key_before(self) -> Option<&'d str> {
        let at = (self.at as usize).checked_sub(1)?;
        match self.document.nodes.get(at)? {
            Node::String { hash, .. } if *hash != 0 => Some(self.document.string_at(at)),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(self) -> Option<&'d str> {
        match *self.node() {
            Node::String { start, len, .. } => {
                Some(&self.document.text[start as usize..(start + len) as usize])
            }
            _ => None,
        }
    }

    /// The bytes of a string.
    #[inline]
    pub(crate) fn as_string_bytes(self) -> Option<&'d [u8]> {
        match *self.node() {
            Node::String { start, len, .. } => Some(self.document.bytes(start, len)),
            _ => None,
        }
    }

    /// The value of a number.
    pub fn as_number(self) -> Option<Number<'d>> {
        match self.view() {
            View::Number(number) => Some(number),
            _ => None,
        }
    }

    /// `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        match *self.node() {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        matches!(self.node(), Node::Null)
    }

    /// The elements of an array.
    #[inline(always)]
    pub fn as_array(self) -> Option<Elements<'d>> {
        match *self.node() {
            Node::Array { len, end } => Some(Elements {
                document: self.document,
                rest: self.content(end),
                at: self.at + 1,
                remaining: len,
            }),
            _ => None,
        }
    }

    /// The members of an object.
    #[inline(always)]
    pub fn as_object(self) -> Option<Members<'d>> {
        match *self.node() {
            Node::Object { len, end } => Some(Members {
                raw: RawMembers {
                    document: self.document,
                    rest: self.content(end),
                    at: self.at + 1,
                },
                remaining: len,
            }),
            _ => None,
        }
    }

    /// The member of that name, when it is an object that has it.
    pub fn get(self, key: &str) -> Option<Value<'d>> {
        self.get_hashed(key_hash(key.as_bytes()), key.as_bytes())
    }

    /// As [`Value::get`], for a key whose hash is known.
    pub(crate) fn get_hashed(self, hash: u32, key: &[u8]) -> Option<Value<'d>> {
        let mut members = self.as_object()?.raw();
        members
            .find(|member| member.hash == hash && member.key() == key)
            .map(|member| member.value)
    }

    /// The element at that place, when it is an array that has it.
    pub fn element(self, index: usize) -> Option<Value<'d>> {
        self.as_array()?.nth(index)
    }

    /// The value at a JSON pointer (RFC 6901, with its `~0` and `~1`); the empty pointer is the value itself.
    pub fn pointer(self, pointer: &str) -> Option<Value<'d>> {
        let Some(path) = pointer.strip_prefix('/') else {
            return pointer.is_empty().then_some(self);
        };
        let mut value = self;
        for token in path.split('/') {
            value = match value.kind() {
                Kind::Object => value.get(&unescape_token(token)?)?,
                Kind::Array => value.element(array_index(token)?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Whether two values were written as the same tokens: the same members in the same order, and numbers in the
    /// same form. Stricter than equality of JSON values, and as cheap as comparing bytes.
    pub fn same_tokens(self, other: Value<'_>) -> bool {
        let size = self.node_count();
        if size != other.node_count() {
            return false;
        }
        let (a, b) = (self.at as usize, other.at as usize);
        let (a, b) = (
            &self.document.nodes[a..a + size],
            &other.document.nodes[b..b + size],
        );
        a.iter().zip(b).all(|(x, y)| match (*x, *y) {
            (
                Node::String { hash, start, len },
                Node::String {
                    hash: hash2,
                    start: start2,
                    len: len2,
                },
            ) => {
                hash == hash2
                    && len == len2
                    && self.document.text.as_bytes()[start as usize..(start + len) as usize]
                        == other.document.text.as_bytes()[start2 as usize..(start2 + len2) as usize]
            }
            (
                Node::BigInteger { start, len },
                Node::BigInteger {
                    start: start2,
                    len: len2,
                },
            ) => {
                self.document.text.as_bytes()[start as usize..(start + len) as usize]
                    == other.document.text.as_bytes()[start2 as usize..(start2 + len2) as usize]
            }
            (Node::Array { len, end }, Node::Array { len: len2, end: end2 })
            | (Node::Object { len, end }, Node::Object { len: len2, end: end2 }) => {
                len == len2 && end - self.at == end2 - other.at
            }
            (Node::Float(x), Node::Float(y)) => x.to_bits() == y.to_bits(),
            (x, y) => x == y,
        })
    }

    /// Gives the bytes that tell the value as it was written from any other, to be hashed.
    pub(crate) fn hash_tokens(self, feed: &mut dyn FnMut(&[u8])) {
        let size = self.node_count();
        for at in self.at as usize..self.at as usize + size {
            match self.document.nodes.get(at) {
                None | Some(Node::Null) => feed(&[0]),
                Some(Node::Bool(value)) => feed(&[1 + u8::from(*value)]),
                Some(Node::Integer(value)) => feed(&value.to_le_bytes()),
                Some(Node::Unsigned(value)) => feed(&value.to_le_bytes()),
                Some(Node::Float(value)) => feed(&value.to_bits().to_le_bytes()),
                Some(Node::BigInteger { .. } | Node::String { .. }) => {
                    feed(self.document.string_at(at).as_bytes())
                }
                Some(Node::Array { len, .. }) => feed(&[b'[', *len as u8, (*len >> 8) as u8]),
                Some(Node::Object { len, .. }) => feed(&[b'{', *len as u8, (*len >> 8) as u8]),
            }
        }
    }

    /// A copy of the value as a document of its own.
    pub fn to_document(self) -> Document {
        let mut copy = Document::new();
        if self.document.nodes.is_empty() {
            copy.nodes.push(Node::Null);
            return copy;
        }
        let at = self.at as usize;
        copy.nodes.reserve(self.node_count());
        for node in &self.document.nodes[at..at + self.node_count()] {
            let node = match *node {
                Node::String { hash, start, len } => {
                    let (start, len) =
                        copy.push_text(&self.document.text[start as usize..(start + len) as usize]);
                    Node::String { hash, start, len }
                }
                Node::BigInteger { start, len } => {
                    let (start, len) =
                        copy.push_text(&self.document.text[start as usize..(start + len) as usize]);
                    Node::BigInteger { start, len }
                }
                Node::Array { len, end } => Node::Array {
                    len,
                    end: end - self.at,
                },
                Node::Object { len, end } => Node::Object {
                    len,
                    end: end - self.at,
                },
                other => other,
            };
            copy.nodes.push(node);
        }
        copy
    }
}

/// One token of a JSON pointer with `~1` and `~0` resolved (RFC 6901, section 4); `None` for any other use of `~`.
pub(crate) fn unescape_token(token: &str) -> Option<std::borrow::Cow<'_, str>> {
    if !token.contains('~') {
        return Some(token.into());
    }
    let mut out = String::with_capacity(token.len());
    let mut rest = token.chars();
    while let Some(c) = rest.next() {
        match c {
            '~' => match rest.next() {
                Some('0') => out.push('~'),
                Some('1') => out.push('/'),
                _ => return None,
            },
            other => out.push(other),
        }
    }
    Some(out.into())
}

/// An array index as RFC 6901 writes it: digits without a leading zero.
pub(crate) fn array_index(token: &str) -> Option<usize> {
    let digits = token.as_bytes();
    let well_formed = !digits.is_empty()
        && digits.iter().all(u8::is_ascii_digit)
        && (digits.len() == 1 || digits[0] != b'0');
    if well_formed { token.parse().ok() } else { None }
}

/// The elements of an array, in order.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'d> {
    document: &'d Document,
    /// The nodes of the elements to come; the first of them stands at `at`.
    rest: &'d [Node],
    at: u32,
    remaining: u32,
}

impl<'d> Iterator for Elements<'d> {
    type Item = Value<'d>;

    #[inline(always)]
    fn next(&mut self) -> Option<Value<'d>> {
        let at = self.at;
        let width = self.rest.first()?.width(at);
        self.rest = &self.rest[width as usize..];
        self.at += width;
        self.remaining -= 1;
        Some(Value {
            document: self.document,
            at,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining as usize, Some(self.remaining as usize))
    }
}

impl ExactSizeIterator for Elements<'_> {}

/// One member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Member<'d> {
    /// The key, unescaped.
    pub key: &'d str,
    /// The value.
    pub value: Value<'d>,
}

/// The members of an object, in the order in which they were written.
#[derive(Clone, Copy, Debug)]
pub struct Members<'d> {
    raw: RawMembers<'d>,
    remaining: u32,
}

impl<'d> Members<'d> {
    /// The members without their keys' texts: what the walker of schemas iterates over.
    #[inline]
    pub(crate) fn raw(self) -> RawMembers<'d> {
        self.raw
    }
}

impl<'d> Iterator for Members<'d> {
    type Item = Member<'d>;

    #[inline]
    fn next(&mut self) -> Option<Member<'d>> {
        let RawMember { name, value, .. } = self.raw.next()?;
        self.remaining -= 1;
        let key = name.as_str().unwrap_or_default();
        Some(Member { key, value })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining as usize, Some(self.remaining as usize))
    }
}

impl ExactSizeIterator for Members<'_> {}

/// A member whose key is not looked at before it is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawMember<'d> {
    /// The hash of the key by which compiled schemas find it.
    pub(crate) hash: u32,
    /// The key as a value.
    pub(crate) name: Value<'d>,
    /// The value.
    pub(crate) value: Value<'d>,
    key_start: u32,
    key_len: u32,
}

impl<'d> RawMember<'d> {
    /// The bytes of the key.
    #[inline]
    pub(crate) fn key(self) -> &'d [u8] {
        self.name.document.bytes(self.key_start, self.key_len)
    }
}

/// The members of an object as they stand on the tape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawMembers<'d> {
    document: &'d Document,
    /// The nodes of the members to come; the first of them, a key, stands at `at`.
    rest: &'d [Node],
    at: u32,
}

impl<'d> RawMembers<'d> {
    /// The next member whose hash the filter lets through. The others are passed over without looking at more than
    /// the hash and the width of the value.
    #[inline(always)]
    pub(crate) fn next_in(&mut self, filter: HashFilter) -> Option<RawMember<'d>> {
        self.find(|member| filter.may_have(member.hash))
    }
}

impl<'d> Iterator for RawMembers<'d> {
    type Item = RawMember<'d>;

    #[inline(always)]
    fn next(&mut self) -> Option<RawMember<'d>> {
        let RawMembers { document, rest, at } = *self;
        let [Node::String { hash, start, len }, value, ..] = rest else {
            return None;
        };
        let width = 1 + value.width(at + 1);
        self.rest = &rest[width as usize..];
        self.at += width;
        Some(RawMember {
            hash: *hash,
            name: Value { document, at },
            value: Value { document, at: at + 1 },
            key_start: *start,
            key_len: *len,
        })
    }
}
