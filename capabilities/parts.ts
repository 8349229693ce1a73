import type { DynamicModule } from '@nestjs/common';
import type { TellsOfJobs } from '#cli/jobs/told-of-jobs.js';
import type { Noun } from '#cli/noun.js';
import type { RoleModules } from './capability.js';
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

/** The nouns of the operators' command. */
export const nounsOfCapabilities: Readonly<Record<string, Noun>> = Object.fromEntries(
  installed.flatMap(({ nouns }) => Object.entries(nouns)),
);

/** The calls of operators, by the file that exports them. */
export async function callsOfCapabilities(): Promise<Record<string, object>> {
  const files = installed.flatMap(({ calls }) => Object.entries(calls));
  return Object.fromEntries(
    await Promise.all(files.map(async ([file, load]) => [file, await load()] as const)),
  );
}
