import {
  EngineError,
  type EngineImage,
  type EnginePicture,
  type PartFailure,
  type Renderer,
  type RenderRequest,
} from '@atelier/engine';
import { breathe } from './abort.js';
import { contactSheet, type Grouping } from './reading/contact-sheet.js';
import { groupsOf, type Group } from './reading/grouping.js';
import { personPicture } from './reading/person-picture.js';
import { emptyPlate, platePicture } from './reading/plate.js';
import { readPhotograph } from './reading/reading.js';
import type { Reading } from './reading/regions.js';
import { locationDistance, locationSignature, type LocationSignature } from './reading/signature.js';
import { UNREAD_PERSON, UNREAD_PLACE, type Outcome } from './pdp-extractions.js';
import { personFacts } from './composition/person.js';
import { MODEL } from './model.js';

export interface PdpBatchExtractionsOrder {
  /** Replaces the whole measured grouping and is not checked. An axis that it leaves out has no groups. */
  readonly grouping?: Partial<Pick<Grouping, 'person_groups' | 'location_groups'>>;
}

/** Photographs up to this distance apart share a place. The figure was measured on series of renders. */
const SAME_PLACE = 0.5;

/** One photograph of the batch; it has no reading if it could not be read. */
interface Photo {
  readonly index: number;
  readonly image: EngineImage;
  readonly reading?: Reading;
  readonly place?: LocationSignature;
}

const photosOf = (request: RenderRequest<unknown>): { index: number; image: EngineImage }[] =>
  request.inputs
    .flatMap((image) => {
      const number = /^photo-(\d+)$/.exec(image.name)?.[1];
      return number === undefined ? [] : [{ index: Number(number), image }];
    })
    .sort((p, q) => p.index - q.index);

async function read({ index, image }: { index: number; image: EngineImage }): Promise<Photo> {
  try {
    const reading = await readPhotograph(image);
    const place = locationSignature(reading);
    return { index, image, reading, ...(place ? { place } : {}) };
  } catch (error) {
    // A broken photograph fails its own job. The other photographs are grouped without it.
    if (error instanceof EngineError) return { index, image };
    throw error;
  }
}

/**
 * Groups pictures of the same drawn person, whom their meta names. Photographed people are unknown and belong
 * to no group.
 */
function drawnAlike(photos: readonly Photo[]): Group[] {
  const members = new Map<string, number[]>();
  for (const { index, reading } of photos) {
    const person = reading?.figure?.person;
    if (!person) continue;
    const who = JSON.stringify(personFacts(person));
    members.set(who, [...(members.get(who) ?? []), index]);
  }
  return [...members.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      member_indices: group,
      confidence: 1,
      evidence: 'the pictures say that they show the same drawn person',
    }));
}

/** Groups places by measured similarity. Photographs without a visible place belong to no group. */
function alikeByPlace(photos: readonly Photo[]): Group[] {
  const signatures = new Map<number, LocationSignature>();
  for (const { index, place } of photos) if (place) signatures.set(index, place);
  const between = (p: number, q: number): number => {
    const [one, two] = [signatures.get(p), signatures.get(q)];
    return one && two ? locationDistance(one, two) : Infinity;
  };
  return groupsOf([...signatures.keys()], between, SAME_PLACE, 'colours and texture of the ground');
}

function groupingOf(photos: readonly Photo[], { grouping }: PdpBatchExtractionsOrder): Grouping {
  if (grouping) return { person_groups: [], location_groups: [], ...grouping, automatic: false };
  return { person_groups: drawnAlike(photos), location_groups: alikeByPlace(photos), automatic: true };
}

/**
 * Names the photographs whose people were not compared. If there is only one person, no comparison is needed.
 */
function notCompared(photos: readonly Photo[], { automatic }: Grouping): PartFailure[] {
  const people = photos.filter(({ reading }) => reading?.person);
  if (!automatic || people.length < 2) return [];
  const message = `Whether the people on the photographs ${named(people.map(({ index }) => index))} are the same was not read: this engine does not tell people apart. Say it in \`grouping\`, or name an image model that reads photographs.`;
  return [{ arm: 'person', code: 'VISION_MODEL_REQUIRED', message }];
}

const named = (members: readonly number[]): string => members.join(', ');

const withGroup = (
  picture: EnginePicture,
  axis: 'person' | 'location',
  group: Group,
  source: number,
): EnginePicture => ({
  ...picture,
  meta: { ...picture.meta, axis, ...group, source_index: source },
});

