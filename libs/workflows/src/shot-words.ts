import { isKnown, sentences, word, type Known } from './briefing.js';

/* How a photograph is taken: the values of a shot's fields, each with its words. */

const framings = {
  full: 'Show the person at full length, from head to feet, with a little room above and below.',
  three_quarter: 'Show the person from the head to just below the knees.',
  half: 'Show the person from the head to the hips.',
  detail: 'Show a close detail of the garment on the body, near enough to see the weave.',
} as const;

const cameraHeights = {
  low: 'near the ground, looking slightly up',
  waist: 'at waist height',
  chest: 'at chest height',
  eye: 'at eye level',
  high: 'above the head, looking down',
} as const;

const angles = {
  front: 'The person faces the camera.',
  slight_left: 'The person is turned slightly to the left of the picture.',
  slight_right: 'The person is turned slightly to the right of the picture.',
  overhead: 'The camera looks straight down.',
} as const;

const poses = {
  relaxed: 'The pose is relaxed, with the weight on one leg and the arms hanging loosely.',
  hand_on_hip: 'One hand rests on the hip.',
  walking: 'The person walks, caught in mid-step.',
  laid_flat: 'The garment is laid out flat.',
} as const;

const directions = {
  front: 'from the front',
  left: 'from the left',
  right: 'from the right',
  upper_left: 'from the upper left',
  upper_right: 'from the upper right',
  top: 'from above',
  back: 'from behind',
} as const;

/** The schema of a reader's answer on how a photograph was taken: the words above, and figures. */
export const shotSchema = strictObject({
  framing: { enum: Object.keys(framings) },
  camera_height: { enum: Object.keys(cameraHeights) },
  angle: { enum: Object.keys(angles) },
  pose: { enum: Object.keys(poses) },
  light: strictObject({
    direction: { enum: Object.keys(directions) },
    contrast: { type: 'number', description: '0 without shadows, 1 with hard black ones' },
    colour_temperature: { type: 'integer', description: 'Kelvin' },
  }),
  setting: { enum: ['plain_studio', 'location'] },
  styling: {
    type: 'array',
    items: { type: 'string' },
    description: 'What is worn, a few words for each piece',
  },
});

/** An object schema with all members required and no others allowed: strict modes of vision models demand it. */
export function strictObject(
  properties: Readonly<Record<string, object>>,
): Readonly<Record<string, unknown>> {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties };
}

type Words = Readonly<Record<string, string>>;

/** A shot in sentences, from a preset's spec or from the reading of a photograph. Missing facts stay open. */
export function shotWords(meta: Known | undefined): string {
  const camera = isKnown(meta?.['camera']) ? meta['camera'] : {};
  const light = isKnown(meta?.['light']) ? meta['light'] : {};
  const said = (value: unknown, table: Words) => table[word(value) ?? ''];
  const height = said(meta?.['camera_height'] ?? camera['height'], cameraHeights);
  return sentences(
    said(meta?.['framing'] ?? meta?.['crop'], framings),
    height && `The camera is ${height}.`,
    said(meta?.['angle'] ?? camera['angle'], angles),
    said(meta?.['pose'], poses),
    lightWords(light),
    offsetWords(meta),
  );
}

function lightWords(light: Known): string | undefined {
  const direction = (directions as Words)[word(light['direction']) ?? ''];
  const { contrast, colour_temperature: kelvin } = light;
  const strength =
    typeof contrast !== 'number' ? '' : contrast < 0.35 ? 'soft ' : contrast < 0.6 ? 'clear ' : 'strong ';
  const tint = typeof kelvin !== 'number' ? '' : `, at about ${kelvin} kelvin`;
  if (direction === undefined && strength === '' && tint === '') return undefined;
  return `The key light is ${strength}light ${direction ?? 'from where it flatters the garment'}${tint}.`;
}

function offsetWords(meta: Known | undefined): string | undefined {
  const crop = isKnown(meta?.['crop']) ? meta['crop'] : meta?.['placement'];
  const offset = isKnown(crop) ? crop['offset'] : undefined;
  if (typeof offset !== 'number' || Math.abs(offset) < 0.05) return undefined;
  return `Place the person ${offset > 0 ? 'right' : 'left'} of the centre.`;
}
