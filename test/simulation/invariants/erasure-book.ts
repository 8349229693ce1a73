import type { AuditedEvent } from '#capabilities/operate/audit/audited-event.js';
import { erasureSteps, type ErasureTarget } from '#capabilities/erasure/erasure.events.js';
import type { KeptErasure } from '#capabilities/erasure/kept-erasures.js';
import type { LegalHold } from '#capabilities/erasure/keeping/legal-hold.js';
import type { ReceiptStatement } from '#capabilities/erasure/receipt.js';
import { erasedText } from '#domain/erased.js';
import type { EventOfType } from '#domain/events.js';
import { streamName } from '#domain/streams.js';
import type { JudgedHistory } from '../../support/judged-history.js';
import type { IdempotencyKeys } from '../services/idempotency.js';
import { simulatedModels, type Tables } from '../services/tables.js';
import type { StoredDeliveries } from '../services/webhooks.js';
import type { DestroyedKeys } from '../services/words.js';
import { short, type Report } from './price-book.js';

/** The places where something of an erased thing could be left. */
export interface Places {
  readonly objects: ReadonlyMap<string, Uint8Array>;
  readonly destroyedKeys: DestroyedKeys;
  readonly tables: Tables;
  readonly deliveries: StoredDeliveries;
  readonly keys: IdempotencyKeys;
}

/** A thing that an erasure can reach, and what erased it. */
interface Thing {
  readonly tenant: string;
  readonly persons: readonly string[];
  erasedBy?: string;
  /** The position of the event that erased it. */
  erasedAt?: bigint;
}

interface Picture extends Thing {
  readonly storageKey: string;
  readonly jobId: string | null;
  readonly origin: 'upload' | 'render';
  readonly retainedUntil: number;
  readonly storedAt: bigint;
  /** A look for late pictures has met it. */
  owed: boolean;
}

interface Job extends Thing {
  readonly queued: EventOfType<'JobQueued'>['data'];
  readonly queuedAt: bigint;
  /** The pictures that its events name: its own, and those that its batch shares with it. */
  readonly shown: Set<string>;
  /** The position of its last event that may have words. */
  wordsUpTo: bigint;
  erasedAtMs?: number;
  retainedUntil: number;
}

interface Product extends Thing {
  readonly title: string;
  readonly assetIds: readonly string[];
}

interface Requested {
  readonly request: EventOfType<'ErasureRequested'>['data'];
  /** The holds that were in force when it was ordered, and when it was written. */
  readonly heldBy: readonly LegalHold[];
  readonly steps: string[];
  completed: number;
}

/** All that the targets take along, by id. */
interface Reached {
  readonly pictures: Set<string>;
  readonly jobs: Set<string>;
  readonly words: Set<string>;
  readonly products: Set<string>;
  readonly records: Set<string>;
}

const dayMs = 24 * 3_600_000;
/** For so long after an erasure, late pictures are looked for. */
const lateMs = 3_600_000;
const latePicture = 'late';

/**
 * Erasures: each that is requested is completed once, with its steps in order; then nothing of it is left, and nothing else
 * was erased. The book finds what belongs to an erasure in the events alone, and never in the read models.
 */
export class ErasureBook {
  private readonly erasures = new Map<string, Requested>();
  private readonly pictures = new Map<string, Picture>();
  private readonly jobs = new Map<string, Job>();
  private readonly products = new Map<string, Product>();
  private readonly records = new Map<string, Thing>();
  private readonly holds = new Map<
    string,
    LegalHold & { readonly tenant: string; readonly placedMs: number }
  >();

  constructor(
    private readonly report: Report,
    private readonly history: JudgedHistory,
    private readonly now: () => number,
    private readonly places: Places,
  ) {}

  /** The things of a tenant that can be named in requests, oldest first. Its first picture is for the attacker alone. */
  thingsOf(tenant: string, kind: 'upload' | 'picture' | 'job' | 'product' | 'hold'): string[] {
    const of = {
      job: this.jobs,
      product: this.products,
      hold: this.holds,
      upload: this.pictures,
      picture: this.pictures,
    };
    const ids = [...of[kind]].filter(([, thing]) => thing.tenant === tenant).map(([id]) => id);
    return kind === 'upload'
      ? ids.filter((id) => this.pictures.get(id)?.origin === 'upload' && !isFirst(id))
      : ids;
  }

  keyOf(assetId: string): string | undefined {
    return this.pictures.get(assetId)?.storageKey;
  }

