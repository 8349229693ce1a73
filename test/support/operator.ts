import { AccountCommandHandler } from '#application/account/account-command.handler.js';
import {
  ChangePlan,
  GrantCredits,
  OpenAccount,
  ReactivateAccount,
  SuspendAccount,
  type Purchase,
} from '#application/account/manage-accounts.handler.js';
import type { AccountWriter } from '#application/account/account-writer.js';
import type { CommandContext } from '#application/command-context.js';
import {
  IssueKey,
  IssueKeyHandler,
  RevokeKey,
  RotateKey,
  RotateKeyHandler,
  type KeyGrant,
} from '#application/key/manage-keys.handler.js';
import {
  PriceOperation,
  SchedulePrice,
  SwitchOperation,
} from '#application/operation/manage-operations.handler.js';
import {
  PublishPreset,
  PublishPresetHandler,
  RetirePreset,
  SeedPresets,
  SeedPresetsHandler,
  type PresetDraft,
  type SeedOptions,
} from '#application/preset/manage-presets.handler.js';
import { StreamCommandHandler } from '#application/stream-command.handler.js';
import type { AccountTerms } from '#domain/account/account.events.js';
import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import type { ObjectStorage } from '#storage/object-storage.js';

/** The context of a command that the operator gives. */
export function byOperator(environment: Environment, tenant: string, at = new Date()): CommandContext {
  const commandId = newId();
  return { environment, tenant, commandId, requestId: commandId, actor: 'operator', at };
}

/**
 * Actions of the operator, on the ports of a test. They call the service's handlers directly, without a bus, so
 * a test need not wait for them.
 */
export const openAccount = (
  accounts: AccountWriter,
  context: CommandContext,
  account: { readonly name: string; readonly terms: AccountTerms },
) => new AccountCommandHandler(accounts).execute(new OpenAccount(context, account));

export const grantCredits = (accounts: AccountWriter, context: CommandContext, purchase: Purchase) =>
  new AccountCommandHandler(accounts).execute(new GrantCredits(context, purchase));

export const changePlan = (
  accounts: AccountWriter,
  context: CommandContext,
  changes: Partial<AccountTerms>,
) => new AccountCommandHandler(accounts).execute(new ChangePlan(context, changes));

export const suspendAccount = (accounts: AccountWriter, context: CommandContext, reason: string) =>
  new AccountCommandHandler(accounts).execute(new SuspendAccount(context, { reason }));

export const reactivateAccount = (accounts: AccountWriter, context: CommandContext) =>
  new AccountCommandHandler(accounts).execute(new ReactivateAccount(context));

export const issueKey = (store: EventStore, context: CommandContext, grant: KeyGrant) =>
  new IssueKeyHandler(store).execute(new IssueKey(context, grant));

export const revokeKey = (store: EventStore, context: CommandContext, keyId: string, reason: string) =>
  new StreamCommandHandler(store).execute(new RevokeKey(context, keyId, reason));

export const rotateKey = (store: EventStore, context: CommandContext, keyId: string, overlapMs: number) =>
  new RotateKeyHandler(store, new IssueKeyHandler(store)).execute(new RotateKey(context, keyId, overlapMs));

export const priceOperation = (
  store: EventStore,
  context: CommandContext,
  workflow: string,
  price: { readonly credits: number; readonly reason: string },
) => new StreamCommandHandler(store).execute(new PriceOperation(context, workflow, price));

export const schedulePrice = (
  store: EventStore,
  context: CommandContext,
  workflow: string,
  price: SchedulePrice['data'],
) => new StreamCommandHandler(store).execute(new SchedulePrice(context, workflow, price));

export const switchOperation = (
  store: EventStore,
  context: CommandContext,
  workflow: string,
  change: { readonly enabled: boolean; readonly reason: string },
) => new StreamCommandHandler(store).execute(new SwitchOperation(context, workflow, change));

export const publishPreset = (
  store: EventStore,
  storage: ObjectStorage,
  context: CommandContext,
  draft: PresetDraft,
) => new PublishPresetHandler(store, storage).execute(new PublishPreset(context, draft));

export const retirePreset = (store: EventStore, context: CommandContext, id: string, reason: string) =>
  new StreamCommandHandler(store).execute(new RetirePreset(context, id, reason));

export const seedPresets = (
  store: EventStore,
  storage: ObjectStorage,
  environment: Environment,
  options?: SeedOptions,
) => {
  const publisher = new PublishPresetHandler(store, storage);
  return new SeedPresetsHandler(publisher).execute(new SeedPresets(environment, new Date(), options));
};
