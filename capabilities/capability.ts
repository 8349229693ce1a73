import type { DynamicModule, Type } from '@nestjs/common';
import type { Command } from '@nestjs/cqrs';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Handled } from '#application/aggregate.js';
import type { CommandContext } from '#application/command-context.js';
import type { FoundCredentials } from '#application/picture/found-credentials.js';
import type { DispatchCheck } from '#application/dispatch/dispatch-check.js';
import type { ReuseCheck } from '#application/picture/reuse-check.js';
import type { PictureFinisher } from '#application/render/finished-pictures.js';
import type {
  Follows,
  HousekeepingTask,
  LogWatcher,
  ProcessManager,
} from '#application/process-managers/process-manager.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import type { Noun } from '#operator-calls/noun.js';
import type { TellsOfJobs } from '#operator-calls/told-of-jobs.js';
import type { ReplayedFold } from '#operator-calls/replayed-fold.js';
import type { AnyEventFamily } from '#domain/event-family.js';
import type { Environment, StreamCategory } from '#domain/streams.js';
import type { LogCopies } from '#operator-calls/copied-log.js';
import type { Health } from '#operator-calls/health.js';
import type { AuditRules, HistoryAudit } from '#operator-calls/history-audit.js';
import type { HomeOperator, SignIn, SignInDescription, SignInParts } from '#operator-calls/sign-in.js';
import type { SettingsReader } from '#platform/configuration.js';
import type { EngineFamily } from '#platform/engine-families.js';
import type { SecretFile } from '#platform/secret-file.js';
import type { RedoneWork } from '#operator-calls/redone-work.js';
import type { SignsStatements } from '#operator-calls/signs-statements.js';
import type { Queries } from '#read-store/data-source.js';
import type { ErasesWords } from '#read-store/erases-words.js';
import type { ReadModel } from '#read-store/read-model.js';
import type { QueueKind } from '#render-queue/render-queue.js';

/** Code that only some processes need, and only they load. */
type Load<T> = () => Promise<T>;

/** Nest modules, by the role that they belong to. */
export interface RoleModules {
  readonly api?: Load<DynamicModule>;
  readonly projector?: Load<DynamicModule>;
  readonly worker?: Load<DynamicModule>;
}

/** The types that a capability adds to reports about the whole installation. */
export interface Told {
  /** The names of its checks in the audit. */
  readonly check: string;
  /** Its part of an audit's report. */
  readonly audit: object;
  /** Its part of the report of `atelier now`. */
  readonly now: object;
}

interface Nothing {
  readonly check: never;
  readonly audit: never;
  readonly now: never;
}

/**
 * The declaration of a capability: plain arrays, which the kernel loops over. It is data alone, because every
 * process reads it; code stands behind an `import()`.
 */
export interface Capability<
  Name extends string = string,
  Events extends readonly AnyEventFamily[] = readonly AnyEventFamily[],
  Settings extends object = object,
  Tells extends Told = Nothing,
