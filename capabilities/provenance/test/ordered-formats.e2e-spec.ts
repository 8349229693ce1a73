import { hash } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  Client,
  type Accepted,
  type Artifact,
  type JobDetail,
  type Refused,
} from '../../../test/journeys/client.js';
import { journeys, type Journey } from '../../../test/journeys/journeys.js';
import { Library } from '../../../test/journeys/library.js';
import { startService } from '../../../test/journeys/service.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { readCredentials } from '../read-credentials.js';
import { complaintsAbout, hasReference } from './support/reference.js';

const service = untilEnd(await startService(2_000));
const lossy = ['avif', 'webp', 'jpeg'] as const;
const max_bytes = 60_000;

/** Orders every picture in one of the lossy formats, in turn, with few bytes. */
class Frugal extends Client {
  private orders = 0;

  override dispatch(workflow: string, body: object): Promise<Accepted> {
    const output_format = lossy[this.orders++ % lossy.length];
    return super.dispatch(workflow, { ...body, output_format, max_bytes });
  }
}

/*
 * All workflows: `ORDERED_FORMATS=all npm test -- ordered-formats`, about five minutes. Otherwise one with a picture, one
 * with cut-outs, and one whose jobs share pictures.
 */
const quick: readonly Journey[] = [
  ...journeys.filter(({ workflow }) => workflow === 'model-generator'),
  {
    workflow: 'extract',
    run: async (library) =>
      library.client.run('extract', { trial_image: (await library.sample('garment-photograph')).upload_key }),
  },
  {
    workflow: 'pdp-batch-extractions',
    run: async (library) => {
      const { asset_id: photograph } = await library.sample('garment-photograph');
      const photos = [photograph, photograph].map((id) => ({ pdp_image_public_id: id }));
      return library.client.run('pdp-batch-extractions', { photos });
    },
  },
];
const ordered = process.env['ORDERED_FORMATS'] === 'all' ? journeys : quick;

const frugal = new Library(new Frugal(service.baseUrl, service.key));

const headers = { authorization: `Bearer ${service.key}` };
const finalOf = ({ result }: JobDetail) => result!.artifacts.filter(({ role }) => role === 'final');
const formatOf = (contentType: unknown) => String(contentType).replace('image/', '').replace('jpeg', 'jpg');

interface Encoding {
  readonly content_type: string;
  readonly size_bytes: number;
}

/** Downloads a final picture, and compares all that is said of its file. */
async function checked({ image_url: url, s3_key: key, meta }: Artifact) {
  const response = await fetch(url);
  const bytes = Buffer.from(await response.arrayBuffer());
  const encoding = meta['encoding'] as Encoding;
  const { mediaType, width, height, xmp } = await sharp(bytes, { failOn: 'warning' }).metadata();
  expect(encoding).toMatchObject({ content_type: mediaType, size_bytes: bytes.length });
  expect(response.headers.get('content-type')).toBe(mediaType);
  expect(key.endsWith(`.${formatOf(mediaType)}`)).toBe(true);
  expect({ width, height }).toEqual({ width: meta['width'], height: meta['height'] });
  const credentials = readCredentials(bytes)!;
  expect(credentials.problems).toEqual([]);
  // Only a photograph that is shown unchanged has no mark.
  if (credentials.actions.some(({ action }) => action !== 'c2pa.opened'))
    expect(String(xmp)).toContain('newscodes/digitalsourcetype/');
  if (hasReference) expect(await complaintsAbout(bytes)).toEqual([]);
  return { bytes, encoding };
}

async function verify(bytes: Buffer): Promise<unknown> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), 'picture');
  const response = await fetch(`${service.baseUrl}/v1/verify`, { method: 'POST', headers, body: form });
  return response.json();
}

