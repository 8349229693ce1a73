import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { runCommand } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { Atelier } from './support/atelier.js';

/** A disk that can be filled without filling another: a file system in memory. Only root may mount it. */
const disk = mkdtempSync(join(tmpdir(), 'atelier-full-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', disk]).status === 0;
const home = join(disk, 'home');
const filler = join(disk, 'filler');

function fill(): void {
  const file = openSync(filler, 'a');
  try {
    for (const size of [1024 * 1024, 4096, 1]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size, 1));
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
    }
  } finally {
    closeSync(file);
  }
}

(mounted ? describe : describe.skip)('a service whose disk is full', () => {
  let atelier: Atelier;
  let key: string;
  let picture: Buffer<ArrayBuffer>;

  beforeAll(async () => {
    chmodSync(disk, 0o711);
    mkdirSync(join(disk, 'tmp'), { mode: 0o777 });
    atelier = await Atelier.start(home, { TMPDIR: join(disk, 'tmp') });
    const json = async (...args: string[]) =>
      JSON.parse((await runCommand([...args, '--json'], home)).stdout) as Record<string, string>;
    const { tenant_id: tenant = '' } = await json('tenants', 'create', '--name', 'Full', '--credits', '5000');
    const issue = ['keys', 'issue', '--tenant', tenant, '--env', 'live'];
    ({ key = '' } = await json(...issue, '--capabilities', 'jobs:create,jobs:read'));
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const made = sharp({ create: { width: 400, height: 400, channels: 3, background: '#777', noise } });
    picture = Buffer.from(await made.png().toBuffer());
  });
  afterAll(async () => {
    rmSync(filler, { force: true });
    await atelier?.stop();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  const headers = () => ({ authorization: `Bearer ${key}` });
  const answerOf = async (response: Response) => {
    const { error, job_id: jobId } = (await response.json()) as { error?: { code: string }; job_id?: string };
    return { answer: error ? `${response.status} ${error.code}` : String(response.status), jobId };
  };
  const dispatch = async () =>
    answerOf(
      await fetch(`${atelier.baseUrl}/v1/model-generator`, {
        method: 'POST',
        body: '{"seed":1}',
        headers: { ...headers(), 'content-type': 'application/json' },
      }),
    );
  const upload = async () => {
    const form = new FormData();
    form.append('file', new Blob([picture]), 'a.png');
    const sent = { method: 'POST', headers: headers(), body: form };
    return answerOf(await fetch(`${atelier.baseUrl}/v1/uploads`, sent));
  };
  const ready = async () => (await atelier.get('/health/ready')).status;

  it('says so in a 503, loses no role, and works again within two seconds of there being room', async () => {
    const roles = atelier.all();
    const accepted = [(await dispatch()).jobId];
    expect((await upload()).answer).toBe('201');
    fill();
    // PostgreSQL and the logs use up their reserved space first.
    await eventually(async () => {
      fill();
      const answers = await Promise.all(Array.from({ length: 50 }, dispatch));
      accepted.push(...answers.map(({ jobId }) => jobId));
      expect(new Set(answers.map(({ answer }) => answer))).toEqual(new Set(['503 STORAGE_FULL']));
    });
    expect((await upload()).answer).toBe('503 STORAGE_FULL');
    expect(await ready()).toBe(503);
    expect(await (await atelier.get('/health/ready')).text()).toContain('a disk is full');
    expect((await atelier.get('/v1/jobs', key)).status).toBe(200);

    rmSync(filler);
    const madeRoomAt = performance.now();
    await eventually(async () => expect((await upload()).answer).toBe('201'));
    await eventually(async () => {
      const { answer, jobId } = await dispatch();
      accepted.push(jobId);
      expect(answer).toBe('202');
    });
    await eventually(async () => expect(await ready()).toBe(200));
    // Two seconds on a machine with nothing else to do.
    expect(performance.now() - madeRoomAt).toBeLessThan(20_000);

    expect(atelier.all()).toEqual(roles);
    await eventually(async () => {
      for (const jobId of accepted.filter((id) => id !== undefined)) {
        const { status } = (await (await atelier.get(`/v1/jobs/${jobId}`, key)).json()) as { status: string };
        expect(['SUCCESS', 'FAILURE']).toContain(status);
      }
    });
    const { stdout, code } = await runCommand(['ledger', 'audit'], home);
    expect([code, stdout]).toEqual([0, expect.stringContaining('All hold.')]);
  });
});
