import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { installed, type Installed } from '#capabilities/installed.js';
import { errorCode } from './errors.js';
import { sandboxAlone } from './image-models.js';
import { readModelRegistry } from './model-registry.js';

/** All of a union's members at once. */
type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** All settings of a role's process. `docs/configuration.md` explains each of them. */
export type Configuration = KernelConfiguration & Together<ReturnType<Installed['settings']>>;

type KernelConfiguration = Readonly<ReturnType<typeof readKernel>>;

/** Where pictures are kept: an S3 bucket, or a folder whose URLs are signed with our own secret. */
export type StorageConfiguration = Readonly<ReturnType<typeof readStorage>>;

/** The token that the configuration is injected by. */
export const Configuration = Symbol('Configuration');

/** Names every wrong setting, and says what it should be. Never shows a value that may be secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * The value of a setting, or the content of the file that `{name}_FILE` names, because orchestrators mount
 * secrets as files. Undefined: neither is set. @throws ConfigurationError when the file cannot be read
 */
export function settingOf(variables: EnvironmentVariables, name: string): string | undefined {
  const { [name]: value, [`${name}_FILE`]: path } = variables;
  if (value || !path) return value || undefined;
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    throw new ConfigurationError(`${name}_FILE names ${path}, which cannot be read (${errorCode(error)})`);
  }
}

/** The variables. A provided value is added for each setting that is given neither by name nor by file. */
export function withProvided(
  given: EnvironmentVariables,
  provided: Readonly<Record<string, string>>,
): Readonly<Record<string, string | undefined>> {
  const missing = Object.entries(provided).filter(([name]) => settingOf(given, name) === undefined);
  return { ...given, ...Object.fromEntries(missing) };
}

/** Names of ours that are not settings of a role: our processes, clients or tests use them. */
const notSettings =
  /^ATELIER_(?:AWAITS_SETTINGS|ASKS_FOR_LINKS|COPY_FROM|COPY_TO|URL|KEY|ADMIN_URL|OPERATOR(?:_TOKEN(?:_FILE)?)?|TEST_.*|BENCH_.*)$/;

/** How many characters to insert, delete or replace to turn one text into the other (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [line, char] of [...one].entries()) {
    const next = [line + 1];
    for (const [column, its] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (char === its ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Collects complaints, so that one start reports all mistakes. */
export class SettingsReader {
  readonly problems: string[] = [];
  private readonly asked = new Set<string>();

  constructor(private readonly variables: EnvironmentVariables) {}

  /** The value that is given for a setting, if any. From this call on, the setting's name counts as known. */
  private value(name: string): string | undefined {
    this.asked.add(name).add(`${name}_FILE`);
    return settingOf(this.variables, name);
  }

  /**
   * Reports every variable with a name like ours that no code has read. Call it when all settings were read.
   */
  refuseUnknown(): void {
    for (const [name, value] of Object.entries(this.variables)) {
      // Deployments of earlier releases still pass settings that no longer exist. Their values are empty, as
      // they always were.
      if (!value || !name.startsWith('ATELIER_') || this.asked.has(name) || notSettings.test(name)) continue;
      const bare = name.slice('ATELIER_'.length);
      const edits = (known: string) => Math.min(editsBetween(name, known), editsBetween(bare, known));
      const isFile = (known: string) => known.endsWith('_FILE') && this.asked.has(known.slice(0, -5));
      const [nearest] = [...this.asked]
        .filter((known) => !isFile(known))
        .toSorted((one, other) => edits(one) - edits(other));
      this.problems.push(`${name} is not a setting: did you mean ${nearest}?`);
    }
  }

  text(name: string, fallback?: string): string {
    const value = this.value(name) || fallback;
    if (value === undefined) this.problems.push(`${name} is not set`);
    return value ?? '';
  }

  integer<Fallback extends number | undefined>(
    name: string,
    fallback: Fallback,
    least: number,
    most: number,
  ): number | Fallback {
    const text = this.value(name);
    if (!text) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    this.problems.push(`${name} must be a whole number from ${least} to ${most}, not "${text}"`);
    return fallback;
  }

