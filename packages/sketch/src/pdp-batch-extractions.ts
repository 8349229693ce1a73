import {
  EngineError,
  type EngineImage,
  type EnginePicture,
  type PartFailure,
  type PictureMeta,
  type Renderer,
  type RenderRequest,
} from '@atelier/engine';
import { breathe } from './abort.js';
import { encode } from './encode.js';
import { contactSheet, type Grouping } from './reading/contact-sheet.js';
import { groupsOf, type Group } from './reading/grouping.js';
import { marked } from './scene.js';
import { personPicture } from './reading/person-picture.js';
import { emptyPlate } from './reading/plate.js';
import { readPhotograph, type Reading } from './reading/reading.js';
import {
  locationDistance,
  locationSignature,
  personDistance,
  personSignature,
  type LocationSignature,
  type PersonSignature,
} from './reading/signature.js';
import { MODEL } from './model.js';

export interface PdpBatchExtractionsOrder {
  /** Takes the place of the measured grouping as a whole, at face value: an axis that it leaves out has no groups. */
  readonly grouping?: Partial<Pick<Grouping, 'person_groups' | 'location_groups'>>;
}

/** Distances up to which photographs are taken to share a person, or a place; measured on series of renders. */
const SAME_PERSON = 0.85;
const SAME_PLACE = 0.5;

/** One photograph of the batch; without a reading it could not be read. */
interface Photo {
  readonly index: number;
  readonly image: EngineImage;
  readonly reading?: Reading;
  readonly person?: PersonSignature;
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
    const reading = await readPhotograph(image.bytes, image.name);
    const [person, place] = [personSignature(reading), locationSignature(reading)];
    return { index, image, reading, ...(person ? { person } : {}), ...(place ? { place } : {}) };
  } catch (error) {
    // A broken photograph fails its own job; its siblings are grouped without it.
    if (error instanceof EngineError) return { index, image };
    throw error;
  }
}

/** Groups one axis by measured similarity; photographs that show nothing of it are in no group. */
function measuredGroups<S>(
  photos: readonly Photo[],
  of: (photo: Photo) => S | undefined,
  distance: (p: S, q: S) => number,
  limit: number,
  what: string,
): Group[] {
  const signatures = new Map<number, S>();
  for (const photo of photos) {
    const signature = of(photo);
    if (signature !== undefined) signatures.set(photo.index, signature);
  }
  const between = (p: number, q: number): number => {
    const [one, two] = [signatures.get(p), signatures.get(q)];
    return one === undefined || two === undefined ? Infinity : distance(one, two);
  };
  return groupsOf([...signatures.keys()], between, limit, what);
}

function groupingOf(photos: readonly Photo[], { grouping }: PdpBatchExtractionsOrder): Grouping {
  if (grouping) return { person_groups: [], location_groups: [], ...grouping, automatic: false };
  return {
    person_groups: measuredGroups(
      photos,
      (photo) => photo.person,
      personDistance,
      SAME_PERSON,
      'skin, hair and neck',
    ),
    location_groups: measuredGroups(
      photos,
      (photo) => photo.place,
      locationDistance,
      SAME_PLACE,
      'colours and texture of the ground',
    ),
    automatic: true,
  };
}

type Shared = { readonly picture: EnginePicture } | { readonly failure: PartFailure };

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

/** The person, from the photograph that shows the head largest and most surely. */
async function sharedPerson(
  photos: readonly Photo[],
  group: Group,
  request: RenderRequest<unknown>,
): Promise<Shared> {
  const sure = ({ reading }: Photo): number => {
    const head = reading?.wearer?.head;
    return head && reading ? head.confidence * Math.min(1, head.breadth / 40) : 0;
  };
  const [best] = photos
    .filter(({ index, reading }) => group.member_indices.includes(index) && reading?.wearer)
    .sort((p, q) => sure(q) - sure(p) || p.index - q.index);
  if (!best?.reading?.wearer) {
    const message = `No head can be seen in the photographs ${named(group.member_indices)}.`;
    return { failure: { arm: 'person', code: 'NO_PERSON_FOUND', message } };
  }
  // A seed of its own for each: two people of a batch must not share a face.
  const own = { ...request, seed: request.seed + best.index };
  const picture = await personPicture(best.reading, best.reading.wearer, best.image, own);
  return { picture: withGroup(picture, 'person', group, best.index) };
}

/** The place, from the photograph whose subject hides the least of it. */
async function sharedPlace(
  photos: readonly Photo[],
  group: Group,
  request: RenderRequest<unknown>,
): Promise<Shared> {
  const [best] = photos
    .filter(({ index, reading }) => group.member_indices.includes(index) && reading)
    .sort((p, q) => (p.reading?.subject.share ?? 1) - (q.reading?.subject.share ?? 1) || p.index - q.index);
  const plate = best?.reading && (await emptyPlate(best.reading.photograph, best.reading.subject));
  if (!best?.reading || !plate) {
    const message = `The photographs ${named(group.member_indices)} leave too little ground to go on.`;
    return { failure: { arm: 'background', code: 'NO_BACKGROUND_FOUND', message } };
  }
  const meta: PictureMeta = {
    reconstructed_share: Math.round(plate.reconstructed * 1000) / 1000,
    setting: best.reading.subject.plainGround ? 'plain_studio' : 'location',
    method: plate.method,
  };
  const raster = await marked(plate.raster, request.testMark);
  const picture = await encode(raster, { kind: 'background_plate', label: 'Shared background', meta });
  return { picture: withGroup(picture, 'location', group, best.index) };
}

const counted = (groups: readonly Group[], one: string, many: string): string => {
  const shared = groups.filter((group) => group.member_indices.length > 1);
  if (shared.length === 0) return `no shared ${one}`;
  const list = shared.map((group) => `photographs ${named(group.member_indices)}`).join('; ');
  return `${shared.length === 1 ? `one shared ${one}` : `${shared.length} shared ${many}`} (${list})`;
};

/**
 * The grouping pass of a batch: which photographs share a person and which share a place, and each shared person and place
 * extracted once. The first picture is the contact sheet with the grouping in its meta.
 * @throws EngineError `bad_input` when not one photograph can be read
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
  const shared: Shared[] = [];
  for (const group of grouping.person_groups) {
    await breathe(context.signal);
    if (group.member_indices.length > 1) shared.push(await sharedPerson(photos, group, request));
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
    failures: shared.flatMap((one) => ('failure' in one ? [one.failure] : [])),
    message: `${how}: ${people}, ${places}`,
    model: MODEL,
  };
};
