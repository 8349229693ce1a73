// Sets the person of each photograph in packages/photo/photographs into another place, and shows before and
// after side by side. The sheet is for that package's README: `npm run build && node
// scripts/photo-contact-sheet.mjs`.
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { EngineError } from '@atelier/engine';
import { PhotoEngine } from '@atelier/photo';
import { grounds } from '@atelier/sketch/grounds';

const home = new URL('../packages/photo/', import.meta.url);
const [TILE, GAP, PAIRS_A_ROW] = [230, 10, 3];
const WORDS = ['studio', 'rooftop terrace', 'street cafe', 'beach', 'loft with brick wall', 'garden'];
const BACKGROUND = await readFile(new URL('photographs/nobody-office.jpg', home));

const engine = new PhotoEngine(grounds);

/** Every third photograph gets a photographed background, the others a drawn one. */
function requestFor(bytes, index) {
  const source = { name: 'source_image', bytes };
  const common = { seed: 5 + index, displayName: '', testMark: false };
  if (index % 3 !== 2)
    return {
      ...common,
      workflow: 'background-swap-with-spec',
      body: { scene_type: WORDS[index % WORDS.length], mood: 'calm' },
      inputs: [source],
    };
  return {
    ...common,
    workflow: 'background-swap-with-image',
    body: { background_image_public_id: 'office' },
    inputs: [source, { name: 'background_image', bytes: BACKGROUND }],
  };
}

async function swapped(bytes, index) {
  const context = { signal: new AbortController().signal, onStage: async () => undefined };
  try {
    const { pictures } = await engine.render(requestFor(bytes, index), context);
    return pictures[0].bytes;
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

const tile = (bytes) => sharp(bytes).resize(TILE, TILE, { fit: 'contain', background: '#f4f1ea' }).toBuffer();
/** A request that was refused. */
const refused = await sharp(
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${TILE}" height="${TILE}"><rect width="100%" height="100%" fill="#e6e0d4"/>
  <path d="M95 95L135 135M135 95L95 135" stroke="#a49a8c" stroke-width="9" stroke-linecap="round"/></svg>`),
)
  .png()
  .toBuffer();

const names = (await readdir(new URL('photographs/', home)))
  .filter((name) => name.endsWith('.jpg'))
  .toSorted();
const tiles = [];
for (const [index, name] of names.entries()) {
  const before = await readFile(new URL(`photographs/${name}`, home));
  const after = await swapped(before, index);
  const left = GAP + (index % PAIRS_A_ROW) * (2 * TILE + 2 * GAP);
  const top = GAP + Math.floor(index / PAIRS_A_ROW) * (TILE + GAP);
  tiles.push({ input: await tile(before), left, top });
  tiles.push({ input: after ? await tile(after) : refused, left: left + TILE, top });
}
const width = PAIRS_A_ROW * (2 * TILE + 2 * GAP);
const height = Math.ceil(names.length / PAIRS_A_ROW) * (TILE + GAP) + GAP;
await sharp({ create: { width, height, channels: 3, background: '#f4f1ea' } })
  .composite(tiles)
  .jpeg({ quality: 78, mozjpeg: true })
  .toFile(fileURLToPath(new URL('contact-sheet.jpg', home)));
