import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startService } from '../../../test/journeys/service.js';
import { run } from '../../../test/standalone/support/atelier.js';
import { eventually } from '../../../test/support/eventually.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { complaintsAbout, hasReference } from './support/reference.js';
import { hasOpenssl, honest, TimeAuthority } from './support/time-authority.js';

interface Credentials {
  readonly time_stamp: object | null;
}

interface Check {
  readonly name: string;
}

interface Process {
  readonly role: string;
  readonly pid: number;
}

interface Reason {
  readonly what: string;
  readonly detail: string;
}

describe.skipIf(!hasOpenssl)('a service with an authority of time', async () => {
  const authority = untilEnd(await TimeAuthority.open());
  const settings = { ATELIER_PROVENANCE_TSA_URL: authority.url, ATELIER_PROVENANCE_TSA_CERT: authority.root };
  const service = untilEnd(await startService(200, settings));
  const file = join(service.home, 'picture.png');
  const root = join(service.home, 'root-of-time.pem');
  const atelier = (...args: readonly string[]) =>
    run('capabilities/operate/main.js', [...args], service.home, { env: settings });
  const authorityInDoctor = async () => {
    const { checks } = JSON.parse((await atelier('doctor', '--json')).stdout) as { checks: Check[] };
    return checks.find(({ name }) => name === 'time-stamps of pictures');
  };

  /** The final picture of a new job, and what anyone learns about it. */
  async function picture(seed: number) {
    const { job } = await service.client.run('model-generator', {
      gender: 'MALE',
      ethnicity: 'northern_european',
      seed,
    });
    const bytes = await service.client.download(job.result!.artifacts[0]!.image_url);
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)]), 'picture');
    const headers = { authorization: `Bearer ${service.key}` };
    const answer = await fetch(`${service.baseUrl}/v1/verify`, { method: 'POST', headers, body: form });
    const { credentials } = (await answer.json()) as { credentials: Credentials };
    return { bytes, credentials };
  }

  it('gives out pictures with a time-stamp, and tells callers and operators about it', async () => {
    const { bytes, credentials } = await picture(1);
    if (hasReference) expect(await complaintsAbout(bytes)).toEqual([]);
    const stamp = { status: 'timeStamp.trusted', authority: 'O=Test, CN=Time of test' };
    expect(credentials).toMatchObject({ valid: true, time_stamp: stamp, signed_by: { expired: false } });

    writeFileSync(file, bytes);
    writeFileSync(root, authority.root);
    const shown = await atelier('provenance', 'show', file);
    expect(shown.stdout).toMatch(/time-stamp +\S+Z, O=Test, CN=Time of test, whole, but .* not trusted/);
    const verified = await atelier('provenance', 'verify', file, '--tsa-certificate', root, '--json');
    expect(JSON.parse(verified.stdout)).toMatchObject({ verified: true, time_stamp: stamp });
    expect(await authorityInDoctor()).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^O=Test.* answers/),
    });
  });

  it('loses nothing with a worker that is killed while it waits for a time-stamp', async () => {
    const now = (await service.operator('now')) as unknown as { processes: Process[] };
    const { pid } = now.processes.find(({ role }) => role === 'worker')!;
    authority.answers = () => {
      authority.answers = honest;
      process.kill(pid, 'SIGKILL');
      return Promise.resolve(undefined);
    };
    const { bytes, credentials } = await picture(3);
    expect(credentials).toMatchObject({ valid: true, time_stamp: { status: 'timeStamp.trusted' } });
    if (hasReference) expect(await complaintsAbout(bytes)).toEqual([]);
    // Each job costs the same, and this one was charged once.
    const balance = async () => (await service.client.get<{ balance: number }>('/v1/credits')).balance;
    const before = await balance();
    await picture(4);
    expect(200 - before).toBe(2 * (before - (await balance())));
  });

  it('gives them out without one while the authority fails, and says so to operators', async () => {
    authority.answers = () => Promise.resolve(503);
    const { bytes, credentials } = await picture(2);
    expect(credentials).toMatchObject({ valid: true, time_stamp: null });
    await eventually(async () => {
      const { reasons } = (await service.operator('now')) as unknown as { reasons: Reason[] };
      const because = expect.stringMatching(/^pictures have no time-stamp.*HTTP 503/) as string;
      expect(reasons).toContainEqual(expect.objectContaining({ what: 'provenance', detail: because }));
    });
    expect(await authorityInDoctor()).toMatchObject({
      ok: false,
      detail: expect.stringContaining('HTTP 503'),
    });

    writeFileSync(file, bytes);
    const { code, stderr } = await atelier('provenance', 'verify', file, '--tsa-certificate', root);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('has no time-stamp') });
  });
});
