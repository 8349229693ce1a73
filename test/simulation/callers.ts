import { defaultTerms } from '#application/account/manage-accounts.handler.js';
import {
  installation as installationTenant,
  toNewEvent,
  type CommandContext,
  type Caller,
} from '#application/command-context.js';
import { DispatchVoided, type DispatchOutcome } from '#application/dispatch/dispatcher.js';
import { DispatchWorkflow } from '#application/dispatch/dispatch-workflow.handler.js';
import { IdempotencyLeaseLost } from '#application/dispatch/idempotency.js';
import { CancelJob } from '#application/job/cancel-job.handler.js';
import { sha256Of } from '#application/render/render-inputs.js';
import { RegisterWebhook, RegisterWebhookHandler } from '#capabilities/webhooks/manage-webhooks.handler.js';
import { streamName } from '#domain/streams.js';
import type { WebhookTopic } from '#capabilities/webhooks/webhook.events.js';
import { AppendOutcomeUnknown, DuplicateEventId, EventStoreUnavailable } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { tenants, type ActionOf, type Operation, type Tenant } from './actions.js';
import { environment, type Installation } from './installation.js';
import type { ApiReplica } from './replicas/api.js';
import type { PrivacyAction } from './privacy-actions.js';
import { PrivacyCallers } from './privacy-callers.js';
import type { SimulatedBody } from './services/engine.js';
import {
  byOperator,
  changePlan,
  grantCredits,
  openAccount,
  priceOperation,
  reactivateAccount,
  schedulePrice,
  suspendAccount,
  switchOperation,
} from '../support/operator.js';

/** A caller's request; with a key the caller repeats it. */
interface Wish {
  readonly label: string;
  readonly tenant: Tenant;
  readonly operation: Operation;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string | null;
}

/** Errors that are expected while stores are away and sweeps run; any other error is a defect. */
const expectedErrors = [
  EventStoreUnavailable,
  AppendOutcomeUnknown,
  DispatchVoided,
  IdempotencyLeaseLost,
  DuplicateEventId,
];

const startingCredits = 40;

/**
 * The callers of the API, and the operator. Their requests run beside everything else; an API that dies never
 * answers.
 */
export class Callers {
  private readonly keyed: Wish[] = [];
  private wishes = 0;
  private readonly privacy: PrivacyCallers;

  constructor(private readonly installation: Installation) {
    this.privacy = new PrivacyCallers(installation, {
      caller: callerOf,
      operator: (tenant) => this.operator(tenant),
    });
  }

  /** Opens the accounts and stores a picture for each tenant. */
  async prepare(api: ApiReplica): Promise<void> {
    await api.ready;
    await this.registerWebhook(api, 'acme', ['job.succeeded', 'job.failed', 'batch.finished']);
    await this.registerWebhook(api, 'zenith', ['batch.finished', 'credits.low']);
    for (const tenant of tenants) {
      const account = { name: tenant, terms: defaultTerms };
      await openAccount(api.accounts, this.operator(tenant), account);
      const purchase = { amount: startingCredits, kind: 'pack', label: 'Starter' } as const;
      await grantCredits(api.accounts, this.operator(tenant), purchase);
      const bytes = pictureBytes(tenant);
      const storageKey = pictureOf(tenant);
      this.installation.objects.set(storageKey, bytes);
      const assetId = pictureIds[tenant];
      const asset = {
        assetId,
        tenant,
        storageKey,
        contentType: 'image/png',
        width: 8,
        height: 8,
        ...({ sizeBytes: bytes.length, sha256: sha256Of(bytes), origin: 'upload', jobId: null } as const),
        at: this.installation.clock().toISOString(),
      };
      const stored = toNewEvent({ type: 'AssetStored', data: asset }, 0, this.operator(tenant));
      await api.store.append(streamName(environment, 'asset', assetId), 'no-stream', [stored]);
    }
  }

  private async registerWebhook(
    { store }: ApiReplica,
    tenant: Tenant,
    events: WebhookTopic[],
  ): Promise<void> {
    const handler = new RegisterWebhookHandler(store, { complaintAbout: () => Promise.resolve(undefined) });
    const terms = { url: `https://${tenant}.example/hook`, events, description: '', creditsLowBelow: 20 };
    await handler.execute(new RegisterWebhook(this.operator(tenant), terms));
  }