  /** Call it after the history has the event. */
  observe(event: AuditedEvent): void {
    const { position, streamId, tenant } = event;
    switch (event.type) {
      case 'AssetStored': {
        const { storageKey, jobId, origin, dataSubjects: persons = [], retainDays, at } = event.data;
        const retainedUntil = retainDays === undefined ? Infinity : Date.parse(at) + retainDays * dayMs;
        const stored = { tenant, persons, storageKey, jobId, origin, retainedUntil };
        this.pictures.set(streamId, { ...stored, storedAt: position, owed: false });
        return;
      }
      case 'JobQueued': {
        const { dataSubjects: persons = [] } = event.data;
        const queued = { queued: event.data, queuedAt: position, wordsUpTo: position };
        this.jobs.set(streamId, { tenant, persons, ...queued, shown: new Set(), retainedUntil: Infinity });
        return;
      }
      case 'StageCompleted':
        return this.ofJob(streamId, (job) => {
          job.wordsUpTo = position;
          for (const { assetId } of event.data.artifacts) job.shown.add(assetId);
        });
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled':
        return this.ofJob(streamId, (job) => {
          job.wordsUpTo = position;
          if (event.type === 'JobSucceeded')
            for (const { assetId } of event.data.artifacts) job.shown.add(assetId);
          const { retainDays } = job.queued;
          if (retainDays !== undefined) job.retainedUntil = Date.parse(event.data.at) + retainDays * dayMs;
        });
      case 'ProductRegistered': {
        const { title, images, dataSubjects: persons = [] } = event.data;
        const assetIds = images.map(({ assetId }) => assetId);
        this.products.set(streamId, { tenant, persons, title, assetIds });
        return;
      }
      case 'ModelReleaseGranted':
        this.records.set(streamId, { tenant, persons: [event.data.dataSubject] });
        return;
      case 'LegalHoldPlaced':
        this.holds.set(event.data.holdId, { ...event.data, tenant, placedMs: this.now() });
        return;
      case 'LegalHoldLifted':
        this.holds.delete(event.data.holdId);
        return;
      case 'PictureErased': {
        const picture = this.pictures.get(streamId);
        return picture && this.erased(picture, event, (hold) => this.coversPicture(hold, streamId, picture));
      }
      case 'JobErased': {
        const job = this.jobs.get(streamId);
        if (!job || !event.data.words) return;
        this.erased(job, event, (hold) => this.coversJob(hold, streamId, job));
        job.erasedAtMs = this.now();
        return;
      }
      case 'ProductErased': {
        const product = this.products.get(streamId);
        if (!product || !event.data.words) return;
        return this.erased(product, event, (hold) => isOnPerson(hold, product.persons));
      }
      case 'ModelReleaseErased': {
        const record = this.records.get(streamId);
        return record && this.erased(record, event, (hold) => isOnPerson(hold, record.persons));
      }
      case 'ErasureRequested':
        return this.requested(event.data);
      case 'ErasureStepped':
        return this.stepped(streamId, event.data.step);
      case 'ErasureCompleted':
        return this.completed(streamId, JSON.parse(event.data.receipt) as ReceiptStatement);
      default:
        return;
    }
  }

  private ofJob(jobId: string, change: (job: Job) => void): void {
    const job = this.jobs.get(jobId);
    if (job) change(job);
  }

  private erased(
    thing: Thing,
    { streamId, position, data }: AuditedEvent & { readonly data: { readonly erasureId: string } },
    isCovered: (hold: LegalHold) => boolean,
  ): void {
    const { erasureId } = data;
    const hold = this.erasures.get(erasureId)?.heldBy.find(isCovered);
    if (hold)
      this.report(
        `erasures: ${short(erasureId)} erases ${short(streamId)}, which was held before it was ordered`,
      );
    thing.erasedBy ??= erasureId;
    thing.erasedAt ??= position;
  }

  private requested(request: Requested['request']): void {
    const { erasureId, tenant, again, at } = request;
    const id = short(erasureId);
    if (this.erasures.has(erasureId)) this.report(`erasures: ${id} is requested twice`);
    const before = [...this.holds.values()].filter(
      (hold) => hold.tenant === tenant && hold.placedMs < Date.parse(at),
    );
    // What was done before a restore is done again, held or not.
    this.erasures.set(erasureId, { request, heldBy: again ? [] : before, steps: [], completed: 0 });
  }

