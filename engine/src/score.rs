//! Score and reputation of an agent (protocol, section 6): from counts by day to an estimate, the same for every store.
//!
//! The arithmetic uses nothing but the operations that IEEE 754 rounds exactly, in a fixed order, so that a score comes
//! out the same to the last digit on every machine. Two things are fixed here that the protocol leaves open:
//!
//! - **Ages are whole days**: the UTC day of `computed_at` less the UTC day of the counts. A score changes at midnight
//!   and not in between, and needs nothing but the counts by day to be computed again. A day after `computed_at` counts
//!   as age 0.
//! - **Estimates are rounded to six decimals**, as ratios are, so that another program can compare its own with them.

mod document;

use std::num::NonZeroU32;

use crate::time::Timestamp;

pub use document::{Reputation, Score, SignedScore};

/// The half-life of a day's weight when no other is set, in days.
pub const DEFAULT_HALF_LIFE_DAYS: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);

/// How many days, today included, a reputation lists one by one.
pub const REPUTATION_DAYS: i32 = 30;

/// The two-sided 95 % quantile of the normal distribution.
const Z_95: f64 = 1.959_963_984_540_054;

/// Whether checks of this agent make a history: agents for tests have none, whatever their checks.
pub fn has_history(agent_id: &str) -> bool {
    !agent_id.starts_with("test-")
}

/// The checks of one agent on one UTC day, each distinct request counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayCount {
    /// Days since 1970-01-01.
    pub day: i32,
    /// Requests that always passed that day.
    pub passed: u64,
    /// Requests that failed that day at least once.
    pub failed: u64,
}

/// What is known of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The counts of every day that has any.
    pub days: Vec<DayCount>,
    /// The time of the first counted check.
    pub first_seen: Option<Timestamp>,
    /// The time of the last counted check.
    pub last_seen: Option<Timestamp>,
}

impl History {
    /// Passed and failed requests of all days.
    pub fn totals(&self) -> (u64, u64) {
        let sum = |count: fn(&DayCount) -> u64| self.days.iter().map(count).fold(0, u64::saturating_add);
        (sum(|day| day.passed), sum(|day| day.failed))
    }
}

/// What the history says of the next check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The weighted share of passed requests, 0 to 1.
    pub trust_score: f64,
    /// The Wilson interval at 95 %, which holds `trust_score`.
    pub confidence_interval_95: [f64; 2],
    /// How many fresh requests the history is worth: Kish's effective size, less what idle time takes.
    pub effective_sample_size: f64,
}

/// The estimate at `computed_at`; none when nothing was counted. The order of `days` does not matter.
pub fn estimate(days: &[DayCount], half_life_days: NonZeroU32, computed_at: Timestamp) -> Option<Estimate> {
    let days = in_order(days);
    let today = i64::from(computed_at.day());
    let newest = i64::from(days.last()?.day).min(today);
    let mut sum_passed = 0.0;
    let mut sum_weight = 0.0;
    let mut sum_square = 0.0;
    for count in &days {
        // Weights are relative to the newest day. Score and Kish's size do not change when all weights are multiplied
        // by the same factor, and in this form they never vanish, however long the agent has been idle.
        let weight = halved(newest - i64::from(count.day), half_life_days);
        let requests = count.passed as f64 + count.failed as f64;
        sum_passed += weight * count.passed as f64;
        sum_weight += weight * requests;
        sum_square += weight * weight * requests;
    }
    let share = (sum_passed / sum_weight).clamp(0.0, 1.0);
    let effective = sum_weight * sum_weight / sum_square * halved(today - newest, half_life_days);
    let [low, high] = wilson(share, effective);
    Some(Estimate {
        trust_score: rounded(share),
        confidence_interval_95: [rounded(low.min(share)), rounded(high.max(share))],
        effective_sample_size: rounded(effective),
    })
}

/// The days that have counts, ascending, each once.
fn in_order(days: &[DayCount]) -> Vec<DayCount> {
    let mut sorted: Vec<DayCount> = days
        .iter()
        .filter(|day| day.passed > 0 || day.failed > 0)
        .copied()
        .collect();
    sorted.sort_unstable_by_key(|count| count.day);
    sorted.dedup_by(|next, kept| {
        let same_day = next.day == kept.day;
        if same_day {
            kept.passed = kept.passed.saturating_add(next.passed);
            kept.failed = kept.failed.saturating_add(next.failed);
        }
        same_day
    });
    sorted
}