  alterPicture({ tenant, what }: ActionOf<'alter-picture'>): void {
    const { objects } = this.installation;
    if (what === 'gone') objects.delete(pictureOf(tenant));
    else objects.set(pictureOf(tenant), what === 'replaced' ? Buffer.from('another') : pictureBytes(tenant));
  }

  /** What callers and operators ask about persons and their pictures. */
  ask(api: ApiReplica, action: PrivacyAction): void {
    this.request(api, action.kind, () => this.privacy.ask(api, action));
  }

  dispatch(api: ApiReplica, { tenant, operation, fates, key, ...about }: ActionOf<'dispatch'>): void {
    this.wishes += 1;
    const label = `d${this.wishes}`;
    const own: SimulatedBody & Record<string, unknown> = { label, fates: fates[0] ?? [], seed: 7 };
    own['display_name'] = `the name of ${label}.`;
    if (about.person !== null) own['data_subject'] = about.person;
    if (about.retainDays !== null) own['retain_days'] = about.retainDays;
    const pictures = this.installation.invariants.erasures.thingsOf(tenant, 'picture');
    const assetId = about.picture === null ? undefined : pictures.at(-1 - (about.picture % pictures.length));
    if (operation === 'extract') own['trial_image'] = assetId ?? pictureOf(tenant);
    const shown = assetId === undefined ? {} : { pdp_image_public_id: assetId };
    if (operation === 'pdp-batch-extractions')
      own['photos'] = fates.map((ofOne, index) => ({ label: `${label}.${index}`, fates: ofOne, ...shown }));
    const wish = { label, tenant, operation, key, body: own };
    if (key !== null) this.keyed.push(wish);
    this.send(api, wish);
  }

  retry(api: ApiReplica, { nth }: ActionOf<'retry'>): void {
    const wish = this.keyed[nth % Math.max(1, this.keyed.length)];
    if (wish) this.send(api, wish);
  }

  cancel(api: ApiReplica, { nth, foreign }: ActionOf<'cancel'>): void {
    const { history, violations } = this.installation.invariants;
    const queued = [...history.jobs.values()];
    const job = queued[nth % Math.max(1, queued.length)];
    if (!job) return;
    const tenant = tenants.find((each) => (each === job.tenant) !== foreign) ?? 'acme';
    // Every body that is dispatched here carries its label.
    this.request(api, `cancel of ${(job.request as unknown as SimulatedBody).label}`, async () => {
      const command = new CancelJob(callerOf(tenant), job.jobId, newId(), this.installation.clock());
      const answer = await api.cancel.execute(command);
      if (foreign && (answer.kind !== 'refused' || answer.code !== 'JOB_NOT_FOUND'))
        violations.push(`10: ${tenant} is told of a foreign job: ${answer.kind}`);
      if (answer.kind === 'refused') return answer.code;
      if (history.stateOf(job.jobId) !== 'cancelled')
        violations.push('6: a cancel is answered, and the job goes on');
      if (job.chargeId !== null && history.stateOfCharge(job.chargeId) !== 'refunded')
        violations.push('6: a cancel is answered before its refund');
      return answer.kind;
    });
  }

  /** The operator repeats a command with an unknown outcome; the command's id makes that safe. */
  operate(
    api: ApiReplica,
    action: ActionOf<'purchase' | 'suspend' | 'reactivate' | 'cap' | 'price' | 'enable' | 'disable'>,
  ): void {
    const tenant = 'tenant' in action ? action.tenant : installationTenant;
    this.request(api, action.kind, async () => {
      const context = this.operator(tenant);
      for (let tries = 1; ; tries++) {
        try {
          return (await this.carryOut(api, context, action)).kind;
        } catch (error) {
          if (!(error instanceof AppendOutcomeUnknown) || tries === 3) throw error;
        }
      }
    });
  }

  private carryOut(api: ApiReplica, context: CommandContext, action: Parameters<Callers['operate']>[1]) {
    const { accounts, store } = api;
    const reason = 'simulation';
    switch (action.kind) {
      case 'purchase': {
        const purchase = { amount: action.credits, kind: 'pack', label: 'More' } as const;
        return grantCredits(accounts, context, purchase);
      }
      case 'suspend':
        return suspendAccount(accounts, context, reason);
      case 'reactivate':
        return reactivateAccount(accounts, context);
      case 'cap':
        return changePlan(accounts, context, { dailySpendCapCredits: action.credits });
      case 'price':
        return this.price(api, context, action);
      case 'enable':
      case 'disable':
        return switchOperation(store, context, action.operation, {
          enabled: action.kind === 'enable',
          reason,
        });
      default:
        return action satisfies never;
    }
  }

