-- Every receipt, one row each, as typed columns from which the signed bytes are written again.
--
-- Ordered by its id, so that one receipt is found by the primary key, and collapsed by it: of the rows with one id the one that was
-- verified last stands, whatever was replayed and however batches were cut. Merging takes its time, so a reader says FINAL or asks
-- for the latest. There are no partitions: rows collapse only inside one, and no time in a record may decide where it goes.
-- `min_compress_block_size` and the small granules keep what one lookup reads short.
CREATE TABLE IF NOT EXISTS receipts (
    verification_id UUID CODEC(NONE),
    verified_at DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    counted_on Date32 CODEC(ZSTD(1)) COMMENT 'The UTC day on which it counts in the reputation',
    task_id String CODEC(ZSTD(1)),
    agent_id Nullable(String) CODEC(ZSTD(1)),
    result Enum8('pass' = 1, 'fail' = 2) CODEC(ZSTD(1)),
    enforce_rules Bool CODEC(ZSTD(1)),
    strict_content_check Bool CODEC(ZSTD(1)),
    detail Enum8('full' = 1, 'compact' = 2) CODEC(ZSTD(1)),
    output_hash FixedString(32) CODEC(NONE),
    schema_hash FixedString(32) CODEC(ZSTD(1)),
    rules_hash FixedString(32) CODEC(ZSTD(1)),
    request_hash FixedString(32) CODEC(NONE),
    schema_passed UInt64 CODEC(ZSTD(1)),
    schema_total UInt64 CODEC(ZSTD(1)),
    integrity_passed UInt64 CODEC(ZSTD(1)),
    integrity_total UInt64 CODEC(ZSTD(1)),
    schema_violations UInt64 CODEC(ZSTD(1)) COMMENT 'Violations of the schema, listed or not',
    content_violations UInt64 CODEC(ZSTD(1)),
    rule_violations UInt64 CODEC(ZSTD(1)),
    schema_checks Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Names of the violated checks, each once',
    content_checks Array(LowCardinality(String)) CODEC(ZSTD(1)),
    rule_checks Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `violations.source` Array(Enum8('schema' = 1, 'content' = 2, 'integrity' = 3)) CODEC(ZSTD(1)) COMMENT 'The violations that the receipt lists',
    `violations.check` Array(LowCardinality(String)) CODEC(ZSTD(1)),
    `violations.field` Array(String) CODEC(ZSTD(1)),
    `violations.expected` Array(String) CODEC(ZSTD(1)),
    `violations.found` Array(String) CODEC(ZSTD(1)),
    `violations.detail` Array(String) CODEC(ZSTD(1)),
    public_key_url LowCardinality(String) CODEC(ZSTD(1)),
    service LowCardinality(String) CODEC(ZSTD(1)),
    mcp LowCardinality(String) CODEC(ZSTD(1)),
    verifier_version LowCardinality(String) CODEC(ZSTD(1)),
    key_version LowCardinality(String) CODEC(ZSTD(1)),
    signature FixedString(64) CODEC(NONE),
    source_topic LowCardinality(String) CODEC(ZSTD(1)) COMMENT 'Where the request came from; empty when not from a topic',
    source_partition Int32 CODEC(ZSTD(1)),
    source_offset Int64 CODEC(ZSTD(1)),
    receipt_partition Int32 CODEC(ZSTD(1)) COMMENT 'Its place in the receipts topic',
    receipt_offset Int64 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(verified_at)
ORDER BY verification_id
SETTINGS index_granularity = 512, min_compress_block_size = 16384, non_replicated_deduplication_window = 10000;

-- What reputation needs of each receipt, one row each, by agent and day: some thirty bytes, read in one stretch.
--
-- Counts are made when they are read, from the rows that stand. A table of sums would count a replay twice, and a set of requests
-- for each agent and day could not take a check back that was made again under its id. Receipts may be dropped after a while
-- (retention); these rows stay.
CREATE TABLE IF NOT EXISTS checks (
    agent_id String CODEC(ZSTD(1)),
    counted_on Date32 CODEC(ZSTD(1)),
    verification_id UUID CODEC(NONE),
    verified_at DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    request UInt64 CODEC(NONE) COMMENT 'The first 64 bits of the request hash',
    failed Bool CODEC(ZSTD(1)),
    withdrawn Bool CODEC(ZSTD(1)) COMMENT 'The id counts for another agent or day now'
)
ENGINE = ReplacingMergeTree(verified_at)
ORDER BY (agent_id, counted_on, verification_id)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS checks_of_receipts TO checks AS
SELECT
    assumeNotNull(agent_id) AS agent_id,
    counted_on,
    verification_id,
    verified_at,
    reinterpretAsUInt64(reverse(substring(request_hash, 1, 8))) AS request,
    result = 'fail' AS failed,
    false AS withdrawn
FROM receipts
WHERE receipts.agent_id IS NOT NULL AND NOT startsWith(assumeNotNull(receipts.agent_id), 'test-');
