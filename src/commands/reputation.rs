//! `assay reputation`: the pass/fail history of an agent, unsigned.

use assay_pipeline::clock::now;

use crate::cli::Agent;
use crate::commands::clickhouse;
use crate::failure::{Failure, OK};
use crate::settings::{self, Global};
use crate::terminal;

pub(crate) fn run(global: &Global, agent: &Agent) -> Result<u8, Failure> {
    let ledger = clickhouse::open_store(global, &agent.ledger)?;
    let reputation = ledger
        .reputation(&agent.agent, now())
        .map_err(settings::store_failure)?;
    let mut line = Vec::new();
    reputation.write_wire(&mut line);
    line.push(b'\n');
    terminal::print(&line)?;
    Ok(OK)
}
