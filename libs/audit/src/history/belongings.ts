import type { DomainEventType } from '#domain/events.js';
import type { StreamCategory } from '#domain/streams.js';
import type { AuditedEvent } from '../audited-event.js';

/** Where events of each type live. */
export const categoryOfType: Readonly<Record<DomainEventType, StreamCategory>> = {
  AccountOpened: 'account',
  PlanChanged: 'account',
  CreditsPurchased: 'account',
  CreditsDebited: 'account',
  CreditsSettled: 'account',
  CreditsRefunded: 'account',
  AccountSuspended: 'account',
  AccountReactivated: 'account',
  JobQueued: 'job',
  RenderStarted: 'job',
  StageCompleted: 'job',
  JobSucceeded: 'job',
  JobFailed: 'job',
  JobCancelled: 'job',
  JobVoided: 'job',
  ApiKeyIssued: 'key',
  ApiKeyRetired: 'key',
  ApiKeyRevoked: 'key',
  AssetStored: 'asset',
  ExternalRefAssigned: 'product',
  ProductRegistered: 'product',
  ProductRevised: 'product',
  ProductArchived: 'product',
  PresetPublished: 'preset',
  PresetRetired: 'preset',
  OperationPriced: 'operation',
  OperationEnabled: 'operation',
  OperationDisabled: 'operation',
  RequestRejected: 'usage',
};

/** Whose an event's data says it is, where it says so. */
export function ownerIn(event: AuditedEvent): string | undefined {
  switch (event.type) {
    case 'AccountOpened':
    case 'JobQueued':
    case 'JobVoided':
    case 'ApiKeyIssued':
    case 'AssetStored':
    case 'ExternalRefAssigned':
    case 'ProductRegistered':
      return event.data.tenant;
    default:
      return undefined;
  }
}

/** The id that an event's data gives the thing, where it does: the same as its stream's. */
export function idIn(event: AuditedEvent): string | undefined {
  switch (event.type) {
    case 'AccountOpened':
      return event.data.tenant;
    case 'JobQueued':
      return event.data.jobId;
    case 'ApiKeyIssued':
      return event.data.keyId;
    case 'AssetStored':
      return event.data.assetId;
    case 'ProductRegistered':
      return event.data.productId;
    case 'PresetPublished':
      return event.data.presetId;
    default:
      return undefined;
  }
}
