import { Injectable } from '@nestjs/common';
import type { Caller } from '#application/command-context.js';
import type { Capability } from '#domain/key/key.events.js';
import { Database } from '#read-store/database.js';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

export interface OwnKey {
  readonly keyId: string;
  readonly capabilities: readonly Capability[];
  readonly label: string;
  readonly issuedAt: Date;
  readonly revokedAt: Date | null;
  readonly retiresAt: Date | null;
}

/** The charges of one key in a period, in credits. */
export interface KeySpending {
  /** Null: the charges of requests whose key is unknown. */
  readonly keyId: string | null;
  readonly label: string | null;
  readonly charges: number;
  readonly charged: number;
  readonly refunded: number;
  readonly lastChargedAt: Date;
}

export interface Period {
  readonly from: Date;
  readonly to: Date;
}

type Owner = Pick<Caller, 'environment' | 'tenant'>;

interface Found<Row> {
  readonly items: readonly Row[];
  /** On all pages. */
  readonly total: number;
}

/** A tenant's keys and their charges, by SQL. */
@Injectable()
export class OwnKeysReader {
  constructor(private readonly database: Database) {}

  /** Newest first, revoked ones included. */
  list({ environment, tenant }: Owner, { limit, offset }: Page) {
    return this.page<OwnKey>(
      `with own as (select key_id as "keyId", capabilities, label, issued_at as "issuedAt", revoked_at as "revokedAt",
          retires_at as "retiresAt" from ${environment}.keys where tenant = $1)`,
      `select *, true as there from own order by "issuedAt" desc, "keyId" desc limit $2 offset $3`,
      [tenant, limit, offset],
    );
  }

  /** The charges of a period by key, what cost most first. A refund counts where its charge does. */
  spending({ environment, tenant }: Owner, { from, to }: Period, { limit, offset }: Page) {
    return this.page<KeySpending>(
      `with own as (select key_id as "keyId", count(*)::float8 as charges, sum(amount)::float8 as charged,
          sum(refunded)::float8 as refunded, max(charged_at) as "lastChargedAt"
        from ${environment}.key_charges where tenant = $1 and charged_at >= $4 and charged_at < $5 group by key_id)`,
      `select own.*, key.label, true as there from own left join ${environment}.keys key on key.key_id = own."keyId" and key.tenant = $1
        order by charged - refunded desc, charges desc, own."keyId" nulls last limit $2 offset $3`,
      [tenant, limit, offset, from, to],
    );
  }

  /** One statement reads both, so that page and total belong to the same moment. */
  private async page<Row>(own: string, page: string, values: unknown[]): Promise<Found<Row>> {
    const { rows } = await this.database.query(
      `${own} select counted.total, page.* from (select count(*)::integer as total from own) counted
        left join (${page}) page on true`,
      values,
    );
    // The statements name the columns. An empty page is one row, which has the total alone.
    const found = rows as (Row & { readonly total: number; readonly there: boolean | null })[];
    return { items: found.filter(({ there }) => there), total: found[0]?.total ?? 0 };
  }
}
