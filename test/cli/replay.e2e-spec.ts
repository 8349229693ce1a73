import { testSigningKey } from '../support/signing-key.js';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import type { StreamCategory } from '#domain/streams.js';
import {
  at,
  debited,
  failed,
  purchased,
  queued,
  refunded,
  renderStarted,
  stageCompleted,
} from '#projections/testing/stories.js';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { runCommand } from '../support/command.js';
import { temporaryHome } from '../standalone/support/home.js';

const home = temporaryHome();
let fixture: ReadStoreFixture;

const terms = { plan: 'standard', dailySpendCapCredits: 0, monthlyCreditQuota: 0, rateLimitPerMin: 60 };
const opened: DomainEvent = {
  type: 'AccountOpened',
  data: { tenant: 'acme', name: 'Acme', ...terms, at: at(0) },
};
const facts = { externalRef: null, description: null, garmentCategoryId: null, images: [] };
const image = { storageKey: 'k', contentType: 'image/png', width: 1, height: 1, sha256: 'ab' };

/** A second after the other, and the state after each. */
const histories: { category: StreamCategory; events: DomainEvent[]; states: Record<string, unknown>[] }[] = [
  {
    category: 'account',
    events: [opened, purchased(10, 1), debited('r1', 4, 2), refunded('r1', 4, 3)],
    states: [
      { balance: 0, open_charges: [] },
      { balance: 10, open_charges: [] },
      { balance: 6, open_charges: [{ charge_id: 'r1', job_id: 'job-of-r1', amount: 4, at: at(2) }] },
      { balance: 10, open_charges: [] },
    ],
  },
  {
    category: 'job',
    events: [
      queued('j', 'acme'),
      renderStarted,
      { ...stageCompleted, data: { ...stageCompleted.data, at: at(2) } },
      failed,
    ],
    states: [{ status: 'queued' }, { status: 'rendering' }, { status: 'rendering' }, { status: 'failed' }],
  },
  {
    category: 'key',
    events: [
      {
        type: 'ApiKeyIssued',
        data: {
          keyId: 'k',
          tenant: 'acme',
          environment: 'live',
          capabilities: ['jobs:read'],
          label: 'shop',
          secretHash: 'ab',
          at: at(0),
        },
      },
      { type: 'ApiKeyRetired', data: { retiresAt: at(60), successorKeyId: 'k2', at: at(1) } },
      { type: 'ApiKeyRevoked', data: { reason: 'lost', at: at(2) } },
    ],
    states: [
      { status: 'active', key: { label: 'shop' } },
      { status: 'active', successorKeyId: 'k2' },
      { status: 'revoked', successorKeyId: 'k2' },
    ],
  },
  {
    category: 'product',
    events: [
      {
        type: 'ProductRegistered',
        data: { productId: 'p', tenant: 'acme', title: 'Shirt', ...facts, at: at(0) },
      },
      { type: 'ProductRevised', data: { title: 'Blouse', ...facts, at: at(1) } },
    ],
    states: [{ title: 'Shirt' }, { title: 'Blouse' }],
  },
  {
    category: 'preset',
    events: [
      {
        type: 'PresetPublished',
        data: { presetId: 'p', kind: 'shot', label: 'Close', spec: {}, image, at: at(0) },
      },
      { type: 'PresetRetired', data: { reason: 'old', at: at(1) } },
    ],
    states: [{ status: 'published' }, { status: 'retired' }],
  },
  {
    category: 'operation',
    events: [
      { type: 'OperationPriced', data: { credits: 12, reason: '', at: at(0) } },
      { type: 'OperationDisabled', data: { reason: '', at: at(1) } },
    ],
    states: [
      { credits: 12, enabled: true },
      { credits: 12, enabled: false },
    ],
  },
];

beforeAll(async () => {
  fixture = await ReadStoreFixture.create();
  for (const { category, events } of histories) await fixture.append(category, 'one', events);
  await makeLongHistory();
});