> {
  readonly name: Name;
  /** Its event families. */
  readonly events: Events;
  /** The families of image models that it draws with, by their names in the registry. */
  readonly engines?: Readonly<Record<string, EngineFamily>>;
  /**
   * Streams that it writes about one log. A copy of the log leaves them out, and only the capability's own
   * checks audit them.
   */
  readonly logStreams?: readonly string[];
  /**
   * Reads its settings: parts of the configuration, by name. If the kernel has a part of the same name, the
   * settings are added to that part.
   */
  readonly settings: (settings: SettingsReader) => Settings;
  /** Secrets of `npm start`, each in a file of its own. */
  readonly secretFiles?: readonly SecretFile[];
  /**
   * Its Nest modules for each role. Process managers, watchers and housekeeping tasks are providers of the
   * projector's module.
   */
  readonly modules?: RoleModules;
  /**
   * Its read models. The projector folds them, `migrate` makes their tables, and rebuilds and the audit compare
   * their rows.
   */
  readonly readModels?: Load<readonly ReadModel<object>[]>;
  readonly processManagers?: readonly (Follows & { readonly load: Load<Type<ProcessManager>> })[];
  /** The name is also that of the lock under which one projector watches, so it must not change. */
  readonly watchers?: readonly { readonly name: string; readonly load: Load<Type<LogWatcher>> }[];
  readonly housekeeping?: readonly Load<Type<HousekeepingTask>>[];
  /** Providers of the API's module, which are asked before each dispatch that is about persons. */
  readonly dispatchChecks?: readonly Load<Type<DispatchCheck>>[];
  /** Providers of the API's module, which are asked before an upload of the same picture is given again. */
  readonly reuseChecks?: readonly Load<Type<ReuseCheck>>[];
  /** Providers of the worker's module, which each finished picture passes through before it is stored. */
  readonly pictureFinishers?: readonly Load<Type<PictureFinisher>>[];
  /** Reads the Content Credentials in the bytes of an upload, which are kept. At most one capability declares it. */
  readonly credentialsIn?: Load<ReadsCredentials>;
  /** Computes the perceptual hash of a job's final picture. At most one capability declares it. */
  readonly likenessOf?: Load<FindsLikeness>;
  /** Finds the seal that covers an event. At most one capability declares it. */
  readonly sealOf?: Load<FindsSeal>;
  /** Checks that an event was sealed, without a service. At most one capability declares it. */
  readonly checksProof?: Load<ChecksProof>;
  readonly queues?: readonly QueueKind<never>[];
  /** The calls of operators: each is a route of their API and a verb of their command. */
  readonly nouns: Readonly<Record<string, Noun>>;
  /** The topics of the notices that it gives to integrators. */
  readonly notices?: readonly DeclaredNotice[];
  /** The sections of openapi.json for its routes. */
  readonly tags?: readonly (readonly [name: string, about: string])[];
  /** The program of the operators' API, by its place in `dist`. `npm start` starts it at the first request. */
  readonly operatorsServer?: string;
  /** Reads the messages that it has sent to integrators about a job, for operators who look at the job. */
  readonly tellsOfJobs?: Load<TellsOfJobs>;
  /** Empties its own tables of what they say about erased jobs. */
  readonly erases?: Load<ErasesWords>;
  /** Its records about persons. */
  readonly recordsOfPersons?: Load<RecordsOfPersons>;
  /** Signs statements of this installation with a key that is outside the database. At most one capability declares it. */
  readonly signs?: Load<SignsStatements>;
  /** The folds of its streams by category, for `atelier replay`. A stream that is a list of facts has none. */
  readonly folds?: Readonly<Record<string, Load<() => ReplayedFold>>>;
  /** Adds to openapi.json what no decorator of a route says. */
  readonly describe?: Load<(document: OpenAPIObject) => void>;
  /** The checks that it adds to the audit. */
  readonly audit?: {
    readonly rules: AuditRules<Tells['check']>;
    readonly load: Load<HistoryAudit<Tells['audit']>>;
  };
  /** Its health, for `atelier doctor`, `now` and `status`. */
  readonly health?: Load<Health<Tells['now']>>;
  /** Its work that a restored log lacks, for the restore drill. */
  readonly redone?: Load<RedoneWork>;
  /** Its work after a log was copied. */
  readonly copies?: Load<LogCopies>;
  /** Identifies the sender of each request to the operators' server. At most one capability declares it. */
  readonly signIn?: DeclaredSignIn;
}

/** A topic of notices (`GiveNotice`). Webhooks send them. */
export interface DeclaredNotice {
  /** For example `picture.expiring`. It is stored. */
  readonly topic: string;
  /** When it is given. */
  readonly summary: string;
  /** By field of the content: its schema in openapi.json. */
  readonly content: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A signature under a range of the log, by which its events can be checked later. */
export interface CoveringSeal {
  readonly number: number;
  /** The root of the tree over the range, in hex. */
  readonly root: string;
  /** The public half of the key that signed. */
  readonly key: string;
  /** ISO 8601, UTC. */
  readonly sealedAt: string;
}

/** An event that was in the log when it was sealed. */
export interface ProvenEvent {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly seal: CoveringSeal;
}

/** Checks proofs under a public key, which is given as text or as the name of a file that holds it. */
export interface ChecksProof {
  /** @throws CallRefused if the key cannot be read */
  publicKeyFrom(key: string): string;
  /**
   * @param proof its text
   * @returns undefined if the proof does not hold
   * @throws CallRefused if the key cannot be read, or the proof is not JSON
   */
  proven(proof: string, key: string): ProvenEvent | undefined;
}

/**
 * Records about persons that a capability keeps beside pictures, jobs and products. Each has a stream of its own, whose
 * family declares `ownKeys`. Erasures and archives of a person take them along.
 */
export interface RecordsOfPersons {
  readonly category: StreamCategory;
  /** The read model that finds them. */
  readonly readModel: string;
  /**
   * The ids of a person's records in their order; without a name, of all persons of the tenant. Erased records are not among
   * them.
   */
  find(
    database: Queries,
    person: { readonly environment: Environment; readonly tenant: string; readonly name?: string },
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<string[]>;
  /** Ends the record and says that its words are erased. May be repeated; a record that is not there is refused. */
  erase(context: CommandContext, id: string, erasureId: string): Command<Handled<unknown, unknown>>;
}

/** Undefined: no seal covers the event yet. */
export type FindsSeal = (store: EventStore, event: RecordedEvent) => Promise<CoveringSeal | undefined>;

/** Undefined: the picture has none. Never throws: the bytes may be anything. */
export type ReadsCredentials = (bytes: Buffer) => FoundCredentials | undefined;

/** In hex. Undefined: nothing tells the picture from others. */
export type FindsLikeness = (bytes: Uint8Array) => Promise<string | undefined>;

export interface DeclaredSignIn {
  readonly open: Load<(parts: SignInParts) => SignIn>;
  readonly homeOperator: Load<HomeOperator>;
  readonly describe: Load<SignInDescription>;
}

export type AnyCapability = Capability<string, readonly AnyEventFamily[], object, Told>;
