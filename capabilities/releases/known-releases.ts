import { Inject, Injectable } from '@nestjs/common';
import { LogFollower } from '#application/follow-log.js';
import { categoryPrefix, environments, parseStreamName, type Environment } from '#domain/streams.js';
import { decode } from '#domain/stored-events.js';
import type { DomainEvent } from '#domain/events.js';
import { EventStore, EventStoreUnavailable, type RecordedEvent } from '#event-store/event-store.js';
import { Logger } from '#platform/logger.js';
import { inTime } from '#platform/retry.js';
import { Database } from '#read-store/database.js';
import { workflowOf } from '#workflows/workflows.js';
import { rowsAsOf } from '#read-store/rows-as-of.js';
import { permitOf } from './release-uses.read-model.js';
import {
  covers,
  evolveRelease,
  evolveRule,
  initialRule,
  type KnownRelease,
  type ReleaseRule,
} from './release.js';
import type { ReleaseRuleRow } from './releases.read-model.js';
import { releaseOfRow, type StoredRelease } from './stored-release.js';
import { consentFamily, releaseFamily, type ConsentEvent, type ReleaseEvent } from './release.events.js';

const families = [releaseFamily, consentFamily];

/** How long a dispatch waits for the releases after the start of the process. */
const patienceMs = 2_000;

export interface AskedOfRelease {
  /** A name of the workflow table. */
  readonly operation: string;
  /** ISO 8601. */
  readonly at: string;
}

interface At<Value> {
  readonly value: Value;
  /** The revision of the last event that made the value. */
  readonly revision: bigint;
}

/**
 * The releases that are in force and the rules of all tenants, in memory. It reads the rows once, and then follows
 * the log from the position that they show. A change by this process counts when its command has returned
 * ({@link put}); a change by another process within a tenth of a second, like all announcements.
 *
 * A release takes about a kilobyte. Those that end while the process runs stay until its end.
 */
@Injectable()
export class KnownReleases extends LogFollower {
  protected readonly filter = {
    types: families.flatMap(({ upcasters }) => Object.keys(upcasters)),
    streamPrefixes: environments.flatMap((environment) =>
      families.map(({ category }) => categoryPrefix(environment, category)),
    ),
  };
  protected readonly complaint = 'releases that other processes grant or withdraw do not arrive';

  /** By environment and id. */
  private readonly releases = new Map<string, At<KnownRelease>>();
  /** The releases of a person, oldest first, by environment, tenant and name. */
  private readonly ofPersons = new Map<string, Set<string>>();
  /** By environment and tenant. */
  private readonly rules = new Map<string, At<ReleaseRule>>();
  private readonly read = Promise.withResolvers<void>();
  private isRead = false;
  /** Up to here, all events have been heard. */
  private heard: bigint | undefined;
  private readonly waiting = new Map<() => void, bigint>();
  /** Where the log ended when the rows were read. */
  private end: bigint | undefined;

  constructor(
    store: EventStore,
    @Inject(Database) private readonly database: Database,
    @Inject(Logger) logger: Logger,
  ) {
    super(store, logger);
  }

  /** @throws EventStoreUnavailable while the releases are still being read */
  async whenRead(): Promise<void> {
    if (this.isRead) return;
    const late = () => new EventStoreUnavailable('The releases of the tenants are still being read');
    await this.within(() => this.read.promise, patienceMs, late);
  }

  /** @throws EventStoreUnavailable unless the log has been heard up to this position within two seconds */
  async whenHeard(position: bigint): Promise<void> {
    await this.whenRead();
    if (this.heard !== undefined && this.heard >= position) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.set(resolve, position);
    const late = () => new EventStoreUnavailable('The latest changes of releases have not been heard yet');
    await this.within(() => promise, patienceMs, late).finally(() => this.waiting.delete(resolve));
  }

  /** Whether the release allows the workflow, or the photographs of the batch. An unknown release has ended. */
  covers(environment: Environment, releaseId: string, { operation, at }: AskedOfRelease): boolean {
    const release = this.releases.get(keyOf(environment, releaseId))?.value;
    if (!release) return false;
    const purpose = this.rule(environment, release.tenant);
    return covers(release, { workflow: workflowAsked(operation), purpose, at });
  }

  rule(environment: Environment, tenant: string): ReleaseRule {
    return this.rules.get(keyOf(environment, tenant))?.value ?? initialRule;
  }