  given(name: string): boolean {
    return Boolean(this.value(name));
  }

  is(name: string, value: string): boolean {
    return this.value(name) === value;
  }

  flag(name: string, fallback: boolean): boolean {
    const text = this.value(name);
    if (!text) return fallback;
    if (text === 'true' || text === 'false') return text === 'true';
    this.problems.push(`${name} must be true or false, not "${text}"`);
    return fallback;
  }

  /** The result of `parse` for a setting. If `parse` returns a text, it is a complaint. */
  parsed<Value extends object>(
    name: string,
    parse: (text: string) => Value | string,
    fallback: Value,
  ): Value {
    const text = this.value(name);
    if (!text) return fallback;
    const value = parse(text);
    if (typeof value !== 'string') return value;
    this.problems.push(`${name} ${value}`);
    return fallback;
  }

  /** Networks in CIDR notation, separated by commas. The default is no network. */
  networks(name: string): readonly string[] {
    return this.parsed(name, parseNetworks, []);
  }

  /** Text that is too long to guess. Complaints never repeat it. */
  secret(name: string, leastLength: number): string | undefined {
    const value = this.value(name) || undefined;
    if (value === undefined || value.length >= leastLength) return value;
    this.problems.push(`${name} must have at least ${leastLength} characters`);
    return value;
  }

  oneOf<Value extends string>(name: string, allowed: readonly Value[], fallback: Value): Value {
    const text = this.value(name);
    const value = text ? allowed.find((each) => each === text) : fallback;
    if (value === undefined)
      this.problems.push(`${name} must be one of ${allowed.join(', ')}, not "${text}"`);
    return value ?? fallback;
  }

