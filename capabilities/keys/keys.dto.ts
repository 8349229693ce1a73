import { ApiProperty } from '@nestjs/swagger';
import { idLike, PageOf } from '#api/http/describe.js';
import { DateTimeQuery, PageQuery } from '#api/http/valid-request.js';
import type { Caller } from '#application/command-context.js';
import { capabilityNames } from '#domain/key/key.events.js';
import { environments } from '#domain/streams.js';
import type { KeySpending, OwnKey } from './own-keys.reader.js';

const keyId = idLike('01K9Z7G5C2X8N4B6V1M3Q7R9TA');
const time = { format: 'date-time', example: '2026-01-31T12:00:00.000Z' };
const perhaps = { ...time, type: String, nullable: true };
const credits = { type: 'integer', minimum: 0 } as const;

const statuses = ['active', 'retiring', 'retired', 'revoked'] as const;

export class KeyResponse {
  @ApiProperty(keyId)
  key_id: string;

  @ApiProperty({
    description: 'How the key begins. The rest of it is shown once, when it is made, and not stored.',
    example: `sk_live_${keyId.example}`,
  })
  prefix: string;

  @ApiProperty({ description: 'What it is for, as its maker wrote. May be empty.', example: 'web shop' })
  label: string;

  @ApiProperty({ enum: [...environments], enumName: 'KeyEnvironment' })
  environment: string;

  @ApiProperty({
    description: 'What it may do.',
    isArray: true,
    enum: [...new Set(capabilityNames.values())],
    enumName: 'KeyCapability',
    example: ['jobs:create', 'jobs:read'],
  })
  capabilities: string[];

  @ApiProperty({
    description:
      '`retiring`: it was rotated, and works until `retires_at`. `retired` and `revoked` do not work.',
    enum: [...statuses],
    enumName: 'KeyStatus',
  })
  status: string;

  @ApiProperty({ description: 'Whether this request was made with it.', example: true })
  is_current: boolean;

  @ApiProperty(time)
  issued_at: string;

  @ApiProperty({ description: 'When a rotated key stops working, or stopped.', ...perhaps, example: null })
  retires_at: string | null;

  @ApiProperty({ ...perhaps, example: null })
  revoked_at: string | null;
}

export class KeyListResponse extends PageOf(KeyResponse, { total: 'Keys in all.' }) {}

export class KeySpendingQuery extends PageQuery {
  @DateTimeQuery('The first moment of the period. When absent: 30 days before `until`.')
  since?: string;

  @DateTimeQuery('The moment after the period, at most 366 days later. When absent: now.')
  until?: string;
}

export class KeySpendingResponse {
  @ApiProperty({
    ...keyId,
    type: String,
    nullable: true,
    description: 'Null: the requests whose key is unknown.',
  })
  key_id: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of the key, if it is known.',
    example: 'web shop',
  })
  label: string | null;

  @ApiProperty({ description: 'How often it was charged.', ...credits, example: 21 })
  charges: number;

  @ApiProperty({ description: 'In credits.', ...credits, example: 105 })
  credits_charged: number;

  @ApiProperty({ description: 'In credits: what came back of these charges since.', ...credits, example: 5 })
  credits_refunded: number;

  @ApiProperty({ description: 'In credits: charged less refunded.', ...credits, example: 100 })
  credits_spent: number;

  @ApiProperty({ description: 'Its last charge in the period.', ...time })
  last_charged_at: string;
}

export class KeySpendingListResponse extends PageOf(KeySpendingResponse, { total: 'Keys with charges.' }) {
  @ApiProperty(time)
  since: string;

  @ApiProperty({ format: 'date-time', example: '2026-03-02T12:00:00.000Z' })
  until: string;
}

export function presentKey(row: OwnKey, { environment, keyId: current }: Caller, now: Date): KeyResponse {
  const { keyId: id, label, capabilities, issuedAt, retiresAt, revokedAt } = row;
  return {
    key_id: id,
    prefix: `sk_${environment}_${id}`,
    label,
    environment,
    capabilities: [...capabilities],
    status: statusOf(row, now),
    is_current: id === current,
    issued_at: issuedAt.toISOString(),
    retires_at: retiresAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
  };
}

function statusOf({ retiresAt, revokedAt }: OwnKey, now: Date): (typeof statuses)[number] {
  if (revokedAt) return 'revoked';
  if (!retiresAt) return 'active';
  return retiresAt > now ? 'retiring' : 'retired';
}

export function presentSpending(row: KeySpending): KeySpendingResponse {
  const { keyId: id, label, charges, charged, refunded, lastChargedAt } = row;
  return {
    key_id: id,
    label,
    charges,
    credits_charged: charged,
    credits_refunded: refunded,
    credits_spent: charged - refunded,
    last_charged_at: lastChargedAt.toISOString(),
  };
}
