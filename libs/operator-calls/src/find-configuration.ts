import {
  ConfigurationError,
  homeOf,
  loadConfiguration,
  settingOf,
  withProvided,
  type Configuration,
} from '#platform/configuration.js';
import { findSecretFiles, readHomeSecrets, readRuntime, withHomeSecrets } from '#platform/home-files.js';
import { CallRefused } from './call-refused.js';

/**
 * The settings of the service for this command. With DATABASE_URL they come from the environment, as for every
 * role in production. Without it they come from the `npm start` that runs on ATELIER_HOME.
 * @throws CallRefused when no service runs there, or a setting is wrong
 */
export function findConfiguration(variables: NodeJS.ProcessEnv = process.env): Configuration {
  try {
    // The secret signs URLs of pictures, which no verb makes.
    const provided = { DATABASE_URL: 'postgres://of-the-running-service', URL_SIGNING_SECRET: 'unused' };
    const given = withProvided(variables, provided);
    if (settingOf(variables, 'DATABASE_URL')) return loadConfiguration(given);
    const configuration = loadConfiguration({ ...findSecretFiles(homeOf(given)), ...given });
    const { home } = configuration;
    const running = readRuntime(home);
    if (!running)
      throw new CallRefused(
        `no service runs on ${home}: run "npm start" there first, or set ATELIER_HOME or DATABASE_URL`,
      );
    const { databaseUrl, eventStoreUrl, baseUrl: publicUrl } = running;
    const known = withHomeSecrets(configuration, readHomeSecrets(home));
    return { ...known, databaseUrl, eventStoreUrl, publicUrl };
  } catch (error) {
    if (error instanceof ConfigurationError) throw new CallRefused(error.message);
    throw error;
  }
}