  private price(
    { store }: ApiReplica,
    context: CommandContext,
    { operation, credits, inMs }: ActionOf<'price'>,
  ) {
    const [workflow, reason] = [pricedAs(operation), 'simulation'];
    if (credits !== null && inMs === null)
      return priceOperation(store, context, workflow, { credits, reason });
    // Whole seconds, so that a later action meets the same moment, to change or withdraw its price.
    const from = new Date(Math.floor((context.at.getTime() + (inMs ?? 0)) / 1000) * 1000);
    return schedulePrice(store, context, workflow, { credits, from, reason });
  }

  private send(api: ApiReplica, { label, tenant, operation, body, key }: Wish): void {
    const { requests, prices, releases } = this.installation.invariants;
    this.request(api, `dispatch ${label}`, async () => {
      const { invariants, wiring } = this.installation;
      // The API's hook makes this check before each dispatch.
      if (wiring.watchesLog && !api.log.fits) await api.log.begin();
      if (wiring.watchesLog && !api.log.fits) return 'LOG_MISMATCH';
      const { mustRefuse } = this.installation.checkpoints;
      const requestId = newId();
      requests.asked(label);
      prices.asked(requestId);
      releases.dispatched(requestId);
      const endpoint = `/v1/${operation}`;
      const request = {
        caller: callerOf(tenant),
        workflow: operation,
        endpoint,
        body,
        at: this.installation.clock(),
      };
      const idempotency = key === null ? undefined : { key, bodyHash: label };
      const answer = await api.dispatch.execute(new DispatchWorkflow(request, requestId, idempotency));
      if (answer.kind !== 'answered') return answer.kind;
      if (mustRefuse && answer.outcome.kind === 'accepted' && invariants === this.installation.invariants)
        invariants.violations.push(`6: ${label} is accepted while the checkpoints do not fit the log`);
      return this.answered(label, answer.outcome);
    });
  }

  private answered(label: string, outcome: DispatchOutcome): string {
    const { requests } = this.installation.invariants;
    switch (outcome.kind) {
      case 'accepted':
        requests.accepted(label, { ...outcome.ids, creditsCost: outcome.creditsCost });
        return `202 with ${outcome.ids.jobId.slice(-5)}`;
      case 'refused':
        requests.refused(outcome.requestId);
        return outcome.rejection.code;
      case 'unknown-reference':
      case 'unfit-reference':
      case 'erased-reference':
        return outcome.kind;
      default:
        return outcome satisfies never;
    }
  }

  private request(api: ApiReplica, what: string, work: () => Promise<string>): void {
    const { scheduler, trace, invariants } = this.installation;
    const { process, name } = api;
    if (process.state === 'dead') return trace(`    ${what}: ${name} is down`);
    const answered = async () => {
      await scheduler.turn(process);
      await api.ready;
      try {
        trace(`    ${what}: ${await work()}`);
      } catch (error) {
        trace(`    ${what}: ${String(error)}`);
        if (!expectedErrors.some((expected) => error instanceof expected))
          invariants.violations.push(
            `${what} met a defect: ${error instanceof Error ? error.stack : String(error)}`,
          );
      }
    };
    answered().catch((error: unknown) => invariants.violations.push(String(error)));
  }

  private operator(tenant: string): CommandContext {
    return byOperator(environment, tenant, this.installation.clock());
  }
}

const pictureIds: Record<Tenant, string> = {
  acme: '01J0000000000000000000ACME',
  zenith: '01J00000000000000000ZENTHH',
};

/** Each photograph of a batch costs the same as the workflow of its photographs. */
function pricedAs(operation: Operation): string {
  return operation === 'pdp-batch-extractions' ? 'pdp-extractions' : operation;
}

function pictureBytes(tenant: Tenant): Buffer {
  return Buffer.from(`a picture of ${tenant}`);
}

function pictureOf(tenant: Tenant): string {
  return `${environment}/${tenant}/uploads/${pictureIds[tenant]}.png`;
}

function callerOf(tenant: string): Caller {
  return { environment, tenant, keyId: `key-of-${tenant}`, capabilities: ['jobs:create', 'jobs:read'] };
}
