import { generateKeyPairSync, hash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import type { Finished } from '../../../test/journeys/client.js';
import { Library } from '../../../test/journeys/library.js';
import { startService } from '../../../test/journeys/service.js';
import { run } from '../../../test/standalone/support/atelier.js';
import { checkForEverybody, openConsolePage } from '../../../test/console/support.js';
import { openBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { complaintsAbout, hasReference, judged, manifestOf, signedByReference } from './support/reference.js';
import { textOfPdf } from './support/pdf-text.js';
import { finished, markedPicture, ordered } from './support/pictures.js';
import { around, embed, gapFor } from '../carriers.js';
import { newHomeCertificate } from '../home-certificate.js';
import { withManifest } from '../manifest.js';
import { statementOf } from '../picture-statement.js';
import { readClaimSigner } from '../provenance.key.js';
import { readCredentials } from '../read-credentials.js';

const service = untilEnd(await startService(200, { ATELIER_VERIFY_PAGE: 'true' }));
const library = new Library(service.client);

interface Given {
  readonly role: string;
  readonly kind: string;
  readonly bytes: Buffer;
}

/** All pictures of a job, those on the way as well, as a caller downloads them. */
const picturesOf = ({ events }: Finished): Promise<Given[]> =>
  Promise.all(
    events
      .flatMap(({ artifacts }) => artifacts)
      .map(async ({ role, kind, image_url: url }) => ({
        role,
        kind,
        bytes: await service.client.download(url),
      })),
  );

interface Verified {
  readonly verdict: string;
  readonly origin: Readonly<Record<string, unknown>> | null;
  readonly credentials: { readonly valid: boolean; readonly problems: readonly string[] } | null;
}

async function verify(body: Buffer | object, key = service.key): Promise<Verified> {
  const form = new FormData();
  if (body instanceof Buffer) form.set('file', new Blob([new Uint8Array(body)]), 'picture');
  const isPicture = body instanceof Buffer;
  const response = await fetch(`${service.baseUrl}/v1/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(!isPicture && { 'content-type': 'application/json' }) },
    body: isPicture ? form : JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Verified;
}

async function finalPicture(): Promise<{ jobId: string; bytes: Buffer; sha256: string }> {
  const { job } = await library.dressed('garment-photograph');
  const bytes = await service.client.download(job.result!.artifacts[0]!.image_url);
  return { jobId: job.public_id, bytes, sha256: hash('sha256', bytes) };
}

describe('POST /v1/verify', () => {
  it('recognises a picture by its bytes, and by their hash, and says which order it belongs to', async () => {
    const { jobId, bytes, sha256 } = await finalPicture();
    const origin = {
      ordered_by: 'you',
      environment: 'live',
      job_id: jobId,
      workflow: 'product-to-model-direct',
      engine: 'sketch',
      erased_inputs: [],
      release_in_force: null,
    };
    const credentials = { valid: true, problems: [] };
    expect(await verify(bytes)).toMatchObject({ verdict: 'unchanged', sha256, origin, credentials });
    expect(await verify({ sha256 })).toMatchObject({ verdict: 'unchanged', origin, credentials: null });
  });

  it('says which inputs were erased since, and whether a release is in force now', async () => {
    const garment = readFileSync(join('assets', 'samples', 'garment-photograph.jpg'));
    const upload = await service.client.upload(garment);
    const workflow = 'product-to-model-direct';
    const { job } = await service.client.run(workflow, {
      product_image_s3_key: upload.upload_key,
      data_subject: 'Anna',
    });
    const bytes = await service.client.download(job.result!.artifacts[0]!.image_url);
    const consent = async () => (await verify(bytes)).origin!['release_in_force'];
    expect(await consent()).toBe(false);
    const { public_id: release } = await service.client.post<{ public_id: string }>('/v1/releases', {
      data_subject: 'Anna',
      workflows: [workflow],
    });
    expect(await consent()).toBe(true);
    await service.client.post(`/v1/releases/${release}/withdraw`, {});
    expect(await consent()).toBe(false);

    const headers = { authorization: `Bearer ${service.key}` };
    const erased = await fetch(`${service.baseUrl}/v1/uploads/${upload.asset_id}`, {
      method: 'DELETE',
      headers,
    });
    expect(erased.status).toBe(202);
    await eventually(async () => {
      const { erased_inputs: inputs } = (await verify(bytes)).origin!;
      expect(inputs).toMatchObject([{ name: 'product_image', erased_at: expect.any(String) as unknown }]);
    });
  });

  it('tells another account that another one has ordered it, and not which', async () => {
    const { bytes, jobId } = await finalPicture();
    const answer = await verify(bytes, await service.testKey(10));
    const hidden = { erased_inputs: null, release_in_force: null };
    expect(answer).toMatchObject({
      verdict: 'unchanged',
      origin: { ordered_by: 'another', job_id: jobId, ...hidden },
    });
    expect(Object.keys(answer.origin!).sort()).toEqual(
      ['created_at', 'engine', 'environment', 'job_id', 'model', 'ordered_by', 'workflow']
        .concat(Object.keys(hidden))
        .sort(),
    );
  });

  it('tells that a picture of ours was changed', async () => {
    const { bytes, jobId } = await finalPicture();
    const changed = Buffer.from(bytes);
    changed[changed.length - 100]! ^= 1;
    expect(await verify(changed)).toMatchObject({
      verdict: 'changed',
      looks_alike: true,
      origin: { job_id: jobId },
      credentials: { valid: false, problems: ['assertion.dataHash.mismatch'] },
    });
  });

  it('tells that credentials of ours were put into another picture', async () => {
    const { bytes, jobId } = await finalPicture();
    const { store } = readCredentials(bytes)!;
    const plain = await markedPicture('image/png');
    const gap = gapFor(plain, 'image/png', store.length);
    const other = embed(around(plain, 'image/png', gap), 'image/png', store);
    expect(await verify(other)).toMatchObject({
      verdict: 'changed',
      looks_alike: false,
      origin: { job_id: jobId },
    });
  });

  it('recognises a copy without credentials that was encoded again, scaled or cropped, until it is erased', async () => {
    const upload = await service.client.upload(
      readFileSync(join('assets', 'samples', 'garment-photograph.jpg')),
    );
    const workflow = 'product-to-model-direct';
    const { job } = await service.client.run(workflow, { product_image_s3_key: upload.upload_key, seed: 77 });
    const bytes = await service.client.download(job.result!.artifacts[0]!.image_url);
    const { width, height } = await sharp(bytes).metadata();
    const part = {
      left: Math.round(width * 0.08),
      top: Math.round(height * 0.03),
      width: Math.round(width * 0.87),
      height: Math.round(height * 0.93),
    };
    const copies = {
      encoded: await sharp(bytes).webp({ quality: 80 }).toBuffer(),
      scaled: await sharp(bytes)
        .resize(Math.round(width / 2))
        .jpeg({ quality: 75 })
        .toBuffer(),
      cropped: await sharp(bytes).extract(part).jpeg({ quality: 75 }).toBuffer(),
    };
    const origin = { ordered_by: 'you', job_id: job.public_id };
    const stranger = await service.testKey(10);
    for (const [name, copy] of Object.entries(copies)) {
      const known = { name, verdict: 'similar', looks_alike: null, credentials: null };
      // Its row may come after the job's end.
      await eventually(async () =>
        expect({ name, ...(await verify(copy)) }).toMatchObject({ ...known, origin }),
      );
      const seen = { name, ...(await verify(copy, stranger)) };
      expect(seen).toMatchObject({ ...known, origin: { ordered_by: 'another' } });
    }
    const mirrored = await sharp(bytes).flop().toBuffer();
    expect(await verify(mirrored)).toMatchObject({ verdict: 'unknown', origin: null });

    const headers = { authorization: `Bearer ${service.key}` };
    const erased = await fetch(`${service.baseUrl}/v1/jobs/${job.public_id}`, { method: 'DELETE', headers });
    expect(erased.status).toBe(202);
    await eventually(async () =>
      expect(await verify(copies.cropped)).toMatchObject({ verdict: 'unknown', origin: null }),
    );
  });

  it('does not believe credentials that only name a picture of ours', async () => {
    const { bytes } = await finalPicture();
    const { order } = readCredentials(bytes)!;
    const pem = newHomeCertificate();
    const stranger = readClaimSigner(pem, pem);
    const picture = { ...finished(await markedPicture('image/png'), 'image/png'), jobId: order!.job };
    const statement = statementOf(
      { ...picture, assetId: order!.picture },
      { name: 'Atelier', version: '0.1.0' },
      { ordered },
    );
    const forged = withManifest(picture.bytes, 'image/png', statement, stranger);
    expect(await verify(forged)).toMatchObject({
      verdict: 'unknown',
      origin: null,
      credentials: { valid: true },
    });
  });

  it('does not know the pictures of others, nor uploads', async () => {
    const photograph = readFileSync(join('assets', 'samples', 'garment-photograph.jpg'));
    expect(await verify(photograph)).toMatchObject({ verdict: 'unknown', origin: null, credentials: null });
    const uploaded = await service.client.download((await library.sample('garment-photograph')).image_url);
    expect(await verify(uploaded)).toMatchObject({ verdict: 'unknown', origin: null });
  });

  it.skipIf(!hasReference)('reads the credentials of others', async () => {
    const vendors = await signedByReference(await markedPicture('image/jpeg'), 'image/jpeg');
    expect(await verify(vendors)).toMatchObject({
      verdict: 'unknown',
      credentials: { valid: true, actions: [{ action: 'c2pa.created' }] },
    });
  });
});

describe('the page for people without a key', () => {
  it('says in plain words what a picture is, at a press and at a drop, for everybody', async () => {
    const { jobId, bytes } = await finalPicture();
    const { page, problems } = await openConsolePage(untilEnd(await openBrowser()));
    await page.goto(`${service.baseUrl}/verify`);
    await checkForEverybody(page, 'verify');
    const choose = (buffer: Buffer) =>
      page.getByLabel('Picture').setInputFiles({ name: 'look.png', mimeType: 'image/png', buffer });
    await choose(bytes);
    await page.getByText('Yes. It was made here, and it is unchanged.').waitFor();
    await page.getByText('product-to-model-direct').waitFor();
    await page.getByText('drawn by a program, without an AI model').waitFor();
    expect(await page.locator('main').textContent()).not.toContain(jobId);
    await checkForEverybody(page, 'verify, unchanged');

    const changed = Buffer.from(bytes);
    changed[changed.length - 100]! ^= 1;
    const files = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob('${changed.toString('base64')}'), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], 'look.png', { type: 'image/png' }));
      return transfer;
    })()`);
    await page.locator('.drop').dispatchEvent('drop', { dataTransfer: files });
    await page.getByText('It was made here, but it was changed since.').waitFor();
    await page.getByText('they do not hold').waitFor();
    await checkForEverybody(page, 'verify, changed');

    await choose(readFileSync(join('assets', 'samples', 'garment-photograph.jpg')));
    await page.getByText('Nothing shows that it was made here.').waitFor();
    await choose(Buffer.from('no picture'));
    await page.getByText('Choose a JPEG, PNG, WebP or AVIF').waitFor();
    await checkForEverybody(page, 'verify, refused');
    await choose(Buffer.alloc(25 * 1024 * 1024 + 1));
    await page.getByText('The file is larger than 25 MiB').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('the passport of a render', () => {
  const passport = (id: string, key: string, accept = '*/*') =>
    fetch(`${service.baseUrl}/v1/renders/${id}/passport`, {
      headers: { authorization: `Bearer ${key}`, accept },
    });

  it('proves the way from the inputs to the pictures', async () => {
    const { jobId, sha256 } = await finalPicture();
    const response = await passport(jobId, service.key);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      public_id: jobId,
      workflow: 'product-to-model-direct',
      order: {
        stream: `live.job-${jobId}`,
        revision: 0,
        seal: { root: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
      inputs: [
        { name: 'product_image', available: true, erased_at: null },
        { name: 'model_image', available: true, erased_at: null },
      ],
      pictures: [{ sha256, available: true, erased_at: null, credentials: { valid: true, problems: [] } }],
    });
  });

  it('is also one page to print, for a caller that prefers it', async () => {
    const { jobId, sha256 } = await finalPicture();
    const response = await passport(jobId, service.key, 'application/pdf, application/json;q=0.5');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      vary: expect.stringContaining('accept'),
    });
    const { pages, text } = textOfPdf(Buffer.from(await response.arrayBuffer()));
    expect(pages).toBe(1);
    expect(text).toContain(`SHA-256 ${sha256}`);
    expect(text).toContain('Its Content Credentials hold');
    const preferred = await passport(jobId, service.key, 'application/json, application/pdf');
    expect(preferred.headers.get('content-type')).toContain('application/json');
  });

  it('is the same for operators', async () => {
    const { jobId } = await finalPicture();
    const theirs = await service.operator('provenance', 'passport', jobId);
    expect(theirs).toEqual(await (await passport(jobId, service.key)).json());
    await expect(service.operator('provenance', 'passport', '01K9Z7J0V6X8Y2Z4A6B8C0D2EF')).rejects.toThrow(
      'has no passport',
    );
  });

  it("is 404 for another account's job, and for a job that is unknown", async () => {
    const { jobId } = await finalPicture();
    expect((await passport(jobId, await service.testKey(10))).status).toBe(404);
    expect((await passport('01K9Z7J0V6X8Y2Z4A6B8C0D2EF', service.key)).status).toBe(404);
  });
});

describe('atelier provenance', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-provenance-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  /** Without a home and a database: no service is there to be asked. */
  const atelier = (...args: string[]) =>
    run('capabilities/operate/main.js', ['provenance', ...args], join(folder, 'no-home'));

  it('shows and verifies a picture without a service', async () => {
    const { bytes, jobId } = await finalPicture();
    const file = join(folder, 'picture');
    writeFileSync(file, bytes);
    const shown = await atelier('show', file, '--json');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(shown.stdout)).toMatchObject({ valid: true, order: { job: jobId } });
    const lines = (await atelier('show', file)).stdout.split('\n');
    expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual(
      expect.arrayContaining([
        ['job', jobId],
        ['ordered by stream', `live.job-${jobId}`],
        ['inputs 0 name', 'product_image'],
        ['inputs 0 sha256', expect.stringMatching(/^[0-9a-f]{64}$/)],
        ['seal number', expect.stringMatching(/^\d+$/)],
      ]),
    );
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(200);
    const verified = await atelier('verify', file, '--offline');
    expect({ ...verified, stdout: verified.stdout.split('\n')[0] }).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Verified: the picture is what was signed.',
    });
    writeFileSync(join(folder, 'other.pem'), newHomeCertificate());
    const other = await atelier('verify', file, '--certificate', join(folder, 'other.pem'));
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was signed by another certificate'),
    });
    bytes[bytes.length - 100]! ^= 1;
    writeFileSync(file, bytes);
    const changed = await atelier('verify', file);
    expect(changed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not what was signed: assertion.dataHash.mismatch'),
    });
    writeFileSync(file, 'no picture');
    expect((await atelier('verify', file)).stderr).toContain('has no Content Credentials');
  });
});

