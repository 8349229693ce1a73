import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  CLIENT_CAPABILITIES_META_KEY,
  Server,
  type ClientCapabilities,
  type McpRequestContext,
  type ServerContext,
} from '@modelcontextprotocol/server';

export interface Atelier {
  /** The address of the service, without `/mcp`. */
  readonly url: string;
  readonly key: string;
  /** Names this run: the service's cap for a session counts its spending. */
  readonly session: string;
}

/** Longer than the service's own wait. */
const patience = { timeout: 120_000 };

/** The methods that are passed on. Everything else of the protocol is between the client and this process. */
const methods = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
] as const;

/**
 * A server that answers with what the service answers. It keeps nothing and decides nothing. When the service asks
 * for a person's consent, the question goes through to the client, and the answer comes back the same way; the
 * library asks older clients in their own protocol.
 */
export async function passOn(atelier: Atelier, { era }: McpRequestContext): Promise<Server> {
  const remote = await connect(atelier);
  const server = new Server(
    { name: 'atelier', title: 'Atelier', version: '1' },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: remote.getInstructions() ?? '',
    },
  );
  for (const method of methods) {
    server.setRequestHandler(method, async ({ params }, context) => {
      const asked = {
        ...params,
        ...answered(context),
        _meta: { ...params?._meta, ...sayWhoAsks(server, era, context) },
      };
      // The service's results are passed on as they are, input-required ones too. The library types each method.
      return (await remote.request({ method, params: asked } as never, {
        ...patience,
        signal: context.mcpReq.signal,
        allowInputRequired: true,
      })) as never;
    });
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- The library's server is no EventTarget.
  server.onclose = () => void remote.close();
  return server;
}

async function connect({ url, key, session }: Atelier): Promise<Client> {
  const remote = new Client(
    { name: '@atelier/mcp', version: '1' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      // The client of this process answers the service's questions.
      inputRequired: { autoFulfill: false },
    },
  );
  const headers = { authorization: `Bearer ${key}`, 'x-atelier-session': session };
  await remote.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  return remote;
}

/** The client's answer to an earlier input-required result. */
function answered({ mcpReq }: ServerContext): object {
  const { inputResponses } = mcpReq;
  const requestState = mcpReq.requestState<string>();
  return {
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/** The capabilities of the client, so that the service asks a person only where one can be asked. */
function sayWhoAsks(server: Server, era: McpRequestContext['era'], { mcpReq }: ServerContext): object {
  const envelope: { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined = mcpReq.envelope;
  const capabilities =
    era === 'legacy' ? server.getClientCapabilities() : envelope?.[CLIENT_CAPABILITIES_META_KEY];
  return { [CLIENT_CAPABILITIES_META_KEY]: capabilities ?? {} };
}
