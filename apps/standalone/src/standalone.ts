import {
  type Configuration,
  ConfigurationError,
  httpUrl,
  loadConfiguration,
  settingOf,
  withProvided,
} from '#platform/configuration.js';
import { operatorsServer, signIn } from '#capabilities/parts.js';
import { messageOf } from '#platform/errors.js';
import {
  provideHomeSecrets,
  provideSecretFiles,
  removeRuntime,
  withHomeSecrets,
  writeRuntime,
} from '#platform/home-files.js';
import { packagePath } from '#platform/package-folder.js';
import { thisProcess } from '#platform/processes.js';
import { asksForLinks, type LinkAnswer } from '#platform/sign-in-link.js';
import { StartError } from './console.js';
import { type Database, EmbeddedDatabase, externalDatabase } from './database.js';
import type { DemoKey } from './first-start.js';
import { type HomeFolders, lockHome, prepareHome, settlePort } from './home.js';
import { Roles } from './roles/roles.js';
import { printsLink, SignInLink } from './sign-in-link.js';

export interface StandaloneOptions {
  readonly settings: StandaloneSettings;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
  readonly warn: (line: string) => void;
  /** Whether a first start makes a demo tenant with a key. */
  readonly seedDemoTenant: boolean;
}

/** After a crash the old API ends within this time and frees its port. */
const takeOverPatienceMs = 15_000;

/**
 * Starts and stops all roles together with their PostgreSQL server. `stop` ends them in reverse order. If a
 * step of the start fails, the parts that were started are ended in the same way.
 */
export class Standalone {
  /** Set only on the first start of an empty installation, because the key can be shown only then. */
  demoKey: DemoKey | undefined;
  baseUrl = '';
  /** The address of the operators' API. Undefined: it is switched off. */
  adminUrl: string | undefined;
  /** Signs a browser in to the console. Undefined for installations of other settings or with tenants of their own. */
  link: SignInLink | undefined;
  /** Notes for the operator on the secret files that this start has made. */
  readonly notes: string[] = [];
  private readonly started = new AsyncDisposableStack();
  private roles: Roles | undefined;

  private constructor(private readonly options: StandaloneOptions) {}

  /** @throws StartError; or the signal's reason, when it was aborted */
  static async start(options: StandaloneOptions): Promise<Standalone> {
    const standalone = new Standalone(options);
    try {
      await standalone.startAll();
      return standalone;
    } catch (error) {
      await standalone.stop();
      throw options.signal.aborted ? options.signal.reason : error;
    }
  }

  stop(): Promise<void> {
    return this.started.disposeAsync();
  }

  private async startAll(): Promise<void> {
    const { settings, signal, warn } = this.options;
    const folders = prepareHome(settings.configuration.home);
    const port = await this.claim(folders);
    const adminPort = await this.adminPort();
    signal.throwIfAborted();
    const urls = () => ({ eventStoreUrl: settings.eventStoreUrl ?? database.url, databaseUrl: database.url });
    const secretFiles = await provideSecretFiles(folders.home, (note) => this.notes.push(note));
    const roles = this.loadRoles(folders, () => {
      const secrets = provideHomeSecrets(folders.home);
      const { eventStoreUrl, databaseUrl } = urls();
      const provided = {
        URL_SIGNING_SECRET: secrets.urlSigningSecret,
        ATELIER_SIGNING_KEY: secrets.signingKey,
        ATELIER_MASTER_KEY: secrets.masterKey,
      };
      return {
        ...secretFiles,
        ...withProvided(settings.variables, provided),
        ATELIER_HOME: folders.home,
        PORT: String(port),
        ...(adminPort !== undefined && { ATELIER_ADMIN_PORT: String(adminPort) }),
        ...(this.mayLink && { [asksForLinks]: '1' }),
        DATABASE_URL: databaseUrl,
        EVENT_STORE_URL: eventStoreUrl,
      };
    });
    // Our own libraries are loaded while the database starts, too.
    const [database, { FirstStart, hasDemoTenant, keyOfLink, migrateSchemas, proveWriters, seedDemoTenant }] =
      await Promise.all([this.openDatabase(folders), import('./first-start.js')]);
    // They end before their database does, which was opened after them.
    this.started.defer(() => roles.stop());
    signal.throwIfAborted();
    const known = withHomeSecrets(settings.configuration, provideHomeSecrets(folders.home));
    const configuration = { ...known, ...urls() };
    await migrateSchemas(configuration);
    signal.throwIfAborted();
    await proveWriters(configuration, signal);
    await using firstStart = await FirstStart.on(configuration);
    signal.throwIfAborted();

    const presets = firstStart.publishPresets(warn);
    try {
      await this.start(roles);
    } finally {
      await presets;
    }
    if (this.options.seedDemoTenant)
      await seedDemoTenant(folders.home, firstStart, (key) => (this.demoKey = key));
    if (this.mayLink && hasDemoTenant(folders.home))
      this.link = new SignInLink(() => keyOfLink({ ...known, ...urls() }));
    this.baseUrl = baseUrlOf(settings, port);
    if (operatorsServer && adminPort !== undefined) {
      await firstStart.provideOperator(folders.home);
      const { host } = settings.configuration.admin;
      await roles.openAdmin(packagePath('dist', operatorsServer), host, adminPort);
      this.adminUrl = httpUrl(host, adminPort);
    }
    this.publish(folders, database, urls().eventStoreUrl);
  }

