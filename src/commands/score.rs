//! `assay score`: the trust score of an agent, signed; for a given time it can be computed again by anybody.

use std::sync::Arc;

use assay_engine::score::{DEFAULT_HALF_LIFE_DAYS, Score};
use assay_engine::time::Timestamp;
use assay_pipeline::clock::now;

use crate::cli;
use crate::commands::clickhouse;
use crate::failure::{Failure, OK, USAGE};
use crate::settings::{self, Global};
use crate::terminal;

pub(crate) fn run(global: &Global, arguments: &cli::Score) -> Result<u8, Failure> {
    let computed_at = match &arguments.as_of {
        None => now(),
        Some(text) => Timestamp::parse(text).ok_or_else(|| {
            let example = "write it like 2026-10-01T12:00:00Z";
            Failure::new(
                USAGE,
                format!("--as-of is {text:?}, which is not an instant of RFC 3339: {example}"),
            )
        })?,
    };
    let identity = Arc::new(settings::identity(global)?);
    let ledger = clickhouse::open_store(global, &arguments.ledger)?;
    let history = ledger
        .history(&arguments.agent, computed_at)
        .map_err(settings::store_failure)?;
    let signer = settings::signer(global, &settings::open_data(global)?)?;
    let half_life = DEFAULT_HALF_LIFE_DAYS;
    let score = Score::compute(
        &arguments.agent,
        &history,
        half_life,
        computed_at,
        identity,
        signer.key_version(),
    );
    let mut line = Vec::new();
    score.sign(&signer, &mut Vec::new()).write_wire(&mut line);
    line.push(b'\n');
    terminal::print(&line)?;
    Ok(OK)
}
