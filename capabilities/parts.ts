import type { DynamicModule, Type } from '@nestjs/common';
import type { DispatchCheck } from '#application/dispatch/dispatch-check.js';
import type { ReuseCheck } from '#application/picture/reuse-check.js';
import type { PictureFinisher } from '#application/render/finished-pictures.js';
import type { TellsOfJobs } from '#operator-calls/told-of-jobs.js';
import type { Noun } from '#operator-calls/noun.js';
import type { AnyEventFamily } from '#domain/event-family.js';
import type { StreamCategory } from '#domain/streams.js';
import type { LogCopies } from '#operator-calls/copied-log.js';
import type { Health } from '#operator-calls/health.js';
import type { AuditRules, HistoryAudit } from '#operator-calls/history-audit.js';
import type { RedoneWork } from '#operator-calls/redone-work.js';
import type { ErasesWords } from '#read-store/erases-words.js';
import type { ReadModel } from '#read-store/read-model.js';
import type { Capability, DeclaredSignIn, RecordsOfPersons, RoleModules } from './capability.js';
import { installed, type Installed } from './installed.js';

/** The Nest modules that capabilities add to a role. Only that role loads them. */
export function modulesFor(role: keyof RoleModules): Promise<DynamicModule>[] {
  return installed.flatMap(({ modules }) => {
    const load = modules?.[role];
    return load ? [load()] : [];
  });
}

/** The read models of the capabilities. */
export async function readModelsOfCapabilities(): Promise<readonly ReadModel<object>[]> {
  const loaded = await Promise.all(installed.flatMap(({ readModels }) => (readModels ? [readModels()] : [])));
  return loaded.flat();
}

/** The checks before each dispatch that is about persons. */
export function dispatchChecks(): Promise<Type<DispatchCheck>[]> {
  return Promise.all(installed.flatMap(({ dispatchChecks: loads = [] }) => loads.map((load) => load())));
}

/** The checks before an upload of the same picture is given again. */
export function reuseChecks(): Promise<Type<ReuseCheck>[]> {
  return Promise.all(installed.flatMap(({ reuseChecks: loads = [] }) => loads.map((load) => load())));
}

/** The finishers that each picture passes through before it is stored. */
export function pictureFinishers(): Promise<Type<PictureFinisher>[]> {
  return Promise.all(installed.flatMap(({ pictureFinishers: loads = [] }) => loads.map((load) => load())));
}

/** Reads the Content Credentials of uploads; undefined: no capability reads them. */
export const credentialsIn = installed.find((capability) => capability.credentialsIn)?.credentialsIn;

/** Computes the perceptual hash of a picture; undefined: no capability has one. */
export const likenessOf = installed.find((capability) => capability.likenessOf)?.likenessOf;

/** Finds the seal that covers an event; undefined: no capability seals the log. */
export const sealOf = installed.find((capability) => capability.sealOf)?.sealOf;

/** Checks proofs of sealed events; undefined: no capability seals the log. */
export const checksProof = installed.find((capability) => capability.checksProof)?.checksProof;

/** The capabilities' records of the messages that they sent to integrators about jobs. */
export function tellers(): Promise<TellsOfJobs[]> {
  return Promise.all(installed.flatMap(({ tellsOfJobs }) => (tellsOfJobs ? [tellsOfJobs()] : [])));
}

/** Empties the capabilities' own tables of what they say about erased jobs. */
export function erasersOfCapabilities(): Promise<ErasesWords[]> {
  return Promise.all(installed.flatMap(({ erases }) => (erases ? [erases()] : [])));
}

/** The capabilities' records about persons, by category. */
export async function recordsOfPersons(): Promise<ReadonlyMap<StreamCategory, RecordsOfPersons>> {
  const loaded = await Promise.all(installed.flatMap((each) => each.recordsOfPersons?.() ?? []));
  return new Map(loaded.map((records) => [records.category, records]));
}

/** The capabilities' work that a restored log lacks. */
export function redoneWorks(): Promise<RedoneWork[]> {
  return Promise.all(installed.flatMap(({ redone }) => (redone ? [redone()] : [])));
}

/** Signs statements; undefined: no capability does. */
export const signs = installed.find((capability) => capability.signs)?.signs;

/** The topics of the capabilities' notices to integrators. */
export const declaredNotices = installed.flatMap(({ notices = [] }) => notices);

/** The streams of all capabilities that are about one log. */
export const logStreams: ReadonlySet<string> = new Set(
  installed.flatMap((capability) => capability.logStreams ?? []),
);

/** The secrets of `npm start` that capabilities add to its own. */
export const secretFiles = installed.flatMap((capability) => capability.secretFiles ?? []);

type ToldBy<Each> =
  Each extends Capability<string, readonly AnyEventFamily[], object, infer Tells> ? Tells : never;
type Together<Part> = (Part extends object ? (part: Part) => void : never) extends (all: infer All) => void
  ? All & object
  : never;

/** The names of the capabilities' checks in the audit. */
export type CheckOfCapability = ToldBy<Installed>['check'];
/** The capabilities' parts of an audit's report. */
export type AuditOfCapabilities = Together<ToldBy<Installed>['audit']>;
/** The capabilities' parts of the report of `atelier now`, by name. */
export type NowOfCapabilities = {
  readonly [
    Each in Installed as [ToldBy<Each>['now']] extends [never] ? never : Each['name']
  ]: ToldBy<Each>['now'];
};

/** The rules of the capabilities' checks in the audit. */
// Each is declared with these names.
export const rulesOfCapabilities = Object.assign(
  {},
  ...installed.map((capability) => capability.audit?.rules),
) as AuditRules<CheckOfCapability>;

/** The checks that the capabilities add to the audit. */
export function auditsOfCapabilities(): Promise<HistoryAudit[]> {
  return Promise.all(installed.flatMap(({ audit }) => (audit ? [audit.load()] : [])));
}

/** The health of the capabilities that report it, by name. */
export function healthOfCapabilities(): Promise<(readonly [keyof NowOfCapabilities, Health])[]> {
  const telling = installed.flatMap(({ name, health }) => (health ? [{ name, health }] : []));
  // A capability that reports its health also has a part in `atelier now`.
  const load = async (each: (typeof telling)[number]) =>
    [each.name as keyof NowOfCapabilities, await each.health()] as const;
  return Promise.all(telling.map(load));
}

/** The capabilities' work after a log was copied. */
export function copiesOfCapabilities(): Promise<LogCopies[]> {
  return Promise.all(installed.flatMap(({ copies }) => (copies ? [copies()] : [])));
}

const namedNouns = installed.flatMap((capability) => Object.entries(capability.nouns));

/** The nouns of the operators' command. Several capabilities may add to one. */
export const nouns: Readonly<Record<string, readonly Noun[]>> = Object.fromEntries(
  [...Map.groupBy(namedNouns, ([name]) => name)].map(([name, of]) => [name, of.map(([, noun]) => noun)]),
);

/** The compiled server of the operators' API; undefined if no capability has one. */
export const operatorsServer = installed.find((capability) => capability.operatorsServer)?.operatorsServer;

/** How operators sign in; undefined: no capability signs them in, and their server does not run. */
export const signIn: DeclaredSignIn | undefined = installed.find((capability) => capability.signIn)?.signIn;
