import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import sharp, { type OverlayOptions } from 'sharp';
import { npmRun } from '../support/npm-run.js';
import type { Artifact, Client, Finished } from './client.js';
import { journeys } from './journeys.js';
import { Library } from './library.js';
import { startService } from './service.js';

/*
 * `npm run contact-sheet` runs every workflow once on a service of its own, and shows their pictures side by
 * side. A person must look at them: no test can say whether a picture pleases.
 */

const columns = 5;
const tile = { width: 360, height: 500 } as const;
const margin = 12;
const caption = 44;
const room = { width: tile.width - 2 * margin, height: tile.height - caption - 2 * margin } as const;
const paper = '#efece6';

/** More pictures in one tile would be too small, so a tile then shows one of each kind. */
const mostPictures = 4;

function shownOf({ job }: Finished): readonly Artifact[] {
  const artifacts = job.result?.artifacts ?? [];
  if (artifacts.length <= mostPictures) return artifacts;
  return [...new Map(artifacts.toReversed().map((one) => [one.kind, one])).values()].slice(0, mostPictures);
}

/** Two columns of pictures, or a single one; each is as large as its share of the room allows. */
async function picturesOf(client: Client, finished: Finished): Promise<OverlayOptions[]> {
  const artifacts = shownOf(finished);
  const across = artifacts.length > 1 ? 2 : 1;
  const cell = {
    width: Math.floor(room.width / across),
    height: Math.floor(room.height / Math.ceil(artifacts.length / across)),
  };
  return Promise.all(
    artifacts.map(async ({ image_url }, index) => ({
      input: await sharp(await client.download(image_url))
        .resize({ ...cell, fit: 'contain', background: paper })
        .png()
        .toBuffer(),
      left: margin + (index % across) * cell.width,
      top: margin + Math.floor(index / across) * cell.height,
    })),
  );
}

const label = (name: string, facts: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${tile.width}" height="${caption}" font-family="sans-serif">
      <text x="${margin}" y="16" font-size="17" font-weight="bold" fill="#222">${name}</text>
      <text x="${margin}" y="35" font-size="13" fill="#555">${facts}</text>
    </svg>`,
  );

async function tileOf(client: Client, workflow: string, finished: Finished): Promise<Buffer> {
  const { job, accepted, events } = finished;
  const artifacts = job.result?.artifacts ?? [];
  const kinds = [...new Set(artifacts.map(({ kind }) => kind))];
  const tookMs = Number(events.at(-1)?.extra['duration_ms'] ?? Number.NaN);
  const took = Number.isNaN(tookMs) ? '' : `, ${(tookMs / 1000).toFixed(1)} s`;
  const what = kinds.length === 1 ? kinds[0] : `${artifacts.length} pictures`;
  return sharp({ create: { ...tile, channels: 3, background: paper } })
    .composite([
      ...(await picturesOf(client, finished)),
      {
        input: label(workflow, `${what}, ${accepted.credits_cost} credits${took}`),
        left: 0,
        top: tile.height - caption,
      },
    ])
    .png()
    .toBuffer();
}

async function main(): Promise<void> {
  await using service = await startService(1000);
  const library = new Library(service.client);
  const tiles: OverlayOptions[] = [];
  for (const [index, { workflow, run }] of journeys.entries()) {
    console.log(workflow);
    const input = await tileOf(service.client, workflow, await run(library));
    const [left, top] = [(index % columns) * tile.width, Math.floor(index / columns) * tile.height];
    tiles.push({ input, left, top });
  }
  const folder = join(process.cwd(), 'demo-output');
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'contact-sheet.jpg');
  const rows = Math.ceil(tiles.length / columns);
  await sharp({
    create: { width: columns * tile.width, height: rows * tile.height, channels: 3, background: paper },
  })
    .composite(tiles)
    .jpeg({ quality: 88, mozjpeg: true })
    .toFile(path);
  console.log(`Contact sheet: ${relative(process.cwd(), path)}`);
}

npmRun('contact-sheet', 'Runs every workflow once, and shows side by side what they made.').parse();
await main();
