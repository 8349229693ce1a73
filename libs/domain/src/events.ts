import type { AnyFamily } from './event-families.js';

export type DomainEvent = NonNullable<AnyFamily['events']>;

export type DomainEventType = DomainEvent['type'];

export type EventOfType<Type extends DomainEventType> = Extract<DomainEvent, { type: Type }>;