/// The Wilson score interval of the share `share` of `size` observations, at 95 %; all of 0 to 1 when `size` is 0.
fn wilson(share: f64, size: f64) -> [f64; 2] {
    let square = Z_95 * Z_95;
    let centre = share * size + square / 2.0;
    let spread = Z_95 * (share * (1.0 - share) * size + square / 4.0).sqrt();
    let whole = size + square;
    [
        ((centre - spread) / whole).max(0.0),
        ((centre + spread) / whole).min(1.0),
    ]
}

/// `2^(-age_days / half_life_days)`; 1 for an age below 0.
///
/// Not by `powf`, whose last digit differs between platforms: a power of two for the whole half-lives, and for the rest
/// the series of the exponential function, of whose terms the 20th is below 1e-21.
fn halved(age_days: i64, half_life_days: NonZeroU32) -> f64 {
    const TERMS: u32 = 20;
    /// The exponent of the smallest normal double, and the bias and place of the exponent in its bits.
    const MAX_HALF_LIVES: u64 = 1_022;
    const EXPONENT_BIAS: u64 = 1_023;
    const EXPONENT_SHIFT: u32 = 52;
    let age = age_days.max(0) as u64;
    let half_life = u64::from(half_life_days.get());
    let whole = age / half_life;
    if whole > MAX_HALF_LIVES {
        return 0.0;
    }
    let exponent = -((age % half_life) as f64 / half_life as f64) * std::f64::consts::LN_2;
    let mut series = 1.0;
    for term in (1..=TERMS).rev() {
        series = 1.0 + series * exponent / f64::from(term);
    }
    series * f64::from_bits((EXPONENT_BIAS - whole) << EXPONENT_SHIFT)
}

