import type { DynamicModule, Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type {
  Follows,
  HousekeepingTask,
  ProcessManager,
} from '#application/process-managers/process-manager.js';
import type { Noun } from '#operator-calls/noun.js';
import type { TellsOfJobs } from '#operator-calls/told-of-jobs.js';
import type { ReplayedFold } from '#operator-calls/replayed-fold.js';
import type { AnyEventFamily } from '#domain/event-family.js';
import type { HomeOperator, SignIn, SignInDescription, SignInParts } from '#operator-calls/sign-in.js';
import type { SettingsReader } from '#platform/configuration.js';
import type { EngineFamily } from '#platform/engine-families.js';
import type { QueueKind } from '#render-queue/render-queue.js';

/** Code that only some processes need, and only they load. */
type Load<T> = () => Promise<T>;

/** Nest modules, by the role that they belong to. */
export interface RoleModules {
  readonly api?: Load<DynamicModule>;
  readonly projector?: Load<DynamicModule>;
  readonly worker?: Load<DynamicModule>;
}

/**
 * What a capability declares: plain arrays, which the kernel loops over. The declaration itself is data, because every
 * process reads it; code stands behind an `import()`.
 */
export interface Capability<
  Name extends string = string,
  Events extends readonly AnyEventFamily[] = readonly AnyEventFamily[],
  Settings extends object = object,
> {
  readonly name: Name;
  /** Its event families. */
  readonly events: Events;
  /** The families of image models that it draws with, by the name that the registry calls each. */
  readonly engines?: Readonly<Record<string, EngineFamily>>;
  /**
   * Reads its settings: parts of the configuration, by name. A part that the kernel has as well gets them beside its own.
   */
  readonly settings: (settings: SettingsReader) => Settings;
  /** What it adds to the roles. Each process manager and task of housekeeping is a provider of the projector's module. */
  readonly modules: RoleModules;
  readonly processManagers: readonly (Follows & { readonly load: Load<Type<ProcessManager>> })[];
  readonly housekeeping: readonly Load<Type<HousekeepingTask>>[];
  readonly queues: readonly QueueKind<never>[];
  /** The calls of operators: each is a route of their API and a verb of their command. */
  readonly nouns: Readonly<Record<string, Noun>>;
  /** The sections of openapi.json for its routes. */
  readonly tags: readonly (readonly [name: string, about: string])[];
  /** The server of the operators' API, which `npm start` starts at its first request. */
  readonly operatorsServer?: URL;
  /** What it has told integrators of a job, for operators who look at the job. */
  readonly tellsOfJobs?: Load<TellsOfJobs>;
  /** The folds of its streams by category, for `atelier replay`. None for a stream that is a list of facts. */
  readonly folds: Readonly<Record<string, Load<() => ReplayedFold>>>;
  /** Adds to openapi.json what no decorator of a route says. */
  readonly describe?: Load<(document: OpenAPIObject) => void>;
  /** Tells the operators' server who asks. One capability at most declares it. */
  readonly signIn?: DeclaredSignIn;
}

export interface DeclaredSignIn {
  readonly open: Load<(parts: SignInParts) => SignIn>;
  readonly homeOperator: Load<HomeOperator>;
  readonly describe: Load<SignInDescription>;
}