  /** Claims the home and the port, before anything slow is started. */
  private async claim({ home }: HomeFolders): Promise<number> {
    const lock = lockHome(home);
    this.started.defer(() => lock.release());
    const { host, port } = this.options.settings.configuration;
    return settlePort(host, port, lock.takenOver ? takeOverPatienceMs : 0);
  }

  /**
   * Undefined if the operators' API is switched off or not installed, or if no capability signs operators in.
   */
  private async adminPort(): Promise<number | undefined> {
    const { enabled, host, port } = this.options.settings.configuration.admin;
    return operatorsServer && signIn && enabled
      ? settlePort(host, port ?? 0, 0, 'ATELIER_ADMIN_PORT')
      : undefined;
  }

  private async openDatabase(folders: HomeFolders): Promise<Database> {
    const { settings, warn } = this.options;
    const database = settings.databaseUrl
      ? await externalDatabase(settings.databaseUrl)
      : await EmbeddedDatabase.start(folders, {
          onRestarting: () => warn('PostgreSQL has stopped; it is started again'),
          onRestarted: (moved) => {
            warn('PostgreSQL runs again');
            if (!moved) return;
            this.publish(folders, database, settings.eventStoreUrl ?? database.url);
            this.roles?.restart();
          },
          onFailure: (error) => warn(messageOf(error)),
        });
    this.started.defer(() => database.stop());
    return database;
  }

  private loadRoles({ logs }: HomeFolders, environment: () => NodeJS.ProcessEnv): Roles {
    const { settings, warn } = this.options;
    const takeLink = (token: string) => this.takeLink(token);
    const roles = new Roles({ logs, variables: settings.variables, environment, takeLink, warn });
    this.roles = roles;
    this.started.defer(() => roles.stop());
    roles.load();
    return roles;
  }

  private get mayLink(): boolean {
    const { settings, seedDemoTenant } = this.options;
    return seedDemoTenant && printsLink(settings.configuration, settings.variables);
  }

  private async takeLink(token: string): Promise<LinkAnswer> {
    const warn = (because: unknown) => this.options.warn(`the link gave no key: ${messageOf(because)}`);
    return (await this.link?.take(token, warn)) ?? { kind: 'unknown' };
  }

  private async start(roles: Roles): Promise<void> {
    const { signal } = this.options;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    await Promise.race([roles.start(), aborted]).finally(() => signal.removeEventListener('abort', abort));
  }

  /** Writes for the operator's command where everything is. */
  private publish({ home }: HomeFolders, database: Database, eventStoreUrl: string): void {
    const { baseUrl, adminUrl } = this;
    if (baseUrl === '') return;
    const urls = { baseUrl, databaseUrl: database.url, eventStoreUrl, ...(adminUrl && { adminUrl }) };
    writeRuntime(home, { process: thisProcess(), ...urls });
    this.started.defer(() => removeRuntime(home));
  }
}

/** The address of the service for people. With PORT=0, the configuration's own URL has no port. */
function baseUrlOf({ configuration, variables }: StandaloneSettings, port: number): string {
  return variables['PUBLIC_URL'] ? configuration.publicUrl : httpUrl(configuration.host, port);
}

export interface StandaloneSettings {
  readonly configuration: Configuration;
  /** The operator's own PostgreSQL; undefined: the embedded one. */
  readonly databaseUrl: string | undefined;
  readonly eventStoreUrl: string | undefined;
  /** The variables that these settings came from. The roles get them too. */
  readonly variables: NodeJS.ProcessEnv;
}

/**
 * Checks all settings before anything is started. Settings that the standalone service provides itself get
 * placeholders here, so that the roles' own rules check all others.
 * @throws StartError that names every wrong setting
 */
export function loadSettings(variables: NodeJS.ProcessEnv = process.env): StandaloneSettings {
  const provided = { DATABASE_URL: 'postgres://embedded', URL_SIGNING_SECRET: 'generated' };
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value));
  try {
    return {
      configuration: loadConfiguration(withProvided(given, provided)),
      databaseUrl: settingOf(given, 'DATABASE_URL'),
      eventStoreUrl: settingOf(given, 'EVENT_STORE_URL'),
      variables: given,
    };
  } catch (error) {
    if (error instanceof ConfigurationError)
      throw new StartError(`${error.message} (docs/configuration.md lists all settings)`);
    throw error;
  }
}
