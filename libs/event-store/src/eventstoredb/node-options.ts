import { Agent, request } from 'undici';
import type { ConnectionSettings } from './connection-string.js';

interface NodeOption {
  readonly name: string;
  readonly value: string;
}

/**
 * The smallest `MaxAppendSize` of the nodes that a connection names, in bytes, because any of them may lead.
 * Undefined if no node answers. Only the users `admin` and `ops` may read `/info/options`.
 */
export async function readMaxAppendBytes(
  settings: ConnectionSettings,
  timeoutMs: number,
): Promise<number | undefined> {
  const { rootCertificate: ca, verify } = settings.certificates;
  const agent = new Agent({ connect: { ca, rejectUnauthorized: verify, timeout: timeoutMs } });
  try {
    const asked = settings.hosts.map((host) => askNode(agent, settings, host, timeoutMs));
    const known = (await Promise.allSettled(asked)).flatMap((answer) =>
      answer.status === 'fulfilled' && answer.value !== undefined ? [answer.value] : [],
    );
    return known.length === 0 ? undefined : Math.min(...known);
  } finally {
    await agent.close();
  }
}

async function askNode(
  dispatcher: Agent,
  { secure, credentials }: ConnectionSettings,
  { address, port }: ConnectionSettings['hosts'][number],
  timeoutMs: number,
): Promise<number | undefined> {
  const headers: Record<string, string> = {};
  // Like the client, it sends no secret over a connection without encryption.
  if (credentials && secure) {
    const { username, password } = credentials;
    headers['authorization'] = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }
  const url = `${secure ? 'https' : 'http'}://${address}:${port}/info/options`;
  const { statusCode, body } = await request(url, {
    dispatcher,
    headers,
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (statusCode !== 200) {
    await body.dump();
    return undefined;
  }
  // A node lists its settings in this form: every value is text.
  const options = (await body.json()) as readonly NodeOption[];
  const bytes = Number(options.find(({ name }) => name === 'MaxAppendSize')?.value);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}
