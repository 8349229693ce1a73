import { join } from 'node:path';
import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { proofOptions } from '#adapters/event-log.module.js';
import { createOperatorApp, OperatorContext } from '#adapters/operator-context.js';
import { defaultTerms, GrantCredits, OpenAccount } from '#application/account/manage-accounts.handler.js';
import { KeyModule } from '#application/key/key.module.js';
import { IssueKey, RevokeKey, type IssuedApiKey } from '#application/key/manage-keys.handler.js';
import { SeedPresets } from '#application/preset/manage-presets.handler.js';
import { PresetModule } from '#application/preset/preset.module.js';
import { signIn } from '#capabilities/parts.js';
import { categoryPrefix, environments } from '#domain/streams.js';
import { adoptHistory } from '#event-store/authentic/adopted-history.js';
import { EventMacs } from '#event-store/authentic/event-macs.js';
import { findUnproven } from '#event-store/authentic/unproven-events.js';
import { openEventStore, prepareEventStore, type EventStoreUrls } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import type { Configuration } from '#platform/configuration.js';
import { messageOf } from '#platform/errors.js';
import { newId } from '#platform/ids.js';
import { readHomeSecrets, readJson, rememberProof, writePrivateJson } from '#platform/home-files.js';
import { readModels } from '#projections/read-models.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { StartError } from './console.js';

/** Brings all schemas up to date. Idempotent. @throws StartError when no event store has such a URL */
export async function migrateSchemas(urls: EventStoreUrls): Promise<void> {
  try {
    await prepareEventStore(urls);
  } catch (error) {
    if (error instanceof RangeError) throw new StartError(error.message);
    throw error;
  }
  await migrateReadStore(urls.databaseUrl, readModels);
}

/**
 * Runs once for a home. It adopts the events of older releases; later events need proof. Meanwhile, no other
 * process may run on the home.
 */
export async function proveWriters(configuration: Configuration, signal: AbortSignal): Promise<void> {
  const { home } = configuration;
  const proof = proofOptions(configuration);
  if (!proof || readHomeSecrets(home).provesWriters) return;
  await using opened = await openEventStore(configuration, { maxConnections: 2, proof });
  const { store } = opened;
  const through = await store.head();
  const { unproven } = await findUnproven(store, new EventMacs(proof), { through, signal });
  if (through !== undefined && unproven.count > 0)
    await adoptHistory(store, { through, unproven: unproven.count, actor: 'npm start' }, systemClock());
  rememberProof(home);
}

const environment = 'test';

/** The writes of the standalone service itself: presets, and a demo tenant in the test environment. */
export class FirstStart extends OperatorContext {
  static async on(configuration: Configuration): Promise<FirstStart> {
    const { features = [] } = (await signIn?.homeOperator()) ?? {};
    const modules = [ObjectStorageModule, KeyModule, PresetModule, ...features];
    return new FirstStart(await createOperatorApp(configuration, modules), configuration);
  }

  /**
   * Publishes the presets of this release that are new or have changed. The service can do most of its work
   * without them. So if a bucket does not answer, the start warns and goes on.
   */
  async publishPresets(warn: (line: string) => void): Promise<void> {
    const seeded = await Promise.allSettled(
      environments.map((each) => this.execute(new SeedPresets(each, systemClock()))),
    );
    const failed = seeded.find((each) => each.status === 'rejected');
    if (!failed) return;
    warn(
      `the presets are not all published (${messageOf(failed.reason)}); "npm run atelier -- presets publish --all" does it`,
    );
  }

  /** True while the log has no account. The log may hold presets, because they come with the installation. */
  async isUntouched(): Promise<boolean> {
    const streamPrefixes = environments.map((each) => categoryPrefix(each, 'account'));
    const first = await this.store.readAll({ limit: 1, filter: { streamPrefixes }, unprovenToo: true });
    return first.length === 0;
  }

