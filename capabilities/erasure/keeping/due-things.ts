import { Injectable } from '@nestjs/common';
import type { Environment } from '#domain/streams.js';
import { Database } from '#read-store/database.js';
import { pictureUses } from '../picture-uses.read-model.js';
import {
  expiryOrders,
  expiryWarnings,
  keptThings,
  legalHolds,
  retentionRules,
  type KeptThingRow,
} from './keeping.read-models.js';
import { keptKinds, type KeptKind } from '../keeping.events.js';
import type { KeptDays } from './retention.js';

/** The read models that must show the newest events before something is looked for. */
export const readModelsOfExpiry = [
  keptThings,
  expiryOrders,
  expiryWarnings,
  retentionRules,
  legalHolds,
  pictureUses,
  'assets',
  'jobs',
  'products',
];

export interface DueThing {
  readonly category: KeptThingRow['category'];
  readonly thingId: string;
  readonly tenant: string;
  readonly kind: KeptKind;
  readonly jobId: string | null;
  /** When its time is over. */
  readonly endsAt: Date;
}

export interface Rules {
  readonly usual: KeptDays;
  readonly most: KeptDays;
}

/** How many things of one tenant and kind are found at once, and how many in all. */
const mostOfOne = 100;
const mostOfAll = 1_000;

const columns = `thing.category, thing.thing_id as "thingId", thing.tenant, thing.kind, thing.job_id as "jobId"`;

/** The end by the rule, and the earlier one by `retain_days`. Null: neither is given. */
const endsAt = `least(thing.since + rule.days * interval '24 hours', thing.own_end)`;

/**
 * Finds things whose time is over. Each statement walks an index by age: a tenant and kind costs one look if nothing of it
 * is due, and a due thing costs a few looks.
 */
@Injectable()
export class DueThings {
  constructor(private readonly database: Database) {}

  /** Due by the rule of the tenant, oldest first within each tenant and kind. */
  byRule(environment: Environment, rules: Rules, now: Date): Promise<DueThing[]> {
    return this.rows(dueByRule(environment), [now, ...daysOf(rules)]);
  }

  /** Due by their own `retain_days`, in the order of their ends. */
  byOwnEnd(environment: Environment, now: Date): Promise<DueThing[]> {
    return this.rows(dueByOwnEnd(environment), [now]);
  }

  /** Uploads and final pictures that end in these days, and whose tenant was not told. */
  ending(environment: Environment, rules: Rules, now: Date, days: number): Promise<DueThing[]> {
    return this.rows(endingSoon(environment), [now, ...daysOf(rules), days]);
  }

  private async rows(statement: string, values: unknown[]): Promise<DueThing[]> {
    const { rows } = await this.database.query(statement, values);
    return rows as DueThing[];
  }
}

/** `$2` to `$4` of the statements. */
function daysOf({ usual, most }: Rules): unknown[] {
  const inOrder = (limits: KeptDays) => keptKinds.map((kind) => limits[kind] ?? null);
  return [[...keptKinds], inOrder(usual), inOrder(most)];
}

/** The days of each tenant and kind that has things. It looks once in the index for each. */
const rulesIn = (schema: Environment) => `
  pair as (
    (select tenant, kind from ${schema}.${keptThings} where since is not null order by tenant, kind limit 1)
    union all
    (select next.tenant, next.kind from pair cross join lateral (
      select tenant, kind from ${schema}.${keptThings}
       where since is not null and (tenant, kind) > (pair.tenant, pair.kind) order by tenant, kind limit 1) next)
  ),
  rule as (
    select pair.tenant, pair.kind, least(coalesce(own.days, usual.days), usual.most) as days
      from pair
      join unnest($2::text[], $3::integer[], $4::integer[]) as usual(kind, days, most) on usual.kind = pair.kind
      left join ${schema}.${retentionRules} own on own.tenant = pair.tenant and own.kind = pair.kind
  )`;

/** A job that has not ended needs its pictures. */
const isFree = (schema: Environment) => `
  not exists (select 1 from ${schema}.${keptThings} job
    where job.category = 'job' and job.thing_id = thing.job_id and job.since is null)
  and not exists (select 1 from ${schema}.${legalHolds} hold where hold.tenant = thing.tenant and (
    hold.job_id = thing.job_id
    or exists (select 1 from ${schema}.jobs part where part.public_id = thing.job_id and part.parent_job_id = hold.job_id)
    or exists (select 1 from ${schema}.${pictureUses} used where used.asset_id = thing.thing_id and used.job_id = hold.job_id)
    or exists (select 1 from ${schema}.jobs made where made.public_id = thing.job_id and made.data_subjects ? hold.data_subject)
    or exists (select 1 from ${schema}.assets shown where shown.asset_id = thing.thing_id and shown.data_subjects ? hold.data_subject)
    or exists (select 1 from ${schema}.products named
      where named.product_id = thing.thing_id and named.data_subjects ? hold.data_subject)))`;

const isNotOrdered = (schema: Environment) =>
  `not exists (select 1 from ${schema}.${expiryOrders} ordered where ordered.thing_id = thing.thing_id)`;

const isNotTold = (schema: Environment) =>
  `thing.kind in ('uploads', 'finals')
   and not exists (select 1 from ${schema}.${expiryWarnings} told where told.asset_id = thing.thing_id)`;

export const dueByRule = (schema: Environment) => `
  with recursive ${rulesIn(schema)}
  select due.* from rule cross join lateral (
    select ${columns}, ${endsAt} as "endsAt" from ${schema}.${keptThings} thing
     where thing.tenant = rule.tenant and thing.kind = rule.kind and thing.since is not null
       and thing.since <= $1::timestamptz - rule.days * interval '24 hours'
       and ${isNotOrdered(schema)} and ${isFree(schema)}
     order by thing.since, thing.thing_id limit ${mostOfOne}) due
  where rule.days is not null limit ${mostOfAll}`;

export const dueByOwnEnd = (schema: Environment) => `
  select ${columns}, thing.own_end as "endsAt" from ${schema}.${keptThings} thing
   where thing.own_end <= $1::timestamptz and ${isNotOrdered(schema)} and ${isFree(schema)}
   order by thing.own_end, thing.thing_id limit ${mostOfAll}`;

export const endingSoon = (schema: Environment) => `
  with recursive ${rulesIn(schema)}
  (select soon.* from rule cross join lateral (
    select ${columns}, ${endsAt} as "endsAt" from ${schema}.${keptThings} thing
     where thing.tenant = rule.tenant and thing.kind = rule.kind
       and thing.since <= $1::timestamptz + ($5::integer - rule.days) * interval '24 hours'
       and thing.since > $1::timestamptz - rule.days * interval '24 hours'
       and ${endsAt} > $1::timestamptz
       and ${isNotTold(schema)} and ${isFree(schema)}
     order by thing.since, thing.thing_id limit ${mostOfOne}) soon
  where rule.days is not null and rule.kind in ('uploads', 'finals') limit ${mostOfAll})
  union all
  (select ${columns}, ${endsAt} as "endsAt" from ${schema}.${keptThings} thing
    left join rule on rule.tenant = thing.tenant and rule.kind = thing.kind
    where thing.own_end > $1::timestamptz and thing.own_end <= $1::timestamptz + $5::integer * interval '24 hours'
      and ${endsAt} > $1::timestamptz
      and ${isNotTold(schema)} and ${isFree(schema)}
    order by thing.own_end, thing.thing_id limit ${mostOfAll})`;
