import type { Capability, SignatureRule } from '#domain/key/key.events.js';
import type { Environment } from '#domain/streams.js';
import { currentSchemaVersion } from '#domain/stored-events.js';
import type { DomainEvent } from '#domain/events.js';
import type { EventMetadata, NewEvent } from '#event-store/event-store.js';
import { correlation } from '#platform/correlation.js';
import { eventId } from '#platform/ids.js';

/** The identity behind a valid key. It scopes every read and write, and its tenant pays. */
export interface Caller {
  readonly environment: Environment;
  readonly tenant: string;
  readonly keyId: string;
  readonly capabilities: readonly Capability[];
  /** Whether its requests must be signed. Absent: they may be. */
  readonly requiresSignature?: SignatureRule;
  /** Set for a token that a key's owner gave away: the one thing that the token allows. */
  readonly scope?: ClientScope;
}

/**
 * Allows one upload, or reading one job. `id` is the job's id, or the upload's own id, so that it happens once.
 */
export interface ClientScope {
  readonly kind: 'upload' | 'job';
  readonly id: string;
}

/** The sender, time and cause of a command. It becomes the metadata of the command's events. */
export interface CommandContext {
  readonly environment: Environment;
  readonly tenant: string;
  /**
   * Names the command. The ids of its events derive from it: a retry repeats it, and two commands never share
   * it.
   */
  readonly commandId: string;
  /** Correlation: the request that caused the command. */
  readonly requestId: string;
  /** `key:{id}`, `worker:{id}`, `saga:{name}` or `operator`. */
  readonly actor: string;
  readonly at: Date;
  /** Absent: the traceparent of the work that makes the events. */
  readonly traceparent?: string | undefined;
}

/** The context of a command that a caller sends with its key. */
export function callerContext(
  { environment, tenant, keyId }: Caller,
  commandId: string,
  requestId: string,
  at: Date,
): CommandContext {
  return { environment, tenant, commandId, requestId, actor: `key:${keyId}`, at };
}

/** The tenant in the metadata of events that belong to no tenant: operations and presets. */
export const installation = 'installation';

/** Converts a domain event into the store's form. `index` numbers the events of one command. */
export function toNewEvent(event: DomainEvent, index: number, context: CommandContext): NewEvent {
  const traceparent = context.traceparent ?? correlation().traceparent;
  const metadata: EventMetadata = {
    requestId: context.requestId,
    causationId: context.commandId,
    tenant: context.tenant,
    actor: context.actor,
    schemaVersion: currentSchemaVersion(event.type),
    recordedAt: context.at.toISOString(),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  return { id: eventId(context.commandId, index), type: event.type, data: event.data, metadata };
}
