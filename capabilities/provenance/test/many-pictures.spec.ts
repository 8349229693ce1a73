import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EnginePicture } from '@atelier/engine';
import { encoderOf, outputTypes, type OutputFormat } from '@atelier/engine/encode';
import { sourceOf } from '@atelier/engine/media-mark';
import { SketchEngine } from '@atelier/sketch';
import type { FinishedPicture } from '#application/render/finished-pictures.js';
import { categoryById } from '#domain/garment/garment-categories.js';
import { orders } from '../../../test/engines/example-orders.js';
import { newHomeCertificate } from '../home-certificate.js';
import { withManifest } from '../manifest.js';
import { statementOf } from '../picture-statement.js';
import { readClaimSigner } from '../provenance.key.js';
import { readCredentials, type Credentials } from '../read-credentials.js';
import { finished, markedPicture, ordered, types } from './support/pictures.js';
import { complaintsAbout, hasReference, signedByReference } from './support/reference.js';

/*
 * A campaign: `PROVENANCE_PICTURES=2000 npm test -- many-pictures`. The sandbox engine draws each workflow's example with
 * one seed after the other. Each drawing, made small, is signed in four formats, three ways and
 * two sizes.
 */

const wanted = Number(process.env['PROVENANCE_PICTURES'] ?? 0);
const changedBytes = 200;
const engine = new SketchEngine();
const pem = newHomeCertificate();
const signer = readClaimSigner(pem, pem);
const generator = { name: 'Atelier', version: '0.1.0' };

const ways = ['without ingredients', 'with ingredients', "with ingredients and a vendor's manifest"] as const;

interface Drawing {
  readonly workflow: string;
  readonly picture: EnginePicture;
  readonly inputs: FinishedPicture['inputs'];
}

/** All pictures of an order, those on the way first. */
async function drawn(workflow: string, seed: number): Promise<Drawing[]> {
  const order = orders[workflow]!;
  const onTheWay: EnginePicture[] = [];
  const { pictures } = await engine.render(
    { workflow, ...order, seed, displayName: '', testMark: false },
    {
      signal: new AbortController().signal,
      garmentKind: categoryById,
      onStage: (stage) => {
        onTheWay.push(...(stage.pictures ?? []));
        return Promise.resolve();
      },
    },
  );
  const inputs = order.inputs.map(({ name, bytes }, index) => ({
    name,
    assetId: `A${index}`,
    storageKey: `k/${index}`,
    sha256: hash('sha256', bytes),
  }));
  return [...onTheWay, ...pictures].map((picture) => ({ workflow, picture, inputs }));
}

/** The drawing, made small, with its mark. */
async function small(picture: EnginePicture, { type, sidePx }: Variant, reference: string): Promise<Buffer> {
  const sheet = sharp(picture.bytes).resize(sidePx, sidePx, { fit: 'inside' });
  const [format] = Object.entries(outputTypes).find(([, contentType]) => contentType === type)!;
  const drawn = { ...picture, bytes: await sheet.png().toBuffer() };
  const encode = await encoderOf(drawn, reference);
  return (await encode({ format: format as OutputFormat, quality: 80, scale: 1 })).bytes;
}

/** One way to make a picture of a drawing. */
interface Variant {
  readonly type: (typeof types)[number];
  readonly way: (typeof ways)[number];
  readonly sidePx: number;
}

const variants: readonly Variant[] = [128, 72].flatMap((sidePx) =>
  types.flatMap((type) => ways.map((way) => ({ type, way, sidePx }))),
);

/** @param number of the picture, which names it */
async function signed(
  { workflow, picture, inputs }: Drawing,
  variant: Variant,
  number: number,
  vendors: Credentials,
): Promise<Buffer> {
  const { type, way } = variant;
  const bytes = await small(picture, variant, `job-${number}`);
  const taken = way === ways[0] ? [] : inputs;
  const made = {
    ...finished(bytes, type),
    assetId: `picture-${number}`,
    operation: workflow,
    digitalSource: sourceOf(picture),
    inputs: taken,
  };
  const known = { ordered, inputs: way === ways[2] ? taken.map(() => vendors) : [] };
  return withManifest(bytes, type, statementOf(made, generator, known), signer);
}

/** No hash covers the headers of the boxes that hold the manifest: the number of a JPEG's segment, and flags. */
const headerBytes = 128;

/** Changes one bit, in another place for each picture. */
function withOneChange(bytes: Buffer, number: number): Buffer {
  const changed = Buffer.from(bytes);
  const place = Number.parseInt(hash('sha256', String(number)).slice(0, 8), 16);
  const at = headerBytes + (place % (bytes.length - headerBytes));
  changed[at]! ^= 1 << (number % 8);
  return changed;
}

describe.runIf(hasReference && wanted > 0)('the reference validator, on pictures of all workflows', () => {
  it(`finds ${wanted} valid, and each of ${changedBytes} changed bytes`, { timeout: 7_200_000 }, async () => {
    const vendors = readCredentials(
      await signedByReference(await markedPicture('image/jpeg'), 'image/jpeg'),
    ) as Credentials;
    const tally: Record<string, number> = {};
    const wrong: string[] = [];
    const missed: string[] = [];
    let drawings = 0;
    let judged = 0;
    let changed = 0;
    let byReference = 0;
    for (let seed = 1; judged < wanted; seed++)
      for (const workflow of Object.keys(orders))
        for (const drawing of await drawn(workflow, seed)) {
          drawings += 1;
          for (const variant of variants) {
            const number = (judged += 1);
            const bytes = await signed(drawing, variant, number, vendors);
            const { type, way, sidePx } = variant;
            const name = `${workflow}, seed ${seed}, ${type}, ${way}, ${sidePx} px`;
            const complaints = await complaintsAbout(bytes);
            if (complaints.length > 0) wrong.push(`${name}: ${complaints.join(' ')}`);
            for (const key of [workflow, type, way]) tally[key] = (tally[key] ?? 0) + 1;
            if (changed === changedBytes || number % 7 !== 0) continue;
            changed += 1;
            const spoilt = withOneChange(bytes, number);
            if (readCredentials(spoilt)?.problems.length === 0) missed.push(name);
            // It does not look at the manifests that a picture takes in.
            if ((await complaintsAbout(spoilt)).length > 0) byReference += 1;
            else if (way !== ways[2]) missed.push(`${name}, by the reference`);
          }
        }
    console.table({ ...tally, drawings, judged, changed, byReference });
    expect({ wrong, missed, changed, workflows: Object.keys(orders).filter((name) => !tally[name]) }).toEqual(
      {
        wrong: [],
        missed: [],
        changed: changedBytes,
        workflows: [],
      },
    );
  });
});
