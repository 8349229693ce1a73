import { httpUrl } from '#platform/configuration.js';
import { messageOf } from '#platform/errors.js';
import { provideHomeSecrets, removeRuntime, writeRuntime } from '#platform/home-files.js';
import { thisProcess } from '#platform/processes.js';
import { EmbeddedDatabase, externalDatabase, migrateSchemas, type Database } from './database.js';
import { FirstStart, seedDemoTenant, type DemoKey } from './first-start.js';
import { settlePort } from './free-port.js';
import { lockHome, prepareHome, type HomeFolders } from './home.js';
import { Roles } from './roles/roles.js';
import type { StandaloneSettings } from './settings.js';

export interface StandaloneOptions {
  readonly settings: StandaloneSettings;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
  readonly warn: (line: string) => void;
  /** Whether a first start makes a tenant to play with, and its key. */
  readonly seedDemoTenant: boolean;
}

/** After a crash the API of before ends within this time, and gives its port back. */
const takeOverPatienceMs = 15_000;

/**
 * All roles, and the PostgreSQL server they need, as one thing that starts and stops. What was started is stopped in
 * reverse order, by `stop` and also when a later step of the start fails.
 */
export class Standalone {
  /** Only on the first start of an empty installation: this is the one time that the key can be shown. */
  demoKey: DemoKey | undefined;
  baseUrl = '';
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
    const { settings, signal } = this.options;
    const folders = prepareHome(settings.configuration.home);
    const port = await this.claim(folders);
    signal.throwIfAborted();
    const database = await this.openDatabase(folders);
    signal.throwIfAborted();
    const eventStoreUrl = () => settings.eventStoreUrl ?? database.url;
    const urls = { eventStoreUrl: eventStoreUrl(), databaseUrl: database.url };
    await migrateSchemas(urls);
    signal.throwIfAborted();
    {
      await using firstStart = await FirstStart.on({ ...settings.configuration, ...urls });
      await firstStart.publishPresets(this.options.warn);
    }
    signal.throwIfAborted();

    const secrets = provideHomeSecrets(folders.home);
    await this.startRoles(folders, () => ({
      URL_SIGNING_SECRET: secrets.urlSigningSecret,
      ATELIER_SIGNING_KEY: secrets.signingKey,
      ...settings.variables,
      ATELIER_HOME: folders.home,
      PORT: String(port),
      DATABASE_URL: database.url,
      EVENT_STORE_URL: eventStoreUrl(),
    }));
    if (this.options.seedDemoTenant) {
      const now = { eventStoreUrl: eventStoreUrl(), databaseUrl: database.url };
      await using firstStart = await FirstStart.on({ ...settings.configuration, ...now });
      await seedDemoTenant(folders.home, firstStart, (key) => (this.demoKey = key));
    }
    this.baseUrl = baseUrlOf(settings, port);
    this.publish(folders, database, eventStoreUrl());
  }

  /** Claims the home and the port, before anything slow is started. */
  private async claim({ home }: HomeFolders): Promise<number> {
    const lock = lockHome(home);
    this.started.defer(() => lock.release());
    const { host, port } = this.options.settings.configuration;
    return settlePort(host, port, lock.takenOver ? takeOverPatienceMs : 0);
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

  private async startRoles({ logs }: HomeFolders, environment: () => NodeJS.ProcessEnv): Promise<void> {
    const { signal, warn } = this.options;
    const roles = new Roles({ logs, environment, warn });
    this.roles = roles;
    this.started.defer(() => roles.stop());
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    await Promise.race([roles.start(), aborted]).finally(() => signal.removeEventListener('abort', abort));
  }

  /** Tells the operator's command where everything is. */
  private publish({ home }: HomeFolders, database: Database, eventStoreUrl: string): void {
    const { baseUrl } = this;
    if (baseUrl === '') return;
    writeRuntime(home, { process: thisProcess(), baseUrl, databaseUrl: database.url, eventStoreUrl });
    this.started.defer(() => removeRuntime(home));
  }
}

/** Where people reach the service. With PORT=0 the configuration's own URL cannot know the port. */
function baseUrlOf({ configuration, variables }: StandaloneSettings, port: number): string {
  return variables['PUBLIC_URL'] ? configuration.publicUrl : httpUrl(configuration.host, port);
}
