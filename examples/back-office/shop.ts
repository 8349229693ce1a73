import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { WebhookMessage, WorkflowBody } from '@atelier/client';

export type Shots = WorkflowBody<'catalog-shots'>;

export interface Article {
  readonly sku: string;
  readonly title: string;
  /** Where its photograph is. */
  readonly photo: string;
}

export interface Order extends Article {
  readonly assetId: string | null;
  readonly productId: string | null;
  /** An order and its quoted cost, written down before it is sent. */
  readonly request: Shots | null;
  readonly credits: number;
  readonly jobId: string | null;
  readonly status: 'SUCCESS' | 'FAILURE' | null;
  /** The file of the finished picture. */
  readonly picture: string | null;
}

/**
 * The shop's memory, in a file. It records each step of an article as soon as the step is done, so that a
 * restart after a kill continues where the work stopped.
 */
export class Shop {
  private readonly database: DatabaseSync;

  constructor(path: string, articles: readonly Article[]) {
    this.database = new DatabaseSync(path);
    this.database.exec(`
      pragma journal_mode = wal;
      create table if not exists orders (
        sku text primary key, title text not null, photo text not null, asset_id text, product_id text,
        request text, credits integer not null default 0, job_id text unique, status text, picture text
      );
      create table if not exists messages (webhook_id text primary key, type text not null, job_id text, status text);
      create table if not exists secrets (url text primary key, secret text not null);
    `);
    const insert = this.database.prepare('insert or ignore into orders (sku, title, photo) values (?, ?, ?)');
    for (const { sku, title, photo } of articles) insert.run(sku, title, photo);
  }

  orders(): Order[] {
    return this.database.prepare('select * from orders order by sku').all().map(orderOf);
  }

  /** Paid credits, and the possible cost of sent orders. Failed orders were refunded. */
  spent(): number {
    const sum = `select coalesce(sum(credits), 0) as credits from orders where status is not 'FAILURE'`;
    return Number(this.database.prepare(sum).get()?.['credits']);
  }

  uploaded(sku: string, assetId: string): void {
    this.database.prepare('update orders set asset_id = ? where sku = ?').run(assetId, sku);
  }

  registered(sku: string, productId: string): void {
    this.database.prepare('update orders set product_id = ? where sku = ?').run(productId, sku);
  }

  /** Call this before the order is sent. */
  reserve(sku: string, request: Shots, credits: number): void {
    const reserve = this.database.prepare('update orders set request = ?, credits = ? where sku = ?');
    reserve.run(JSON.stringify(request), credits, sku);
  }

  /** It was refused, and nothing was charged. */
  release(sku: string): void {
    this.database.prepare('update orders set request = null, credits = 0 where sku = ?').run(sku);
  }

  /** The order is accepted. The message about its end may already be there. */
  ordered(sku: string, jobId: string, credits: number): void {
    const told = '(select status from messages where messages.job_id = ? and status is not null)';
    const update = `update orders set job_id = ?, credits = ?, status = ${told} where sku = ?`;
    this.database.prepare(update).run(jobId, credits, jobId, sku);
  }

  ended(jobId: string, status: 'SUCCESS' | 'FAILURE'): void {
    this.database.prepare('update orders set status = ? where job_id = ?').run(status, jobId);
  }

  /** The message's id makes a repeated message count once. The message is stored before it is acknowledged. */
  heard(webhookId: string, { type, data }: WebhookMessage): void {
    const [jobId, status] =
      type === 'job.succeeded' || type === 'job.failed' ? [data.job_id, data.status] : [];
    const insert = this.database.prepare('insert or ignore into messages values (?, ?, ?, ?)');
    const { changes } = insert.run(webhookId, type, jobId ?? null, status ?? null);
    if (changes === 1 && jobId && status) this.ended(jobId, status);
  }

  pictured(sku: string, picture: string): void {
    this.database.prepare('update orders set picture = ? where sku = ?').run(picture, sku);
  }

  secretOf(url: string): string | undefined {
    const row = this.database.prepare('select secret from secrets where url = ?').get(url);
    return row && String(row['secret']);
  }

  keepSecret(url: string, secret: string): void {
    this.database.prepare('insert or replace into secrets values (?, ?)').run(url, secret);
  }
}

function orderOf(row: Record<string, SQLOutputValue>): Order {
  const { asset_id: assetId, product_id: productId, job_id: jobId, request, ...columns } = row;
  // The columns of the table above.
  return {
    ...columns,
    assetId,
    productId,
    jobId,
    request: request === null ? null : JSON.parse(String(request)),
  } as Order;
}
