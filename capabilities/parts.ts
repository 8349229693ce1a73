import type { DynamicModule } from '@nestjs/common';
import type { TellsOfJobs } from '#operator-calls/told-of-jobs.js';
import type { Noun } from '#operator-calls/noun.js';
import type { DeclaredSignIn, RoleModules } from './capability.js';
import { installed } from './installed.js';

/** The Nest modules that capabilities add to a role. Only that role loads them. */
export function modulesFor(role: keyof RoleModules): Promise<DynamicModule>[] {
  return installed.flatMap(({ modules }) => {
    const load = modules[role];
    return load ? [load()] : [];
  });
}

/** Those who have told integrators of jobs. */
export function tellers(): Promise<TellsOfJobs[]> {
  return Promise.all(installed.flatMap(({ tellsOfJobs }) => (tellsOfJobs ? [tellsOfJobs()] : [])));
}

/** The nouns of the operators' command, with their calls. */
export const nouns: Readonly<Record<string, Noun>> = Object.assign(
  {},
  ...installed.map((capability) => capability.nouns),
);

/** The compiled server of the operators' API; undefined where operators have none. */
export const operatorsServer = installed.find((capability) => capability.operatorsServer)?.operatorsServer;

/** How operators sign in; undefined: no capability signs them in, and their server does not run. */
export const signIn: DeclaredSignIn | undefined = installed.find((capability) => capability.signIn)?.signIn;
