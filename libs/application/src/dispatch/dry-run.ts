import { Injectable } from '@nestjs/common';
import { spentToday } from '#domain/account/account.js';
import { workflowOf } from '#workflows/workflows.js';
import { AccountWriter } from '../account/account-writer.js';
import { batchSizeOf, type DispatchRequest } from './dispatched-jobs.js';
import { Operations } from '../operation/operations.js';
import type { CheckRefusal } from './dispatch-check.js';
import { References, type UnusableReference } from './references.js';

export type DryRunAnswer =
  /** All amounts in credits. The dispatch would be accepted if both `sufficient` and `dailyCapOk` are true. */
  | {
      readonly kind: 'estimated';
      readonly creditsCost: number;
      readonly balance: number;
      /** Whether the balance covers the cost. */
      readonly sufficient: boolean;
      /** Whether the rest of the daily cap covers the cost. */
      readonly dailyCapOk: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly rejection: { readonly code: 'ACCOUNT_INACTIVE' | 'OPERATION_DISABLED' } | CheckRefusal;
    }
  | UnusableReference;

/** Estimates a dispatch without running it: nothing is charged, recorded or queued. */
@Injectable()
export class DryRun {
  constructor(
    private readonly operations: Operations,
    private readonly accounts: AccountWriter,
    private readonly references: References,
  ) {}

  /** Checks in the same order as a dispatch, so that the first refusal is the same. */
  async estimate(request: Omit<DispatchRequest, 'endpoint'>): Promise<DryRunAnswer> {
    const { caller, body, at } = request;
    const { environment, tenant } = caller;
    const workflow = workflowOf(request.workflow);
    const { credits, enabled } = await this.operations.termsOf(environment, workflow.name);
    if (!enabled) return { kind: 'refused', rejection: { code: 'OPERATION_DISABLED' } };
    const resolved = await this.references.resolve(workflow, request);
    if (resolved.kind !== 'found') return resolved;
    if (resolved.refusal) return { kind: 'refused', rejection: resolved.refusal };

    const { state: account } = await this.accounts.read(environment, tenant);
    if (account.status !== 'active') return { kind: 'refused', rejection: { code: 'ACCOUNT_INACTIVE' } };
    const charges = workflow.batch ? batchSizeOf(workflow, body) : 1;
    const creditsCost = credits * charges;
    const { balance, terms } = account;
    const cap = terms.dailySpendCapCredits;
    const spent = spentToday(account, at.toISOString());
    return {
      kind: 'estimated',
      creditsCost,
      balance,
      sufficient: creditsCost <= balance,
      dailyCapOk: cap === 0 || spent + creditsCost <= cap,
    };
  }
}