describe('atelier provenance verify --seal-key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-seal-of-picture-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  const verify = async (picture: string, ...more: string[]) => {
    const args = ['provenance', 'verify', at(picture), '--offline', '--json', ...more];
    const { code, stdout, stderr } = await run('capabilities/operate/main.js', args, at('no-home'));
    return code === 0 ? (JSON.parse(stdout) as { seal?: object }).seal : stderr;
  };

  it('says that a seal is claimed, proves it with a proof, and refuses other keys and other proofs', async () => {
    const { bytes, jobId } = await finalPicture();
    const { order } = readCredentials(bytes)!;
    writeFileSync(at('picture'), bytes);
    const { public_key: key = '', pem = '' } = await service.operator('seal', 'key');
    writeFileSync(at('key.pem'), pem);
    const { number, root } = order!.seal!;
    expect(await verify('picture', '--seal-key', key)).toEqual({ state: 'claimed', number, root });

    const proof = await service.operator('ledger', 'prove-order', '--job', jobId);
    writeFileSync(at('proof.json'), JSON.stringify(proof));
    const proven = ['--seal-key', at('key.pem'), '--proof', at('proof.json')];
    expect(await verify('picture', ...proven)).toEqual({ state: 'proven', number, root });
    expect(await verify('picture', '--proof', at('proof.json'))).toContain('--proof needs --seal-key');

    const stranger = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!;
    expect(await verify('picture', '--seal-key', stranger)).toContain('a seal of another key');
    expect(await verify('picture', '--seal-key', stranger, ...proven.slice(2))).toContain('proves nothing');
    const other = (await library.background()).job.public_id;
    const otherProof = await service.operator('ledger', 'prove-order', '--job', other);
    writeFileSync(at('other.json'), JSON.stringify(otherProof));
    const aboutOther = await verify('picture', '--seal-key', key, '--proof', at('other.json'));
    expect(aboutOther).toContain(`is about another event: live.job-${other}`);
  });
});