  /** The permit of the person's oldest release that covers the workflow; undefined: none does. */
  permit(
    environment: Environment,
    tenant: string,
    dataSubject: string,
    { operation, at }: AskedOfRelease,
  ): string | undefined {
    const asked = { workflow: workflowAsked(operation), purpose: this.rule(environment, tenant), at };
    for (const key of this.ofPersons.get(keyOf(environment, tenant, dataSubject)) ?? []) {
      const known = this.releases.get(key);
      if (known && covers(known.value, asked)) return permitOf(known.value.releaseId, known.revision);
    }
    return undefined;
  }

  /** A release that this process has just written. */
  put(environment: Environment, value: KnownRelease, revision: bigint): void {
    const { releaseId, tenant, dataSubject } = value;
    const key = keyOf(environment, releaseId);
    if ((this.releases.get(key)?.revision ?? -1n) >= revision) return;
    const before = this.releases.get(key)?.value.dataSubject;
    this.releases.set(key, { value, revision });
    const person = keyOf(environment, tenant, dataSubject);
    if (before !== undefined && before !== dataSubject) {
      const former = keyOf(environment, tenant, before);
      this.ofPersons.get(former)?.delete(key);
      if (this.ofPersons.get(former)?.size === 0) this.ofPersons.delete(former);
    }
    this.ofPersons.set(person, (this.ofPersons.get(person) ?? new Set()).add(key));
  }

  /** A rule that this process has just written. */
  putRule(environment: Environment, tenant: string, value: ReleaseRule, revision: bigint): void {
    const key = keyOf(environment, tenant);
    if ((this.rules.get(key)?.revision ?? -1n) < revision) this.rules.set(key, { value, revision });
  }

  /** A simulation waits in its own time. @throws the error of `late` */
  protected within(work: () => Promise<void>, ms: number, late: () => Error): Promise<void> {
    return inTime(work, ms, late);
  }

  protected override async firstPosition(): Promise<bigint | undefined> {
    this.end = await this.store.head();
    const positions = await Promise.all(environments.map((environment) => this.readRows(environment)));
    const first = positions.reduce((lower, each) =>
      lower === undefined || each === undefined ? undefined : each < lower ? each : lower,
    );
    this.reach(first);
    return first;
  }

  /** @returns the position up to which all of its events are known */
  private async readRows(environment: Environment): Promise<bigint | undefined> {
    const [releases, rules] = await Promise.all([
      rowsAsOf<StoredRelease>(this.database, environment, 'releases', "status = 'active'"),
      rowsAsOf<StoredRule>(this.database, environment, 'release_rules', 'true'),
    ]);
    const byAge = releases.rows.toSorted((one, other) => (one.release_id < other.release_id ? -1 : 1));
    for (const row of byAge) this.put(environment, releaseOfRow(row), BigInt(row.revision));
    for (const { tenant, releases: need, uses, territories, revision } of rules.rows)
      this.putRule(
        environment,
        tenant,
        { required: need === 'required', uses, territories },
        BigInt(revision),
      );
    const [one, other] = [releases.position, rules.position];
    return one === undefined || other === undefined ? undefined : one < other ? one : other;
  }

  protected hear(events: readonly RecordedEvent[], position: bigint): void {
    for (const recorded of events) {
      const name = parseStreamName(recorded.stream);
      if (!name) continue;
      const { environment, category, id } = name;
      const event: DomainEvent = decode(recorded);
      // The filter passes the streams of these two families only.
      if (category === 'consent') this.hearRule(environment, id, event as ConsentEvent, recorded.revision);
      else this.hearRelease(environment, id, event as ReleaseEvent, recorded.revision);
    }
    this.reach(position);
  }

  private hearRelease(environment: Environment, id: string, event: ReleaseEvent, revision: bigint): void {
    const known = this.releases.get(keyOf(environment, id));
    // A release that had ended when the rows were read is not among them.
    if (known ? known.revision >= revision : event.type !== 'ModelReleaseGranted') return;
    this.put(environment, evolveRelease(known?.value, event), revision);
  }

  private hearRule(environment: Environment, tenant: string, event: ConsentEvent, revision: bigint): void {
    const rule = evolveRule(this.rule(environment, tenant), event);
    this.putRule(environment, tenant, rule, revision);
  }

  private reach(position: bigint | undefined): void {
    this.heard = position;
    for (const [resolve, wanted] of this.waiting) if (position !== undefined && position >= wanted) resolve();
    if (this.isRead || (this.end !== undefined && (position === undefined || position < this.end))) return;
    this.isRead = true;
    this.read.resolve();
  }
}

/** A batch is allowed or not like its photographs. */
const workflowAsked = (operation: string): string => workflowOf(operation).batch?.workflow ?? operation;

/** PostgreSQL's text holds no NUL. */
const keyOf = (environment: Environment, ...rest: string[]): string => [environment, ...rest].join('\0');

type StoredRule = ReleaseRuleRow;
