import { toNewEvent, type Caller, type CommandContext } from '#application/command-context.js';
import { RegisterProduct } from '#application/product/manage-products.handler.js';
import { sha256Of } from '#application/render/render-inputs.js';
import type { ErasureTarget } from '#capabilities/erasure/erasure.events.js';
import { LiftHold, PlaceHold } from '#capabilities/erasure/keeping/manage-keeping.js';
import {
  GrantRelease,
  ReviseRelease,
  SetReleaseRule,
  WithdrawRelease,
} from '#capabilities/releases/manage-releases.js';
import type { ReleaseTerms } from '#capabilities/releases/release.events.js';
import type { StoredAsset } from '#domain/asset/asset.js';
import { streamName } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import type { ActionOf, Tenant } from './actions.js';
import { environment, type Installation } from './installation.js';
import type { PrivacyAction } from './privacy-actions.js';
import type { ApiReplica } from './replicas/api.js';

/** Says who asks: a caller with its key, or an operator for the tenant. */
interface Askers {
  caller(tenant: Tenant): Caller;
  operator(tenant: Tenant): CommandContext;
}

/** What callers and operators ask about persons: uploads, products, erasures, holds and releases. */
export class PrivacyCallers {
  private uploads = 0;

  constructor(
    private readonly installation: Installation,
    private readonly askers: Askers,
  ) {}

  /** @returns the answer in words @throws what the handlers throw */
  ask(api: ApiReplica, action: PrivacyAction): Promise<string> {
    switch (action.kind) {
      case 'upload':
        return this.upload(api, action);
      case 'product':
        return this.product(api, action);
      case 'erase':
        return this.erase(api, action);
      case 'hold':
        return this.hold(api, action);
      case 'lift':
        return this.lift(api, action);
      case 'grant':
      case 'revise':
      case 'withdraw':
        return this.release(api, action);
      case 'require':
        return this.require(api, action);
      default:
        return action satisfies never;
    }
  }

  /** As the handler of uploads does it, which takes the digest on another thread: no seed decides when that ends. */
  private async upload(api: ApiReplica, { tenant, person, retainDays }: ActionOf<'upload'>): Promise<string> {
    this.uploads += 1;
    const bytes = Buffer.from(`upload ${this.uploads} of ${tenant}`);
    const assetId = newId();
    const storageKey = `${environment}/${tenant}/uploads/${assetId}.png`;
    const asset: StoredAsset = {
      assetId,
      tenant,
      storageKey,
      contentType: 'image/png',
      width: 8,
      height: 8,
      sizeBytes: bytes.length,
      sha256: sha256Of(bytes),
      origin: 'upload',
      jobId: null,
      at: this.now.toISOString(),
      ...(person !== null && { dataSubjects: [person] }),
      ...(retainDays !== null && { retainDays }),
    };
    await api.storage.put(storageKey, bytes);
    const stored = toNewEvent({ type: 'AssetStored', data: asset }, 0, this.askers.operator(tenant));
    await api.store.append(streamName(environment, 'asset', assetId), 'no-stream', [stored]);
    return `stored as ${assetId.slice(-5)}`;
  }

  private async product(api: ApiReplica, { tenant, nth, person }: ActionOf<'product'>): Promise<string> {
    const uploadAssetId = this.nthOf(tenant, 'upload', nth);
    if (uploadAssetId === undefined) return 'there is no upload';
    const title = `the title of ${newId()}`;
    const none = { externalRef: null, description: null, garmentCategoryId: null };
    const product = { uploadAssetId, title, ...none, dataSubject: person ?? undefined };
    const command = new RegisterProduct(this.askers.caller(tenant), product, newId(), this.now);
    return (await api.products.execute(command)).kind;
  }

