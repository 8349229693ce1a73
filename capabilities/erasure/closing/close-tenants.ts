import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ReactivateAccount, SuspendAccount } from '#application/account/manage-accounts.handler.js';
import type { CommandContext } from '#application/command-context.js';
import { RevokeKey } from '#application/key/manage-keys.handler.js';
import type { Owner } from '#application/picture/stored-pictures.js';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import { recordsOfPersons } from '#capabilities/parts.js';
import { accountFoldVersion } from '#domain/account/account.js';
import { erasedText } from '#domain/erased.js';
import { streamName, type Environment } from '#domain/streams.js';
import { SnapshotStore } from '#event-store/snapshots.js';
import { WordErasure } from '#event-store/word-erasure.js';
import { Clock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { Database } from '#read-store/database.js';
import type { ErasureTarget } from '../erasure.events.js';
import { ErasureOrders } from '../order-erasure.js';
import { ReachedReads } from '../reached-reads.js';
import { HoldsInForce } from '../keeping/holds-in-force.js';
import { beginClosing, completeClosing, type Closing } from './closing.js';
import { Closings } from './closings.handler.js';
import { KeptClosings } from './kept-closings.js';
import { thingsOfTenant } from './tenant-things.js';

/** One erasure takes as many things. */
const mostThings = 5_000;

/** The read models that say what is left, and that are cleared at the end. */
const shown = ['erasure_orders', 'assets', 'jobs', 'products', 'ledger', 'usage', 'keys'];

const reason = 'The tenant is closed.';

/**
 * Erases all that belongs to tenants whose notice period is over, one erasure after the other, and then destroys their keys.
 * Every step may be repeated: a projector that dies anywhere leaves the rest to the next round.
 */
@Injectable()
export class CloseTenants implements HousekeepingTask {
  constructor(
    private readonly commands: CommandBus,
    private readonly closings: Closings,
    private readonly kept: KeptClosings,
    private readonly holds: HoldsInForce,
    private readonly orders: ErasureOrders,
    private readonly reached: ReachedReads,
    private readonly words: WordErasure,
    private readonly snapshots: SnapshotStore,
    private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async tend(environment: Environment, signal: AbortSignal): Promise<void> {
    const { rows } = await this.database.query(
      `select tenant from ${environment}.closings where status in ('notice', 'erasing') order by due_at`,
    );
    const failures: unknown[] = [];
    for (const { tenant } of rows as { tenant: string }[]) {
      if (signal.aborted) return;
      // The others do not wait for one that fails.
      await this.advance(environment, tenant).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  private async advance(environment: Environment, tenant: string): Promise<void> {
    const at = this.clock();
    const context = (what: string): CommandContext => ({
      environment,
      tenant,
      at,
      // Several rounds may have the same to do, as after a new key was issued.
      commandId: `closing:${tenant}:${what}:${at.toISOString()}`,
      requestId: tenant,
      actor: 'saga:closings',
    });
    const now = { at: at.toISOString() };
    const { state } = await this.closings.write(context('begun'), (closing) => beginClosing(now, closing));
    if (state.status === 'notice') await this.suspendFor(state, context);
    if (state.status !== 'erasing') return;
    await this.kept.keep(environment, state);
    await this.commands.execute(new SuspendAccount(context('suspended'), { reason }));
    for (const keyId of await this.keysOf(environment, tenant))
      await this.commands.execute(new RevokeKey(context(`key:${keyId}`), keyId, reason));
    const records = [...(await recordsOfPersons()).values()].map(({ readModel }) => readModel);
    await this.reached.waitFor(environment, [...shown, ...records]);
    if (await this.isErasing(environment, tenant)) return;
    const targets = await this.someThingsOf({ environment, tenant });
    if (targets.length > 0) {
      const all = { erasureId: newId(), targets, derived: false, by: 'saga:closings' };
      // A legal hold may refuse it: the closing waits until the hold is lifted.
      await this.orders.order(context('erasure'), all);
      return;
    }
    // The person's name in a hold is a word of the tenant, and is needed until the hold is lifted.
    if ((await this.holds.of({ environment, tenant })).length > 0) return;
    await this.words.eraseTenant({ environment, tenant });
    await this.clearRows(environment, tenant);
    await this.closings.write(context('closed'), (closing) => completeClosing(now, closing));
  }

  /** The approval suspends the account too. Its process may have died, or an operator has reactivated the account since. */
  private async suspendFor(
    { approved }: Extract<Closing, { approved: object }>,
    context: (what: string) => CommandContext,
  ): Promise<void> {
    await this.commands.execute(new SuspendAccount(context('notice'), { reason }));
    const { environment, tenant } = context('notice');
    // It may have been cancelled meanwhile.
    const { status } = await this.closings.find(environment, tenant);
    if (status === 'open' && !approved.suspended)
      await this.commands.execute(new ReactivateAccount(context('cancelled')));
  }

  private async keysOf(environment: Environment, tenant: string): Promise<string[]> {
    const { rows } = await this.database.query(
      `select key_id as id from ${environment}.keys where tenant = $1 and revoked_at is null`,
      [tenant],
    );
    return (rows as { id: string }[]).map(({ id }) => id);
  }

  private async isErasing(environment: Environment, tenant: string): Promise<boolean> {
    const { rows } = await this.database.query(
      `select 1 from ${environment}.erasure_orders where tenant = $1 and status = 'running' limit 1`,
      [tenant],
    );
    return rows.length > 0;
  }

  private async someThingsOf(owner: Owner): Promise<ErasureTarget[]> {
    const things: ErasureTarget[] = [];
    for await (const thing of thingsOfTenant(this.database, owner)) {
      things.push(thing);
      if (things.length === mostThings) break;
    }
    return things;
  }

  /** Rows show what their events say now: the words of the account, its keys and its refused requests are erased. */
  private async clearRows(environment: Environment, tenant: string): Promise<void> {
    for (const [table, column, which] of [
      ['ledger', 'label', `kind <> 'operation'`],
      ['usage', 'error_message', 'error_message is not null'],
      ['keys', 'label', 'true'],
    ])
      await this.database.query(
        `update ${environment}.${table} set ${column} = $2 where tenant = $1 and ${which}`,
        [tenant, erasedText],
      );
    const account = streamName(environment, 'account', tenant);
    const snapshot = await this.snapshots.load(account, accountFoldVersion);
    if (snapshot) await this.snapshots.drop(account, accountFoldVersion, snapshot.revision);
  }
}
