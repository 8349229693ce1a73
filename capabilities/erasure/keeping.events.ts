import type { EventFamily } from '#domain/event-family.js';

/**
 * The kinds of things that are kept for a time. `intermediates` and `finals` are pictures of jobs. `words` are those of
 * jobs, with the bodies of their requests, and those of products.
 */
export const keptKinds = ['uploads', 'intermediates', 'finals', 'words'] as const;

export type KeptKind = (typeof keptKinds)[number];

/** Days by kind. Null: the operator's default. */
export type OwnDays = Record<KeptKind, number | null>;

/** The events of `{env}.retention-{tenant}`, as they are stored: for how long the tenant wants things to be kept. */
export type RetentionEvent = { type: 'RetentionRuleChanged'; data: { days: OwnDays; at: string } };

/** The events of `{env}.hold-{tenant}`, as they are stored: what may not be erased for now, by an operator's word. */
export type LegalHoldEvent =
  | {
      type: 'LegalHoldPlaced';
      data: {
        holdId: string;
        /** The job or, by the tenant's name, the person. The other one is null. */
        jobId: string | null;
        dataSubject: string | null;
        reason: string;
        at: string;
      };
    }
  | { type: 'LegalHoldLifted'; data: { holdId: string; reason: string; at: string } };

export const retentionFamily: EventFamily<'retention', RetentionEvent> = {
  category: 'retention',
  owner: 'named-tenant',
  idFields: {},
  upcasters: { RetentionRuleChanged: [] },
  personal: { RetentionRuleChanged: { days: {} } },
};

export const legalHoldFamily: EventFamily<'hold', LegalHoldEvent> = {
  category: 'hold',
  owner: 'named-tenant',
  idFields: {},
  upcasters: { LegalHoldPlaced: [], LegalHoldLifted: [] },
  personal: {
    LegalHoldPlaced: { holdId: false, jobId: false, dataSubject: true, reason: true },
    LegalHoldLifted: { holdId: false, reason: true },
  },
};
