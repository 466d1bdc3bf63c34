//! The summary of a run, in words and as JSON.

use assay_engine::json::write_canonical_string;
use assay_pipeline::summary::Summary;

/// Causes that the summary names.
const SHOWN_CAUSES: usize = 10;

/// The summary for people.
pub(crate) fn words(summary: &Summary) -> String {
    let mut text = format!(
        "{} passed, {} failed, {} not checked in {:.2} s ({:.0} answers/s)",
        summary.passed,
        summary.failed,
        summary.errors,
        summary.elapsed.as_secs_f64(),
        summary.rate()
    );
    if summary.resumed > 0 {
        text.push_str(&format!("\ntaken up after {} answers", summary.resumed));
    }
    let causes = summary.frequent_causes(SHOWN_CAUSES);
    if !causes.is_empty() {
        text.push_str("\nmost frequent causes:");
        let width = causes
            .iter()
            .map(|(_, count)| count.to_string().len())
            .max()
            .unwrap_or(0);
        for (cause, count) in causes {
            text.push_str(&format!("\n  {count:>width$}  {cause}"));
        }
    }
    text
}

/// The summary for programs, in one line.
pub(crate) fn json(summary: &Summary) -> String {
    let mut causes = Vec::new();
    for (index, (cause, count)) in summary.frequent_causes(usize::MAX).into_iter().enumerate() {
        if index > 0 {
            causes.push(b',');
        }
        write_canonical_string(cause, &mut causes);
        causes.extend_from_slice(format!(":{count}").as_bytes());
    }
    format!(
        "{{\"passed\":{},\"failed\":{},\"errors\":{},\"resumed\":{},\"seconds\":{:.6},\"answers_per_second\":{:.1},\
         \"schema_cache\":{{\"hits\":{},\"misses\":{}}},\"causes\":{{{}}}}}",
        summary.passed,
        summary.failed,
        summary.errors,
        summary.resumed,
        summary.elapsed.as_secs_f64(),
        summary.rate(),
        summary.cache.hits,
        summary.cache.misses,
        String::from_utf8_lossy(&causes)
    )
}
