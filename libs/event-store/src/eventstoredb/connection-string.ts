import { readFileSync } from 'node:fs';

/** The parts of a connection string. The password is not enumerable, so that no log prints it by accident. */
export interface ConnectionSettings {
  readonly hosts: readonly EndPoint[];
  /** The client finds out from the hosts which node leads, and sends its calls there. */
  readonly discover: boolean;
  readonly secure: boolean;
  readonly credentials: Credentials | undefined;
  readonly options: ReturnType<typeof parseOptions>;
  readonly certificates: Certificates;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface Certificates {
  readonly rootCertificate?: Buffer;
  readonly userCertFile?: Buffer;
  readonly userKeyFile?: Buffer;
  /** False for `tlsVerifyCert=false`: any certificate will do. */
  readonly verify: boolean;
}

/**
 * Reads `esdb://user:password@host:2113?option=value` and `esdb+discover://…`, with several hosts separated
 * by commas. The client's own parser is not used. It prints the connection string with the password in its
 * errors, in warnings on the console, and under `DEBUG`.
 * @throws RangeError that names what is wrong, and never quotes a value
 */
export function parseConnectionString(text: string): ConnectionSettings {
  const url = text.trim();
  if (!isEventStoreDbUrl(url))
    throw new RangeError('An EventStoreDB URL starts with esdb:// or esdb+discover://');
  const scheme = url.slice(0, url.indexOf('://'));
  const [place = '', query = '', ...more] = url.slice(scheme.length + 3).split('?');
  if (more.length > 0) throw new RangeError('The EventStoreDB URL has more than one question mark');
  const at = place.lastIndexOf('@');
  const hosts = parseHosts(place.slice(at + 1).replace(/\/+$/, ''));
  const options = parseOptions(query);
  return {
    hosts,
    discover: scheme === 'esdb+discover' || hosts.length > 1,
    secure: options.tls ?? true,
    credentials: at < 0 ? undefined : parseCredentials(place.slice(0, at)),
    options,
    certificates: readCertificates(options),
  };
}

function parseCredentials(text: string): Credentials {
  const colon = text.indexOf(':');
  if (colon < 1) throw new RangeError('The credentials of the EventStoreDB URL are not user:password');
  try {
    const username = decodeURIComponent(text.slice(0, colon));
    return hide({ username }, 'password', decodeURIComponent(text.slice(colon + 1)));
  } catch {
    throw new RangeError('The credentials of the EventStoreDB URL are not percent-encoded as they should be');
  }
}

function readCertificates({
  tlsCAFile,
  userCertFile,
  userKeyFile,
  tlsVerifyCert,
}: ConnectionSettings['options']) {
  if ((userCertFile === undefined) !== (userKeyFile === undefined))
    throw new RangeError('The EventStoreDB URL needs userCertFile and userKeyFile together');
  const certificates = {
    verify: tlsVerifyCert ?? true,
    ...(tlsCAFile === undefined ? {} : { rootCertificate: readNamedFile('tlsCAFile', tlsCAFile) }),
    ...(userCertFile === undefined ? {} : { userCertFile: readNamedFile('userCertFile', userCertFile) }),
  };
  if (userKeyFile === undefined) return certificates;
  return hide(certificates, 'userKeyFile', readNamedFile('userKeyFile', userKeyFile));
}

function readNamedFile(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new RangeError(`The file of ${option} cannot be read: ${path}`, { cause: error });
  }
}

/** Adds a property that inspection, spreading and JSON do not show. */
function hide<Known extends object, Key extends string, Value>(known: Known, key: Key, value: Value) {
  Object.defineProperty(known, key, { value, enumerable: false });
  // The compiler does not follow defineProperty.
  return known as Known & Record<Key, Value>;
}

export interface EndPoint {
  readonly address: string;
  readonly port: number;
}

const flags = ['tls', 'tlsVerifyCert', 'throwOnAppendFailure'] as const;
const counts = [
  'maxDiscoverAttempts',
  'discoveryInterval',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
  'defaultDeadline',
] as const;
const texts = ['connectionName', 'tlsCAFile', 'userCertFile', 'userKeyFile', 'nodePreference'] as const;

export type UrlOptions = { [Flag in (typeof flags)[number]]?: boolean } & {
  [Count in (typeof counts)[number]]?: number;
} & { [Text in (typeof texts)[number]]?: string };

export function isEventStoreDbUrl(url: string): boolean {
  return /^esdb(?:\+discover)?:\/\//.test(url.trim());
}

export function parseHosts(text: string): EndPoint[] {
  return text.split(',').map((host) => {
    const match = /^(?<address>[^\s:@/[\]]+|\[[0-9a-f:.]+\])(?::(?<port>\d{1,5}))?$/i.exec(host.trim());
    const { address, port = '2113' } = match?.groups ?? {};
    if (address === undefined || Number(port) > 65_535)
      throw new RangeError('The EventStoreDB URL has a host that is not of the form name:port');
    return { address, port: Number(port) };
  });
}

/** The names of options may differ in case and dashes, like in the other clients of EventStoreDB. */
export function parseOptions(query: string): UrlOptions {
  const known = new Map([...flags, ...counts, ...texts].map((name) => [flat(name), name]));
  const options: Record<string, boolean | number | string> = {};
  for (const pair of query.split('&').filter(Boolean)) {
    const equals = pair.indexOf('=');
    const key = equals < 0 ? pair : pair.slice(0, equals);
    const name = known.get(flat(key));
    // The message names the misspelt option, so that operators find it. It omits the value, which may be a
    // secret.
    if (name === undefined)
      throw new RangeError(`The EventStoreDB URL has an option that is not known: ${key}`);
    options[name] = parseValue(name, decode(name, pair.slice(key.length + 1)));
  }
  return options;
}

function parseValue(name: string, value: string): boolean | number | string {
  if (flags.some((flag) => flag === name)) {
    if (value !== 'true' && value !== 'false')
      throw new RangeError(`${name} of the EventStoreDB URL is true or false`);
    return value === 'true';
  }
  if (counts.some((count) => count === name)) {
    if (!/^-?\d+$/.test(value)) throw new RangeError(`${name} of the EventStoreDB URL is a whole number`);
    return Number(value);
  }
  if (value === '') throw new RangeError(`${name} of the EventStoreDB URL is empty`);
  return value;
}

function decode(name: string, value: string): string {
  try {
    return decodeURIComponent(value.trim());
  } catch {
    throw new RangeError(`${name} of the EventStoreDB URL is not percent-encoded as it should be`);
  }
}

function flat(name: string): string {
  return name.trim().toLowerCase().replaceAll(/[_-]/g, '');
}