  /** Scheme and host only. A signature covers the path, so the address must not have a path of its own. */
  origin(name: string): string | undefined {
    if (!this.value(name)) return undefined;
    const value = this.text(name).replace(/\/+$/, '');
    if (!/^https?:\/\/[^/?#@]+$/.test(value)) {
      this.problems.push(`${name} must be an http:// or https:// address without a path`);
    }
    return value;
  }

  urlIfGiven(name: string, schemes: readonly string[]): string | undefined {
    return this.given(name) ? this.url(name, schemes) : undefined;
  }

  url(name: string, schemes: readonly string[], fallback?: string): string {
    const value = this.text(name, fallback);
    const scheme = /^([a-z0-9+]+):\/\/./.exec(value)?.[1];
    if (value && (!scheme || !schemes.includes(scheme))) {
      this.problems.push(`${name} must begin with ${schemes.map((each) => `${each}://`).join(' or ')}`);
    }
    return value;
  }
}

/** Values of absent settings. Components that are made without a configuration use them too. */
export const defaults = {
  host: '127.0.0.1',
  port: 3000,
  home: '.atelier',
  rateLimitStore: 'memory',
  unprovenEvents: 'refuse',
  authFailuresPerMin: 600,
  keyGraceMs: 3_600_000,
  orphanHorizonMs: 60_000,
  pauseMs: 25,
  sweepIntervalMs: 10_000,
  sweepBatch: 500,
  workerConcurrency: 1,
  tenantConcurrency: 4,
  remoteConcurrency: 50,
  remoteTenantConcurrency: 16,
  stopGraceMs: 10_000,
  metrics: true,
  s3Region: 'us-east-1',
  s3ForcePathStyle: true,
} as const;

/** Characters that a signing key has at least. */
const leastKeyLength = 32;

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const postgresSchemes = ['postgres', 'postgresql'];

/** @throws ConfigurationError naming all that is missing or malformed */
export function loadConfiguration(variables: EnvironmentVariables = process.env): Configuration {
  const settings = new SettingsReader(variables);
  // These two are checked here and read where they are used.
  settings.oneOf('LOG_LEVEL', logLevels, 'info');
  settings.urlIfGiven('OTEL_EXPORTER_OTLP_ENDPOINT', ['http', 'https']);
  const configuration = readCapabilities(settings, readKernel(settings));
  settings.refuseUnknown();
  if (settings.problems.length > 0) throw new ConfigurationError(settings.problems.join('; '));
  return configuration;
}

function readKernel(settings: SettingsReader) {
  const host = settings.text('HOST', defaults.host);
  const port = settings.integer('PORT', defaults.port, 0, 65_535);
  const home = homeOf({ ATELIER_HOME: settings.text('ATELIER_HOME', defaults.home) });
  const databaseUrl = settings.url('DATABASE_URL', postgresSchemes);
  return {
    host,
    port,
    ...readAccess(settings, httpUrl(host, port)),
    home,
    databaseUrl,
    eventStoreUrl: settings.url(
      'EVENT_STORE_URL',
      [...postgresSchemes, 'esdb', 'esdb+discover'],
      databaseUrl || undefined,
    ),
    /** The database of the data keys. Undefined: DATABASE_URL. */
    keysUrl: settings.urlIfGiven('ATELIER_KEYS_URL', postgresSchemes),
    /**
     * Connections to PostgreSQL that this process may open. Undefined: as many as its role needs
     * (`connections.ts`).
     */
    databaseConnections: settings.integer('DATABASE_CONNECTIONS', undefined, 5, 1_000),
    storage: readStorage(settings, home),
    ...readWork(settings),
    /** The image models, and which of them draws each workflow when a request names none. */
    imageModels: settings.parsed('ATELIER_MODELS_FILE', readModelRegistry, sandboxAlone),
    /** File of a segmentation model that replaces the one of the photo engine. */
    photoSegmentationModel: settings.text('ATELIER_PHOTO_SEGMENTATION_MODEL', '') || undefined,
    metrics: settings.flag('METRICS', defaults.metrics),
    /** Whether the API serves its metrics on the port that callers reach. The default of METRICS does not. */
    publicMetrics: settings.is('METRICS', 'true'),
    /** Where a role serves its metrics and probes. Undefined: nowhere. */
    metricsPort: settings.integer('METRICS_PORT', undefined, 0, 65_535),
    admin: readAdmin(settings),
  };
}

/** How callers reach the service, and how they and events prove who they are. */
function readAccess(settings: SettingsReader, ownUrl: string) {
  return {
    /** Base of the URLs that callers get, without a slash at the end. */
    publicUrl: settings.url('PUBLIC_URL', ['http', 'https'], ownUrl).replace(/\/+$/, ''),
    /** Proxies whose `X-Forwarded-For` is believed: addresses, networks and names such as `loopback`. */
    trustedProxies: settings.parsed('TRUSTED_PROXIES', parseTrustedProxies, []),
    /** Origins whose pages may call the API from a browser, or `*` alone. Empty: none. */
    corsOrigins: settings.parsed('CORS_ORIGINS', parseOrigins, []),
    /**
     * Where requests are counted: in each API process for itself, or in PostgreSQL for all API processes
     * together.
     */
    rateLimitStore: settings.parsed('RATE_LIMIT_STORE', parseRateLimitStore, {
      kind: defaults.rateLimitStore,
    }).kind,
    /** How often one address may fail to authenticate in a minute. */
    authFailuresPerMin: settings.integer('AUTH_FAILURES_PER_MIN', defaults.authFailuresPerMin, 1, 1_000_000),
    /** How long API keys stay valid while the event store is away, in milliseconds. */
    keyGraceMs: settings.integer('ATELIER_KEY_GRACE_MS', defaults.keyGraceMs, 60_000, 86_400_000),
    /**
     * The MACs of events and the signing secrets of API keys derive from it. Undefined: this process can only
     * read, and cannot run as a role ({@link requireSigningKey}).
     */
    signingKey: settings.secret('ATELIER_SIGNING_KEY', leastKeyLength),
    /** Networks in CIDR notation from which pictures may be imported although they are not part of the internet. */
    importNetworks: settings.networks('ATELIER_IMPORT_ALLOWED_NETWORKS'),
    /** Further keys whose MACs of events count. */
    acceptedSigningKeys: settings.parsed('ATELIER_ACCEPTED_SIGNING_KEYS', parseKeys, []),
    /**
     * Wraps the keys under which personal words in events are encrypted. Undefined: this process writes words as they
     * are, and cannot read encrypted ones.
     */
    masterKey: settings.secret('ATELIER_MASTER_KEY', leastKeyLength),
    /** Further master keys that still unwrap. */
    acceptedMasterKeys: settings.parsed('ATELIER_ACCEPTED_MASTER_KEYS', parseKeys, []),
    /**
     * Whether readers refuse or accept events without a valid MAC that no adoption covers. They should accept
     * them while an older release still writes.
     */
    unprovenEvents: settings.oneOf('ATELIER_UNPROVEN_EVENTS', ['refuse', 'accept'], defaults.unprovenEvents),
  };
}

/** How the projector and the workers work. */
function readWork(settings: SettingsReader) {
  return {
    projector: {
      /** How old a charge without a job must be before it counts as orphaned. */
      orphanHorizonMs: settings.integer(
        'ATELIER_ORPHAN_HORIZON_MS',
        defaults.orphanHorizonMs,
        1_000,
        86_400_000,
      ),
      /** How long events may wait for more events before they are folded, in milliseconds, while no read waits for them. */
      pauseMs: settings.integer('ATELIER_PROJECTOR_PAUSE_MS', defaults.pauseMs, 5, 1_000),
      /** How often orphaned charges are looked for. */
      sweepIntervalMs: settings.integer(
        'ATELIER_SWEEP_INTERVAL_MS',
        defaults.sweepIntervalMs,
        100,
        3_600_000,
      ),
      /** Orphaned charges that are fetched and worked on together. */
      sweepBatch: settings.integer('ATELIER_SWEEP_BATCH', defaults.sweepBatch, 1, 10_000),
    },
    /** How many renders a worker runs on this machine's cores at the same time, in each environment. */
    workerConcurrency: settings.integer('ATELIER_WORKER_CONCURRENCY', defaults.workerConcurrency, 1, 64),
    /** How many renders of one tenant may run at the same time, over all workers. */
    tenantConcurrency: settings.integer('ATELIER_TENANT_CONCURRENCY', defaults.tenantConcurrency, 1, 1_000),
    /** The same for renders that a worker only waits for. */
    remoteConcurrency: settings.integer('ATELIER_REMOTE_CONCURRENCY', defaults.remoteConcurrency, 1, 500),
    remoteTenantConcurrency: settings.integer(
      'ATELIER_REMOTE_TENANT_CONCURRENCY',
      defaults.remoteTenantConcurrency,
      1,
      1_000,
    ),
    /** How long the running renders may go on in a worker that stops, before it leaves them to other workers. */
    stopGraceMs: settings.integer('ATELIER_STOP_GRACE_MS', defaults.stopGraceMs, 0, 600_000),
  };
}

/** @throws ConfigurationError for a role without the key, because other roles would refuse its events */
export function requireSigningKey({ signingKey }: Pick<Configuration, 'signingKey'>): void {
  if (signingKey !== undefined) return;
  throw new ConfigurationError(
    'ATELIER_SIGNING_KEY is not set: every role needs the same key, to prove the events that it writes. ' +
      'Make it once with "openssl rand -hex 24" and give it to all roles (docs/production.md)',
  );
}

const parseKeys = (text: string): readonly string[] | string => {
  const keys = text.split(',').map((each) => each.trim());
  if (keys.every(({ length }) => length >= leastKeyLength)) return keys;
  return `must be keys of at least ${leastKeyLength} characters, with commas between them`;
};

/** Where the files of an installation are. */
export function homeOf(variables: EnvironmentVariables): string {
  return resolve(variables['ATELIER_HOME'] || defaults.home);
}

/** The address at which a client on this machine reaches a server that listens there. */
export function httpUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const parseRateLimitStore = (text: string): { kind: 'memory' | 'postgres' } | string => {
  if (text === 'memory' || text === 'postgres') return { kind: text };
  if (text !== 'redis') return `must be one of memory, postgres, not "${text}"`;
  return 'cannot be redis: use postgres, which is exact over all processes (docs/adr/0009-rate-limit-stores.md)';
};

/** The operator's API. */
function readAdmin(settings: SettingsReader) {
  const off = settings.is('ATELIER_ADMIN_PORT', 'off');
  return {
    host: settings.text('ATELIER_ADMIN_HOST', defaults.host),
    /** Undefined: `npm start` takes any free port; a role that runs by itself does not start without one. */
    port: off ? undefined : settings.integer('ATELIER_ADMIN_PORT', undefined, 0, 65_535),
    /** Whether `npm start` serves it. */
    enabled: !off,
    /** Credits above which a grant needs a second operator. Undefined: no grant does. */
    secondOperatorAbove: settings.integer('ATELIER_SECOND_OPERATOR_ABOVE', undefined, 0, 2_000_000_000),
  };
}

function readCapabilities(settings: SettingsReader, kernel: KernelConfiguration): Configuration {
  const parts = new Map<string, unknown>(Object.entries(kernel));
  for (const capability of installed)
    for (const [name, part] of Object.entries<object>({ ...capability.settings(settings) }))
      // A part joins the object of its name, if there is one.
      parts.set(name, { ...(parts.get(name) as object | undefined), ...part });
  // For each name, the parts that the kernel and the functions of this type have read.
  return Object.fromEntries(parts) as unknown as Configuration;
}

function readStorage(settings: SettingsReader, home: string) {
  if (!settings.given('S3_BUCKET')) {
    const signingSecret = settings.text('URL_SIGNING_SECRET');
    return { kind: 'folder', directory: resolve(home, 'objects'), signingSecret } as const;
  }
  return {
    kind: 's3',
    bucket: settings.text('S3_BUCKET'),
    region: settings.text('S3_REGION', defaults.s3Region),
    /** Undefined: AWS. */
    endpoint: settings.urlIfGiven('S3_ENDPOINT', ['http', 'https']),
    /** The address under which callers reach `endpoint`, without a slash at the end. */
    publicEndpoint: settings.origin('S3_PUBLIC_ENDPOINT'),
    accessKeyId: settings.text('S3_ACCESS_KEY_ID'),
    secretAccessKey: settings.text('S3_SECRET_ACCESS_KEY'),
    forcePathStyle: settings.flag('S3_FORCE_PATH_STYLE', defaults.s3ForcePathStyle),
  } as const;
}

/** Networks that have a name: this machine, and the private ones of IPv4 and IPv6. */
const named = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** `*`, or origins as a browser sends them, separated by commas. A text is a complaint. */
function parseOrigins(text: string): readonly string[] | string {
  const origins = text.split(',').map((each) => each.trim());
  if (text.trim() === '*') return origins;
  const wrong = origins.find((each) => !URL.canParse(each) || new URL(each).origin !== each);
  return wrong === undefined
    ? origins
    : `must be origins such as https://shop.example, with commas, or *; not "${wrong}"`;
}

/**
 * The proxies whose `X-Forwarded-For` is trusted: names, addresses and networks, separated by commas. A text is
 * a complaint.
 */
function parseTrustedProxies(text: string): readonly string[] | string {
  const proxies = text.split(',').map((each) => each.trim());
  const wrong = proxies.find((each) => !named.has(each) && !isNetwork(each));
  if (wrong === undefined) return proxies;
  return `must be addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal, with commas; not "${wrong}"`;
}

/** Networks in CIDR notation, separated by commas. A text is a complaint. */
function parseNetworks(text: string): readonly string[] | string {
  const networks = text.split(',').map((each) => each.trim());
  const wrong = networks.find((each) => !each.includes('/') || !isNetwork(each));
  return wrong === undefined ? networks : `must be networks such as 10.0.0.0/8, with commas; not "${wrong}"`;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
