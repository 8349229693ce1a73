import type { Client } from './client.js';

/** The result of a tool, as the protocol writes it. */
interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content: readonly { readonly text?: string }[];
}

/** One call of a tool of `/mcp`. Undefined: no answer came. */
async function callTool({ world, customer, signal }: Client, name: string, given: object) {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
  try {
    const response = await fetch(`${world.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${customer.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(call),
      signal: AbortSignal.any([AbortSignal.timeout(10_000), signal]),
    });
    const [json = '{}'] = /\{.*\}/.exec(await response.text()) ?? [];
    return (JSON.parse(json) as { result?: ToolResult }).result;
  } catch {
    // The process behind it may have died.
    return undefined;
  }
}

/** Codes after which an agent calls the tool again. */
const again = /^(?:IDEMPOTENCY_KEY_IN_USE|SERVICE_UNAVAILABLE|INTERNAL_ERROR|LOG_MISMATCH)/;

/** Calls a tool until it succeeds. @throws for a refusal that a repeat does not change */
export async function callUntilAnswered(
  client: Client,
  name: string,
  given: object,
): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const result = await callTool(client, name, given);
    if (result?.structuredContent) return result.structuredContent;
    const text = result?.content[0]?.text ?? '';
    if (text !== '' && !again.test(text)) throw new Error(`${name}: ${text}`);
    await client.pause();
  }
}
