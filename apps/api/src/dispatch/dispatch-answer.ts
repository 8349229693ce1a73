import type { DispatchAnswer } from '#application/dispatch/dispatch-workflow.handler.js';
import type { DispatchOutcome } from '#application/dispatch/dispatcher.js';
import type { UnknownReference } from '#application/dispatch/references.js';
import type { DryRunAnswer } from '#application/dispatch/dry-run.handler.js';
import { ApiError, notFound } from '../http/api-error.js';
import type { DryRunResponse } from './dispatch.openapi.js';

type Refused = Extract<DispatchOutcome, { kind: 'refused' }>;
export type AcceptedDispatch = Extract<DispatchOutcome, { kind: 'accepted' }> & {
  readonly replayed: boolean;
};

/** The dispatch that was accepted. @throws ApiError for every other answer */
export function acceptedOrRefused(workflow: string, answer: DispatchAnswer): AcceptedDispatch {
  switch (answer.kind) {
    case 'key-in-use':
      throw new ApiError(
        'IDEMPOTENCY_KEY_IN_USE',
        'A request with this Idempotency-Key is still being worked on. Send it again in a moment: it gets that answer.',
        { headers: { 'retry-after': '1' } },
      );
    case 'key-reused': {
      const msg = 'was used for another body. Use a new key for a new request';
      const detail = [{ loc: ['header', 'Idempotency-Key'], msg, type: 'value' }];
      throw new ApiError('IDEMPOTENCY_KEY_REUSED', `This Idempotency-Key ${msg}. Nothing was charged.`, {
        detail,
      });
    }
    case 'answered':
      return outcomeOf(workflow, answer.outcome, answer.replayed);
    default:
      return answer satisfies never;
  }
}

function outcomeOf(workflow: string, outcome: DispatchOutcome, replayed: boolean): AcceptedDispatch {
  switch (outcome.kind) {
    case 'accepted':
      return { ...outcome, replayed };
    case 'unknown-reference':
      throw unusableReference(outcome);
    case 'refused':
      throw refused(workflow, outcome.rejection);
    default:
      return outcome satisfies never;
  }
}

/** Says which field, and the same whether it names nothing at all or something of another tenant. */
function unusableReference({ field, isRetired }: UnknownReference): ApiError {
  if (!isRetired) return notFound(`thing: ${field} names nothing that you may use`);
  const message = `${field} names a catalogue entry that was retired. Nothing was charged: choose another one.`;
  return new ApiError('CATALOG_ENTRY_RETIRED', message);
}

/** What a dry run found. @throws ApiError where the dispatch would be refused for another reason than its cost */
export function estimateOf(workflow: string, answer: DryRunAnswer): DryRunResponse {
  switch (answer.kind) {
    case 'estimated': {
      const { creditsCost, balance, sufficient, dailyCapOk } = answer;
      return {
        dry_run: true,
        operation: workflow,
        credits_cost: creditsCost,
        balance,
        sufficient,
        daily_cap_ok: dailyCapOk,
        would_be_accepted: sufficient && dailyCapOk,
      };
    }
    case 'unknown-reference':
      throw unusableReference(answer);
    case 'refused':
      throw notAllowed(workflow, answer.rejection.code);
    default:
      return answer satisfies never;
  }
}

function notAllowed(workflow: string, code: 'ACCOUNT_INACTIVE' | 'OPERATION_DISABLED'): ApiError {
  const what =
    code === 'ACCOUNT_INACTIVE' ? 'This account is not active' : `${workflow} is disabled at present`;
  return new ApiError(code, `${what}. Nothing was charged: ask your operator.`);
}

function refused(workflow: string, rejection: Refused['rejection']): ApiError {
  switch (rejection.code) {
    case 'INSUFFICIENT_BALANCE': {
      const { balance, cost } = rejection;
      const message = `This costs ${cost} credits and the balance is ${balance}. Nothing was charged: buy credits first.`;
      return new ApiError(rejection.code, message);
    }
    case 'DAILY_SPEND_CAP_EXCEEDED': {
      const { cap, spent, cost, resetsAt } = rejection;
      const then = resetsAt === null ? 'ask your operator to raise the cap' : `try again after ${resetsAt}`;
      const message = `This costs ${cost} credits; ${spent} of today's cap of ${cap} are spent. Nothing was charged: ${then}.`;
      return new ApiError(rejection.code, message);
    }
    case 'ACCOUNT_INACTIVE':
    case 'OPERATION_DISABLED':
      return notAllowed(workflow, rejection.code);
    default:
      return rejection satisfies never;
  }
}