  private async erase(api: ApiReplica, { tenant, what, nth, derived }: ActionOf<'erase'>): Promise<string> {
    const caller = this.askers.caller(tenant);
    const at = this.now;
    const { persons, requests } = api.erasing;
    const person = what === 'ann' || what === 'ben' ? what : undefined;
    let targets: readonly ErasureTarget[] = [];
    if (person !== undefined) {
      if (!(await persons.areShown(caller))) return 'the newest things are not shown yet';
      targets = (await persons.someThingsOf(caller, person)).things;
    } else if (what === 'upload' || what === 'job' || what === 'product') {
      const id = this.nthOf(tenant, what, nth);
      if (id === undefined) return `there is no ${what}`;
      targets = [{ kind: what, id }];
    }
    const asked = { caller, targets, derived, person, asks: { targets }, requestId: newId(), at };
    const answer = await requests.request(asked, 'DELETE', undefined);
    return answer.kind === 'requested' ? `requested as ${answer.erasureId.slice(-5)}` : answer.kind;
  }

  private async hold(api: ApiReplica, { tenant, on, nth }: ActionOf<'hold'>): Promise<string> {
    const jobId = on === 'job' ? this.nthOf(tenant, 'job', nth) : null;
    if (jobId === undefined) return 'there is no job';
    const dataSubject = on === 'job' ? null : on;
    const hold = { holdId: newId(), jobId, dataSubject, reason: 'A dispute.' };
    return (await api.commands.execute(new PlaceHold(this.askers.operator(tenant), tenant, hold))).kind;
  }

  private async lift(api: ApiReplica, { tenant, nth }: ActionOf<'lift'>): Promise<string> {
    const holdId = this.nthOf(tenant, 'hold', nth);
    if (holdId === undefined) return 'there is no hold';
    const lifted = { holdId, reason: 'It is over.' };
    return (await api.commands.execute(new LiftHold(this.askers.operator(tenant), tenant, lifted))).kind;
  }

  private async release(
    api: ApiReplica,
    action: ActionOf<'grant'> | ActionOf<'revise'> | ActionOf<'withdraw'>,
  ): Promise<string> {
    const { tenant } = action;
    const ids = this.installation.invariants.releases.idsOf(tenant);
    const id = action.kind === 'grant' ? newId() : ids[action.nth % Math.max(1, ids.length)];
    if (id === undefined) return 'there is no release';
    const context = this.askers.operator(tenant);
    const handled = await api.commands.execute(
      action.kind === 'grant'
        ? new GrantRelease(context, id, { ...this.termsOf(action), dataSubject: action.person })
        : action.kind === 'revise'
          ? new ReviseRelease(context, id, this.termsOf(action))
          : new WithdrawRelease(context, id, { reason: null }),
    );
    if (handled.kind === 'rejected') return handled.rejection.code;
    // The controller does the same.
    if (handled.state && typeof handled.revision === 'bigint')
      api.erasing.known.put(environment, handled.state, handled.revision);
    return `${action.kind} of ${id.slice(-5)}`;
  }

  private async require(api: ApiReplica, { tenant, required }: ActionOf<'require'>): Promise<string> {
    const command = new SetReleaseRule(this.askers.operator(tenant), tenant, { required });
    const handled = await api.commands.execute(command);
    if (handled.kind === 'rejected') return 'rejected';
    if (typeof handled.revision === 'bigint')
      api.erasing.known.putRule(environment, tenant, handled.state, handled.revision);
    return required ? 'required' : 'optional';
  }

  private termsOf({ workflow, inMs }: Pick<ActionOf<'grant'>, 'workflow' | 'inMs'>): ReleaseTerms {
    const expiresAt = inMs === null ? null : new Date(this.now.getTime() + inMs).toISOString();
    const workflows = workflow === null ? [] : [workflow];
    return { workflows, uses: [], territories: [], expiresAt, fee: null, document: null };
  }

  private nthOf(
    tenant: Tenant,
    kind: 'upload' | 'job' | 'product' | 'hold',
    nth: number,
  ): string | undefined {
    const ids = this.installation.invariants.erasures.thingsOf(tenant, kind);
    // The newest first: an erasure beside the work on a thing finds more than a later one.
    return ids.at(-1 - (nth % Math.max(1, ids.length)));
  }

  private get now(): Date {
    return this.installation.clock();
  }
}
