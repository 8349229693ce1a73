import type { Capability } from '../capability.js';
import { readMcpSettings } from './mcp.settings.js';
import { spendFamily } from './spend.events.js';

const events = [spendFamily] as const;

/** A server of the Model Context Protocol, through which agents order pictures with consent (ADR 52). */
export const mcp: Capability<'mcp', typeof events, ReturnType<typeof readMcpSettings>> = {
  name: 'mcp',
  events,
  settings: readMcpSettings,
  modules: {
    api: async () => ({ module: (await import('./mcp.api.js')).McpApiModule }),
    projector: async () => ({ module: (await import('./mcp.projector.js')).McpProjectorModule }),
  },
  readModels: async () => [(await import('./agent-days.read-model.js')).agentDaysReadModel],
  housekeeping: [async () => (await import('./past-quotes.js')).PastQuotes],
  nouns: {},
  folds: { spend: async () => (await import('./spend.fold.js')).spendFold },
};
