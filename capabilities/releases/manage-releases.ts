import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { load } from '#application/aggregate.js';
import { StreamCommand } from '#application/stream-command.handler.js';
import type { ConsentEvent, ReleaseEvent, ReleaseTerms } from './release.events.js';
import {
  eraseRelease,
  evolveRelease,
  evolveRule,
  expireRelease,
  grantRelease,
  initialRelease,
  initialRule,
  reviseRelease,
  setRule,
  withdrawRelease,
  type KnownRelease,
  type Release,
  type ReleaseRejection,
  type ReleaseRule,
} from './release.js';

export const releaseAggregate = { initial: initialRelease, evolve: evolveRelease };
export const ruleAggregate = { initial: initialRule, evolve: evolveRule };

abstract class ReleaseWrite<Data> extends StreamCommand<Data, Release, ReleaseEvent, ReleaseRejection> {
  readonly aggregate = releaseAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'release', this.id);
  }
}

/** Records the consent of a person of the context's tenant. */
export class GrantRelease extends ReleaseWrite<ReleaseTerms & { readonly dataSubject: string }> {
  decide(release: Release, at: string) {
    const { tenant } = this.context;
    return grantRelease({ ...this.data, releaseId: this.id, tenant, at }, release);
  }
}

/** Replaces all terms. */
export class ReviseRelease extends ReleaseWrite<ReleaseTerms> {
  decide(release: Release, at: string) {
    return reviseRelease({ tenant: this.context.tenant, terms: this.data, at }, release);
  }
}

export class WithdrawRelease extends ReleaseWrite<{ readonly reason: string | null }> {
  decide(release: Release, at: string) {
    return withdrawRelease({ ...this.data, tenant: this.context.tenant, at }, release);
  }
}

/** Ends a release of the context's tenant, and says that its words are erased. */
export class EraseRelease extends ReleaseWrite<{ readonly erasureId: string }> {
  decide(release: Release, at: string) {
    return eraseRelease({ ...this.data, tenant: this.context.tenant, at }, release);
  }
}

/** Ends a release whose expiry has come. */
export class ExpireRelease extends ReleaseWrite<undefined> {
  decide(release: Release, at: string) {
    return expireRelease(at, release);
  }
}

/** Changes the rule of a tenant, which is the command's id. */
export class SetReleaseRule extends StreamCommand<Partial<ReleaseRule>, ReleaseRule, ConsentEvent, never> {
  readonly aggregate = ruleAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'consent', this.id);
  }

  decide(rule: ReleaseRule, at: string) {
    return setRule({ ...this.data, at }, rule);
  }
}

/** Read from its own stream, so that a caller sees its own change at once. Undefined: unknown, or another tenant's. */
export async function releaseOf(
  store: EventStore,
  environment: Environment,
  tenant: string,
  releaseId: string,
): Promise<KnownRelease | undefined> {
  const { state } = await load(store, streamName(environment, 'release', releaseId), releaseAggregate);
  return state?.tenant === tenant ? state : undefined;
}

export async function ruleOf(
  store: EventStore,
  environment: Environment,
  tenant: string,
): Promise<ReleaseRule> {
  return (await load(store, streamName(environment, 'consent', tenant), ruleAggregate)).state;
}