  private stepped(erasureId: string, step: string): void {
    const steps = this.erasures.get(erasureId)?.steps ?? [];
    steps.push(step);
    const inOrder = erasureSteps.slice(0, steps.length);
    if (steps.join() !== inOrder.join())
      this.report(`erasures: the steps of ${short(erasureId)} are ${steps.join(', ')}`);
  }

  /** An erasure that is shown as completed has erased all that its receipt names. */
  private completed(erasureId: string, { erased }: ReceiptStatement): void {
    const erasure = this.erasures.get(erasureId);
    const id = short(erasureId);
    if (!erasure) return this.report(`erasures: ${id} is completed and was never requested`);
    erasure.completed += 1;
    if (erasure.completed > 1) this.report(`erasures: ${id} is completed twice`);
    if (erasure.steps.length < 4)
      this.report(`erasures: ${id} is completed after ${erasure.steps.join(', ')}`);
    for (const assetId of erased.pictures) {
      const picture = this.pictures.get(assetId);
      if (picture) this.checkPicture(assetId, picture);
    }
    for (const jobId of erased.jobs) {
      const job = this.jobs.get(jobId);
      if (job) this.checkWords('job', jobId, job);
    }
    for (const recordId of erased.records) {
      const record = this.records.get(recordId);
      if (record) this.checkWords('release', recordId, record);
    }
    for (const productId of erased.products) {
      const product = this.products.get(productId);
      if (product) this.checkWords('product', productId, product);
    }
  }

  private checkPicture(assetId: string, { erasedBy, storageKey }: Picture): void {
    const id = short(assetId);
    if (erasedBy === undefined)
      this.report(`erasures: a receipt names the picture ${id}, which is not erased`);
    if (this.places.objects.has(storageKey)) this.report(`erasures: the bytes of the picture ${id} are left`);
    if (!this.places.destroyedKeys.has(streamName('test', 'asset', assetId)))
      this.report(`erasures: the key of the picture ${id} is left`);
  }

  private checkWords(category: 'job' | 'product' | 'release', id: string, thing: Thing & Partial<Job>): void {
    if (thing.erasedBy === undefined)
      this.report(`erasures: a receipt names the ${category} ${short(id)}, which is not erased`);
    const destroyed = this.places.destroyedKeys.get(streamName('test', category, id));
    if (destroyed === undefined || destroyed < (thing.wordsUpTo ?? 0n))
      this.report(`erasures: the key of the ${category} ${short(id)} is left`);
  }

  atRest(): void {
    for (const [erasureId, { completed, request }] of this.erasures) {
      if (completed === 0) this.report(`erasures: ${short(erasureId)} was requested and is not completed`);
      this.checkComplete(erasureId, request);
    }
    for (const key of this.places.objects.keys()) {
      const [, kept] = /^erasures\/test\/([0-9A-Z]+)\./.exec(key) ?? [];
      if (kept !== undefined && !this.erasures.has(kept))
        this.report(`erasures: the restored log does not have ${short(kept)} again`);
    }
    for (const [assetId, picture] of this.pictures) this.checkAtRest(assetId, picture);
    this.checkNothingElse();
    this.checkExpired();
    this.checkTexts();
  }

  private checkAtRest(assetId: string, { erasedBy, storageKey }: Picture): void {
    const isThere = this.places.objects.has(storageKey);
    if (isThere && erasedBy !== undefined)
      this.report(`erasures: the bytes of the erased picture ${short(assetId)} are there`);
    // An attacker removes only the tenants' first pictures.
    if (!isThere && erasedBy === undefined && !isFirst(assetId))
      this.report(`erasures: the bytes of ${short(assetId)} are gone, and it was not erased`);
  }

  private checkComplete(erasureId: string, request: Requested['request']): void {
    const { pictures, jobs, words, products, records } = this.reached(request);
    const left = (what: string, id: string) =>
      this.report(`erasures: ${short(erasureId)} has left the ${what} ${short(id)}`);
    for (const id of pictures) if (this.isLeft(id)) left('picture', id);
    for (const id of [...jobs, ...words]) if (this.jobs.get(id)?.erasedBy === undefined) left('job', id);
    for (const id of products) if (this.products.get(id)?.erasedBy === undefined) left('product', id);
    for (const id of records) if (this.records.get(id)?.erasedBy === undefined) left('release', id);
  }

  /** A picture of a late worker is left until something looks for it. */
  private isLeft(assetId: string): boolean {
    const picture = this.pictures.get(assetId);
    if (!picture || picture.erasedBy !== undefined) return false;
    return picture.owed || !this.isLate(picture);
  }