async function makeLongHistory(): Promise<void> {
  await fixture.append('account', 'long', [opened]);
  for (let n = 0; n < 16; n++) {
    const page = Array.from({ length: 2_500 }, (_, index) => purchased(1, n * 2_500 + index));
    await fixture.append('account', 'long', page);
  }
}

afterAll(async () => {
  await fixture?.dispose();
  await home[Symbol.asyncDispose]();
});

const settings = () => ({
  DATABASE_URL: fixture.url,
  URL_SIGNING_SECRET: 'x',
  ATELIER_SIGNING_KEY: testSigningKey,
});
const atelier = (...args: string[]) => runCommand(['replay', ...args], home.path, { env: settings() });
const timeOf = ({ data }: DomainEvent) => data.at;

describe.each(histories)('atelier replay of $category', ({ category, events, states }) => {
  const stream = `live.${category}-one`;
  const replayed = async (...args: string[]) => {
    const { code, stdout, stderr } = await atelier(stream, ...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as { revision: number; state: unknown; history: { revision: number }[] };
  };

  it('shows the state at a revision, and at a moment', async () => {
    const middle = events.length >> 1;
    const expected = {
      stream,
      revision: middle,
      recorded_at: timeOf(events[middle]!),
      state: states[middle],
      history: events.slice(0, middle + 1).map(({ type }, revision) => ({ revision, type })),
    };
    const moment = timeOf(events[middle]!);
    const justBefore = new Date(Date.parse(moment) - 1).toISOString();
    const [atRevision, atMoment, before, now] = await Promise.all([
      replayed('--at', String(middle)),
      replayed('--at', moment),
      replayed('--at', justBefore),
      replayed(),
    ]);
    expect(atRevision).toMatchObject(expected);
    expect(atMoment).toMatchObject(expected);
    expect(before).toMatchObject({ revision: middle - 1, state: states[middle - 1] });
    expect(now.state).toMatchObject(states.at(-1)!);
    expect(now.history).toHaveLength(events.length);
  });
});

describe('atelier replay', () => {
  it('prints a line for each event, and the whole state at the end', async () => {
    const { code, stdout } = await atelier('live.account-one', '--at', '2');
    expect(code).toBe(0);
    const [head, ...lines] = stdout.split('\n');
    expect(head).toMatch(/^revision +event +recorded +state afterwards$/);
    expect(lines.slice(0, 4)).toEqual([
      expect.stringMatching(/^0 +AccountOpened +2026-06-01T12:00:00.000Z +.*balance 0/),
      expect.stringMatching(/^1 +CreditsPurchased +2026-06-01T12:00:01.000Z +.*balance 10/),
      expect.stringMatching(/^2 +CreditsDebited +2026-06-01T12:00:02.000Z +.*balance 6/),
      '',
    ]);
    expect(JSON.parse(lines.slice(4).join('\n'))).toMatchObject({ balance: 6 });
  });

  it('says that a thing did not exist yet, or does not exist', async () => {
    const early = await atelier('live.account-one', '--at', '2020-01-01');
    expect(early).toMatchObject({ code: 1, stdout: '' });
    expect(early.stderr).toContain('did not exist yet at 2020-01-01');
    const none = await atelier('live.account-none', '--json');
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain('there is no stream');
  });

  it.each([[['--json']], [[]]])('holds a page of a long history and no more (%j)', async (args) => {
    const output = join(home.path, 'replayed');
    // 40,000 steps are about 20 MB of text and more as objects; the process may have a heap of 40 MB, including
    // its own code.
    const command = ['dist/capabilities/operate/main.js', 'replay', 'live.account-long', ...args];
    const child = spawn(process.execPath, ['--max-old-space-size=40', ...command], {
      env: { PATH: process.env['PATH'], ...settings() },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.pipe(createWriteStream(output));
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(0);
    const text = await readFile(output, 'utf8');
    expect(text.match(/CreditsPurchased/g)).toHaveLength(40_000);
    if (args.length > 0)
      expect(JSON.parse(text)).toMatchObject({ revision: 40_000, state: { balance: 40_000 } });
  });
});
