import type { Capability, SignatureRule } from '#domain/key/key.events.js';
import type { Environment } from '#domain/streams.js';
import { currentSchemaVersion } from '#domain/stored-events.js';
import type { DomainEvent } from '#domain/events.js';
import type { EventMetadata, NewEvent } from '#event-store/event-store.js';
import { correlation } from '#platform/correlation.js';
import { eventId } from '#platform/ids.js';

/** Whom a valid key speaks for. It scopes every read and write, and its tenant pays. */
export interface Caller {
  readonly environment: Environment;
  readonly tenant: string;
  readonly keyId: string;
  readonly capabilities: readonly Capability[];
  /** Whether its requests must be signed. Absent: they may be. */
  readonly requiresSignature?: SignatureRule;
  /** Set for a token that a key's owner gave away: all that it opens. */
  readonly scope?: ClientScope;
}

/** One upload, by an id of its own that makes it one; or the reading of one job. */
export interface ClientScope {
  readonly kind: 'upload' | 'job';
  readonly id: string;
}

/** Who asks for what, and when: comes in with each command and ends up in the metadata of its events. */
export interface CommandContext {
  readonly environment: Environment;
  readonly tenant: string;
  /** Names the command. Its events' ids derive from it, so a retry must repeat it and two commands must not share it. */
  readonly commandId: string;
  /** Correlation: the request that set this off. */
  readonly requestId: string;
  /** `key:{id}`, `worker:{id}`, `saga:{name}` or `operator`. */
  readonly actor: string;
  readonly at: Date;
  /** Absent: that of the work in which its events are made. */
  readonly traceparent?: string | undefined;
}

/** Of what a caller asks for with its key. */
export function callerContext(
  { environment, tenant, keyId }: Caller,
  commandId: string,
  requestId: string,
  at: Date,
): CommandContext {
  return { environment, tenant, commandId, requestId, actor: `key:${keyId}`, at };
}

/** Whom metadata names as tenant of what belongs to no tenant: operations and presets. */
export const installation = 'installation';

/** A domain event as the store takes it. `index` numbers the events of one command. */
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
