import { randomUUID } from 'node:crypto';
import type { DomainEventType, EventOfType } from '#domain/events.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import { streamName, type Environment, type StreamCategory } from '#domain/streams.js';
import type { NewEvent, RecordedEvent } from '#event-store/event-store.js';
import { v5 as uuidV5 } from 'uuid';

const namespace = '6f0d3c1e-8f0a-4f4e-9a51-0a2b6d1c7e55';

/** Second `n` of a day that is long over. */
export function at(second: number): string {
  return new Date(Date.UTC(2026, 5, 1, 12, 0, second)).toISOString();
}

/** An id of 26 characters of a ULID's alphabet; the same name gives the same id. */
export function idOf(name: string): string {
  const letters = uuidV5(name, namespace).replaceAll('-', '').toUpperCase();
  return `0${letters.slice(0, 25)}`;
}

interface Append {
  readonly stream: string;
  readonly event: NewEvent;
}

/**
 * A history, written event by event in the order of the log. A spec can bend each event before it is written;
 * that is how it plants an error.
 */
export class Story {
  readonly appends: Append[] = [];
  private second = 0;

  constructor(readonly environment: Environment = 'live') {}

  tell<Type extends DomainEventType>(
    category: StreamCategory,
    id: string,
    tenant: string,
    type: Type,
    data: Omit<EventOfType<Type>['data'], 'at'> & { at?: string },
  ): this {
    const time = at(this.second++);
    const stream = streamName(this.environment, category, id);
    const metadata = {
      requestId: idOf(`request of ${id}`),
      causationId: 'story',
      tenant,
      actor: 'operator',
      schemaVersion: 1,
      recordedAt: data.at ?? time,
    };
    const event = {
      id: randomUUID(),
      type,
      data: { at: time, ...data },
      metadata,
    };
    this.appends.push({ stream, event });
    return this;
  }

  account(tenant: string, credits = 100, dailySpendCapCredits = 0): this {
    const terms = { plan: 'standard', dailySpendCapCredits, monthlyCreditQuota: 0, rateLimitPerMin: 60 };
    this.tell('account', tenant, tenant, 'AccountOpened', { tenant, name: `Maison ${tenant}`, ...terms });
    return this.buy(tenant, credits);
  }

  buy(tenant: string, amount: number): this {
    const purchaseId = idOf(`purchase ${this.appends.length}`);
    return this.tell('account', tenant, tenant, 'CreditsPurchased', {
      purchaseId,
      kind: 'pack',
      amount,
      label: '=Pack "große", 1',
    });
  }

  /** The charge has the request's id, which is `r-{job}`. */
  debit(tenant: string, job: string, more: Partial<EventOfType<'CreditsDebited'>['data']> = {}): this {
    return this.tell('account', tenant, tenant, 'CreditsDebited', {
      chargeId: `r-${job}`,
      requestId: `r-${job}`,
      jobId: job,
      operation: 'look',
      endpoint: '/v1/look',
      amount: 5,
      ...more,
    });
  }

  queue(tenant: string, job: string, more: Partial<EventOfType<'JobQueued'>['data']> = {}): this {
    return this.tell('job', job, tenant, 'JobQueued', {
      jobId: job,
      tenant,
      requestId: `r-${job}`,
      chargeId: `r-${job}`,
      operation: 'look',
      jobType: 'LOOK',
      creditsCost: 5,
      displayName: 'Asha',
      request: { note: 'b a' },
      inputs: [],
      seed: 7,
      parentJobId: null,
      ...more,
    });
  }

  start(tenant: string, job: string, attempt = 1): this {
    return this.tell('job', job, tenant, 'RenderStarted', { attempt, worker: 'worker-1' });
  }

  stage(tenant: string, job: string): this {
    const artifacts = [artifact(`${job}-sketch`, 'intermediate', 'sketch')];
    return this.tell('job', job, tenant, 'StageCompleted', {
      stage: 'sketch',
      message: 'Sketched.',
      artifacts,
    });
  }

  /** A call of a vendor, and its answer. */
  call(tenant: string, job: string, call: string, attempt = 2): this {
    this.tell('job', job, tenant, 'EngineCalled', {
      call,
      step: call.split('.')[0]!,
      model: 'gpt',
      vendor: 'openai',
      attempt,
      idempotencyKey: 'k',
      tenant,
      operation: 'look',
    });
    return this.tell('job', job, tenant, 'EngineAnswered', {
      call,
      outcome: 'answered',
      vendorRequestId: `req of ${call}`,
      latencyMs: 900,
      units: 1,
      price: 0.04,
      currency: 'USD',
    });
  }

