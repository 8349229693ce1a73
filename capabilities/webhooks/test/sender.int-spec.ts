import { deliveryMac } from '../delivery-mac.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandBus } from '@nestjs/cqrs';
import pg from 'pg';
import type { TaskOutcome } from '#render-queue/render-queue.js';
import type { WebhookTransport } from '../deliveries.js';
import type { CallOutcome } from '#platform/webhook-call.js';
import {
  type ChangeWebhook,
  ChangeWebhookHandler,
  RegisterWebhook,
  RegisterWebhookHandler,
  webhooksOf,
} from '../manage-webhooks.handler.js';
import { mostDeliveryAttempts } from '#platform/retry-schedule.js';
import { type WebhookObserver, WebhookSender } from '../webhook-sender.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { Deliveries } from '../postgres-deliveries.js';
import type { DeliveryTask } from '../delivery.task.js';
import { ApiService, contextOf } from '../../../test/api/support/api-service.js';
import { signingKey } from './support/post-office.js';

const hour = 3_600_000;
const day = 24 * hour;

let service: ApiService;
let pool: pg.Pool;
let deliveries: Deliveries;

beforeAll(async () => {
  service = await ApiService.start({ projector: false });
  pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
  deliveries = new Deliveries(pool);
});
afterAll(async () => {
  await pool.end();
  await service[Symbol.asyncDispose]();
});

/** One endpoint and its sender, on a clock that the spec moves. */
class Bench {
  now = Date.parse('2026-06-01T00:00:00Z');
  answer: CallOutcome = { kind: 'no-answer', error: 'ECONNREFUSED' };
  calls = 0;
  switchedOff = 0;
  /** How each counted attempt ended. */
  readonly counted: string[] = [];
  unprovenEvents: 'refuse' | 'accept' = 'refuse';
  readonly tenant = newId();
  endpointId = '';
  private duringCall = () => {};
  private readonly transport: WebhookTransport = {
    post: () => {
      this.calls++;
      this.duringCall();
      return Promise.resolve(this.answer);
    },
    complaintAbout: () => Promise.resolve(undefined),
  };

  static async open(): Promise<Bench> {
    const bench = new Bench();
    const register = new RegisterWebhookHandler(service.store, bench.transport);
    const terms = { url: 'https://shop.example/', events: [], description: '', creditsLowBelow: 1 };
    const context = { ...contextOf('test', bench.tenant), at: new Date(bench.now) };
    const registered = await register.execute(new RegisterWebhook(context, terms));
    if (registered.kind === 'changed') bench.endpointId = registered.endpoint.endpointId;
    return bench;
  }

  /** Handles the queue's task until it is done. @returns the pauses in milliseconds */
  async deliver(meanwhile = ''): Promise<number[]> {
    const task = await this.task();
    if (meanwhile) await pool.query(meanwhile, [task.deliveryId]);
    const pauses: number[] = [];
    for (;;) {
      const outcome = await this.sender.send(task, new AbortController().signal);
      if (outcome.kind === 'done') return pauses;
      pauses.push(outcome.afterMs);
      this.now += outcome.afterMs;
    }
  }

  /** One call, during which the process of the sender stops. */
  async cutOff(): Promise<TaskOutcome> {
    const stopping = new AbortController();
    this.duringCall = () => stopping.abort();
    return this.sender.send(await this.task(), stopping.signal);
  }

  async status(): Promise<string[]> {
    const filter = { endpointId: this.endpointId, limit: 100, offset: 0 };
    return (await deliveries.list('test', this.tenant, filter)).items.map(({ status }) => status);
  }

  async lastError(): Promise<string | null | undefined> {
    const filter = { endpointId: this.endpointId, limit: 1, offset: 0 };
    return (await deliveries.list('test', this.tenant, filter)).items[0]?.made.at(-1)?.error;
  }

  async disabled(): Promise<string | undefined> {
    return (await webhooksOf(service.store, 'test', this.tenant))[0]?.disabled?.reason;
  }

  private async task(): Promise<DeliveryTask> {
    const told = {
      deliveryId: newId(),
      tenant: this.tenant,
      endpointId: this.endpointId,
      type: 'job.succeeded',
      body: '{}',
    } as const;
    const mac = deliveryMac(signingKey, 'test', told);
    const [task] = await deliveries.add('test', [{ ...told, occurredAt: new Date(this.now), mac }], pool);
    return task!;
  }

  async change(order: ChangeWebhook['order']): Promise<void> {
    const context = { ...contextOf('test', this.tenant), at: new Date(this.now) };
    const handler = new ChangeWebhookHandler(service.store, this.transport);
    await handler.execute({ context, endpointId: this.endpointId, order } as ChangeWebhook);
  }

  private get sender(): WebhookSender {
    const handler = new ChangeWebhookHandler(service.store, this.transport);
    // The one command that a sender gives.
    const commands = {
      execute: (command: ChangeWebhook) => handler.execute(command),
    } as unknown as CommandBus;
    const observer: WebhookObserver = {
      attempted: (_, outcome) => void this.counted.push(outcome),
      switchedOff: () => void this.switchedOff++,
    };
    const clock = () => new Date(this.now);
    const logger = createLogger('test', 'silent');
    const settings = { signingKey, acceptedSigningKeys: [], unprovenEvents: this.unprovenEvents } as const;
    return new WebhookSender(
      ...([service.store, commands, deliveries, this.transport, settings] as const),
      ...([observer, clock, logger] as const),
    );
  }
}