  private isLate({ jobId, storedAt }: Picture): boolean {
    const { erasedAt } = (jobId !== null && this.jobs.get(jobId)) || {};
    return erasedAt !== undefined && storedAt > erasedAt;
  }

  /** A projector has looked for late pictures, in the rows up to this position and at this time. */
  lookedForLate(position: bigint, at: number): void {
    for (const picture of this.pictures.values()) {
      const { erasedAt = Infinity, erasedAtMs = 0 } = this.jobs.get(picture.jobId ?? '') ?? {};
      const isShown = picture.storedAt <= position && erasedAt <= position;
      if (this.isLate(picture) && isShown && erasedAtMs > at - lateMs) picture.owed = true;
    }
  }

  private checkNothingElse(): void {
    const allowed = new Map([...this.erasures].map(([id, { request }]) => [id, this.allowedTo(id, request)]));
    const check = (what: keyof Reached, id: string, { erasedBy }: Thing) => {
      if (erasedBy === undefined || erasedBy === latePicture) return;
      const reached = allowed.get(erasedBy);
      if (!reached?.[what].has(id) && !(what === 'jobs' && reached?.words.has(id)))
        this.report(
          `erasures: ${short(erasedBy)} has erased ${short(id)} of the ${what}, which it was not asked for`,
        );
    };
    for (const [id, picture] of this.pictures) {
      check('pictures', id, picture);
      if (picture.erasedBy === latePicture && this.jobs.get(picture.jobId ?? '')?.erasedBy === undefined)
        this.report(`erasures: the picture ${short(id)} was erased as late, and its job is there`);
    }
    for (const [id, job] of this.jobs) check('jobs', id, job);
    for (const [id, product] of this.products) check('products', id, product);
    for (const [id, record] of this.records) check('records', id, record);
  }

  /** What was kept for its days is erased, unless it is held. */
  private checkExpired(): void {
    const holds = [...this.holds.values()];
    const isOver = (until: number) => until < this.now() - lateMs;
    for (const [id, picture] of this.pictures) {
      const { erasedBy, retainedUntil, tenant } = picture;
      if (erasedBy !== undefined || !isOver(retainedUntil)) continue;
      if (holds.some((hold) => hold.tenant === tenant && this.coversPicture(hold, id, picture))) continue;
      this.report(`erasures: the days of the picture ${short(id)} are over, and it is there`);
    }
    for (const [id, job] of this.jobs) {
      const { erasedBy, retainedUntil, tenant } = job;
      if (erasedBy !== undefined || !isOver(retainedUntil)) continue;
      if (holds.some((hold) => hold.tenant === tenant && this.coversJob(hold, id, job))) continue;
      this.report(`erasures: the days of the job ${short(id)} are over, and its words are there`);
    }
  }

  /** No table and no message has a word of an erased job or product. */
  private checkTexts(): void {
    const { tables, deliveries, keys } = this.places;
    const rows = simulatedModels.flatMap(({ name }) =>
      [...tables.rowsOf(name).values()].map((row) => [name, JSON.stringify(row, plain)] as const),
    );
    const texts = [...rows, ...[...deliveries.values()].map(({ body }) => ['a message', body] as const)];
    const check = (id: string, word: string) => {
      for (const [place, text] of texts)
        if (text.includes(word))
          this.report(`erasures: ${place} has the words "${word}" of the erased ${short(id)}`);
    };
    for (const [jobId, { erasedBy, queued }] of this.jobs) {
      if (erasedBy === undefined) continue;
      // Photographs have the name of their batch, and one of them may be held.
      const isKept = [...this.jobs.values()].some(
        (other) => other.erasedBy === undefined && other.queued.displayName === queued.displayName,
      );
      if (!isKept) check(jobId, JSON.stringify(queued.displayName));
      if (keys.bodiesOf(jobId).some((hash) => hash !== erasedText))
        this.report(`erasures: an answer keeps the hash of the body of ${short(jobId)}`);
    }
    for (const [productId, { erasedBy, title }] of this.products)
      if (erasedBy !== undefined) check(productId, JSON.stringify(title));
  }

