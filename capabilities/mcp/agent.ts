import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Logger } from '#platform/logger.js';
import type { CallerApi } from './own-api.js';
import type { AgentRequest, Offers } from './offers.js';

/** One request of an agent, with all that its tools need. */
export interface Agent extends AgentRequest {
  readonly api: CallerApi;
  readonly offers: Offers;
  /** The run of the client, as its header names it; null without one. */
  readonly session: string | null;
  /** Where callers reach this service. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

/**
 * Whether the client can ask a person with a form. It says so with each request; clients of the protocol before
 * 2026-07-28 cannot, because this server keeps no connection to them.
 */
export function canAskPerson({ mcpReq }: ServerContext): boolean {
  // The library checks the envelope before it calls a tool, and gives it no type.
  const envelope: { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined = mcpReq.envelope;
  const elicitation = envelope?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation;
  // Without a mode, a client means forms.
  return elicitation !== undefined && ('form' in elicitation || Object.keys(elicitation).length === 0);
}
