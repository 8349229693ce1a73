import type { SettingsReader } from '#platform/configuration.js';

/** How long quotes hold, and what agents may spend when no person can be asked. */
export interface McpSettings {
  readonly offerMs: number;
  /** Credits that one run of a client may spend with confirmation ids. */
  readonly sessionCredits: number;
  /** Credits that all clients of a key may spend with confirmation ids on one day (UTC). */
  readonly dayCredits: number;
}

export function readMcpSettings(settings: SettingsReader): { readonly mcp: McpSettings } {
  const mcp = {
    offerMs: settings.integer('ATELIER_MCP_OFFER_MS', 600_000, 1_000, 3_600_000),
    sessionCredits: settings.integer('ATELIER_MCP_SESSION_CREDITS', 50, 0, 1_000_000),
    dayCredits: settings.integer('ATELIER_MCP_DAY_CREDITS', 200, 0, 1_000_000),
  };
  return { mcp };
}
