import { readFileSync } from 'node:fs';
import { readForwards } from '#application/aggregate.js';
import { streamName } from '#domain/streams.js';
import { EventStoreError, type RecordedEvent } from '#event-store/event-store.js';
import { proveInclusion, provenEvent, type InclusionProof } from '#event-store/seals/proof.js';
import { isGenuine, type Seal } from '#event-store/seals/seal.js';
import { messageOf } from '#platform/errors.js';
import { readPublicSealKey } from '#platform/seal-key.js';
import { BooleanField, TextField } from '#validation/fields.js';
import { ledgerOf } from '../ledger/ledger-of.js';
import { defineCall } from '#operator-calls/call.js';
import { InEnvironment, environmentsOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printJson, printLine, printProperties } from '#operator-calls/output.js';
import { CliError } from '#operator-calls/call-refused.js';
import type { OutputOptions } from '../verb.js';

class ProvenTransaction extends InEnvironment {
  @TextField({
    description: 'The charge, the purchase or the correction, as `/v1/transactions` lists it.',
    min: 1,
    max: 64,
    required: true,
  })
  transaction: string;

  @BooleanField({ description: 'The refund of this charge, in place of the charge.' })
  refund: boolean = false;
}

export const proveTransaction = defineCall({
  name: 'ledger prove',
  route: 'GET /transactions/:transaction/proof',
  may: ['read'],
  summary: 'A proof that one line of a ledger is in the log as it was sealed',
  input: ProvenTransaction,
  typed: { transaction: 'option' },
  async run(operator, { transaction, refund, env }) {
    const made = await findTransaction(operator, transaction, env);
    const event = refund ? await findRefund(operator, transaction, made) : made;
    try {
      return await proveInclusion(operator.store, event);
    } catch (error) {
      throw error instanceof EventStoreError ? new CliError(error.message) : error;
    }
  },
  print: printJson,
});

async function findTransaction(
  operator: Operator,
  id: string,
  env: InEnvironment['env'],
): Promise<RecordedEvent> {
  for (const environment of environmentsOf(env)) {
    const row = await (await ledgerOf(operator, environment)).find(id);
    if (!row) continue;
    const stream = streamName(environment, 'account', row.tenant);
    const slice = await operator.store.readStream(stream, { from: BigInt(row.revision), limit: 1 });
    const [event] = slice.kind === 'found' ? slice.events : [];
    if (event && names(event, id)) return event;
    throw new CliError(`the ledger of ${stream} is not that of history: run "atelier ledger audit"`);
  }
  throw new CliError(`there is no transaction ${id}: /v1/transactions lists their ids`, 'RESOURCE_NOT_FOUND');
}

/** The ids that a line of a ledger has. */
const idNames = ['chargeId', 'purchaseId', 'correctionId'] as const;

function names({ data }: RecordedEvent, id: string): boolean {
  const ids = data as Partial<Record<(typeof idNames)[number], string>>;
  return idNames.some((name) => ids[name] === id);
}

/** It is in the same stream, behind the charge. */
async function findRefund(operator: Operator, id: string, charge: RecordedEvent): Promise<RecordedEvent> {
  for await (const events of readForwards(operator.store, charge.stream, charge.revision)) {
    const refund = events.find((event) => event.type === 'CreditsRefunded' && names(event, id));
    if (refund) return refund;
  }
  throw new CliError(`transaction ${id} was not refunded`, 'RESOURCE_NOT_FOUND');
}

/** Needs no service. Exit code 1 unless the proof proves what it says. */
export function verifyProof(
  file: string,
  { key, json }: OutputOptions & { readonly key: string },
): Promise<void> {
  const publicKey = publicKeyFrom(key);
  const proof = parsed(readText(file), file) as InclusionProof;
  let event: unknown[] | undefined;
  try {
    event = provenEvent(proof, publicKey);
  } catch {
    // A file of another shape proves nothing.
  }
  if (!event)
    throw new CliError(`${file} proves nothing: its event, path, seal and signature do not fit ${publicKey}`);
  const [stream, revision, id, type, data, metadata] = event;
  const { chain, number, sealedAt } = proof.seal;
  if (json)
    printJson({ proven: true, chain, seal: number, sealedAt, stream, revision, id, type, data, metadata });
  else {
    printLine('Proven: this event was in the log when it was sealed, and has not been altered.');
    printProperties([
      ['event', `${String(type)}, ${String(stream)} revision ${String(revision)}`],
      ['data', JSON.stringify(data)],
      ['metadata', JSON.stringify(metadata)],
      ['seal', `${number} of chain ${chain}, at ${sealedAt}`],
      ['key', publicKey],
    ]);
  }
  return Promise.resolve();
}

/** A public key as text, or the name of a file that holds it. @throws CliError */
export function publicKeyFrom(given: string): string {
  try {
    return readPublicSealKey(given);
  } catch {
    // It may be a file.
  }
  try {
    return readPublicSealKey(readText(given));
  } catch (error) {
    throw error instanceof CliError
      ? error
      : new CliError(`--key ${given}: the public key ${messageOf(error)}`);
  }
}

/** Seals as `seal export` wrote them, one a line. @throws CliError for one that no key has signed */
export function parseKeptSeals(text: string, file: string): Seal[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new CliError(`${file} holds no seal`);
  return lines.map((line, index) => {
    const seal = parsed(line, `line ${index + 1} of ${file}`) as Seal;
    if (isGenuine(seal)) return seal;
    throw new CliError(`line ${index + 1} of ${file} is no seal, or was altered since it was signed`);
  });
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** What it really is, its signature says. */
function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError(`${where} is not JSON`);
  }
}
