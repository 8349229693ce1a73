import type { DomainEvent, DomainEventType } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import { parseStreamName, type Environment, type StreamCategory } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';

/** Where an event stands, and whose it says it is. */
export interface EventOrigin {
  readonly stream: string;
  readonly environment: Environment;
  readonly category: StreamCategory;
  /** The stream name's last part. */
  readonly streamId: string;
  /** Within the 53 bits of a number for as long as a stream can live. */
  readonly revision: number;
  readonly position: bigint;
  /** As its metadata says. */
  readonly tenant: string;
  /** The event as the log has it. */
  readonly recorded: RecordedEvent;
}

/** A stored event in today's form, and its place. */
export type AuditedEvent = Placed<DomainEvent>;

/** Events of some types, and their place. */
export type Placed<Event> = Event & EventOrigin;

/** The place alone, which is known even of an event that cannot be read. Undefined for a stream that the service does not write. */
export function placeOf(recorded: RecordedEvent): EventOrigin | undefined {
  const name = parseStreamName(recorded.stream);
  if (!name) return undefined;
  const { stream, revision, position, metadata } = recorded;
  const { environment, category, id: streamId } = name;
  const tenant = String(metadata?.tenant);
  return { stream, environment, category, streamId, revision: Number(revision), position, tenant, recorded };
}

/** @throws UnknownEventType, EventFromTheFuture */
export function auditedEvent(place: EventOrigin): AuditedEvent {
  return { ...place, ...decode(place.recorded) };
}

/** The categories of streams that belong to a tenant; the others are the installation's. */
export function belongsToTenant(category: StreamCategory): boolean {
  return !['preset', 'operation', 'operator', 'action'].includes(category);
}

/** The categories of streams that are named by their tenant. */
export function streamIsOfTenant(category: StreamCategory): boolean {
  return category === 'account' || category === 'usage' || category === 'webhook';
}

/** The category of streams that events of each type live in. */
export const categoryOfType: Readonly<Record<DomainEventType, StreamCategory>> = {
  AccountOpened: 'account',
  PlanChanged: 'account',
  CreditsPurchased: 'account',
  CreditsCorrected: 'account',
  CreditsDebited: 'account',
  CreditsSettled: 'account',
  CreditsRefunded: 'account',
  AccountSuspended: 'account',
  AccountReactivated: 'account',
  JobQueued: 'job',
  RenderStarted: 'job',
  EngineCalled: 'job',
  EngineSubmitted: 'job',
  EngineAnswered: 'job',
  StageCompleted: 'job',
  JobSucceeded: 'job',
  JobFailed: 'job',
  JobCancelled: 'job',
  JobVoided: 'job',
  ApiKeyIssued: 'key',
  ApiKeyRetired: 'key',
  ApiKeyRevoked: 'key',
  AssetStored: 'asset',
  CatalogEntryRetired: 'asset',
  ExternalRefAssigned: 'product',
  ProductRegistered: 'product',
  ProductRevised: 'product',
  ProductArchived: 'product',
  PresetPublished: 'preset',
  PresetRetired: 'preset',
  OperationPriced: 'operation',
  OperationPriceScheduled: 'operation',
  OperationEnabled: 'operation',
  OperationDisabled: 'operation',
  RequestRejected: 'usage',
  WebhookEndpointRegistered: 'webhook',
  WebhookEndpointRevised: 'webhook',
  WebhookEndpointDisabled: 'webhook',
  WebhookEndpointEnabled: 'webhook',
  WebhookSecretRotated: 'webhook',
  WebhookEndpointRemoved: 'webhook',
  WebhookTestRequested: 'delivery',
  WebhookResendRequested: 'delivery',
  GrantProposed: 'grant',
  GrantApproved: 'grant',
  GrantDeclined: 'grant',
  OperatorAdded: 'operator',
  OperatorRevoked: 'operator',
  ActionRequested: 'action',
  ActionEnded: 'action',
};

/** Whose an event's data says it is, where it says so. */
export function ownerIn({ data }: AuditedEvent): string | undefined {
  return 'tenant' in data ? data.tenant : undefined;
}

/** The id that an event's data gives the thing, where it does: the same as its stream's. */
export function idIn({ type, data }: AuditedEvent): string | undefined {
  switch (type) {
    case 'AccountOpened':
      return data.tenant;
    case 'JobQueued':
      return data.jobId;
    case 'ApiKeyIssued':
      return data.keyId;
    case 'AssetStored':
    case 'CatalogEntryRetired':
      return data.assetId;
    case 'ProductRegistered':
      return data.productId;
    case 'PresetPublished':
      return data.presetId;
    case 'GrantProposed':
      return data.grantId;
    case 'OperatorAdded':
      return data.name;
    default:
      return undefined;
  }
}

/** Which events an audit of one tenant looks at: those of the tenant's streams, even where their metadata names another tenant. */
export class TenantFilter {
  private readonly streams = new Set<string>();

  constructor(private readonly tenant: string | undefined) {}

  /** Must be asked about every event of the log, in its order. */
  concerns({ stream, category, streamId, tenant, recorded }: EventOrigin): boolean {
    if (this.tenant === undefined) return true;
    if (!belongsToTenant(category)) return false;
    if (streamIsOfTenant(category)) return streamId === this.tenant;
    if (this.streams.has(stream)) return true;
    // Data of any event, which may even be unreadable: it names its tenant or does not.
    const owner = (recorded.data as { tenant?: unknown } | null)?.tenant ?? tenant;
    if (owner !== this.tenant) return false;
    this.streams.add(stream);
    return true;
  }
}
