import type { DomainEvent, DomainEventType } from './events.js';

/** An event's data as some version of this service once wrote it. */
type StoredData = Record<string, unknown>;

/** Brings data of version n to version n + 1. Pure; never edits its argument. */
type Upcast = (data: StoredData) => StoredData;

/**
 * Every event type that was ever stored, with the steps from its first version to today's: `[v1→v2, v2→v3, …]`.
 * Stored events are a format: a line here is only ever added to, and `test/golden` replays a file of every version.
 */
const upcasters: Record<DomainEventType, readonly Upcast[]> = {
  AccountOpened: [],
  PlanChanged: [],
  CreditsPurchased: [],
  CreditsCorrected: [],
  CreditsDebited: [],
  CreditsSettled: [],
  CreditsRefunded: [],
  AccountSuspended: [],
  AccountReactivated: [],
  JobQueued: [],
  RenderStarted: [],
  EngineCalled: [],
  EngineSubmitted: [],
  EngineAnswered: [],
  StageCompleted: [],
  JobSucceeded: [],
  JobFailed: [],
  JobCancelled: [],
  JobVoided: [],
  ApiKeyIssued: [],
  ApiKeyRetired: [],
  ApiKeyRevoked: [],
  AssetStored: [],
  CatalogEntryRetired: [],
  ExternalRefAssigned: [],
  ProductRegistered: [],
  ProductRevised: [],
  ProductArchived: [],
  PresetPublished: [],
  PresetRetired: [],
  OperationPriced: [],
  OperationPriceScheduled: [],
  OperationEnabled: [],
  OperationDisabled: [],
  RequestRejected: [],
  WebhookEndpointRegistered: [],
  WebhookEndpointRevised: [],
  WebhookEndpointDisabled: [],
  WebhookEndpointEnabled: [],
  WebhookSecretRotated: [],
  WebhookEndpointRemoved: [],
  WebhookTestRequested: [],
  WebhookResendRequested: [],
  GrantProposed: [],
  GrantApproved: [],
  GrantDeclined: [],
  OperatorAdded: [],
  OperatorRevoked: [],
  ActionRequested: [],
  ActionEnded: [],
};

// `Object.keys` forgets the type of the keys.
export const storedEventTypes = Object.keys(upcasters) as readonly DomainEventType[];

export class UnknownEventType extends Error {
  override readonly name = 'UnknownEventType';
}

/** Thrown for an event that a newer release wrote: an older one must stop rather than misread it. */
export class EventFromTheFuture extends Error {
  override readonly name = 'EventFromTheFuture';
}

/** The version that is written today: 1 for a type that never changed. */
export function currentSchemaVersion(type: DomainEventType): number {
  return upcasters[type].length + 1;
}

/**
 * Today's form of a stored event, whatever version it was written in.
 * @throws UnknownEventType, EventFromTheFuture
 */
export function decode(recorded: {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: { readonly schemaVersion: number };
}): DomainEvent {
  if (!Object.hasOwn(upcasters, recorded.type)) {
    throw new UnknownEventType(`event type ${recorded.type} is not known to this release`);
  }
  // `hasOwn` has just shown that it is one of them.
  const steps = upcasters[recorded.type as DomainEventType];
  const { schemaVersion } = recorded.metadata;
  if (schemaVersion > steps.length + 1) {
    throw new EventFromTheFuture(
      `${recorded.type} is stored in version ${schemaVersion}; this release reads up to ${steps.length + 1}`,
    );
  }
  // Every event that was ever stored has an object for its data.
  let data = recorded.data as StoredData;
  for (let version = schemaVersion; version <= steps.length; version++)
    data = steps[version - 1]?.(data) ?? data;
  // The golden files prove, version by version, that the steps arrive at today's type.
  return { type: recorded.type, data } as unknown as DomainEvent;
}