describe.skipIf(!hasReference)('an upload with credentials of others', () => {
  const photograph = readFileSync(join('assets', 'samples', 'garment-photograph.jpg'));
  const arrived = (problems: string[]) => ({ valid: problems.length === 0, problems, kept: true });

  /** A job's final picture, with the names of the programs whose manifests it has. */
  async function madeWith(workflow: string, body: object) {
    const { job } = await service.client.run(workflow, body);
    const bytes = await service.client.download(job.result!.artifacts[0]!.image_url);
    expect(await complaintsAbout(bytes)).toEqual([]);
    const { manifests } = (await judged(bytes))!;
    const generators = Object.values(manifests).map(({ claim_generator_info: [program] }) => program?.name);
    const { ingredients = [] } = await manifestOf(bytes);
    const taken = ingredients.map(({ title, active_manifest: of }) => [title, of !== undefined]);
    return {
      jobId: job.public_id,
      generators: generators.toSorted((one, other) => (one! < other! ? -1 : 1)),
      taken,
    };
  }

  it('keeps them, and the pictures that are made from it and from these take them in', async () => {
    const { asset_id, upload_key, credentials } = await service.client.upload(
      await signedByReference(photograph, 'image/jpeg'),
    );
    expect(credentials).toEqual(arrived([]));
    expect(await service.client.get(`/v1/uploads/${asset_id}`)).toMatchObject({ credentials: arrived([]) });

    const { public_id: model } = (await library.fullBody()).job;
    const dressed = await madeWith('product-to-model-direct', {
      product_image_s3_key: upload_key,
      model_image_public_id: model,
    });
    expect(dressed).toMatchObject({
      generators: ['A vendor', 'Atelier'],
      taken: [
        ['product_image', true],
        ['model_image', false],
      ],
    });
    const passport = await service.client.get(`/v1/renders/${dressed.jobId}/passport`);
    expect(passport).toMatchObject({
      inputs: [
        {
          name: 'product_image',
          credentials: { valid: true, problems: [], generator: expect.stringContaining('A vendor') },
        },
        { name: 'model_image', credentials: null },
      ],
      pictures: [{ credentials: { ingredients: [{ has_credentials: true }, { has_credentials: false }] } }],
    });

    const swapped = await madeWith('background-swap-with-image', {
      source_render_public_id: dressed.jobId,
      background_image_public_id: (await library.background()).job.public_id,
    });
    expect(swapped).toMatchObject({
      generators: ['A vendor', 'Atelier', 'Atelier'],
      taken: [
        ['source_image', true],
        ['background_image', false],
      ],
    });
  });

  it('says what was wrong with them, and null if there are none', async () => {
    const bytes = await signedByReference(photograph, 'image/jpeg');
    bytes[bytes.length - 1_000]! ^= 1;
    const { credentials } = await service.client.upload(bytes);
    expect(credentials).toEqual(arrived(['assertion.dataHash.mismatch']));
    expect((await service.client.upload(photograph)).credentials).toBeNull();
  });

  it('is audited together with them', async () => {
    await service.client.upload(await signedByReference(photograph, 'image/jpeg'));
    const audit = () => service.operator('objects', 'audit');
    expect(await audit()).toMatchObject({ holds: true });
    const [file] = globSync(join(service.home, '**', '*.c2pa'));
    const kept = readFileSync(file!);
    try {
      rmSync(file!);
      await expect(audit()).rejects.toThrow(/atelier objects audit/);
      writeFileSync(file!, 'other bytes');
      await expect(audit()).rejects.toThrow(/atelier objects audit/);
    } finally {
      writeFileSync(file!, kept);
    }
    expect(await audit()).toMatchObject({ holds: true });
  });
});

describe.skipIf(!hasReference)('the pictures of npm start', () => {
  it('are signed, each of them, and say which order they belong to', async () => {
    const finished = await library.dressed('garment-photograph');
    const pictures = await picturesOf(finished);
    expect(new Set(pictures.map(({ role }) => role))).toEqual(new Set(['intermediate', 'final']));
    const complaints = await Promise.all(
      pictures.map(async ({ kind, bytes }) => [kind, await complaintsAbout(bytes)] as const),
    );
    expect(complaints).toEqual(pictures.map(({ kind }) => [kind, []]));
    const manifest = await manifestOf(pictures.findLast(({ role }) => role === 'final')!.bytes);
    expect(manifest.signature_info).toMatchObject({ alg: 'Ed25519' });
    const order = manifest.assertions.find(({ label }) => label === 'atelier.order')?.data;
    expect(order).toMatchObject({
      job: finished.job.public_id,
      workflow: 'product-to-model-direct',
      environment: 'live',
      engine: 'sketch',
      inputs: [
        { name: 'product_image', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        { name: 'model_image', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
      ordered_by: { stream: `live.job-${finished.job.public_id}`, revision: 0 },
      seal: { root: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });
});
