import { ConfigurationError, loadConfiguration, type Configuration } from '#platform/configuration.js';
import { StartError } from './console.js';

export interface StandaloneSettings {
  readonly configuration: Configuration;
  /** The operator's own PostgreSQL; undefined: the embedded one. */
  readonly databaseUrl: string | undefined;
  readonly eventStoreUrl: string | undefined;
  /** Where all of this was taken from; the roles get it too. */
  readonly variables: NodeJS.ProcessEnv;
}

/**
 * Checks all settings before anything is started. What the standalone service provides by itself is filled in with
 * placeholders here, so that the roles' own rules decide over everything else.
 * @throws StartError naming every setting that is wrong
 */
export function loadSettings(variables: NodeJS.ProcessEnv = process.env): StandaloneSettings {
  const provided = { DATABASE_URL: 'postgres://embedded', URL_SIGNING_SECRET: 'generated' };
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value));
  try {
    return {
      configuration: loadConfiguration({ ...provided, ...given }),
      databaseUrl: given['DATABASE_URL'],
      eventStoreUrl: given['EVENT_STORE_URL'],
      variables: given,
    };
  } catch (error) {
    if (error instanceof ConfigurationError)
      throw new StartError(`${error.message} (docs/configuration.md lists all settings)`);
    throw error;
  }
}
