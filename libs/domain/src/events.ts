import type { AccountEvent } from './account/account.events.js';
import type { AssetEvent } from './asset/asset.events.js';
import type { GrantEvent } from './grant/grant.events.js';
import type { JobEvent } from './job/job.events.js';
import type { KeyEvent } from './key/key.events.js';
import type { OperationEvent } from './operation/operation.events.js';
import type { ActionEvent, OperatorEvent } from './operator/operator.events.js';
import type { PresetEvent } from './preset/preset.events.js';
import type { ProductEvent } from './product/product.events.js';
import type { UsageEvent } from './usage/usage.events.js';
import type { DeliveryEvent, WebhookEvent } from './webhook/webhook.events.js';

export type DomainEvent =
  | AccountEvent
  | JobEvent
  | KeyEvent
  | AssetEvent
  | ProductEvent
  | PresetEvent
  | OperationEvent
  | UsageEvent
  | WebhookEvent
  | DeliveryEvent
  | GrantEvent
  | OperatorEvent
  | ActionEvent;

export type DomainEventType = DomainEvent['type'];

export type EventOfType<Type extends DomainEventType> = Extract<DomainEvent, { type: Type }>;