  succeed(tenant: string, job: string, attempt = 1): this {
    const artifacts = [
      artifact(`${job}-final`, 'final', 'on_model_render'),
      artifact(`${job}-who`, 'final', 'person'),
    ];
    const provenance = {
      engine: 'sketch',
      model: 'sketch-1',
      seed: 7,
      attempt,
      renderMs: 900,
      inputHashes: [],
    };
    return this.tell('job', job, tenant, 'JobSucceeded', { message: 'Finished.', artifacts, provenance });
  }

  fail(tenant: string, job: string, attempt = 1, more: Partial<EventOfType<'JobFailed'>['data']> = {}): this {
    return this.tell('job', job, tenant, 'JobFailed', {
      code: 'ENGINE_POLICY',
      message: 'Refused.',
      attempt,
      ...more,
    });
  }

  cancel(tenant: string, job: string): this {
    return this.tell('job', job, tenant, 'JobCancelled', { reason: 'Cancelled by the caller.' });
  }

  void(tenant: string, job: string): this {
    return this.tell('job', job, tenant, 'JobVoided', { chargeId: `r-${job}`, reason: 'orphaned', tenant });
  }

  settle(tenant: string, job: string, more: Partial<EventOfType<'CreditsSettled'>['data']> = {}): this {
    const data = { chargeId: `r-${job}`, jobId: job, amount: 5, ...more };
    return this.tell('account', tenant, tenant, 'CreditsSettled', data);
  }

  refund(tenant: string, job: string, more: Partial<EventOfType<'CreditsRefunded'>['data']> = {}): this {
    const data = { chargeId: `r-${job}`, jobId: job, amount: 5, reason: 'job-failed' as const, ...more };
    return this.tell('account', tenant, tenant, 'CreditsRefunded', data);
  }

  /** A job from its charge to its end. */
  job(tenant: string, job: string): this {
    return this.debit(tenant, job)
      .queue(tenant, job)
      .start(tenant, job)
      .stage(tenant, job)
      .succeed(tenant, job)
      .settle(tenant, job);
  }

  failedJob(tenant: string, job: string): this {
    return this.debit(tenant, job)
      .queue(tenant, job)
      .start(tenant, job)
      .fail(tenant, job)
      .refund(tenant, job);
  }

  orphan(tenant: string, job: string): this {
    return this.debit(tenant, job).void(tenant, job).refund(tenant, job, { reason: 'orphaned' });
  }

  /** A batch of two jobs; one of them fails. */
  batch(tenant: string, parent: string): this {
    const requestId = `r-${parent}`;
    const children = [`${parent}-0`, `${parent}-1`];
    children.forEach((jobId, index) =>
      this.debit(tenant, jobId, { chargeId: `${requestId}.${index}`, requestId, parentJobId: parent }),
    );
    this.queue(tenant, parent, { requestId, chargeId: null, creditsCost: 10, childJobIds: children });
    children.forEach((jobId, index) => {
      const lineage = { parentJobId: parent, childIndex: index };
      this.queue(tenant, jobId, { requestId, chargeId: `${requestId}.${index}`, ...lineage });
      this.start(tenant, jobId);
    });
    this.succeed(tenant, children[0]!).settle(tenant, children[0]!, { chargeId: `${requestId}.0` });
    this.fail(tenant, children[1]!).refund(tenant, children[1]!, { chargeId: `${requestId}.1` });
    const artifacts = [artifact(`${children[0]}-final`, 'final', 'on_model_render')];
    return this.tell('job', parent, tenant, 'JobSucceeded', {
      message: '1 of 2 photographs gave a result.',
      artifacts,
      provenance: null,
      failures: [{ arm: 'photos[1]', code: 'ENGINE_POLICY', message: 'Refused.' }],
    });
  }

  issueKey(tenant: string, keyId: string): this {
    return this.tell('key', keyId, tenant, 'ApiKeyIssued', {
      keyId,
      tenant,
      environment: this.environment,
      capabilities: ['jobs:create', 'jobs:read'],
      label: 'shop',
      secretHash: 'ab'.repeat(32),
    });
  }

  store(tenant: string, assetId: string): this {
    return this.tell('asset', assetId, tenant, 'AssetStored', {
      assetId,
      tenant,
      storageKey: `${tenant}/${assetId}.png`,
      contentType: 'image/png',
      width: 10,
      height: 20,
      sizeBytes: 300,
      sha256: 'cd'.repeat(32),
      likeness: 'ef01'.repeat(16),
      origin: 'upload',
      jobId: null,
    });
  }

  retire(tenant: string, assetId: string): this {
    return this.tell('asset', assetId, tenant, 'CatalogEntryRetired', { assetId, tenant, reason: 'dated' });
  }