  /** After a restore an erasure also has what it had reached before. */
  private allowedTo(erasureId: string, request: Requested['request']): Reached {
    const reached = this.reached(request);
    if (!request.again) return reached;
    for (const as of ['begun', 'completed']) {
      const bytes = this.places.objects.get(`erasures/test/${erasureId}.${as}.json`);
      // The service wrote it: a record of another one is not followed.
      const kept = bytes && (JSON.parse(Buffer.from(bytes).toString()) as KeptErasure);
      kept?.pictures.forEach((id) => reached.pictures.add(id));
      [...(kept?.jobs ?? []), ...Object.keys(kept?.words ?? {})].forEach((id) => reached.jobs.add(id));
      kept?.products.forEach((id) => reached.products.add(id));
      Object.keys(kept?.records ?? {}).forEach((id) => reached.records.add(id));
    }
    return reached;
  }

  /** By the words of the interface: a job takes its pictures along, a batch its photographs, `derived` what was made. */
  private reached({ targets, derived }: Requested['request']): Reached {
    const reached: Reached = {
      pictures: new Set(),
      jobs: new Set(),
      words: new Set(),
      products: new Set(),
      records: new Set(),
    };
    const waiting = [...targets];
    const addPicture = (assetId: string) => {
      if (reached.pictures.has(assetId)) return;
      reached.pictures.add(assetId);
      if (!derived) return;
      for (const [jobId, job] of this.jobs)
        if (
          job.queued.inputs.some((input) => input.assetId === assetId) &&
          !this.isTooLate(jobId, job, assetId)
        )
          waiting.push({ kind: 'job', id: jobId });
    };
    const add = ({ kind, id }: ErasureTarget): void => {
      switch (kind) {
        case 'upload':
        case 'picture':
          return void (this.pictures.has(id) && addPicture(id));
        case 'product': {
          const product = this.products.get(id);
          if (product) reached.products.add(id);
          if (product && derived) product.assetIds.forEach(addPicture);
          return;
        }
        case 'record':
          return void (this.records.has(id) && reached.records.add(id));
        case 'words':
          return void (this.jobs.has(id) && reached.words.add(id));
        case 'render':
        case 'job': {
          const job = this.jobs.get(id);
          if (!job || reached.jobs.has(id)) return;
          reached.jobs.add(id);
          for (const child of job.queued.childJobIds ?? []) waiting.push({ kind: 'job', id: child });
          for (const assetId of this.picturesOf(id, job)) addPicture(assetId);
          return;
        }
        default:
          return kind satisfies never;
      }
    };
    for (let target = waiting.shift(); target; target = waiting.shift()) add(target);
    for (const id of reached.jobs) reached.words.delete(id);
    return reached;
  }

  /**
   * A job that a process queued with a picture that it did not know as erased yet. It can only fail, or be found by the
   * erasure in time.
   */
  private isTooLate(jobId: string, { queuedAt, erasedBy }: Job, assetId: string): boolean {
    const { erasedAt } = this.pictures.get(assetId) ?? {};
    if (erasedBy !== undefined || erasedAt === undefined || queuedAt < erasedAt) return false;
    return this.history.stateOf(jobId) !== 'succeeded';
  }

  private picturesOf(jobId: string, { shown }: Job): string[] {
    const stored = [...this.pictures].filter(([, picture]) => picture.jobId === jobId).map(([id]) => id);
    return [...stored, ...shown];
  }

  private coversJob(hold: LegalHold, jobId: string, { persons }: Job): boolean {
    return this.heldIds(hold).has(jobId) || isOnPerson(hold, persons);
  }

  private coversPicture(hold: LegalHold, assetId: string, { persons, jobId }: Picture): boolean {
    const maker = jobId === null ? undefined : this.jobs.get(jobId);
    const ids = this.heldIds(hold);
    // A job whose words are erased no longer tells its persons.
    const ofMaker = maker?.erasedBy === undefined ? (maker?.persons ?? []) : [];
    return (
      ids.has(assetId) || (jobId !== null && ids.has(jobId)) || isOnPerson(hold, [...persons, ...ofMaker])
    );
  }

  private heldIds({ jobId }: LegalHold): ReadonlySet<string> {
    if (jobId === null) return new Set();
    const { childJobIds = [], inputs = [] } = this.jobs.get(jobId)?.queued ?? {};
    return new Set([jobId, ...childJobIds, ...inputs.map(({ assetId }) => assetId)]);
  }
}

function isOnPerson({ dataSubject }: LegalHold, persons: readonly string[]): boolean {
  return dataSubject !== null && persons.includes(dataSubject);
}

/** The picture of a tenant that an attacker alters. */
function isFirst(assetId: string): boolean {
  return assetId.startsWith('01J');
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
