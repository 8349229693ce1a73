import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { canAskPerson } from './agent.js';

// Only the envelope is read.
const clientThatCan = (capabilities: object | undefined) => {
  const envelope = capabilities && { [CLIENT_CAPABILITIES_META_KEY]: capabilities };
  return { mcpReq: { envelope } } as unknown as ServerContext;
};

it.each([
  ['names no capabilities', undefined, false],
  ['cannot ask', {}, false],
  ['asks with forms', { elicitation: { form: {} } }, true],
  ['asks without naming a mode', { elicitation: {} }, true],
  ['only sends a person to a page', { elicitation: { url: {} } }, false],
])('a client that %s', (_, capabilities, can) => {
  expect(canAskPerson(clientThatCan(capabilities))).toBe(can);
});
