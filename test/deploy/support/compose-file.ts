import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const root = join(import.meta.dirname, '..', '..', '..');
export const composePath = join(root, 'docker-compose.yml');

export interface Dependency {
  readonly condition: 'service_started' | 'service_healthy' | 'service_completed_successfully';
  readonly required?: boolean;
}

/** The parts that our rules read. The schema checks that the rest is well formed. */
export interface Service {
  readonly image: string;
  readonly build?: string;
  readonly user?: string;
  readonly profiles?: readonly string[];
  readonly restart?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly env_file?: readonly unknown[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly volumes?: readonly (string | { source?: string; target: string; read_only?: boolean })[];
  readonly depends_on?: Readonly<Record<string, Dependency>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, string | number>> } };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export const composeText = readFileSync(composePath, 'utf8');

// The types cover the part of the Compose specification's schema that this repository uses.
export const compose = parse(composeText, { merge: true }) as ComposeFile;

/** Names and services, for `it.each`. */
export const services = Object.entries(compose.services);

export function readRepositoryFile(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
