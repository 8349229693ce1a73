import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ElicitResult,
} from '@modelcontextprotocol/client';

/** The answer of a person who is asked to agree. */
export type Person = (message: string) => Promise<ElicitResult> | ElicitResult;

export const agrees: Person = () => ({ action: 'accept', content: { agree: true } });
export const declines: Person = () => ({ action: 'accept', content: { agree: false } });

interface AgentOptions {
  readonly url: string;
  readonly key: string;
  /** Absent: the client cannot ask a person. */
  readonly person?: Person | undefined;
  readonly session?: string;
  /** A client of the protocol before 2026-07-28. */
  readonly legacy?: boolean;
}

/** The library's own client, connected to the `/mcp` of a service. */
export async function connectAgent(options: AgentOptions): Promise<Client> {
  const { url, key, session } = options;
  const client = clientWith(options);
  const headers = {
    authorization: `Bearer ${key}`,
    ...(session !== undefined && { 'x-atelier-session': session }),
  };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  return client;
}

export function clientWith({ person, legacy = false }: Pick<AgentOptions, 'person' | 'legacy'>): Client {
  const client = new Client(
    { name: 'spec', version: '1' },
    {
      capabilities: person ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: legacy ? 'legacy' : 'auto' },
    },
  );
  if (person) client.setRequestHandler('elicitation/create', ({ params }) => person(params.message));
  return client;
}

/** The structured result of a tool. @throws for a refusal */
// These specs check the shapes of results, so they are read without types.
// oxlint-disable-next-line typescript/no-explicit-any
export async function call(client: Client, name: string, given: object = {}): Promise<any> {
  const result = await answer(client, name, given);
  if (result.isError) throw new Error(textOf(result));
  return result.structuredContent;
}

export function answer(client: Client, name: string, given: object = {}): Promise<CallToolResult> {
  return client.callTool({ name, arguments: { ...given } });
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** The refusal of a tool, by its code. */
export async function refusal(client: Client, name: string, given: object = {}): Promise<string> {
  const result = await answer(client, name, given);
  if (!result.isError) throw new Error(`${name} was not refused: ${textOf(result)}`);
  return textOf(result).split(':')[0] ?? '';
}