describe('an order with max_bytes', () => {
  it.each(ordered)('gets all final pictures of $workflow with no more bytes', async ({ run }) => {
    const { job } = await run(frugal);
    const children = job.children.map(({ public_id: id }) => frugal.client.get<JobDetail>(`/v1/jobs/${id}`));
    const artifacts = [job, ...(await Promise.all(children))].flatMap(finalOf);
    expect(artifacts.length).toBeGreaterThan(0);
    const files = await Promise.all(artifacts.map(checked));
    expect(files.filter(({ bytes }) => bytes.length > max_bytes)).toEqual([]);
    expect(new Set(files.map(({ encoding }) => encoding.content_type)).size).toBe(1);
  });
});

describe('an order in a format', () => {
  it.each(['png', ...lossy])(
    '%s is served, made small, recognised and packed as such',
    async (output_format) => {
      const body = { gender: 'FEMALE', seed: 1, output_format };
      const { job, events } = await service.client.run('model-generator', body);
      const [artifact] = finalOf(job);
      const { bytes, encoding } = await checked(artifact!);
      expect(encoding.content_type).toBe(`image/${output_format}`);
      // The pictures on the way are as the image model gives them.
      const onTheWay = events.flatMap(({ artifacts }) => artifacts).filter(({ role }) => role !== 'final');
      expect(onTheWay.filter(({ meta }) => 'encoding' in meta)).toEqual([]);

      const { thumbnails } = artifact as unknown as { thumbnails: Readonly<Record<string, string>> };
      for (const url of Object.values(thumbnails)) {
        const small = await sharp(await service.client.download(url)).metadata();
        expect(small.format).toBe('webp');
        expect(String(small.xmp)).toContain('newscodes/digitalsourcetype/');
      }

      const of = { origin: { job_id: job.public_id }, credentials: { valid: true } };
      expect(await verify(bytes)).toMatchObject({ verdict: 'unchanged', ...of });
      if (output_format === 'avif') {
        // No hash of C2PA covers the first box: the log does.
        const other = Buffer.from(bytes);
        other[15]! ^= 1;
        expect(await verify(other)).toMatchObject({ verdict: 'changed', ...of });
      }
      const changed = Buffer.from(bytes);
      changed[changed.length - 9]! ^= 1;
      expect(readCredentials(changed)?.problems).not.toEqual([]);

      const passport = await service.client.get<{ pictures: { content_type: string; sha256: string }[] }>(
        `/v1/renders/${job.public_id}/passport`,
      );
      const known = { content_type: encoding.content_type, sha256: hash('sha256', bytes) };
      expect(passport.pictures).toContainEqual(expect.objectContaining(known));
      const zip = String(await service.client.bytes(`/v1/jobs/${job.public_id}/pictures`));
      const file = `${job.public_id}/${artifact!.asset_id}.${formatOf(encoding.content_type)}`;
      expect(zip).toContain(file);
    },
  );

  it('is refused, and nothing charged, if the size of its files cannot be chosen', async () => {
    const { balance } = await service.client.get<{ balance: number }>('/v1/credits');
    const dispatch = (fields: object) =>
      service.client.dispatch('model-generator', fields).catch((error: unknown) => {
        const { status, message } = error as Refused;
        return [status, message] as const;
      });
    for (const wrong of [
      { max_bytes },
      { max_bytes, output_format: null },
      { max_bytes, output_format: 'png' },
    ]) {
      const [status, message] = (await dispatch(wrong)) as readonly [number, string];
      expect(status).toBe(422);
      expect(message).toContain('must be one of jpeg, webp, avif with max_bytes');
      expect(message).toContain('output_format');
    }
    for (const bytes of [49_999, 26_214_401, 60_000.5, '60000'])
      expect(await dispatch({ max_bytes: bytes, output_format: 'avif' })).toEqual([422, expect.any(String)]);
    expect(await dispatch({ output_format: 'gif' })).toEqual([422, expect.any(String)]);
    expect(await service.client.get('/v1/credits')).toMatchObject({ balance });
  });
});
