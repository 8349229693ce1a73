import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copiesOfCapabilities } from '#capabilities/parts.js';
import { copyEvents, type CopyResult } from '../copy/copy-events.js';
import { CopyRefused } from '#event-store/walk-log.js';
import { proofOptions, wordsOptions } from '#adapters/event-log.module.js';
import { adoptHistory } from '#event-store/authentic/adopted-history.js';
import { EventMacs } from '#event-store/authentic/event-macs.js';
import {
  EventStoreError,
  EventStoreRefused,
  UnprovenEvent,
  type EventStore,
} from '#event-store/event-store.js';
import {
  locationOf,
  openEventStore,
  openHistorySealer,
  prepareEventStore,
  type OpenedEventStore,
  type ProofOptions,
} from '#event-store/open-event-store.js';
import type { HistorySealer } from '#event-store/history-sealer.js';
import { ExportedLog, NotAnExport } from '../copy/exported-log.js';
import { settingOf, type Configuration } from '#platform/configuration.js';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.js';
import { messageOf } from '#platform/errors.js';
import { findSecretFiles, readRuntime } from '#platform/home-files.js';
import { findConfiguration } from '#operator-calls/find-configuration.js';
import { printJson, printLine, printProperties, printTable } from '#operator-calls/output.js';
import { withProgress } from '../command/progress.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { OutputOptions } from '#operator-calls/verb.js';
import { personAtTerminal } from '../connected-operator.js';
import { moveCheckpoints, type CheckpointMove } from './copy-checkpoints.js';

export interface CopyEventsOptions extends OutputOptions {
  /** If absent, the source is the service's own event store. */
  readonly from?: string;
  readonly to: string;
  readonly checkpoints?: CheckpointMove;
  /** Encrypts the personal words that the source has as plain text. */
  readonly seal?: boolean;
}

/** Stands for the URL of the PostgreSQL that `npm start` brings along, whose port changes with each start. */
const embedded = 'embedded';

function embeddedUrl(configuration: Configuration | undefined): string {
  if (configuration && !settingOf(process.env, 'DATABASE_URL')) return configuration.databaseUrl;
  throw new CallRefused('with DATABASE_URL there is no embedded PostgreSQL: give the address of the store');
}

/** The exit code is 0 only if both stores hold the same and the checkpoints are as requested. */
export async function copyHistory(options: CopyEventsOptions): Promise<void> {
  const { checkpoints, seal = false, json } = options;
  const wantsEmbedded = [options.from, options.to].includes(embedded);
  // The service is opened first: without its database, an hour of copying would be in vain.
  const needsService = seal || options.from === undefined || checkpoints !== undefined || wantsEmbedded;
  await using service = needsService ? await openService() : undefined;
  const urlOf = (given: string) => (given === embedded ? embeddedUrl(service?.configuration) : given);
  const sourceUrl =
    options.from === undefined ? (service?.configuration.eventStoreUrl ?? '') : urlOf(options.from);
  const to = urlOf(options.to);
  const isFile = !/^[a-z0-9+]+:\/\//.test(sourceUrl);
  const places = { from: isFile ? resolve(sourceUrl) : locationOf(sourceUrl), to: locationOf(to) };
  if (places.from === places.to) throw new CallRefused(`--from and --to are the same store: ${places.to}`);
  if (isFile) requireFile(sourceUrl, '--from: ');
  // A file needs no closing.
  const proof = proofOfService(service?.configuration);
  await using sealing = seal ? await openSealing(service?.configuration, proof, isFile) : undefined;
  // With the proof, the copy stops at an event that the service did not write.
  await using opened = isFile ? undefined : await openStore(sourceUrl, '--from', proof);
  const source = opened ?? { store: new ExportedLog(places.from) };
  await using target = await openStore(to, '--to');
  await prepare(to);

  const startedAt = performance.now();
  const result = await copyWithProgress(source, target, proof && new EventMacs(proof), sealing?.sealer);
  const seconds = (performance.now() - startedAt) / 1000;
  if (proof) await adoptCopied(to, proof, result);
  if (sealing && service && result.verified) await repeatErasures(to, service.configuration);
  let moved: string | undefined;
  let complaint = complaintAbout(result);
  if (checkpoints && service && complaint === undefined) {
    if (result.sourceGrew)
      complaint = 'the source is still being written to, so the checkpoints stay as they are: stop all roles';
    else {
      const { databaseUrl } = service.configuration;
      const stores = { source: source.store, target: target.store };
      moved = await moveCheckpoints(checkpoints, { databaseUrl, ...stores, ...places });
      // A file is a backup. Only its operator knows whether it is the newest.
      if (!isFile)
        for (const copies of await copiesOfCapabilities())
          await copies.moved?.(service.configuration, stores, {
            by: personAtTerminal(),
            reason: `events copy from ${places.from} to ${places.to}`,
          });
    }
  }
  print(result, { ...places, seconds, moved, seal, json: json === true });
  if (result.sourceGrew) {
    process.stderr.write(
      'atelier: the source was written to meanwhile: stop what writes to it and run the same command again, which copies the rest\n',
    );
  }
  if (complaint !== undefined) throw new CallRefused(complaint);
}

