import { testMasterKey, testSigningKey } from '../../../test/support/signing-key.js';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InclusionProof } from '../proof.js';
import type { Seal } from '../seal.js';
import { Atelier } from '../../../test/standalone/support/atelier.js';
import { temporaryHome } from '../../../test/standalone/support/home.js';
import { runCommand } from '../../../test/support/command.js';
import { eventually } from '../../../test/support/eventually.js';

interface Audited {
  readonly holds: boolean;
  readonly seals: { readonly last: number; readonly sealed_events: number; readonly unsealed_events: number };
}

/** `npm start` seals by itself, and an operator lists, exports and checks the seals. */
describe('the seals of a service', () => {
  const home = temporaryHome();
  const folder = mkdtempSync(join(tmpdir(), 'atelier-seals-'));
  const file = (name: string) => join(folder, name);
  let atelier: Atelier;
  let purchase: string;

  beforeAll(async () => {
    atelier = await Atelier.start(home.path, { ATELIER_SEAL_KEEP: 'log,objects' });
    const made = await cli('tenants', 'create', '--name', 'Sealed', '--credits', '40', '--env', 'live');
    const tenant = JSON.parse(made) as { tenant_id: string };
    const shown = await cli('ledger', 'export', '--tenant', tenant.tenant_id);
    const lines = shown
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    purchase = lines.find(({ kind }) => kind === 'pack' || kind === 'subscription')!['id']!;
  });
  afterAll(async () => {
    await atelier?.stop();
    await home[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  async function cli(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runCommand([...args, '--json'], home.path);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  }

  it('begin with the first event, and are part of the audit', async () => {
    const { seals, holds } = await eventually(async () => {
      const audited = JSON.parse(await cli('ledger', 'audit')) as Audited;
      return audited.seals.unsealed_events === 0 && audited;
    });
    expect(holds).toBe(true);
    expect(seals.sealed_events).toBeGreaterThan(2);
    const { checks } = JSON.parse(await cli('doctor')) as { checks: { name: string; detail: string }[] };
    expect(checks.find(({ name }) => name === 'seals')?.detail).toMatch(/^up to date, with seal \d+ of/);
  });

  it('prove one line of a ledger to whoever has the public key, and no service', async () => {
    const proof = await cli('ledger', 'prove', '--transaction', purchase);
    writeFileSync(file('proof.json'), proof);
    const { public_key: key, pem } = JSON.parse(await cli('seal', 'key')) as Record<string, string>;
    writeFileSync(file('key.pem'), pem!);
    const nowhere = { env: { DATABASE_URL: '', ATELIER_HOME: file('no-home') } };
    for (const given of [key!, file('key.pem')]) {
      const args = ['ledger', 'verify-proof', file('proof.json'), '--key', given];
      const { code, stdout } = await runCommand(args, home.path, nowhere);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Proven: /) });
      expect(stdout).toContain('CreditsPurchased');
    }
    const good = JSON.parse(proof) as InclusionProof;
    const bad: unknown[] = [
      { ...good, event: good.event.replace(':40', ':1040') },
      { ...good, index: good.index + 1 },
      { ...good, seal: { ...good.seal, root: '0'.repeat(64) } },
      { ...good, seal: { ...good.seal, number: 7 } },
      {},
    ];
    for (const proof of bad) {
      writeFileSync(file('bad.json'), JSON.stringify(proof));
      const args = ['ledger', 'verify-proof', file('bad.json'), '--key', key!];
      const { code, stderr } = await runCommand(args, home.path, nowhere);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/proves nothing/) });
    }
    const other = ['ledger', 'verify-proof', file('proof.json'), '--key', 'A'.repeat(43)];
    expect(await runCommand(other, home.path, nowhere)).toMatchObject({ code: 1 });
  });

  it('prove a refund as well as the charge that it gives back', async () => {
    const made = await cli('tenants', 'create', '--name', 'Refunded', '--credits', '40', '--env', 'test');
    const { tenant_id: tenant } = JSON.parse(made) as { tenant_id: string };
    const may = ['--tenant', tenant, '--env', 'test', '--capabilities', 'jobs:create'];
    const { key } = JSON.parse(await cli('keys', 'issue', ...may)) as { key: string };
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-atelier-test-outcome': 'policy',
    };
    const body = JSON.stringify({ gender: 'FEMALE' });
    const url = `${atelier.baseUrl}/v1/model-generator`;
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(202);
    const charge = await eventually(async () => {
      const { accounts } = JSON.parse(await cli('ledger', 'show', '--tenant', tenant)) as {
        accounts: { movements: { kind: string; id: string }[] }[];
      };
      return accounts[0]!.movements.find(({ kind }) => kind === 'refund')?.id ?? false;
    });
    const proven = async (...refund: string[]) => {
      const args = ['ledger', 'prove', '--transaction', charge, ...refund, '--json'];
      const { event } = await eventually(async () => {
        const { code, stdout } = await runCommand(args, home.path);
        return code === 0 && (JSON.parse(stdout) as InclusionProof);
      });
      return (JSON.parse(event) as string[])[3];
    };
    expect(await proven()).toBe('CreditsDebited');
    expect(await proven('--refund')).toBe('CreditsRefunded');
    const never = ['ledger', 'prove', '--transaction', purchase, '--refund'];
    expect((await runCommand(never, home.path)).stderr).toContain(`transaction ${purchase} was not refunded`);
  });

  it('are kept by hand, in the log of the projector and beside the pictures', async () => {
    const seals = (await cli('seal', 'export', '--all')).trim().split('\n');
    const [first] = seals.map((line) => JSON.parse(line) as Seal);
    const log = readFileSync(join(home.path, 'logs', 'projector.log'), 'utf8');
    expect(log).toContain(`"signature":"${first!.signature}"`);
    const head = join(home.path, 'objects', 'seals', `key-${first!.key}`, 'head-0000000001.json');
    expect(JSON.parse(readFileSync(head, 'utf8'))).toMatchObject({ seal: first, accepted: null });
    writeFileSync(file('kept.jsonl'), await cli('seal', 'export'));
    expect(JSON.parse(await cli('ledger', 'audit', '--against', file('kept.jsonl')))).toMatchObject({
      holds: true,
    });
    writeFileSync(file('forged.jsonl'), seals[0]!.replace('"number":1', '"number":2'));
    const forged = await runCommand(['ledger', 'audit', '--against', file('forged.jsonl')], home.path);
    expect(forged.stderr).toMatch(/line 1 of .* is no seal, or was altered since it was signed/);
  });

  it('go on under a new key after a restart, which the audit follows', async () => {
    const before = JSON.parse(await cli('ledger', 'audit')) as Audited;
    expect((await runCommand(['ledger', 'audit'], home.path)).stdout).not.toContain('Keys so far');
    const rotated = await runCommand(['seal', 'rotate', '--output', file('new-key.pem')], home.path);
    expect(rotated.stdout).toMatch(
      /new-key\.pem holds the private key; its public half is \S+\nSet ATELIER_SEAL_KEY_FILE /,
    );
    expect(statSync(file('new-key.pem')).mode & 0o777).toBe(0o600);
    await atelier.stop();
    const env = { ATELIER_SEAL_KEY_FILE: file('new-key.pem') };
    atelier = await Atelier.start(home.path, env);
    await cli('tenants', 'create', '--name', 'Sealed anew', '--credits', '1', '--env', 'test');
    await eventually(async () => {
      const args = ['ledger', 'audit', '--json', '--against', file('kept.jsonl')];
      const { code, stdout } = await runCommand(args, home.path, { env });
      const { seals } = JSON.parse(stdout) as Audited;
      // The audit itself adds events to the log, which wait for a seal.
      expect({ code, seals }).toMatchObject({ code: 0, seals: { unnamed_keys_at: [] } });
      return seals.last > before.seals.last;
    });
    expect((await runCommand(['ledger', 'audit'], home.path, { env })).stdout).toMatch(
      /Keys so far: \S+, \S+\./,
    );
  });

  it('are a complaint of the start where the key is none', async () => {
    writeFileSync(file('no-key.pem'), 'a secret that is no key');
    const env = {
      DATABASE_URL: 'postgres://x',
      URL_SIGNING_SECRET: 'x',
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: testMasterKey,
      ATELIER_SEAL_KEY_FILE: file('no-key.pem'),
    };
    const { code, stderr } = await runCommand(['seal', 'key'], home.path, { env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'atelier: ATELIER_SEAL_KEY must be an Ed25519 key as PEM, as "openssl genpkey -algorithm ed25519" makes it\n',
    });
  });
});
