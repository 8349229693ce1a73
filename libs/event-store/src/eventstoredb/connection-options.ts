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

export type ConnectionOptions = { [Flag in (typeof flags)[number]]?: boolean } & {
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
      throw new RangeError('The EventStoreDB URL has a host that is not name:port');
    return { address, port: Number(port) };
  });
}

/** Option names are taken in any case, and with or without dashes, as the other clients of EventStoreDB take them. */
export function parseOptions(query: string): ConnectionOptions {
  const known = new Map([...flags, ...counts, ...texts].map((name) => [flat(name), name]));
  const options: Record<string, boolean | number | string> = {};
  for (const pair of query.split('&').filter(Boolean)) {
    const equals = pair.indexOf('=');
    const key = equals < 0 ? pair : pair.slice(0, equals);
    const name = known.get(flat(key));
    // The value of a misspelt option may be a secret; its name is needed to find it.
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
