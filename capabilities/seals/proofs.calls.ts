import { readForwards } from '#application/aggregate.js';
import { streamName } from '#domain/streams.js';
import { EventStoreError, type RecordedEvent } from '#event-store/event-store.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { defineCall } from '#operator-calls/call.js';
import { environmentsOf, InEnvironment } from '#operator-calls/input.js';
import { ledgerOf } from '#operator-calls/ledger-of.js';
import type { Operator } from '#operator-calls/operator.js';
import { printJson } from '#operator-calls/output.js';
import { BooleanField, IdField, TextField } from '#validation/fields.js';
import { proveInclusion, type InclusionProof } from './proof.js';

class ProvenTransaction extends InEnvironment {
  @TextField({
    description: 'The charge, the purchase or the correction, as `/v1/transactions` lists it.',
    min: 1,
    max: 64,
    required: true,
  })
  transaction: string;

  @BooleanField({ description: 'Prove the refund of this charge instead of the charge.' })
  refund: boolean = false;
}

export const proveTransaction = defineCall({
  name: 'ledger prove',
  route: 'GET /transactions/:transaction/proof',
  may: ['read'],
  summary: 'A proof that one line of a ledger is in the sealed log',
  input: ProvenTransaction,
  typed: { transaction: 'option' },
  async run(operator, { transaction, refund, env }) {
    const made = await findTransaction(operator, transaction, env);
    const event = refund ? await findRefund(operator, transaction, made) : made;
    return proofOf(operator, event);
  },
  print: printJson,
});

class ProvenOrder extends InEnvironment {
  @IdField({ description: 'The job.', required: true })
  job: string;
}

export const proveOrder = defineCall({
  name: 'ledger prove-order',
  route: 'GET /jobs/:job/proof',
  may: ['read'],
  summary: 'A proof that the order of a job is in the sealed log',
  input: ProvenOrder,
  typed: { job: 'option' },
  async run(operator, { job, env }) {
    for (const environment of environmentsOf(env)) {
      const stream = streamName(environment, 'job', job);
      const slice = await operator.store.readStream(stream, { from: 0n, limit: 1 });
      const [first] = slice.kind === 'found' ? slice.events : [];
      if (first?.type === 'JobQueued') return proofOf(operator, first);
    }
    throw new CallRefused(`there is no job ${job}`, 'RESOURCE_NOT_FOUND');
  },
  print: printJson,
});

async function proofOf(operator: Operator, event: RecordedEvent): Promise<InclusionProof> {
  try {
    return await proveInclusion(operator.store, event);
  } catch (error) {
    throw error instanceof EventStoreError ? new CallRefused(error.message) : error;
  }
}

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
    throw new CallRefused(`the ledger of ${stream} differs from the history: run "atelier ledger audit"`);
  }
  throw new CallRefused(
    `there is no transaction ${id}: /v1/transactions lists their ids`,
    'RESOURCE_NOT_FOUND',
  );
}

/** The fields that hold the id of a ledger line. */
const idNames = ['chargeId', 'purchaseId', 'correctionId'] as const;

function names({ data }: RecordedEvent, id: string): boolean {
  const ids = data as Partial<Record<(typeof idNames)[number], string>>;
  return idNames.some((name) => ids[name] === id);
}

/** Looks for the refund in the charge's stream, after the charge. */
async function findRefund(operator: Operator, id: string, charge: RecordedEvent): Promise<RecordedEvent> {
  for await (const events of readForwards(operator.store, charge.stream, charge.revision)) {
    const refund = events.find((event) => event.type === 'CreditsRefunded' && names(event, id));
    if (refund) return refund;
  }
  throw new CallRefused(`transaction ${id} was not refunded`, 'RESOURCE_NOT_FOUND');
}
