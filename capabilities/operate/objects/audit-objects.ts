import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { decode } from '#domain/stored-events.js';
import { parseStreamName } from '#domain/streams.js';
import { walkLog } from '#event-store/walk-log.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { ObjectNotFound, ObjectStorage } from '#storage/object-storage.js';
import { AcceptedLosses, type AcceptedLoss } from './accept-loss.js';
import { defineCall, type Asked } from '#operator-calls/call.js';
import { InEnvironment } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printTable } from '#operator-calls/output.js';

interface BrokenObject {
  readonly stream: string;
  readonly storage_key: string;
  /** `not-erased`: the log says that it was erased, and its bytes are there. */
  readonly state: 'missing' | 'altered' | 'not-erased';
  /** SHA-256 in hex; null where there are no bytes. */
  readonly expected: string;
  readonly found: string | null;
}

/** An object as history names it. */
interface NamedObject {
  readonly stream: string;
  readonly storageKey: string;
  readonly sha256: string;
}

const readAtATime = 8;

/**
 * Reads every object that history names. Writes only the record that it did so. The exit code is 1 unless all
 * are unchanged.
 */
export const auditObjects = defineCall({
  name: 'objects audit',
  route: 'POST /objects/audit',
  may: ['support', 'finance', 'read'],
  summary: 'Read every picture that history names, and compare it with its digest',
  input: InEnvironment,
  features: [ObjectStorageModule],
  long: 'the audit was stopped',
  readOnly: 'recorded',
  async run(operator, { env }, asked) {
    const { checked, broken: found, losses, erased } = await checkAll(operator, env, asked);
    const broken = found.flatMap((object): BrokenObject[] => {
      if (!erased.has(object.stream)) return [object];
      return object.state === 'missing' ? [] : [{ ...object, state: 'not-erased' }];
    });
    const lossOf = ({ stream, state }: BrokenObject) =>
      state === 'missing' ? losses.get(stream) : undefined;
    const unknown = broken.filter((object) => !lossOf(object));
    const accepted = broken.flatMap(({ stream, storage_key }) => {
      const loss = losses.get(stream);
      return loss ? [{ stream, storage_key, ...loss }] : [];
    });
    return { holds: unknown.length === 0, checked, erased: erased.size, broken: unknown, accepted };
  },
  summarise: ({ checked, broken }) => `${broken.length} of ${checked} objects are broken`,
  print({ checked, erased, broken, accepted, holds }) {
    if (!holds) {
      printTable(broken, {
        object: ({ storage_key: key }) => key,
        is: ({ state }) => state,
        'named by': ({ stream }) => stream,
      });
      printLine();
    }
    if (accepted.length > 0) printLine(`${accepted.length} are missing, and an operator has accepted that.`);
    if (erased > 0) printLine(`${erased} were erased.`);
    printLine(`${checked} objects: ${holds ? 'all are what they were' : `${broken.length} are not`}.`);
  },
  failed: ({ holds }) => !holds,
});

interface CheckedObjects {
  readonly checked: number;
  readonly broken: readonly BrokenObject[];
  readonly losses: ReadonlyMap<string, AcceptedLoss>;
  /** The streams of erased pictures: their objects must be missing. */
  readonly erased: ReadonlySet<string>;
}

async function checkAll(
  operator: Operator,
  env: InEnvironment['env'],
  { signal, onProgress }: Asked,
): Promise<CheckedObjects> {
  const { store } = operator;
  const storage = operator.get(ObjectStorage);
  const broken: BrokenObject[] = [];
  // A preview that was published again, in both environments, is one object.
  const previews = new Set<string>();
  const losses = new AcceptedLosses();
  const erased = new Set<string>();
  let checked = 0;
  const through = await store.head();
  for await (const { events, position } of walkLog(store, { through, signal })) {
    for (const event of events) {
      losses.see(event);
      if (event.type === 'PictureErased') erased.add(event.stream);
    }
    const objects = events.flatMap((event) => objectsOf(event, env));
    const fresh = objects.filter(({ storageKey }) => !previews.has(storageKey));
    for (const { storageKey } of fresh) if (storageKey.startsWith('presets/')) previews.add(storageKey);
    for (let from = 0; from < fresh.length; from += readAtATime) {
      signal.throwIfAborted();
      const some = fresh.slice(from, from + readAtATime);
      const found = await Promise.all(some.map((object) => look(storage, object)));
      broken.push(...found.filter((each) => each !== undefined));
      checked += some.length;
    }
    onProgress({ phase: 'reading objects', position, from: 0n, through: through ?? 0n });
  }
  return { checked, broken, losses: losses.byStream, erased };
}

/** A picture, and the credentials that it arrived with. */
function objectsOf(recorded: RecordedEvent, env: InEnvironment['env']): NamedObject[] {
  const { stream, type } = recorded;
  const wanted = type === 'AssetStored' || type === 'PresetPublished';
  const environment = parseStreamName(stream)?.environment;
  if (!wanted || !environment || (env ?? environment) !== environment) return [];
  const event = decode(recorded);
  if (event.type === 'PresetPublished') return [{ stream, ...event.data.image }];
  if (event.type !== 'AssetStored') return [];
  const beside = event.data.credentials?.kept;
  return [event.data, ...(beside ? [beside] : [])].map((object) => ({ stream, ...object }));
}

async function look(
  storage: ObjectStorage,
  { stream, storageKey, sha256: expected }: NamedObject,
): Promise<BrokenObject | undefined> {
  const found = await storage.digest(storageKey).catch((error: unknown) => {
    if (error instanceof ObjectNotFound) return null;
    throw error;
  });
  if (found === expected) return undefined;
  return { stream, storage_key: storageKey, state: found === null ? 'missing' : 'altered', expected, found };
}