/// Six decimals, half to even, as for the ratios of a response.
fn rounded(value: f64) -> f64 {
    format!("{value:.6}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at_day(day: i32) -> Timestamp {
        Timestamp::from_micros(i64::from(day) * 86_400_000_000 + 43_200_000_000)
    }

    fn count(day: i32, passed: u64, failed: u64) -> DayCount {
        DayCount { day, passed, failed }
    }

    #[test]
    fn one_day_is_the_plain_wilson_interval() {
        // 8 of 10 gives 0.4902 to 0.9433 in the textbooks.
        let found = estimate(&[count(20_000, 8, 2)], DEFAULT_HALF_LIFE_DAYS, at_day(20_000)).unwrap();
        assert_eq!(found.trust_score, 0.8);
        assert_eq!(found.confidence_interval_95, [0.490162, 0.943318]);
        assert_eq!(found.effective_sample_size, 10.0);
    }

    #[test]
    fn weights_halve_with_each_half_life() {
        // Weights 1 and 1/2: p = 4/(4 + 2), n_eff = 6² / (4 + 1) = 7.2; 30 idle days halve the size only.
        let days = [count(19_970, 0, 4), count(20_000, 4, 0)];
        let fresh = estimate(&days, DEFAULT_HALF_LIFE_DAYS, at_day(20_000)).unwrap();
        assert_eq!((fresh.trust_score, fresh.effective_sample_size), (0.666667, 7.2));
        let idle = estimate(&days, DEFAULT_HALF_LIFE_DAYS, at_day(20_030)).unwrap();
        assert_eq!((idle.trust_score, idle.effective_sample_size), (0.666667, 3.6));
    }

    #[test]
    fn nothing_is_known_of_an_agent_without_counts() {
        assert_eq!(estimate(&[], DEFAULT_HALF_LIFE_DAYS, at_day(20_000)), None);
        assert_eq!(
            estimate(&[count(3, 0, 0)], DEFAULT_HALF_LIFE_DAYS, at_day(20_000)),
            None
        );
    }

    #[test]
    fn an_agent_idle_for_ages_keeps_its_share_and_loses_its_certainty() {
        let half_life = NonZeroU32::new(1).unwrap();
        let found = estimate(&[count(1, 3, 1), count(900, 3, 1)], half_life, at_day(2_000_000)).unwrap();
        assert_eq!(found.trust_score, 0.75);
        assert_eq!(found.confidence_interval_95, [0.0, 1.0]);
        assert_eq!(found.effective_sample_size, 0.0);
    }

    #[test]
    fn halving_agrees_with_the_power_function() {
        let half_life = DEFAULT_HALF_LIFE_DAYS;
        for age in 0..20_000 {
            // Whole half-lives apart, since the power function's own argument has too few digits for both.
            let expected = (-((age % 30) as f64) / 30.0).exp2() * 0.5f64.powi((age / 30) as i32);
            let found = halved(age, half_life);
            assert!(
                (found - expected).abs() <= expected * 1e-15,
                "{age}: {found:e} {expected:e}"
            );
        }
        assert_eq!(halved(60, half_life), 0.25);
        assert_eq!(halved(-5, half_life), 1.0);
        assert_eq!(halved(i64::MAX, half_life), 0.0);
    }

    #[test]
    fn agents_for_tests_have_no_history() {
        assert!(!has_history("test-seller"));
        assert!(!has_history("test-"));
        assert!(has_history("tester"));
        assert!(has_history("Test-seller"));
        assert!(has_history(""));
    }

    /// Days on which a count may be as large as a `u64` holds: entries of one day are added without overflow.
    const PAST_ANY_SUM: u64 = u64::MAX / 2;

    /// The largest count of which as many as there are entries can be added: past that the sum of a day is held at the
    /// largest `u64`, which no formula knows of.
    const WITHIN_ANY_SUM: u64 = u64::MAX / 80;

    fn day_counts(largest: u64) -> impl Strategy<Value = Vec<DayCount>> {
        let size = prop_oneof![0..4u64, 0..100_000u64, Just(largest)];
        let day = (19_000..20_010i32, size.clone(), size);
        prop::collection::vec(
            day.prop_map(|(day, passed, failed)| count(day, passed, failed)),
            0..40,
        )
    }

    /// The protocol's formulas, written down as they stand there: absolute weights and the power function.
    fn as_in_the_protocol(days: &[DayCount], half_life: f64, today: i32) -> Option<[f64; 4]> {
        let weight = |day: i32| 0.5f64.powf(f64::from((today - day).max(0)) / half_life);
        let requests = |d: &DayCount| d.passed as f64 + d.failed as f64;
        let sum = |term: &dyn Fn(&DayCount) -> f64| days.iter().map(term).sum::<f64>();
        let n = sum(&|d| weight(d.day) * requests(d));
        if n == 0.0 {
            return None;
        }
        let p = sum(&|d| weight(d.day) * d.passed as f64) / n;
        let last = days.iter().filter(|d| requests(d) > 0.0).map(|d| d.day).max()?;
        let size = n * n / sum(&|d| weight(d.day).powi(2) * requests(d)) * weight(last);
        let z = 1.959963984540054f64;
        let centre = (p + z * z / (2.0 * size)) / (1.0 + z * z / size);
        let spread = z / (1.0 + z * z / size) * (p * (1.0 - p) / size + z * z / (4.0 * size * size)).sqrt();
        Some([p, centre - spread, centre + spread, size])
    }

    proptest! {
        #[test]
        fn the_interval_lies_in_0_to_1_and_holds_the_score(days in day_counts(PAST_ANY_SUM), half_life in 1..400u32, today in 19_000..20_400i32) {
            let half_life = NonZeroU32::new(half_life).unwrap();
            if let Some(found) = estimate(&days, half_life, at_day(today)) {
                let [low, high] = found.confidence_interval_95;
                prop_assert!(0.0 <= low && low <= found.trust_score);
                prop_assert!(found.trust_score <= high && high <= 1.0);
                prop_assert!(found.effective_sample_size >= 0.0 && found.effective_sample_size.is_finite());
            } else {
                prop_assert!(days.iter().all(|d| d.passed == 0 && d.failed == 0));
            }
        }

        #[test]
        fn the_order_of_the_days_and_their_splitting_do_not_matter(
            (days, shuffled) in day_counts(PAST_ANY_SUM).prop_flat_map(|days| (Just(days.clone()), Just(days).prop_shuffle())),
            today in 20_000..20_400i32,
        ) {
            let expected = estimate(&days, DEFAULT_HALF_LIFE_DAYS, at_day(today));
            prop_assert_eq!(estimate(&shuffled, DEFAULT_HALF_LIFE_DAYS, at_day(today)), expected);
            let merged = in_order(&days);
            prop_assert_eq!(estimate(&merged, DEFAULT_HALF_LIFE_DAYS, at_day(today)), expected);
        }

        #[test]
        fn it_is_what_the_protocol_says(days in day_counts(WITHIN_ANY_SUM), today in 19_990..20_400i32) {
            // Double arithmetic in another order differs by far less than the sixth decimal.
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 + b.abs() * 1e-9;
            let found = estimate(&days, DEFAULT_HALF_LIFE_DAYS, at_day(today));
            match as_in_the_protocol(&days, 30.0, today) {
                None => prop_assert_eq!(found, None),
                Some([p, low, high, size]) => {
                    let found = found.unwrap();
                    prop_assert!(close(found.trust_score, p), "{found:?} {p}");
                    prop_assert!(close(found.confidence_interval_95[0], low), "{found:?} {low}");
                    prop_assert!(close(found.confidence_interval_95[1], high), "{found:?} {high}");
                    prop_assert!(close(found.effective_sample_size, size), "{found:?} {size}");
                }
            }
        }
    }
}
