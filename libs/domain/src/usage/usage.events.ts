import type { EventFamily } from '../event-family.js';

/** The stored events of `{env}.usage-{tenant}`: refused dispatches, for the usage log. */
export type UsageEvent = {
  type: 'RequestRejected';
  data: {
    requestId: string;
    operation: string;
    endpoint: string;
    method: string;
    httpStatus: number;
    errorCode: string;
    errorMessage: string;
    latencyMs: number;
    at: string;
  };
};

export const usageFamily: EventFamily<'usage', UsageEvent> = {
  category: 'usage',
  owner: 'named-tenant',
  idFields: {},
  upcasters: {
    RequestRejected: [],
  },
  personal: {
    // The message may quote what the caller sent.
    RequestRejected: {
      requestId: false,
      operation: false,
      endpoint: false,
      method: false,
      errorCode: false,
      errorMessage: true,
    },
  },
};