  /** Makes sure that the demo tenant exists, and fills up its credits if it has less than `least`. Repeatable. */
  async provide(tenant: string, least: number): Promise<void> {
    const terms = { name: 'Demo', terms: defaultTerms };
    await this.execute(new OpenAccount(this.context(environment, tenant), terms));
    const { state } = await this.accounts.read(environment, tenant);
    const balance = state.status === 'unopened' ? 0 : state.balance;
    if (balance >= least) return;
    const purchase = { amount: demoCredits - balance, kind: 'pack', label: 'Demo credits' } as const;
    await this.execute(new GrantCredits(this.context(environment, tenant), purchase));
  }

  issueKey(tenant: string, label: string): Promise<IssuedApiKey> {
    const capabilities = ['jobs:create', 'jobs:read'] as const;
    return this.execute(new IssueKey(this.context(environment, tenant), { capabilities, label }));
  }

  /** Makes an operator for the command beside this service, with a token in the home. */
  async provideOperator(home: string): Promise<void> {
    const operator = await signIn?.homeOperator();
    await operator?.provide(this, home);
  }

  async revokeKey(tenant: string, keyId: string, reason: string): Promise<void> {
    await this.execute(new RevokeKey(this.context(environment, tenant), keyId, reason));
  }
}

export interface DemoKey {
  readonly tenant: string;
  readonly key: string;
  readonly credits: number;
}

interface DemoTenantFile {
  readonly tenant: string;
  /** Whether the key was shown. If it was not, the next start issues another one. */
  readonly announced: boolean;
  /** The key of the last link that signed a browser in. */
  readonly linkKeyId?: string;
}

const demoCredits = 1_000;
/** With less than this, the demo and a link fill the credits up. */
export const leastCredits = 10;

function fileOf(home: string): string {
  return join(home, 'demo-tenant.json');
}

function readFileOf(home: string): DemoTenantFile | undefined {
  // Only this module writes the file, and it never leaves a partial one.
  return readJson(fileOf(home)) as DemoTenantFile | undefined;
}

/**
 * On the first start of an empty installation, makes a tenant to try the service with. The file with its name
 * is written first, so that the next start continues a start that died half-way.
 */
export async function seedDemoTenant(
  home: string,
  firstStart: FirstStart,
  show: (key: DemoKey) => void,
): Promise<void> {
  let file = readFileOf(home);
  if (!file) {
    if (!(await firstStart.isUntouched())) return;
    file = { tenant: newId(), announced: false };
    writePrivateJson(fileOf(home), file);
  }
  if (file.announced) return;
  const { tenant } = file;
  await firstStart.provide(tenant, demoCredits);
  const { key } = await firstStart.issueKey(tenant, 'first start');
  show({ tenant, key, credits: demoCredits });
  writePrivateJson(fileOf(home), { ...file, announced: true });
}

/** The tenant of `npm run demo`. A first start shows a key of the same tenant. */
export function demoTenantOf(home: string): string {
  const file = readFileOf(home);
  if (file) return file.tenant;
  const tenant = newId();
  writePrivateJson(fileOf(home), { tenant, announced: false });
  return tenant;
}

export const hasDemoTenant = (home: string) => readFileOf(home) !== undefined;

/** A key of the demo tenant for the browser that a link signs in. The key of an earlier link ends. */
export async function keyOfLink(configuration: Configuration): Promise<string> {
  const { home } = configuration;
  await using firstStart = await FirstStart.on(configuration);
  const tenant = demoTenantOf(home);
  await firstStart.provide(tenant, leastCredits);
  const { keyId, key } = await firstStart.issueKey(tenant, 'the link of npm start');
  const before = readFileOf(home);
  writePrivateJson(fileOf(home), { ...before, linkKeyId: keyId });
  if (before?.linkKeyId !== undefined)
    await firstStart.revokeKey(tenant, before.linkKeyId, 'a newer link has signed in');
  return key;
}
