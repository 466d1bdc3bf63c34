//! Recording: a batch of receipts becomes blocks, index entries and a row of history, in one transaction.

use std::collections::HashMap;

use assay_engine::receipt::Receipt;
use assay_engine::score::has_history;
use rusqlite::{Connection, TransactionBehavior};

use super::block::{self, BlockBuilder};
use super::history::{self, AgentKey, Counted, FoldAfter};
use super::ids::{self, Survey};
use crate::error::Fault;

/// A receipt to be recorded, and the UTC day on which it counts.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'r> {
    /// The receipt.
    pub receipt: &'r Receipt,
    /// Days since 1970-01-01.
    pub day: i32,
}

/// The receipt counts on the day of `verified_at`.
impl<'r> From<&'r Receipt> for Entry<'r> {
    fn from(receipt: &'r Receipt) -> Entry<'r> {
        Entry {
            receipt,
            day: receipt.response.verified_at.day(),
        }
    }
}

/// The buffers of recording, used again for every batch.
#[derive(Default)]
pub(super) struct Recorder {
    builder: BlockBuilder,
    /// The keys of the block's agents, none for an agent without history.
    agents: Vec<Option<AgentKey>>,
    /// The keys of agents met before, to hash a name once and not in every block.
    keys: HashMap<Box<str>, AgentKey>,
    counted: Vec<Counted>,
    row: Vec<u8>,
    pub(super) fold_after: FoldAfter,
}

impl Recorder {
    pub(super) fn record(&mut self, connection: &mut Connection, batch: &[Entry<'_>]) -> Result<(), Fault> {
        if batch.is_empty() {
            return Ok(());
        }
        // A batch that failed half-way has left things behind.
        self.builder.clear();
        self.agents.clear();
        self.counted.clear();

        let order = in_order_of_ids(batch);
        let batch_ids: Vec<u128> = order.iter().map(|(id, _)| *id).collect();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let block::LastBlock { mut block, mut total } = block::last(&transaction)?;
        let survey = ids::survey(&transaction, &batch_ids)?;
        self.withdraw_replaced(&transaction, &batch_ids, &survey)?;
        total += (order.len()
            - survey
                .inside
                .iter()
                .filter(|inside| inside.replaces.is_some())
                .count()) as u64;
        let mut first = 0;
        for (index, (_, place)) in order.iter().enumerate() {
            self.push(&batch[*place]);
            let next = index + 1;
            if self.builder.is_full() || next == order.len() {
                block += 1;
                self.builder.finish(&transaction, block, total)?;
                self.agents.clear();
                ids::enter(&transaction, &batch_ids, first..next, &survey, block)?;
                first = next;
            }
        }
        history::append(
            &transaction,
            block,
            &mut self.counted,
            &mut self.row,
            self.fold_after,
        )?;
        Ok(transaction.commit()?)
    }

    fn push(&mut self, entry: &Entry<'_>) {
        let check = self.builder.push(entry.receipt, entry.day);
        let Some(agent_id) = &entry.receipt.response.agent_id else {
            return;
        };
        let agent = self.builder.last_agent();
        // Each distinct agent of a block is hashed once. The place of an empty name may be taken by receipts without an
        // agent, which are not noted.
        if self.agents.len() <= agent {
            self.agents.resize(agent + 1, None);
        }
        let key = match self.agents[agent] {
            Some(key) => key,
            None if has_history(agent_id) => *self.agents[agent].insert(key_of(&mut self.keys, agent_id)),
            None => return,
        };
        self.counted.push(Counted {
            agent: key,
            check,
            is_withdrawn: false,
        });
    }

    /// Takes back what the receipts that are replaced have counted.
    fn withdraw_replaced(
        &mut self,
        connection: &Connection,
        batch_ids: &[u128],
        survey: &Survey,
    ) -> Result<(), Fault> {
        let counted = &mut self.counted;
        for group in survey.inside.chunk_by(|a, b| a.replaces == b.replaces) {
            let Some(block) = group[0].replaces else {
                continue;
            };
            let replaced = group.iter().map(|inside| batch_ids[inside.index]);
            block::read_checks(connection, block, replaced, |agent_id, check| {
                if let Some(agent_id) = agent_id.filter(|agent_id| has_history(agent_id)) {
                    counted.push(Counted {
                        agent: AgentKey::of(agent_id),
                        check,
                        is_withdrawn: true,
                    });
                }
            })?;
        }
        Ok(())
    }
}

fn key_of(keys: &mut HashMap<Box<str>, AgentKey>, agent_id: &str) -> AgentKey {
    /// Agents remembered: with their names some 2 MB.
    const MAX_KEYS: usize = 16_384;
    if let Some(key) = keys.get(agent_id) {
        return *key;
    }
    if keys.len() >= MAX_KEYS {
        keys.clear();
    }
    let key = AgentKey::of(agent_id);
    keys.insert(agent_id.into(), key);
    key
}

/// The ids ascending, with their places in the batch; of equal ids the last one, which replaces the others.
fn in_order_of_ids(batch: &[Entry<'_>]) -> Vec<(u128, usize)> {
    let id = |entry: &Entry<'_>| entry.receipt.response.verification_id.as_u128();
    let mut order: Vec<(u128, usize)> = batch
        .iter()
        .enumerate()
        .map(|(place, entry)| (id(entry), place))
        .collect();
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    order.dedup_by_key(|(id, _)| *id);
    order
}