function complaintAbout({ verified, differences }: CopyResult): string | undefined {
  if (verified) return undefined;
  const names = differences.map(({ stream }) => stream).join(', ');
  return `NOT verified: the target and the source differ (${names}); copy into an empty store`;
}

type Opened = Pick<OpenedEventStore, 'store'>;

async function copyWithProgress(
  source: Opened,
  target: Opened,
  macs: EventMacs | undefined,
  sealer: HistorySealer | undefined,
): Promise<CopyResult> {
  try {
    if (sealer) await requireOtherLog(source.store, target.store);
    return await withProgress(
      'stopped: run the same command again, and it goes on from here',
      (signal, onProgress) =>
        copyEvents({ source: source.store, target: target.store, macs, sealer, signal, onProgress }),
    );
  } catch (error) {
    throw explained(error);
  }
}

/** An operator can do something about these errors. */
function explained(error: unknown): unknown {
  if (error instanceof UnprovenEvent)
    return new CallRefused(
      `${error.message}; neither this event nor any later one is copied: restore the source, or adopt its history ("atelier events adopt", docs/seals.md)`,
    );
  const says = [CopyRefused, NotAnExport, EventStoreRefused];
  if (error instanceof Error && says.some((kind) => error instanceof kind))
    return new CallRefused(error.message);
  if (error instanceof EventStoreError)
    return new CallRefused(
      `${error.message}; run the same command again when the store works, and it goes on from here`,
    );
  return error;
}

/**
 * The proof options of the service that this command finds, if it finds one: a copy between two other places
 * needs none.
 */
function proofOfService(configuration: Configuration | undefined): ProofOptions | undefined {
  try {
    return proofOptions(configuration ?? findConfiguration());
  } catch (error) {
    if (error instanceof CallRefused) return undefined;
    throw error;
  }
}

/** @throws CallRefused without a key that encrypts words or proves events, and for a source whose proofs are not checked */
async function openSealing(
  configuration: Configuration | undefined,
  proof: ProofOptions | undefined,
  isFile: boolean,
) {
  if (isFile)
    throw new CallRefused(
      '--from: --seal copies from a store, which checks that each event proves its writer: first copy the file into an empty store without --seal',
    );
  const { masterKey, accepted } = configuration ? wordsOptions(configuration) : {};
  if (!configuration || masterKey === undefined)
    throw new CallRefused(
      '--seal needs ATELIER_MASTER_KEY, which wraps the keys of personal words: set it to the key of the service (docs/privacy.md)',
    );
  if (!proof)
    throw new CallRefused(
      '--seal needs ATELIER_SIGNING_KEY, because an event with other bytes needs a new proof: set it to the key of the service',
    );
  try {
    return await openHistorySealer(configuration, {
      words: { masterKey, ...(accepted && { accepted }) },
      proof,
    });
  } catch (error) {
    throw new CallRefused(`the keys of personal words cannot be opened: ${messageOf(error)}`);
  }
}

/** Two addresses may lead to one store, and a store that was restored from a dump has the log of the dump. */
async function requireOtherLog(source: EventStore, target: EventStore): Promise<void> {
  if ((await source.identity()) === (await target.identity()))
    throw new CallRefused('--from and --to hold the same log: --seal copies into an empty store');
}

/**
 * Events from before the source's adoption have other positions in the target, so the target gets an adoption
 * of its own. While events without proof count anyway, it gets none: the operator adopts them in the end.
 */
async function adoptCopied(
  eventStoreUrl: string,
  proof: ProofOptions,
  { verified, unproven }: CopyResult,
): Promise<void> {
  if (!verified || unproven === 0 || proof.acceptUnproven) return;
  await using target = await openStore(eventStoreUrl, '--to', proof);
  const through = await target.store.head();
  if (through === undefined) return;
  await adoptHistory(target.store, { through, unproven, actor: 'operator' }, new Date());
}

