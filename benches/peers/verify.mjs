// The Node peer of `assay verify`: the same job for the benchmark's requests, with ajv, canonicalize and node:crypto.
//
//     node verify.mjs REQUESTS.ndjson -o RECEIPTS.ndjson --keys-out KEYS.json [--procs N]
//
// It parses each line, validates it against its schema, applies `sum_equals`, hashes the four parts, builds the whole
// response, signs it and writes it. Schemas and rules are compiled, and their canonical text kept, once for each
// distinct text; the request hash is put together from canonical parts that are there already. With --procs the file
// is cut at line ends into as many parts, one for each worker thread, so that the threads need not talk to each other.
//
// What it leaves out, all to its advantage: duplicate keys and integers past 2^53 are not refused or kept exact, sums
// are in doubles, 135.0 prints as 135, the seven content checks count as passed without being made, and nothing is
// recorded. A keyword or rule that the benchmark's requests do not use ends the run with an error, never with a wrong
// count.

import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, randomUUID, sign } from 'node:crypto';
import { appendFileSync, closeSync, fstatSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { writeFileSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Worker, isMainThread, workerData } from 'node:worker_threads';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import canonicalize from 'canonicalize';

const KEY_VERSION = 'peer-node';
const CONTEXT = 'json-schema-verifier/verify-schema-attestation/v1';
const CONTENT_CHECKS = 7;
const ENTRIES_MAX = 100;
const CACHE_MAX = 1024;
const BUFFER_BYTES = 1 << 20;
const NEWLINE = 10;

const VERIFY = {
  public_key_url: 'https://verifier.example/.well-known/agent-card.json',
  key_version: KEY_VERSION,
  canonicalization: 'RFC 8785 (JCS)',
  hash_algorithm: 'SHA-256',
  service: 'Node peer',
  mcp: 'https://verifier.example/mcp',
};
const PASS_ACTIONS = [
  { action: 'attach_receipt', for: 'seller' },
  { action: 'proceed_to_payment', for: 'buyer' },
];
const FAIL_ACTIONS = [{ action: 'repair_and_reverify', using: 'hints' }];
const RULE_DEFAULTS = {
  type: null,
  field: null,
  equals_field: null,
  equals: null,
  other_field: null,
  value: null,
  in_field: null,
  values: null,
  tolerance: 1e-9,
  if_present: false,
};

const sha256 = (text) => hash('sha256', text, 'hex');

// ---- how many checks a schema makes on an output ----

const CHECKS_OF_ANY = ['type', 'enum', 'const'];
const CHECKS_OF_TYPE = {
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  object: ['required', 'minProperties', 'maxProperties', 'dependentRequired'],
  array: ['minItems', 'maxItems', 'uniqueItems'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};
const NOT_COUNTED = ['properties', 'items', 'title', 'description', '$schema', '$id', '$comment', 'default', 'examples'];
const COUNTABLE = new Set([...CHECKS_OF_ANY, ...NOT_COUNTED, ...Object.values(CHECKS_OF_TYPE).flat()]);

/** A function that counts the assertions evaluated on an output; the validator itself gives no count. */
function compileCounter(schema) {
  if (schema === true) return () => 0;
  const plain = typeof schema === 'object' && !Array.isArray(schema.items);
  if (!plain || Object.keys(schema).some((key) => !COUNTABLE.has(key))) {
    throw new Error('this peer counts only plain assertions, properties and items');
  }
  const present = (names) => names.filter((name) => name in schema).length;
  const ofAny = present(CHECKS_OF_ANY);
  const ofString = ofAny + present(CHECKS_OF_TYPE.string);
  const ofObject = ofAny + present(CHECKS_OF_TYPE.object);
  const ofArray = ofAny + present(CHECKS_OF_TYPE.array);
  const ofNumber = ofAny + present(CHECKS_OF_TYPE.number);
  const properties = Object.entries(schema.properties ?? {}).map(([name, child]) => [name, compileCounter(child)]);
  const items = 'items' in schema ? compileCounter(schema.items) : null;
  return (value) => {
    if (typeof value === 'string') return ofString;
    if (typeof value === 'number') return ofNumber;
    if (Array.isArray(value)) {
      let total = ofArray;
      if (items !== null) for (const item of value) total += items(item);
      return total;
    }
    if (value !== null && typeof value === 'object') {
      let total = ofObject;
      for (const [name, child] of properties) if (Object.hasOwn(value, name)) total += child(value[name]);
      return total;
    }
    return ofAny;
  };
}

// ---- rules ----

/** `a[].b` as a, [], b. */
function pathSteps(path) {
  return path.replaceAll('[]', '.[]').replace(/^\./, '').split('.');
}

/** The rule with its paths taken apart. */
function compileRule(rule) {
  if (rule.type !== 'sum_equals') throw new Error(`this peer has no rule ${rule.type}`);
  const targetIsPath = rule.equals_field !== null;
  return {
    field: rule.field,
    steps: pathSteps(rule.field),
    target: targetIsPath ? rule.equals_field : rule.equals,
    targetSteps: targetIsPath ? pathSteps(rule.equals_field) : null,
    tolerance: rule.tolerance,
    ifPresent: rule.if_present,
  };
}

/** All values that a path reaches; null for each that is missing. */
function valuesAt(value, steps) {
  let values = [value];
  for (const step of steps) {
    values =
      step === '[]'
        ? values.flatMap((each) => (Array.isArray(each) ? each : []))
        : values.map((each) => (each !== null && typeof each === 'object' ? (each[step] ?? null) : null));
  }
  return values;
}

/** null when the sum is right, else what was expected, what was found, and a sentence. */
function sumViolation(rule, output) {
  const target = rule.targetSteps === null ? rule.target : valuesAt(output, rule.targetSteps)[0];
  const name = rule.targetSteps === null ? String(target) : `${rule.target} (${target})`;
  let total = 0;
  for (const value of valuesAt(output, rule.steps)) {
    if (value === null && rule.ifPresent) continue;
    total += typeof value === 'number' ? value : NaN;
  }
  if (typeof target !== 'number' || Number.isNaN(total)) {
    const sentence = `not all values are numbers, expected ${name}`;
    return { expected: `a sum equal to ${name}`, found: 'a value that is no number', sentence };
  }
  if (Math.abs(total - target) <= rule.tolerance) return null;
  const sentence = `values sum to ${total}, expected ${name}`;
  return { expected: `a sum equal to ${name}`, found: `sum ${total}`, sentence };
}

// ---- one request ----

/** Everything that one thread needs: compiled contracts, rule sets and the signing key. */
class Verifier {
  constructor(privateKey) {
    this.key = privateKey;
    this.ajv = new Ajv2020({ allErrors: true, strict: false });
    addFormats(this.ajv);
    this.contracts = new Map();
    this.ruleSets = new Map();
  }

  /** The compiled schema with the text and the hash that its requests share; its text tells schemas apart. */
  contract(schema) {
    const text = JSON.stringify(schema);
    let contract = this.contracts.get(text);
    if (contract === undefined) {
      const canonical = canonicalize(schema);
      const validate = this.ajv.compile(schema);
      contract = { validate, count: compileCounter(schema), canonical, hash: sha256(canonical) };
      remember(this.contracts, text, contract);
    }
    return contract;
  }

  /** The compiled rules with the text and the hash that their requests share; bounds are not part of the benchmark. */
  ruleSet(rules, bounds) {
    const text = JSON.stringify([rules, bounds]);
    let ruleSet = this.ruleSets.get(text);
    if (ruleSet === undefined) {
      if (bounds !== null && Object.keys(bounds).length > 0) throw new Error('this peer has no bounds');
      const full = (rules ?? []).map((rule) =>
        Object.fromEntries(Object.entries(RULE_DEFAULTS).map(([key, value]) => [key, rule[key] ?? value])),
      );
      ruleSet = {
        rules: full.map(compileRule),
        canonical: full.length > 0 ? canonicalize(full) : 'null',
        hash: sha256(canonicalize({ bounds, rules })),
      };
      remember(this.ruleSets, text, ruleSet);
    }
    return ruleSet;
  }

  /** The signed receipt for a line, or an error object, as JSON text. */
  verifyLine(line) {
    let request;
    try {
      request = JSON.parse(line);
    } catch (error) {
      return JSON.stringify({ code: 'invalid_json', message: error.message, status: 422 });
    }
    const { task_id, expected_schema, submitted_output } = request ?? {};
    if (task_id === undefined || expected_schema === undefined || submitted_output === undefined) {
      return JSON.stringify({ code: 'invalid_request', message: 'a required field is missing', status: 422 });
    }
    const agentId = request.agent_id ?? null;
    const enforce = request.enforce_rules ?? false;
    const strict = request.strict_content_check ?? false;
    const contract = this.contract(expected_schema);
    const ruleSet = this.ruleSet(request.rules ?? null, request.bounds ?? null);

    const schemaErrors = contract.validate(submitted_output) ? [] : contract.validate.errors;
    const violations = [];
    for (const rule of ruleSet.rules) {
      const found = sumViolation(rule, submitted_output);
      if (found !== null) violations.push({ rule, ...found });
    }
    const failed = schemaErrors.length > 0 || (enforce && violations.length > 0);
    const blocking = schemaErrors.length > 0 ? ['schema'] : [];
    if (enforce && violations.length > 0) blocking.push('consistency:sum_equals');

    const outputCanonical = canonicalize(submitted_output);
    // The clock's milliseconds; the protocol writes six decimals.
    const verifiedAt = `${new Date().toISOString().slice(0, -1)}000+00:00`;
    const result = failed ? 'fail' : 'pass';
    const response = {
      summary: { result, blocking_checks: blocking },
      next_actions: failed ? FAIL_ACTIONS : PASS_ACTIONS,
      result,
      verification_id: randomUUID(),
      task_id,
      agent_id: agentId,
      output_hash: sha256(outputCanonical),
      schema_hash: contract.hash,
      rules_hash: ruleSet.hash,
    };
    const full = request.detail !== 'compact';
    if (full) {
      response.request_hash = sha256(
        `{"agent_id":${JSON.stringify(agentId)},"bounds":null,"enforce_rules":${enforce},` +
          `"expected_schema":${contract.canonical},"rules":${ruleSet.canonical},"strict_content_check":${strict},` +
          `"submitted_output":${outputCanonical},"task_id":${JSON.stringify(task_id)}}`,
      );
    }
    response.verified_at = verifiedAt;
    response.verifier_version = 'peer';
    response.enforce_rules = enforce;
    response.strict_content_check = strict;
    if (full) {
      report(response, schemaErrors, violations, enforce);
      counts(response, contract.count(submitted_output), schemaErrors, ruleSet.rules.length, violations.length);
    }
    response.verify = VERIFY;

    const signer = { algorithm: 'Ed25519', key_version: KEY_VERSION };
    const signed = { context: CONTEXT, ...signer, attested_at: verifiedAt, response };
    const signature = sign(null, Buffer.from(canonicalize(signed)), this.key).toString('base64');
    response.attestation = { ...signer, timestamp: verifiedAt, signature };
    return JSON.stringify(response);
  }
}

/** Keeps a compiled thing; a full cache starts anew, as the benchmark has few schemas. */
function remember(cache, text, value) {
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(text, value);
}

/** Puts the lists of a full response into it. */
function report(response, schemaErrors, violations, enforce) {
  const details = [];
  const flags = [];
  const hints = [];
  for (const error of schemaErrors) {
    const check = `schema:${error.keyword}`;
    const path = `$${error.instancePath.replaceAll('/', '.')}`;
    const hint = { check, path, expected: 'a value that the schema allows', found: error.message };
    details.push({ ...hint, message: `${check} at '${path}': ${error.message}` });
    hints.push({ source: 'schema', ...hint });
  }
  for (const { rule, expected, found, sentence } of violations) {
    const hint = { check: 'consistency:sum_equals', path: `$.${rule.field}`, expected, found };
    if (enforce) details.push({ ...hint, message: `enforce_rules: ${hint.check} at '${rule.field}': ${sentence}` });
    flags.push({ check: hint.check, field: rule.field, severity: 'error', detail: sentence });
    hints.push({ source: 'integrity', ...hint });
  }
  const lists = { errors: details.map((detail) => detail.message), errors_detail: details, flags, hints };
  for (const [name, entries] of Object.entries(lists)) {
    response[name] = entries.slice(0, ENTRIES_MAX);
    response[`${name}_total`] = entries.length;
    response[`${name}_omitted`] = Math.max(0, entries.length - ENTRIES_MAX);
  }
}

/** Puts the three counts of a full response into it. */
function counts(response, schemaTotal, schemaErrors, rules, violations) {
  // Several missing names are several errors of the library, but one check.
  const failed = new Set(schemaErrors.map((error) => `${error.schemaPath}\n${error.instancePath}`)).size;
  const integrityTotal = CONTENT_CHECKS + rules;
  response.schema_compliance = compliance(schemaTotal - failed, schemaTotal);
  response.integrity_checks = compliance(integrityTotal - violations, integrityTotal);
  response.overall = compliance(schemaTotal - failed + integrityTotal - violations, schemaTotal + integrityTotal);
}

/** One count with its ratio. */
function compliance(passed, total) {
  return { ratio: total === 0 ? 1 : Math.round((passed / total) * 1e6) / 1e6, passed, total };
}

// ---- files and threads ----

/** Verifies the lines that begin in [start, end), which are whole lines, and writes their answers. */
function verifyPart({ source, start, end, target, privateKeyPem }) {
  const verifier = new Verifier(createPrivateKey(privateKeyPem));
  const lines = openSync(source, 'r');
  const answers = openSync(target, 'w');
  const chunk = Buffer.allocUnsafe(BUFFER_BYTES);
  let rest = Buffer.alloc(0);
  let pending = '';
  const answer = (line) => {
    pending += `${verifier.verifyLine(line)}\n`;
    if (pending.length >= BUFFER_BYTES) {
      writeSync(answers, pending);
      pending = '';
    }
  };
  for (let position = start; position < end; ) {
    const count = readSync(lines, chunk, 0, Math.min(BUFFER_BYTES, end - position), position);
    position += count;
    const data = rest.length > 0 ? Buffer.concat([rest, chunk.subarray(0, count)]) : chunk.subarray(0, count);
    let from = 0;
    for (let to = data.indexOf(NEWLINE); to >= 0; to = data.indexOf(NEWLINE, from)) {
      answer(data.toString('utf8', from, to));
      from = to + 1;
    }
    rest = Buffer.from(data.subarray(from));
  }
  if (rest.length > 0) answer(rest.toString('utf8'));
  writeSync(answers, pending);
  closeSync(answers);
  closeSync(lines);
}

/** The offsets at which the file is cut: 0, line beginnings, and its size. */
function cutAtLines(path, parts) {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  const cuts = new Set([0, size]);
  const chunk = Buffer.allocUnsafe(BUFFER_BYTES);
  for (let part = 1; part < parts; part += 1) {
    let position = Math.floor((size * part) / parts);
    for (let found = -1; found < 0 && position < size; ) {
      const count = readSync(file, chunk, 0, BUFFER_BYTES, position);
      found = chunk.subarray(0, count).indexOf(NEWLINE);
      position += found < 0 ? count : found + 1;
    }
    cuts.add(position);
  }
  closeSync(file);
  return [...cuts].sort((left, right) => left - right);
}

/** Runs the peer. */
async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: 'string', short: 'o' },
      'keys-out': { type: 'string' },
      procs: { type: 'string', default: '1' },
    },
  });
  const [source] = positionals;
  if (positionals.length !== 1 || values.out === undefined || values['keys-out'] === undefined) {
    throw new Error('usage: node verify.mjs REQUESTS.ndjson -o RECEIPTS.ndjson --keys-out KEYS.json [--procs N]');
  }

  const { privateKey } = generateKeyPairSync('ed25519');
  const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  const key = {
    keyVersion: KEY_VERSION,
    algorithm: 'Ed25519',
    publicKey: Buffer.from(x, 'base64url').toString('base64'),
    publicKeyEncoding: 'base64 of the raw 32-byte Ed25519 public key',
  };
  writeFileSync(values['keys-out'], JSON.stringify({ publicKeys: [key] }));

  const cuts = cutAtLines(source, Number(values.procs));
  const jobs = cuts.slice(1).map((end, index) => ({
    source,
    start: cuts[index],
    end,
    target: cuts.length === 2 ? values.out : `${values.out}.${index}`,
    privateKeyPem,
  }));
  if (jobs.length === 1) {
    verifyPart(jobs[0]);
    return;
  }
  await Promise.all(
    jobs.map(
      (job) =>
        new Promise((resolve, reject) => {
          const worker = new Worker(new URL(import.meta.url), { workerData: job });
          worker.on('error', reject);
          worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
        }),
    ),
  );
  writeFileSync(values.out, '');
  for (const { target } of jobs) {
    appendFileSync(values.out, readFileSync(target));
    rmSync(target);
  }
}

if (isMainThread) {
  await main();
} else {
  verifyPart(workerData);
}
