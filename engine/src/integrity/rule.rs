//! A rule: read once from the request, then checked against the output.

use super::exists_in::{Among, ExistsIn};
use super::fields::{Faults, alternatives, read_if_present, read_members, read_path};
use super::order::{Operand, Order, Side};
use super::path::Path;
use super::run::Run;
use super::scalar::{Scalar, Tolerance};
use super::sum_equals::{SumEquals, Target};
use super::unique::Unique;
use super::value_set::ValueSet;
use crate::json::{Number, Value, write_canonical};
use crate::meter::LimitExceeded;

/// The types of rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RuleType {
    SumEquals,
    Gte,
    Lte,
    ExistsIn,
    Unique,
}

impl RuleType {
    const ALL: [RuleType; 5] = [
        RuleType::SumEquals,
        RuleType::Gte,
        RuleType::Lte,
        RuleType::ExistsIn,
        RuleType::Unique,
    ];

    fn name(self) -> &'static str {
        match self {
            RuleType::SumEquals => "sum_equals",
            RuleType::Gte => "gte",
            RuleType::Lte => "lte",
            RuleType::ExistsIn => "exists_in",
            RuleType::Unique => "unique",
        }
    }

    /// The operands, of which a rule has exactly one.
    fn operands(self) -> &'static [&'static str] {
        match self {
            RuleType::SumEquals => &["equals_field", "equals"],
            RuleType::Gte | RuleType::Lte => &["value", "other_field"],
            RuleType::ExistsIn => &["values", "in_field"],
            RuleType::Unique => &[],
        }
    }
}

/// The fields of a rule in canonical order.
const FIELDS: [&str; 10] = [
    "equals",
    "equals_field",
    "field",
    "if_present",
    "in_field",
    "other_field",
    "tolerance",
    "type",
    "value",
    "values",
];

/// The operands of a rule: each belongs to some types only.
const OPERANDS: [&str; 6] = [
    "equals_field",
    "equals",
    "other_field",
    "value",
    "in_field",
    "values",
];

/// A rule.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    SumEquals(SumEquals),
    Order(Order),
    ExistsIn(ExistsIn),
    Unique(Unique),
}

impl Rule {
    /// Reads a rule, notes what is wrong with it under `owner` (`rules[0]`), and appends its canonical form with every
    /// default filled in.
    pub(super) fn read(
        rule: Value<'_>,
        owner: &str,
        canonical: &mut Vec<u8>,
        faults: &mut Faults<'_>,
    ) -> Option<Rule> {
        let Some(members) = rule.as_object() else {
            faults.note(
                owner,
                "is not an object",
                "A rule is an object with 'type', 'field' and what the type needs.",
            );
            return None;
        };
        let values = read_members(members, &FIELDS, owner, "rule", faults);
        write_rule(&values, canonical);
        let [
            equals,
            equals_field,
            field,
            if_present,
            in_field,
            other_field,
            tolerance,
            kind,
            value,
            list,
        ] = values;
        let kind = read_type(kind, owner, faults);
        let field = required_path(field, owner, faults);
        let if_present = read_if_present(if_present, owner, faults);
        let tolerance = read_tolerance(tolerance, owner, faults);
        if let Some(kind) = kind {
            check_operands(kind, &values, owner, faults);
        }
        // Every operand is read, whether or not it belongs to the type, so that one answer names all that is wrong.
        let mut path =
            |value: Option<Value<'_>>, name: &str| read_path(value?, &format!("{owner}.{name}"), faults);
        let equals_field = path(equals_field, "equals_field");
        let other_field = path(other_field, "other_field");
        let in_field = path(in_field, "in_field");
        let equals = equals.and_then(|value| read_number(value, owner, faults));
        let value = value.and_then(|value| read_scalar(value, owner, faults));
        let among = list.and_then(|value| read_values(value, owner, faults));
        let (kind, field) = (kind?, field?);
        Some(match kind {
            RuleType::SumEquals => Rule::SumEquals(SumEquals {
                field,
                target: match equals_field {
                    Some(path) => Target::Field(path),
                    None => Target::Constant(equals?),
                },
                tolerance,
                if_present,
            }),
            RuleType::Gte | RuleType::Lte => Rule::Order(Order {
                field,
                side: match kind {
                    RuleType::Gte => Side::AtLeast,
                    _ => Side::AtMost,
                },
                operand: match other_field {
                    Some(path) => Operand::Field(path),
                    None => Operand::Constant(value?),
                },
                tolerance,
                if_present,
            }),
            RuleType::ExistsIn => Rule::ExistsIn(ExistsIn {
                field,
                among: match in_field {
                    Some(path) => Among::Field(path),
                    None => among?,
                },
                if_present,
            }),
            RuleType::Unique => Rule::Unique(Unique { field, if_present }),
        })
    }

    /// The full name of its check.
    pub(super) fn check_name(&self) -> &'static str {
        match self {
            Rule::SumEquals(_) => "consistency:sum_equals",
            Rule::Order(order) => match order.side {
                Side::AtLeast => "consistency:gte",
                Side::AtMost => "consistency:lte",
            },
            Rule::ExistsIn(_) => "consistency:exists_in",
            Rule::Unique(_) => "consistency:unique",
        }
    }

    /// Checks it; whether it holds shows in the violations.
    pub(super) fn check<'d>(&'d self, run: &mut Run<'_, 'd>) -> Result<(), LimitExceeded> {
        match self {
            Rule::SumEquals(rule) => rule.check(run),
            Rule::Order(rule) => rule.check(run),
            Rule::ExistsIn(rule) => rule.check(run),
            Rule::Unique(rule) => rule.check(run),
        }
    }
}