describe('deliveries', () => {
  it('that are too old are found by an index, however many there are', async () => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('set local enable_seqscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain delete from test.webhook_deliveries where occurred_at < now() - interval '30 days'`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join(' ');
      expect(plan).toContain('webhook_deliveries_by_age');
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('a sender', () => {
  it('gives a delivery up after three days, and the endpoint not yet', async () => {
    const bench = await Bench.open();
    const began = bench.now;
    const pauses = await bench.deliver();
    expect(pauses).toHaveLength(mostDeliveryAttempts - 1);
    expect(bench.calls).toBe(mostDeliveryAttempts);
    expect(bench.counted).toEqual(Array(mostDeliveryAttempts).fill('failed'));
    expect((bench.now - began) / day).toBeGreaterThan(3);
    expect(await bench.status()).toEqual(['failed']);
    expect(await bench.disabled()).toBeUndefined();
  });

  it('does not count a call against the endpoint that its own end cut off', async () => {
    const bench = await Bench.open();
    expect(await bench.cutOff()).toEqual({ kind: 'retry', afterMs: 0 });
    expect(bench.calls).toBe(1);
    expect(bench.counted).toEqual([]);
    expect(await bench.status()).toEqual(['pending']);
    expect(await bench.lastError()).toBeUndefined();
  });

  it('switches an endpoint off that has failed for five days, and takes no notice of what comes after', async () => {
    const bench = await Bench.open();
    const began = bench.now;
    while ((await bench.disabled()) === undefined) {
      expect(bench.now - began).toBeLessThan(9 * day);
      await bench.deliver();
    }
    expect(bench.now - began).toBeGreaterThanOrEqual(5 * day);
    expect(bench).toMatchObject({ switchedOff: 1 });
    const { calls } = bench;
    await bench.deliver();
    expect(bench.calls).toBe(calls);
    expect((await bench.status())[0]).toBe('failed');

    // Enabled again, it has its five days anew.
    await bench.change({ kind: 'revise', terms: {}, enabled: true });
    await bench.deliver();
    expect(await bench.disabled()).toBeUndefined();
  });

  it('counts the days anew after a success, and after a long silence', async () => {
    const bench = await Bench.open();
    const failing = bench.answer;
    for (let days = 0; days < 12; days += 4) {
      bench.answer = failing;
      await bench.deliver();
      bench.answer = { kind: 'answered', statusCode: 200, retryAfter: undefined, answer: '' };
      await bench.deliver();
      expect(await bench.disabled()).toBeUndefined();
    }
    bench.answer = failing;
    await bench.deliver();
    bench.now += 2 * day + hour;
    await bench.deliver();
    expect(await bench.disabled()).toBeUndefined();
  });

  const forged = 'update test.webhook_deliveries set';
  it.each([
    ['body', `${forged} body = '{"forged":true}' where delivery_id = $1`, 'it was altered in the database'],
    ['type', `${forged} type = 'credits.low' where delivery_id = $1`, 'it was altered in the database'],
    ['proof', `${forged} mac = 'AAAA' where delivery_id = $1`, 'it was altered in the database'],
    ['lack of proof', `${forged} mac = null where delivery_id = $1`, 'nothing proves'],
    [
      'proof, which is that of another delivery',
      `${forged} mac = (select mac from test.webhook_deliveries where delivery_id <> $1 and mac is not null limit 1) where delivery_id = $1`,
      'it was altered in the database',
    ],
  ])('neither signs nor sends a delivery that waits in the database with another %s', async (_, sql, why) => {
    const bench = await Bench.open();
    bench.answer = { kind: 'answered', statusCode: 200, retryAfter: undefined, answer: '' };
    await bench.deliver();
    expect(bench.calls).toBe(1);
    expect(await bench.deliver(sql)).toEqual([]);
    expect(bench.calls).toBe(1);
    expect((await bench.status()).toSorted()).toEqual(['delivered', 'failed']);
    expect(await bench.lastError()).toContain(why);
  });

  it('sends what an older release has queued, while events without proof count as well', async () => {
    const bench = await Bench.open();
    bench.unprovenEvents = 'accept';
    bench.answer = { kind: 'answered', statusCode: 200, retryAfter: undefined, answer: '' };
    await bench.deliver(`${forged} mac = null where delivery_id = $1`);
    expect(await bench.status()).toEqual(['delivered']);
  });

  it('waits as long as the endpoint asks for', async () => {
    const bench = await Bench.open();
    bench.answer = { kind: 'answered', statusCode: 503, retryAfter: '3600', answer: 'busy' };
    const [first, second] = await bench.deliver();
    expect(first).toBeGreaterThanOrEqual(hour);
    expect(second).toBeGreaterThanOrEqual(hour);
  });
});
