import { ConfigurationError, loadConfiguration } from '#platform/configuration.js';
import { readHomeSecrets } from '#platform/home-secrets.js';
import { readRuntime } from '#platform/runtime-file.js';
import { CliError } from './cli-error.js';

/** Where the service is that this command is about. */
export interface Connections {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly baseUrl: string;
  /** What the signing secrets of keys derive from; undefined: there are none. */
  readonly signingKey: string | undefined;
  /** How old a charge without a job must be before it counts as orphaned, unless a verb is told otherwise. */
  readonly orphanHorizonMs: number;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * With DATABASE_URL the environment decides, as for every role in production; without it the `npm start` that runs on
 * ATELIER_HOME does.
 * @throws CliError when nothing runs there, or a setting is wrong
 */
export function findConnections(variables: Variables = process.env): Connections {
  try {
    // The secret signs URLs of pictures, which no verb makes.
    const provided = { DATABASE_URL: 'postgres://of-the-running-service', URL_SIGNING_SECRET: 'unused' };
    const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value));
    const configuration = loadConfiguration({ ...provided, ...given });
    const { orphanHorizonMs } = configuration.projector;
    if (given['DATABASE_URL']) {
      const { databaseUrl, eventStoreUrl, publicUrl, signingKey } = configuration;
      return { databaseUrl, eventStoreUrl, baseUrl: publicUrl, signingKey, orphanHorizonMs };
    }
    const runtime = readRuntime(configuration.home);
    if (runtime) {
      const signingKey = configuration.signingKey ?? readHomeSecrets(configuration.home).signingKey;
      return { ...runtime, signingKey, orphanHorizonMs };
    }
    throw new CliError(
      `nothing runs on ${configuration.home}: run "npm start" there first, or set ATELIER_HOME or DATABASE_URL`,
    );
  } catch (error) {
    if (error instanceof ConfigurationError) throw new CliError(error.message);
    throw error;
  }
}