/** The person whose facts are in the meta of one of the pictures. */
async function sharedPerson(photos: readonly Photo[], group: Group, testMark: boolean): Promise<Outcome> {
  const members = photos.filter(({ index }) => group.member_indices.includes(index));
  for (const { index, reading } of members) {
    const person = reading?.figure?.person;
    if (person) return { picture: withGroup(await personPicture(person, testMark), 'person', group, index) };
  }
  if (members.some(({ reading }) => reading?.person ?? reading?.figure))
    return { failure: { arm: 'person', code: 'VISION_MODEL_REQUIRED', message: UNREAD_PERSON } };
  const message = `No head can be seen in the photographs ${named(group.member_indices)}.`;
  return { failure: { arm: 'person', code: 'NO_PERSON_FOUND', message } };
}

/**
 * The shared place. It comes from the photograph whose subject hides least of it; photographed people are
 * excluded.
 */
async function sharedPlace(
  photos: readonly Photo[],
  group: Group,
  request: RenderRequest<unknown>,
): Promise<Outcome> {
  const members = photos.filter(({ index }) => group.member_indices.includes(index));
  const readings = members.flatMap(({ index, reading }) => (reading ? [{ index, reading }] : []));
  const [best] = readings
    .filter(({ reading }) => !reading.person)
    .sort((p, q) => p.reading.subject.share - q.reading.subject.share || p.index - q.index);
  if (!best && readings.length > 0)
    return { failure: { arm: 'background', code: 'VISION_MODEL_REQUIRED', message: UNREAD_PLACE } };
  const plate = best && (await emptyPlate(best.reading.photograph, best.reading.subject));
  if (!best || !plate) {
    const message = `The photographs ${named(group.member_indices)} leave too little ground to go on.`;
    return { failure: { arm: 'background', code: 'NO_BACKGROUND_FOUND', message } };
  }
  const picture = await platePicture(plate, best.reading.subject, 'Shared background', request.testMark);
  return { picture: withGroup(picture, 'location', group, best.index) };
}

const counted = (groups: readonly Group[], one: string, many: string): string => {
  const shared = groups.filter((group) => group.member_indices.length > 1);
  if (shared.length === 0) return `no shared ${one}`;
  const list = shared.map((group) => `photographs ${named(group.member_indices)}`).join('; ');
  return `${shared.length === 1 ? `one shared ${one}` : `${shared.length} shared ${many}`} (${list})`;
};

/**
 * The grouping pass of a batch: finds the photographs that share a person or a place, and extracts each shared
 * person and place once. The first picture is the contact sheet with the grouping in its meta.
 * @throws EngineError `bad_input` when no photograph can be read
 */
export const pdpBatchExtractions: Renderer<PdpBatchExtractionsOrder> = async (request, context) => {
  const photos: Photo[] = [];
  for (const photo of photosOf(request)) {
    photos.push(await read(photo));
    await breathe(context.signal);
  }
  if (!photos.some((photo) => photo.reading)) {
    throw new EngineError(
      'bad_input',
      'None of the photographs could be read. Send complete JPEG, PNG or WebP pictures.',
    );
  }
  const grouping = groupingOf(photos, request.body);
  const last = Math.max(...photos.map((photo) => photo.index));
  const byIndex = Array.from({ length: last + 1 }, (_, index) => {
    const photo = photos.find((one) => one.index === index);
    return photo?.reading ? photo.image.bytes : undefined;
  });
  const sheet = await contactSheet(byIndex, grouping, request.testMark);
  const shared: Outcome[] = [];
  for (const group of grouping.person_groups) {
    await breathe(context.signal);
    if (group.member_indices.length > 1) shared.push(await sharedPerson(photos, group, request.testMark));
  }
  for (const group of grouping.location_groups) {
    await breathe(context.signal);
    if (group.member_indices.length > 1) shared.push(await sharedPlace(photos, group, request));
  }
  const how = grouping.automatic ? 'Grouped by measure' : 'Grouped as asked';
  const people = counted(grouping.person_groups, 'person', 'people');
  const places = counted(grouping.location_groups, 'place', 'places');
  return {
    pictures: [sheet, ...shared.flatMap((one) => ('picture' in one ? [one.picture] : []))],
    failures: [
      ...notCompared(photos, grouping),
      ...shared.flatMap((one) => ('failure' in one ? [one.failure] : [])),
    ],
    message: `${how}: ${people}, ${places}`,
    model: MODEL,
  };
};