  /** Known by a reference, and archived in the end. */
  product(tenant: string, productId: string): this {
    const images = [
      { assetId: idOf(productId), storageKey: 'k.png', sha256: 'cd'.repeat(32), role: 'primary' as const },
    ];
    const facts = { title: 'Coat', externalRef: 'sku', description: null, garmentCategoryId: null, images };
    const assigned = { externalRef: 'sku', productId, tenant };
    const made = `${productId} is made`;
    return this.tell('product', `of-${productId}`, tenant, 'ExternalRefAssigned', assigned)
      .called(made)
      .tell('product', productId, tenant, 'ProductRegistered', { productId, tenant, ...facts })
      .called(made)
      .tell('product', productId, tenant, 'ProductRevised', { ...facts, title: 'Long coat' })
      .called(`${productId} is posted`, 'product:again')
      .tell('product', productId, tenant, 'ProductArchived', { reason: 'sold out' })
      .called(`${productId} is archived`);
  }

  publish(presetId: string, kind: 'model' | 'shot' = 'model'): this {
    const image = {
      storageKey: `presets/${presetId}.png`,
      contentType: 'image/png',
      width: 1,
      height: 1,
      sha256: 'ef',
    };
    const data = { presetId, kind, label: 'Asha', spec: {}, image };
    return this.tell('preset', presetId, 'installation', 'PresetPublished', data);
  }

  /**
   * Marks a caller as the author of the last event: the caller's key and this call, not the service or an
   * operator.
   */
  called(call: string, causationId = 'story'): this {
    return this.bend(({ event }) => {
      event.metadata = { ...event.metadata, actor: 'key:shop', requestId: idOf(call), causationId };
    });
  }

  /** Erases the pictures and words of a job that has succeeded, and an upload and a product that it makes for this. */
  erase(tenant: string, job: string): this {
    const [assetId, productId] = [`upload-for-${job}`, `product-for-${job}`];
    const erasure = { tenant, erasureId: `erasure-of-${job}`, words: true };
    const images = [{ assetId, storageKey: 'k.png', sha256: 'cd'.repeat(32), role: 'primary' as const }];
    const facts = { title: 'Coat', externalRef: null, description: 'Wool', garmentCategoryId: null, images };
    return this.store(tenant, assetId)
      .tell('product', productId, tenant, 'ProductRegistered', { productId, tenant, ...facts })
      .tell('asset', assetId, tenant, 'PictureErased', { assetId, tenant, erasureId: erasure.erasureId })
      .tell('job', job, tenant, 'JobErased', {
        jobId: job,
        assetIds: [idOf(`${job}-final`), idOf(`${job}-who`)],
        ...erasure,
      })
      .tell('product', productId, tenant, 'ProductErased', { productId, assetIds: [assetId], ...erasure });
  }

  /** A person's release with a job that it permits, what an agent was offered, and how long things are kept. */
  persons(tenant: string, job: string): this {
    const [releaseId, holdId, assetId] = [`release of ${job}`, `hold of ${job}`, `picture of ${job}`].map(
      idOf,
    );
    const purpose = { uses: ['e-commerce'], territories: ['DE'] };
    const terms = { workflows: ['look'], ...purpose, expiresAt: at(800), fee: { amount: 5, unit: 'EUR' } };
    const granted = { releaseId: releaseId!, tenant, dataSubject: 'Mara', ...terms, document: 'shelf 4' };
    const offer = {
      offerId: idOf(`offer of ${job}`),
      tenant,
      keyId: 'key1',
      workflow: 'look',
      session: 'run 1',
    };
    const hashes = { bodyHash: 'ab'.repeat(32), confirmationHash: 'cd'.repeat(32) };
    const quote = { ...offer, ...hashes, body: { note: 'wool' }, credits: 5, expiresAt: at(700) };
    const content = { asset_id: assetId!, expires_at: at(800) };
    const notice = { noticeId: idOf(`notice of ${job}`), tenant, topic: 'picture.expiring', content };
    return this.tell('consent', tenant, tenant, 'ReleasesRequired', purpose)
      .tell('release', releaseId!, tenant, 'ModelReleaseGranted', granted)
      .debit(tenant, job)
      .queue(tenant, job, { permits: [`${releaseId}@0`] })
      .start(tenant, job)
      .succeed(tenant, job)
      .settle(tenant, job)
      .tell('spend', `key1-2026-06-01`, tenant, 'SpendOffered', quote)
      .tell('retention', tenant, tenant, 'RetentionRuleChanged', {
        days: { uploads: 30, intermediates: 7, finals: null, words: 90 },
      })
      .tell('hold', tenant, tenant, 'LegalHoldPlaced', {
        holdId: holdId!,
        jobId: job,
        dataSubject: null,
        reason: 'A dispute',
      })
      .tell('notice', notice.noticeId, tenant, 'NoticeGiven', { ...notice, path: `/v1/jobs/${job}` })
      .erasure(tenant, idOf(`erasure after ${job}`), assetId!)
      .tell('closing', tenant, tenant, 'TenantClosingProposed', { tenant, noticeDays: 30, by: 'ada' })
      .tell('closing', tenant, tenant, 'TenantClosingApproved', {
        by: 'ben',
        dueAt: at(900),
        suspended: false,
      });
  }

