import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import {
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Caller } from '#application/command-context.js';
import { canAskPerson, type Agent } from './agent.js';
import { carryOut, idempotencyKeyOf, type CarriedOut, type Dispatched } from './carry-out.js';
import { hashOf } from './offers.js';
import { OwnRefusal, refusalOf, type Json } from './own-api.js';
import { workflowIn } from './reading-tools.js';
import { addTool, id, refusalResult, resultOf } from './results.js';
import type { SpendConsent } from './spend.events.js';
import type { Offer, SpendRejection } from './spend.js';

export function addSpendTools(server: McpServer, agent: Agent): void {
  addTool(server, agent, 'quote', {
    title: 'Ask for the price of an order',
    description:
      'Checks an order and makes an offer: its price, and until when it can be taken. Charges nothing. Take the offer ' +
      'with order. Each offer makes one job at most.',
    input: z.object({
      workflow: z.string().describe('A name from list_workflows.'),
      body: z.record(z.string(), z.unknown()).describe('The fields that describe_workflow shows.'),
    }),
    output: z.object({
      offer_id: id('For order.'),
      workflow: z.string(),
      credits: z.number().int().describe('What the order will cost.'),
      balance: z.number().int(),
      environment: z.enum(['live', 'test']),
      expires_at: z.string(),
      consent: z
        .enum(['person', 'confirmation'])
        .describe('person: order asks a person. confirmation: order needs confirmation_id.'),
      confirmation_id: z.string().nullable().describe('For order, once the order is agreed to.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    run: ({ workflow, body }, context) => quote(agent, workflow, body, context),
  });
  addTool(server, agent, 'order', {
    title: 'Order what was quoted',
    description:
      'Takes an offer of quote, which charges its credits. A person is asked first where the client can do that; ' +
      'otherwise pass the confirmation_id of the quote. Calling it again with the same offer gives the same job and ' +
      'charges nothing more.',
    input: z.object({
      offer_id: id('From quote.'),
      confirmation_id: z.string().max(64).nullish().describe('From quote, if it gave one.'),
    }),
    output: z.object({
      job_id: id('For wait.'),
      offer_id: z.string(),
      workflow: z.string(),
      credits: z.number().int().describe('What was charged for this job, once.'),
      balance: z.number().int().describe('What is left.'),
      consent: z.enum(['person', 'confirmation']),
      replayed: z.boolean().describe('True: the offer was taken before, and this is its job.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: ({ offer_id, confirmation_id }, context) =>
      order(agent, offer_id, confirmation_id ?? undefined, context),
  });
}

/** @throws OwnRefusal unless agents may spend with this key */
function requireSpending({ environment, capabilities }: Caller): void {
  if (environment === 'test' || capabilities.includes('mcp:spend')) return;
  const message =
    'With a live key, agents spend only if the key has the capability mcp:spend. Use a test key, or ask your operator. ' +
    'Nothing was charged.';
  throw new OwnRefusal(403, 'CAPABILITY_REQUIRED', message, undefined);
}

async function quote(
  agent: Agent,
  workflow: string,
  body: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult> {
  const { api, offers, caller, session } = agent;
  requireSpending(caller);
  workflowIn(await api.description(), workflow);
  const {
    credits_cost: credits,
    balance,
    would_be_accepted,
    sufficient,
  } = await estimate(agent, workflow, body);
  if (!would_be_accepted) {
    return sufficient
      ? refusalResult(
          'DAILY_SPEND_CAP_EXCEEDED',
          `This costs ${credits} credits, more than the rest of today's spend cap. Nothing was charged.`,
        )
      : refusalResult(
          'INSUFFICIENT_BALANCE',
          `This costs ${credits} credits and the balance is ${balance}. Nothing was charged.`,
        );
  }
  const confirmationId = canAskPerson(context) ? undefined : randomBytes(15).toString('base64url');
  const made = await offers.make(agent, { workflow, body, credits, session, confirmationId });
  if (made.kind === 'rejected') return rejected(made.rejection);
  const { offerId, expiresAt } = made.offer;
  return resultOf({
    offer_id: offerId,
    workflow,
    credits,
    balance,
    environment: caller.environment,
    expires_at: expiresAt,
    consent: confirmationId === undefined ? 'person' : 'confirmation',
    confirmation_id: confirmationId ?? null,
  });
}

const estimate = ({ api }: Agent, workflow: string, body: Record<string, unknown>): Promise<Json> =>
  api.post(`/v1/${workflow}?dry_run=true`, { body });

async function order(
  agent: Agent,
  offerId: string,
  confirmationId: string | undefined,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  requireSpending(agent.caller);
  const found = await agent.offers.find(agent, offerId);
  if (found.kind === 'rejected') return rejected(found.rejection);
  let { offer } = found;
  if (offer.status === 'open') {
    const consent = canAskPerson(context)
      ? await consentOfPerson(agent, offer, context)
      : confirmed(offer, confirmationId);
    if (typeof consent !== 'string') return consent;
    const agreed = await agent.offers.agree(agent, offerId, consent);
    if (agreed.kind === 'rejected') return rejected(agreed.rejection);
    ({ offer } = agreed);
  }
  const carried = await carryOut(agent.offers, agent, offer, (agreed) => dispatch(agent, agreed));
  return resultOfOrder(agent, carried);
}

/** The form asks for one word, and the text before it is all that the person has to know. */
const consentForm = {
  type: 'object' as const,
  properties: { agree: { type: 'boolean' as const, title: 'Order it and pay for it' } },
  required: ['agree'],
};

async function consentOfPerson(
  agent: Agent,
  offer: Offer,
  { mcpReq: { inputResponses } }: ServerContext,
): Promise<SpendConsent | CallToolResult | InputRequiredResult> {
  const { offerId, workflow, credits, expiresAt } = offer;
  const answer = inputResponse(inputResponses, 'consent');
  if (answer.kind === 'elicit') {
    if (answer.action === 'accept' && answer.content?.['agree'] === true) return 'person';
    if (answer.action === 'cancel')
      return refusalResult(
        'NOT_AGREED',
        'The person did not answer, so nothing was ordered and nothing was charged.',
      );
    const declined = await agent.offers.decline(agent, offerId);
    return rejected(declined.kind === 'rejected' ? declined.rejection : { code: 'OFFER_DECLINED' });
  }
  const { credits_cost: cost, balance } = await estimate(agent, workflow, offer.body);
  if (cost !== credits) return refusalResult('PRICE_CHANGED', priceChanged(cost as number, credits));
  const kind = agent.caller.environment === 'test' ? 'test credits' : 'credits';
  const message =
    `Order ${workflow} for ${credits} ${kind}? The balance is ${balance}. ` +
    `The offer ends at ${expiresAt}. It is ordered and charged once.`;
  return inputRequired({
    inputRequests: { consent: inputRequired.elicit({ message, requestedSchema: consentForm }) },
  });
}

function priceChanged(cost: number, credits: number): string {
  return `The price was ${credits} credits and is ${cost} now. Nothing was ordered and nothing was charged: ask for a new quote.`;
}

function confirmed(
  { confirmationHash }: Offer,
  confirmationId: string | undefined,
): SpendConsent | CallToolResult {
  if (
    confirmationHash !== null &&
    confirmationId !== undefined &&
    hashOf(confirmationId) === confirmationHash
  )
    return 'confirmation';
  const message =
    confirmationHash === null
      ? 'This offer needs the consent of a person, and this client cannot ask one. Ask for a new quote. Nothing was charged.'
      : 'Pass the confirmation_id that quote gave with this offer. Nothing was charged.';
  return refusalResult('CONFIRMATION_REQUIRED', message);
}

/** How often, and how long apart, an order asks again while another process dispatches the same offer. */
const [tries, apartMs] = [25, 200];

/** The statuses after which it is unknown whether the job was made, or after which a repeat can succeed. */
const mayStillSucceed = (status: number) =>
  status === 401 || status === 408 || status === 429 || status >= 500;

/** Dispatches an offer as any caller would; the expected price charges what was agreed or nothing. */
async function dispatch({ api }: Agent, offer: Offer): Promise<Dispatched> {
  const headers = {
    'idempotency-key': idempotencyKeyOf(offer),
    'x-atelier-expected-credits': String(offer.credits),
  };
  for (let left = tries; ; left--) {
    const { status, body: answer } = await api.send('POST', `/v1/${offer.workflow}`, {
      body: offer.body,
      headers,
    });
    if (status < 400) return { kind: 'made', jobId: answer.job_id as string };
    const { code, message } = refusalOf(status, answer);
    const isInUse = code === 'IDEMPOTENCY_KEY_IN_USE';
    if (!isInUse || left === 0)
      return { kind: isInUse || mayStillSucceed(status) ? 'unsure' : 'refused', code, message };
    await pause(apartMs);
  }
}

async function resultOfOrder({ api }: Agent, carried: CarriedOut): Promise<CallToolResult> {
  switch (carried.kind) {
    case 'unsure':
      return refusalResult(
        carried.code,
        `${carried.message} The order is agreed to. Call order with the same offer again: it makes one job, however often you call.`,
      );
    case 'refused':
      return refusalResult(carried.code, `${carried.message} The offer is closed: ask for a new quote.`);
    case 'ordered': {
      const { offer, jobId: job_id, replayed } = carried;
      const { offerId: offer_id, workflow, credits, consent } = offer;
      const { balance } = await api.get('/v1/credits');
      return resultOf({ job_id, offer_id, workflow, credits, balance, consent, replayed });
    }
    default:
      return carried satisfies never;
  }
}

function rejected(rejection: SpendRejection): CallToolResult {
  return refusalResult(rejection.code, sentenceOf(rejection));
}

function sentenceOf(rejection: SpendRejection): string {
  switch (rejection.code) {
    case 'TOO_MANY_OFFERS':
      return 'This key has asked for too many quotes today. Nothing was charged: order one of them, or go on tomorrow.';
    case 'OFFER_NOT_FOUND':
      return 'This key has no such offer. Nothing was charged: ask for a quote.';
    case 'OFFER_EXPIRED':
      return `The offer ended at ${rejection.expiresAt}. Nothing was charged: ask for a new quote.`;
    case 'OFFER_DECLINED':
      return 'The person declined. Nothing was ordered and nothing was charged. Do not ask again for the same order.';
    case 'OFFER_REFUSED':
      return `The offer was refused when it was ordered (${rejection.refusal}). Nothing was charged: ask for a new quote.`;
    case 'OFFER_TAKEN':
      return 'The offer is agreed to already. Cancel its job if it must not be made.';
    case 'OFFER_LOST':
      return `The offer was agreed to at ${rejection.agreedAt}, and its order never got an answer. It is too old to be repeated. The list of jobs shows whether it was made.`;
    case 'SPEND_CAP_REACHED': {
      const { of, cap, spent } = rejection;
      const whose = of === 'session' ? 'this run of the client' : 'this key today';
      return `Without a person, ${whose} may spend ${cap} credits; ${spent} are spent. Nothing was charged: use a client that can ask a person, or ask your operator.`;
    }
    default:
      return rejection satisfies never;
  }
}