/// Notes operands of other types, two operands, and none; `values` are in the order of [`FIELDS`].
fn check_operands(kind: RuleType, values: &[Option<Value<'_>>; 10], owner: &str, faults: &mut Faults<'_>) {
    let own = kind.operands();
    let kind = kind.name();
    let given = |name: &&str| {
        let index = FIELDS.iter().position(|field| field == name);
        index.is_some_and(|index| values[index].is_some())
    };
    for name in OPERANDS.iter().filter(|name| given(name)) {
        if !own.contains(name) {
            let fix = match own {
                [] => format!("Remove it. A rule of the type '{kind}' takes no operand."),
                _ => format!(
                    "Remove it. A rule of the type '{kind}' takes {}.",
                    alternatives(own)
                ),
            };
            faults.note(
                format!("{owner}.{name}"),
                format!("does not belong to a rule of the type '{kind}'"),
                fix,
            );
        }
    }
    if let [first, second] = own {
        match (given(first), given(second)) {
            (true, true) => faults.note(
                format!("{owner}.{second}"),
                format!("is given beside '{first}'"),
                format!("Give exactly one of {}.", alternatives(own)),
            ),
            (false, false) => faults.note(
                owner,
                format!("has neither '{first}' nor '{second}'"),
                format!("Give exactly one of {}.", alternatives(own)),
            ),
            _ => {}
        }
    }
}

fn read_type(value: Option<Value<'_>>, owner: &str, faults: &mut Faults<'_>) -> Option<RuleType> {
    let known = value.and_then(|value| {
        let text = value.as_str()?;
        RuleType::ALL.into_iter().find(|kind| kind.name() == text)
    });
    if known.is_none() {
        let problem = match value {
            Some(_) => "is not one of the allowed values",
            None => "is missing",
        };
        faults.note(
            format!("{owner}.type"),
            problem,
            format!(
                "Use one of: {}.",
                alternatives(&RuleType::ALL.map(RuleType::name))
            ),
        );
    }
    known
}

fn required_path(value: Option<Value<'_>>, owner: &str, faults: &mut Faults<'_>) -> Option<Path> {
    let field = format!("{owner}.field");
    match value {
        Some(value) => read_path(value, &field, faults),
        None => {
            faults.note(
                field,
                "is missing",
                "Name the path that the rule checks, as in 'total' or 'items[].price'.",
            );
            None
        }
    }
}

fn read_tolerance(value: Option<Value<'_>>, owner: &str, faults: &mut Faults<'_>) -> Tolerance {
    let Some(value) = value else {
        return Tolerance::default_of_rules();
    };
    match value.as_number() {
        Some(number) if number.compare(Number::Integer(0)).is_ge() => Tolerance::given(number),
        _ => {
            faults.note(
                format!("{owner}.tolerance"),
                "is not a number of at least 0",
                "Use a number of at least 0, such as 0.01, or leave it out for 1e-9.",
            );
            Tolerance::default_of_rules()
        }
    }
}

fn read_number(value: Value<'_>, owner: &str, faults: &mut Faults<'_>) -> Option<u32> {
    if value.as_number().is_some() {
        return Some(value.position());
    }
    faults.note(
        format!("{owner}.equals"),
        "is not a number",
        "Use a number, or name the path of one in 'equals_field'.",
    );
    None
}

fn read_scalar(value: Value<'_>, owner: &str, faults: &mut Faults<'_>) -> Option<u32> {
    if Scalar::read(value).is_some() {
        return Some(value.position());
    }
    faults.note(
        format!("{owner}.value"),
        "is neither a number nor an ISO 8601 date or date-time",
        "Use a number or a date such as \"2026-10-01\", or name the path of one in 'other_field'.",
    );
    None
}

fn read_values(value: Value<'_>, owner: &str, faults: &mut Faults<'_>) -> Option<Among> {
    let Some(elements) = value.as_array() else {
        faults.note(
            format!("{owner}.values"),
            "is not an array",
            "Use an array of the allowed values, or name the path of them in 'in_field'.",
        );
        return None;
    };
    Some(Among::Values {
        at: value.position(),
        set: ValueSet::from_values(elements),
    })
}

/// Appends the canonical form of a rule whose fields are `values`, in the order of [`FIELDS`].
fn write_rule(values: &[Option<Value<'_>>; 10], canonical: &mut Vec<u8>) {
    for (index, (name, value)) in FIELDS.iter().zip(values).enumerate() {
        canonical.push(if index == 0 { b'{' } else { b',' });
        canonical.push(b'"');
        canonical.extend_from_slice(name.as_bytes());
        canonical.extend_from_slice(b"\":");
        match value {
            Some(value) => write_canonical(*value, canonical),
            None => canonical.extend_from_slice(match *name {
                "if_present" => b"false",
                "tolerance" => b"1e-9",
                _ => b"null",
            }),
        }
    }
    canonical.push(b'}');
}
