import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import sharp from 'sharp';
import { ApiClient, type Json } from '../api/support/api-client.js';
import { Peer } from '../eventstoredb/peer/peer.js';
import { Atelier } from '../standalone/support/atelier.js';
import { runCommand } from '../support/command.js';
import { temporaryHome } from '../standalone/support/home.js';
import { eventually } from '../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

// A whole service starts once for each store that it moves to.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

interface Copied {
  readonly verified: boolean;
  readonly copied: number;
  readonly checkpoints: string;
  readonly source: { readonly events: number; readonly sha256: string };
  readonly target: { readonly events: number; readonly sha256: string };
}

/** One installation that outgrows its stores: embedded PostgreSQL → another PostgreSQL → EventStoreDB (a peer) → back there. */
describe('a service whose history moves to another store', () => {
  const home = temporaryHome();
  const peer = new Peer();
  let first: TestDatabase;
  let atelier: Atelier | undefined;
  let key: string;
  let blank: string;

  beforeAll(async () => {
    await peer.start();
    first = await createTestDatabase();
    atelier = await Atelier.start(home.path);
    // The spec polls more often than callers do, and a refused poll would hide the change.
    const looks = ['--rate-limit', '100000'];
    const tenant = await cli('tenants', 'create', '--name', 'Mover', '--credits', '500', ...looks);
    const issue = ['keys', 'issue', '--tenant', String(tenant['tenant_id']), '--env', 'test'];
    key = String((await cli(...issue, '--capabilities', 'jobs:create,jobs:read'))['key']);
    const picture = sharp({ create: { width: 200, height: 200, channels: 3, background: '#eeeeee' } });
    blank = (await api().upload(key, await picture.png().toBuffer())).body.upload_key as string;
    await dispatchAndWait(3);
  });
  afterAll(async () => {
    await atelier?.stop();
    peer.stop();
    await first.drop();
    await home[Symbol.asyncDispose]();
  });

  it('is copied while it runs, as often as one likes', async () => {
    expect(await copy('--to', first.url)).toMatchObject({ verified: true, checkpoints: 'unchanged' });
    await dispatchAndWait(2);
    const again = await copy('--to', first.url);
    expect(again).toMatchObject({ verified: true });
    expect(again.copied).toBeGreaterThan(5);
    expect(again.target).toEqual(again.source);
  });

  it('leaves the checkpoints alone while a projector runs', async () => {
    const { code, stderr } = await command('events', 'copy', '--to', first.url, '--checkpoints', 'translate');
    expect(stderr).toMatch(/^atelier: a projector still runs: stop all roles/m);
    expect(code).toBe(1);
  });

  it('goes on in another PostgreSQL where it was, also after a rebuild, with nothing done again', async () => {
    await cli('projections', 'rebuild', '--all');
    // The generation before the rebuild stands still, and is behind now.
    await dispatchAndWait(1);
    await moves({ to: first.url, checkpoints: 'translate', says: 'translated' });
  });

  it('does not move the same checkpoints twice', async () => {
    await stopped();
    const copied = await copy('--to', first.url, '--checkpoints', 'translate');
    // The old store lacks the events that the service wrote to its new store: the history forked there.
    expect(copied).toEqual(expect.stringMatching(/the target holds other events/));
  });

  it('goes on in EventStoreDB with all read models rebuilt from the start of the log, and nothing done again', async () => {
    await moves({ from: first.url, to: peer.url, checkpoints: 'reset', says: 'reset' });
  });

  it('goes back to the PostgreSQL that it came from, which gets what it lacks', async () => {
    await moves({ from: peer.url, to: first.url, checkpoints: 'translate', says: 'translated' });
  });

  it('refuses checkpoints that belong to another log than the source', async () => {
    await stopped();
    const third = await createTestDatabase();
    const refused = await copy('--from', peer.url, '--to', third.url, '--checkpoints', 'translate');
    await third.drop();
    expect(refused).toEqual(
      expect.stringMatching(/the checkpoints belong to postgres:\/\/127.0.0.1:\d+\/test_/),
    );
  });

  it('goes back to the embedded PostgreSQL by that word, which is started for it', async () => {
    atelier = await Atelier.start(home.path, { EVENT_STORE_URL: first.url });
    await upToDate();
    const before = await everythingSeen();
    await stopped();
    const back = await copy('--from', first.url, '--to', 'embedded', '--checkpoints', 'translate');
    expect(back).toMatchObject({ verified: true, checkpoints: 'translated' });
    atelier = await Atelier.start(home.path);
    await upToDate();
    expect(await everythingSeen()).toEqual(before);
    await stopped();
  });

  it.each([
    [['--to', 'mysql://x'], /^atelier: --to: EVENT_STORE_URL starts with postgres:\/\//],
    [['--from', 'esdb://u:secret@a:1', '--to', 'esdb://a:1?tls=false'], /are the same store: esdb:\/\/a:1\n/],
    [['--to', 'postgres://user:secret@127.0.0.1:1/nowhere'], /127.0.0.1:1\/nowhere cannot be prepared/],
  ])('refuses %j in one line, without credentials', async (args, says) => {
    const from = args.includes('--from') ? [] : ['--from', first.url];
    const { code, stdout, stderr } = await command('events', 'copy', ...from, ...args);
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain('secret');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  interface Move {
    readonly from?: string;
    readonly to: string;
    readonly checkpoints: 'translate' | 'reset';
    readonly says: string;
  }

  async function moves({ from, to, checkpoints, says }: Move): Promise<void> {
    atelier ??= await Atelier.start(home.path, from ? { EVENT_STORE_URL: from } : {});
    await upToDate();
    const before = await everythingSeen();
    await stopped();
    const places = [...(from ? ['--from', from] : []), '--to', to];
    const moved = await copy(...places, '--checkpoints', checkpoints);
    expect(moved).toMatchObject({ verified: true, checkpoints: says });
    atelier = await Atelier.start(home.path, { EVENT_STORE_URL: to });
    await upToDate();
    expect(await everythingSeen()).toEqual(before);
    // The move has added no event: nothing was rendered, settled or refunded again.
    expect((await eventsOf(to)).target).toEqual(moved.target);
    await dispatchAndWait(2);
  }

  async function stopped(): Promise<void> {
    await atelier?.stop();
    atelier = undefined;
  }

  /** Reads a store's figures by copying it. The copy counts both sides, verified or not. */
  async function eventsOf(url: string): Promise<Copied> {
    const scratch = await createTestDatabase();
    const copied = await copy('--from', url, '--to', scratch.url);
    await scratch.drop();
    return copied;
  }

  async function upToDate(): Promise<void> {
    await eventually(async () => {
      const { code, stdout } = await command('doctor', '--json');
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.anything() });
    });
  }

  /** Everything that a client can see. URLs of pictures are signed anew each time. */
  async function everythingSeen(): Promise<unknown> {
    const paths = [
      'credits',
      'transactions?limit=200',
      'usage?limit=200',
      'jobs?limit=200',
      'renders?limit=200',
    ];
    const seen = await Promise.all(paths.map((path) => get(`/v1/${path}`)));
    const text = JSON.stringify(seen).replaceAll(/https?:[^"]*/g, 'a URL');
    return JSON.parse(text) as unknown;
  }

  /** Runs jobs that fail and are refunded, and one that is drawn and paid for. */
  async function dispatchAndWait(failing: number): Promise<void> {
    const bodies = Array.from({ length: failing }, () => 'product-to-model-direct');
    const jobs: string[] = [];
    for (const path of [...bodies, 'model-generator']) {
      const body = path === 'model-generator' ? { seed: 7 } : { product_image_s3_key: blank };
      jobs.push((await api().post(`/v1/${path}`, key, body)).body.job_id as string);
    }
    await eventually(async () => {
      const { items } = await get('/v1/transactions?limit=200');
      const listed = await get('/v1/jobs?limit=200');
      // Only a read model answers these reads, so a read model that has stopped would show nothing new.
      expect((listed.jobs as Json[]).map(({ public_id: id }) => id)).toEqual(expect.arrayContaining(jobs));
      expect((items as Json[]).filter(({ status }) => status === 'PENDING')).toEqual([]);
      for (const jobId of jobs)
        expect(await get(`/v1/jobs/${jobId}`)).toMatchObject({
          status: expect.stringMatching(/SUCCESS|FAILURE/),
        });
    });
  }

  const command = (...args: string[]) => runCommand(args, home.path);

  async function cli(...args: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await command(...args, '--json');
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  /** The figures; or the complaint of a copy that was refused. */
  async function copy(...args: string[]): Promise<Copied> {
    const { code, stdout, stderr } = await command('events', 'copy', ...args, '--json');
    // A caller that expects a refusal compares it with a text.
    return code === 0 ? (JSON.parse(stdout) as Copied) : (stderr as unknown as Copied);
  }

  async function get(path: string): Promise<Json> {
    const { status, body } = await api().get(path, key);
    expect({ path, status }).toEqual({ path, status: 200 });
    return body;
  }

  const api = () => new ApiClient(atelier?.baseUrl ?? '');
});
