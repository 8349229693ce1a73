import type { Environment } from '#domain/streams.js';

/** Everything that workers store for one job: the prefix of the storage keys, which ends with a slash. */
export function rendersOf(environment: Environment, tenant: string, jobId: string): string {
  return `${environment}/${tenant}/renders/${jobId}/`;
}

/** The part of it with vendors' answers, which are kept for a day. */
export function callsOf(environment: Environment, tenant: string, jobId: string): string {
  return `${rendersOf(environment, tenant, jobId)}calls/`;
}
