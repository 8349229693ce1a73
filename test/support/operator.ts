import {
  ChangePlan,
  ChangePlanHandler,
  GrantCredits,
  GrantCreditsHandler,
  OpenAccount,
  OpenAccountHandler,
  ReactivateAccount,
  ReactivateAccountHandler,
  SuspendAccount,
  SuspendAccountHandler,
} from '#application/account/manage-accounts.handler.js';
import type { CommandContext } from '#application/command-context.js';
import {
  IssueKey,
  IssueKeyHandler,
  RevokeKey,
  RevokeKeyHandler,
  RotateKey,
  RotateKeyHandler,
} from '#application/key/manage-keys.handler.js';
import {
  PriceOperation,
  PriceOperationHandler,
  SchedulePrice,
  SchedulePriceHandler,
  SwitchOperation,
  SwitchOperationHandler,
} from '#application/operation/manage-operations.handler.js';
import {
  PublishPreset,
  PublishPresetHandler,
  RetirePreset,
  RetirePresetHandler,
  SeedPresets,
  SeedPresetsHandler,
  type PresetDraft,
  type SeedOptions,
} from '#application/preset/manage-presets.handler.js';
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
const action =
  <Port, Given extends unknown[], Command, Result>(
    Handler: new (port: Port) => { execute(command: Command): Result },
    Command: new (...given: Given) => Command,
  ) =>
  (port: Port, ...given: Given) =>
    new Handler(port).execute(new Command(...given));

export const openAccount = action(OpenAccountHandler, OpenAccount);
export const grantCredits = action(GrantCreditsHandler, GrantCredits);
export const changePlan = action(ChangePlanHandler, ChangePlan);
export const suspendAccount = action(SuspendAccountHandler, SuspendAccount);
export const reactivateAccount = action(ReactivateAccountHandler, ReactivateAccount);
export const issueKey = action(IssueKeyHandler, IssueKey);
export const revokeKey = action(RevokeKeyHandler, RevokeKey);
export const rotateKey = action(RotateKeyHandler, RotateKey);
export const priceOperation = action(PriceOperationHandler, PriceOperation);
export const schedulePrice = action(SchedulePriceHandler, SchedulePrice);
export const switchOperation = action(SwitchOperationHandler, SwitchOperation);
export const retirePreset = action(RetirePresetHandler, RetirePreset);

export const publishPreset = (
  store: EventStore,
  storage: ObjectStorage,
  context: CommandContext,
  draft: PresetDraft,
) => new PublishPresetHandler(store, storage).execute(new PublishPreset(context, draft));

export const seedPresets = (
  store: EventStore,
  storage: ObjectStorage,
  environment: Environment,
  options?: SeedOptions,
) => new SeedPresetsHandler(store, storage).execute(new SeedPresets(environment, new Date(), options));