  /** An erasure of a picture whose time is over, from its order to its receipt. */
  erasure(tenant: string, erasureId: string, assetId: string): this {
    return this.tell('erasure', erasureId, tenant, 'ErasureRequested', {
      erasureId,
      tenant,
      targets: [{ kind: 'picture', id: assetId }],
      derived: false,
      by: 'retention',
      again: false,
    })
      .tell('erasure', erasureId, tenant, 'ErasureStepped', { step: 'vendors', counts: { calls: 1 } })
      .tell('erasure', erasureId, tenant, 'ErasureCompleted', { receipt: '{}', key: null, signature: null });
  }

  /** Bends the last event. */
  bend(
    change: (append: {
      stream: string;
      event: { -readonly [Name in keyof NewEvent]: NewEvent[Name] };
    }) => void,
  ) {
    const last = this.appends.at(-1)!;
    const bent = { stream: last.stream, event: structuredClone(last.event) };
    change(bent);
    this.appends[this.appends.length - 1] = bent;
    return this;
  }

  /**
   * The events as a store returns them. A key `stream@revision` in `revisions` overrides the n-th event's
   * revision.
   */
  recorded(): RecordedEvent[] {
    const revisions = new Map<string, bigint>();
    return this.appends.map(({ stream, event }, index) => {
      const revision = revisions.get(stream) ?? 0n;
      revisions.set(stream, revision + 1n);
      return { ...event, stream, revision, position: BigInt(index + 1) };
    });
  }
}

export function artifact(name: string, role: JobArtifact['role'], kind: string): JobArtifact {
  return {
    assetId: idOf(name),
    storageKey: `renders/${name}.png`,
    contentType: 'image/png',
    width: 1024,
    height: 1536,
    sha256: 'ab'.repeat(32),
    kind,
    role,
    label: name,
    meta: { zoom: 1.5, crop: 'full' },
  };
}

/** A valid history with something of every kind, for two tenants in the given environment. */
export function busyStory(environment: Environment = 'live', [first, second] = ['acme', 'bold']): Story {
  const story = new Story(environment);
  const [one, two] = [first, second];
  const named = (name: string) => `${name}-${environment}`;
  story.publish(named('preset')).account(one).account(two, 40, 30);
  story
    .issueKey(one, named('key'))
    .store(one, named('asset'))
    .called(named('upload'))
    .job(one, named('job1'))
    .failedJob(one, named('job2'));
  story.orphan(two, named('job3')).batch(two, named('batch'));
  story
    .debit(one, named('job4'))
    .queue(one, named('job4'))
    .cancel(one, named('job4'))
    .called(named('cancel'));
  story.refund(one, named('job4'), { reason: 'job-cancelled' });
  story
    .debit(one, named('job5'))
    .queue(one, named('job5'), {
      inputs: [
        { name: 'product_image', assetId: named('asset'), storageKey: 'k.png', sha256: 'cd'.repeat(32) },
      ],
    })
    .start(one, named('job5'))
    .start(one, named('job5'), 2);
  // Two steps; the second one takes two calls.
  for (const call of ['dressed.1', 'placed.1', 'placed.2']) story.call(one, named('job5'), call);
  story.succeed(one, named('job5'), 2).settle(one, named('job5'));
  story.tell('usage', two, two, 'RequestRejected', {
    requestId: `r-${named('refused')}`,
    operation: 'look',
    endpoint: '/v1/look',
    method: 'POST',
    httpStatus: 402,
    errorCode: 'INSUFFICIENT_BALANCE',
    errorMessage: 'Too little.',
    latencyMs: 3,
  });
  story.tell('key', named('key'), one, 'ApiKeyRetired', { retiresAt: at(900), successorKeyId: 'key9' });
  story.tell('key', named('key'), one, 'ApiKeyRevoked', { reason: 'lost' });
  story.tell('preset', named('preset'), 'installation', 'PresetRetired', { reason: 'old' });
  story.product(two, named('product')).persons(two, named('job6'));
  return story.erase(one, named('job5'));
}
