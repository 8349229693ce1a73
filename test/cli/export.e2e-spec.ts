import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#event-store/event-store.js';
import { debited, purchased, queued, settled } from '#projections/testing/stories.js';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { wholeLog } from '#read-store/testing/rows-of-history.js';
import { temporaryHome } from '../standalone/support/home.js';
import { settingsOn, verbsOn } from './support/verbs.js';
import { untilEnd } from '../support/until-end.js';

const home = untilEnd(temporaryHome());
const fixture = await ReadStoreFixture.create();
afterAll(() => fixture.dispose());
const purchases = Array.from({ length: 2_500 }, (_, second) => purchased(1, second));
await fixture.append('account', 'acme', [purchased(100, 5_000), debited('r1', 4, 5_001)]);
await fixture.append('account', 'tried', purchases, { environment: 'test' });
await fixture.append('job', 'job-of-r1', [queued('job-of-r1', 'acme')]);
const late = [settled('r1', 4, 5_002), purchased(3, 5_003, 'Größe ✓ "quoted"\n')];
await fixture.append('account', 'acme', late);
let log = await wholeLog(fixture.store);

const { run } = verbsOn({ databaseUrl: fixture.url, folder: home.path });
const atelier = (args: readonly string[], env?: NodeJS.ProcessEnv) => run(['events', 'export', ...args], env);
const file = (name: string) => join(home.path, name);

const asExported = (events: readonly RecordedEvent[]) =>
  events.map(({ position, stream, revision, id, type, data, metadata }) => {
    return { position: String(position), stream, revision: Number(revision), id, type, data, metadata };
  });

function parsed(text: string): unknown[] {
  expect(text).toMatch(/^(?:.+\n)*$/);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
}

async function exported(...args: string[]): Promise<unknown[]> {
  const { code, stdout, stderr } = await atelier(args);
  const events = parsed(stdout);
  const last = events.at(-1) as { position: string } | undefined;
  const through = last ? `, the last at position ${last.position}` : '';
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `${events.length} events exported, seals included${through}\n`,
  });
  return events;
}

describe('atelier events export', () => {
  it('gives the whole log as it is stored, an event a line, in order', async () => {
    const events = await exported();
    expect(events).toHaveLength(2_505);
    expect(events).toEqual(asExported(log));
  });

  it('gives what is asked for: an environment, a stream, from and to a position or a time', async () => {
    const live = asExported(log.filter(({ stream }) => stream.startsWith('live.')));
    const acme = asExported(log.filter(({ stream }) => stream === 'live.account-acme'));
    expect(await exported('--env', 'live')).toEqual(live);
    expect(await exported('--stream', 'live.account-acme', '--json')).toEqual(acme);
    const [first, last] = [log[1_100]!, log[2_300]!];
    const between = await exported('--from', String(first.position), '--to', String(last.position));
    expect(between).toEqual(asExported(log.slice(1_101, 2_301)));
    const [since, until] = [log[0]!.metadata.recordedAt, log[1]!.metadata.recordedAt];
    expect(await exported('--from', since, '--to', until)).toEqual(asExported(log.slice(0, 2)));
    const later = new Date(Date.parse(until) + 1).toISOString();
    expect(await exported('--stream', 'live.account-acme', '--from', later)).toEqual(acme.slice(2));
    expect(await exported('--from', String(log.at(-1)!.position))).toEqual([]);
  });

  it('goes on with a file that was cut off in the middle of a line, and whenever there is more', async () => {
    const output = file('log.ndjson');
    expect(await atelier(['--output', output])).toMatchObject({ code: 0, stdout: '' });
    const whole = readFileSync(output, 'utf8');
    truncateSync(output, statSync(output).size - 400_000);
    expect(readFileSync(output, 'utf8')).not.toMatch(/\n$/);
    const { code, stderr } = await atelier(['--output', output, '--resume']);
    expect({ code, whole: readFileSync(output, 'utf8') === whole }).toEqual({ code: 0, whole: true });
    expect(Number(/^\d+/.exec(stderr)?.[0])).toBeLessThan(2_000);

    await fixture.append('account', 'acme', [purchased(1, 6_000)]);
    await atelier(['--output', output, '--resume']);
    log = await wholeLog(fixture.store);
    expect(parsed(readFileSync(output, 'utf8'))).toEqual(asExported(log));
    // An export that has written only a part of its first line.
    truncateSync(output, 17);
    await atelier(['--output', output, '--resume']);
    expect(parsed(readFileSync(output, 'utf8'))).toEqual(asExported(log));
  });

  it('overwrites nothing, and says in a line what is wrong', async () => {
    writeFileSync(file('mine'), 'not\nan export\n');
    const complaints = [
      [['--output', file('mine')], 'exists'],
      [['--output', file('mine'), '--resume'], 'is no export of events'],
      [['--output', file('no/such/folder')], 'cannot be written'],
      [['--resume'], '--resume continues a file'],
      [['--from', 'yesterday'], '--from must be a position or a time'],
      [['--to', '99999999999999999999'], '--to must be a position or a time'],
      [['--stream', 'live.account-nobody'], 'there is no stream live.account-nobody'],
    ] as const;
    const refusals = await Promise.all(complaints.map(([args]) => atelier(args)));
    for (const [index, [args, complaint]] of complaints.entries()) {
      const { code, stdout, stderr } = refusals[index]!;
      expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
      expect(stderr).toContain(complaint);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
    expect(readFileSync(file('mine'), 'utf8')).toBe('not\nan export\n');
  });

  it('ends quietly when its reader has seen enough', async () => {
    const child = spawn(
      process.execPath,
      [join('dist', 'capabilities', 'operate', 'main.js'), 'events', 'export'],
      {
        env: { PATH: process.env['PATH'], ...settingsOn(fixture.url) },
      },
    );
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const exit = once(child, 'exit') as Promise<[number | null]>;
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect([(await exit)[0], errors]).toEqual([0, '']);
  });

  it('holds a few pages and no more, however slowly it is read', async () => {
    const long = 'x'.repeat(4_000);
    for (let n = 0; n < 50; n++) {
      const events = Array.from({ length: 300 }, (_, index) => purchased(1, n * 1_000 + index, long));
      await fixture.append('account', 'long', events);
    }
    // 15,000 events are 60 MB, more than a process with a heap of 48 MB can hold.
    const env = { NODE_OPTIONS: '--max-old-space-size=48' };
    const output = file('long.ndjson');
    const { code, stderr } = await atelier(['--stream', 'live.account-long', '--output', output], env);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^15000 events/m) });
    expect(statSync(output).size).toBeGreaterThan(60_000_000);
  });
});
