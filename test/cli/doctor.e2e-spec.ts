import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { processManagers } from '#application/process-managers/process-managers.js';
import { environments } from '#domain/streams.js';
import { Peer } from '../eventstoredb/peer/peer.js';
import { Atelier } from '../standalone/support/atelier.js';
import { runCommand } from '../support/command.js';
import { temporaryHome } from '../standalone/support/home.js';
import { eventually } from '../support/eventually.js';
import { untilEnd } from '../support/until-end.js';

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { name: string; ok: boolean; detail: string; advice: string | null }[];
  readonly event_store: { kind: string; version: string; latency_ms: number; head_position: string } | null;
  readonly projections: readonly { env: string; name: string; lag: number; lag_seconds: number | null }[];
  readonly process_managers: readonly { env: string; name: string; lag: number }[];
  readonly render_queue: readonly { env: string; waiting: number; active: number }[];
}

const home = untilEnd(temporaryHome());
const peer = await new Peer().start();
afterAll(() => peer.stop());
const url = `esdb://operator:secret-word@127.0.0.1:${peer.port}?tls=false`;
const atelier = await Atelier.start(home.path, { EVENT_STORE_URL: url });
afterAll(() => atelier.stop());
const command = (...args: string[]) => runCommand(args, home.path);
await command('tenants', 'create', '--name', 'Patient', '--credits', '5');

describe('the doctor of a service on EventStoreDB', () => {
  async function examine(): Promise<{ report: Report; code: number | null }> {
    const { code, stdout, stderr } = await command('doctor', '--json');
    expect(stdout + stderr).not.toContain('secret-word');
    return { code, report: JSON.parse(stdout) as Report };
  }
  const failing = ({ checks }: Report) => checks.filter(({ ok }) => !ok).map(({ name }) => name);

  it('names the store, its version, its head, and how far everything is', async () => {
    const { code, report } = await eventually(async () => {
      const examined = await examine();
      expect(examined.report).toMatchObject({ ok: true });
      return examined;
    });
    expect(code).toBe(0);
    expect(report.event_store).toMatchObject({ kind: 'EventStoreDB', version: '24.2.0' });
    expect(Number(report.event_store?.head_position)).toBeGreaterThan(0);
    expect(report.projections.map(({ env, name }) => `${env} ${name}`)).toContain('test usage');
    const managers = processManagers.map(({ name }) => name).toSorted();
    expect(report.process_managers.map(({ env, name }) => `${env} ${name}`)).toEqual(
      environments.flatMap((env) => managers.map((name) => `${env} ${name}`)),
    );
    expect(report.render_queue.map(({ env }) => env)).toEqual(['live', 'test']);
    expect(report.checks.find(({ name }) => name === 'database')?.detail).toMatch(/^PostgreSQL \d+/);
  });

  it('gives people a verdict', async () => {
    const { stdout } = await command('doctor');
    expect(stdout).toMatch(/EventStoreDB 24\.2\.0, head at \d+, answers in [\d.]+ ms/);
    expect(stdout).toMatch(/All is well\.\n$/);
  });

  it('tells in events and seconds how late a projector is that stands still', async () => {
    const { pid } = atelier.role('projector');
    process.kill(pid, 'SIGSTOP');
    try {
      await command('tenants', 'create', '--name', 'Late', '--credits', '5', '--env', 'test');
      await sleep(11_000);
      const { code, report } = await examine();
      expect({ code, failing: failing(report) }).toEqual({ code: 1, failing: ['read models', 'processes'] });
      const late = report.projections.find(({ env, name }) => env === 'test' && name === 'ledger');
      expect(late?.lag).toBe(2);
      expect(late?.lag_seconds).toBeGreaterThanOrEqual(11);
      const { stdout } = await command('doctor');
      expect(stdout).toMatch(/test ledger is 2 events, \d+ s behind/);
      expect(stdout).toMatch(/To do: read models: start a projector/);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('says that the event store is away, and what to do', async () => {
    peer.stop();
    const { code, report } = await examine();
    expect(code).toBe(1);
    expect(failing(report)).toContain('event store');
    expect(report.checks.find(({ name }) => name === 'event store')?.advice).toMatch(
      /correct EVENT_STORE_URL/,
    );
    // A restore would discard a log that is only out of reach.
    expect(report.checks.filter(({ advice }) => /restore/i.test(advice ?? ''))).toEqual([]);
    const { stdout } = await command('doctor');
    expect(stdout).toMatch(/Not well: event store, .*\.\n$/);
    await peer.start();
  });
});