/** Encrypted, words can be erased that an erasure had to leave in the source. */
async function repeatErasures(eventStoreUrl: string, configuration: Configuration): Promise<void> {
  const { databaseUrl, keysUrl } = configuration;
  await using opened = await openEventStore(
    { eventStoreUrl, databaseUrl, keysUrl },
    { proof: proofOptions(configuration), words: wordsOptions(configuration) },
  );
  try {
    for (const copies of await copiesOfCapabilities()) await copies.sealed?.(opened);
  } catch (error) {
    throw explained(error);
  }
}

async function openStore(
  eventStoreUrl: string,
  option: string,
  proof?: ProofOptions,
): Promise<OpenedEventStore> {
  try {
    // The copy neither reads nor writes the snapshots that would be kept in this database.
    return await openEventStore({ eventStoreUrl, databaseUrl: 'postgres://not-used' }, { proof });
  } catch (error) {
    if (error instanceof RangeError) throw new CallRefused(`${option}: ${error.message}`);
    throw error;
  }
}

/** @throws CallRefused */
export function requireFile(path: string, option = ''): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new CallRefused(
      `${option}${path} is no file: give one that "atelier events export --output" has written`,
    );
}

/** A target in PostgreSQL may be a new database without tables. */
async function prepare(eventStoreUrl: string): Promise<void> {
  if (!/^postgres(?:ql)?:/.test(eventStoreUrl)) return;
  try {
    await prepareEventStore({ eventStoreUrl, databaseUrl: eventStoreUrl });
  } catch (error) {
    throw new CallRefused(`${locationOf(eventStoreUrl)} cannot be prepared: ${messageOf(error)}`);
  }
}

interface Circumstances {
  readonly json: boolean;
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  readonly moved: string | undefined;
  readonly seal: boolean;
}

function print(result: CopyResult, { from, to, seconds, moved, seal, json }: Circumstances): void {
  const { verified, copied, sealed, source, target, differences, sourceGrew } = result;
  const rounded = Math.round(seconds * 10) / 10;
  if (json)
    return printJson({
      verified,
      from,
      to,
      copied,
      ...(seal && { sealed }),
      source,
      target,
      seconds: rounded,
      source_grew: sourceGrew,
      checkpoints: moved ?? 'unchanged',
      differences: differences.map(({ stream, sourceEvents, targetEvents }) => ({
        stream,
        source_events: sourceEvents,
        target_events: targetEvents,
      })),
    });
  const sides = [
    { side: 'from', place: from, ...source },
    { side: 'to', place: to, ...target },
  ];
  printTable(sides, {
    '': ({ side }) => side,
    store: ({ place }) => place,
    events: ({ events }) => events,
    streams: ({ streams }) => streams,
    [`SHA-256 over ${seal ? 'what all streams mean' : 'all streams'}`]: ({ sha256 }) => sha256,
  });
  printLine();
  printProperties([
    ['copied now', `${copied} events in ${rounded} s, reading and verifying included`],
    ...(seal ? [['encrypted now', `the personal words of ${sealed} events`] as const] : []),
    ['verified', verified ? 'yes: the same events at the same revisions' : 'NO'],
    ['checkpoints', moved ?? 'unchanged'],
  ]);
}

/**
 * Opens the service whose history is copied. The last copy before a move is made while nothing runs, so the
 * database of an `npm start` is down too. In that case it runs for as long as the copy takes.
 * @throws CallRefused if there is no service
 */
export async function openService(): Promise<AsyncDisposable & { readonly configuration: Configuration }> {
  const home = resolve(process.env['ATELIER_HOME'] || '.atelier');
  const postgres = join(home, 'postgres');
  if (settingOf(process.env, 'DATABASE_URL') || readRuntime(home) || !existsSync(postgres))
    return { configuration: findConfiguration(), [Symbol.asyncDispose]: () => Promise.resolve() };
  const server = await startEmbeddedPostgres({
    dataDirectory: postgres,
    logFile: join(home, 'logs', 'postgres.log'),
  });
  const configuration = findConfiguration({
    ...findSecretFiles(home),
    ...process.env,
    DATABASE_URL: server.url,
  });
  // A server that was running before is left running: another process will end it.
  const stop = () => (server.alreadyRunning ? Promise.resolve() : server.stop());
  return { configuration, [Symbol.asyncDispose]: stop };
}
