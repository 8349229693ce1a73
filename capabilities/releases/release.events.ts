import { erasedText } from '#domain/erased.js';
import type { AnswersFor, EventFamily } from '#domain/event-family.js';

/** Owed for each job. */
export interface ReleaseFee {
  /** Whole credits, or hundredths of the currency. */
  amount: number;
  /** `credits`, or a currency by ISO 4217. */
  unit: string;
}

/** What a person allows. An empty list allows all. */
export interface ReleaseTerms {
  /** Names of workflows. */
  workflows: string[];
  /** The tenant's words for what pictures are used for, for example `e-commerce`. */
  uses: string[];
  /** Countries, by ISO 3166-1 alpha-2. */
  territories: string[];
  /** ISO 8601, UTC; null: it does not expire. */
  expiresAt: string | null;
  fee: ReleaseFee | null;
  /** Where the signed document is kept, in the tenant's words. */
  document: string | null;
}

/** The events of `{env}.release-{release}`, as they are stored: a person's consent to the use of pictures. */
export type ReleaseEvent =
  | {
      type: 'ModelReleaseGranted';
      data: ReleaseTerms & { releaseId: string; tenant: string; dataSubject: string; at: string };
    }
  | { type: 'ModelReleaseRevised'; data: ReleaseTerms & { at: string } }
  | { type: 'ModelReleaseWithdrawn'; data: { reason: string | null; at: string } }
  | { type: 'ModelReleaseExpired'; data: { at: string } }
  /** Its words are erased: name, document and reasons. An active release ends. */
  | { type: 'ModelReleaseErased'; data: { erasureId: string; at: string } };

/** Its words as a state and as a row have them after ModelReleaseErased. */
export function erasedWords({ document }: Pick<ReleaseTerms, 'document'>) {
  return { dataSubject: erasedText, document: document === null ? null : erasedText };
}

/** What the tenant uses pictures for, and where. A release has to cover all of it. */
export interface ReleasePurpose {
  uses: string[];
  territories: string[];
}

/** The events of `{env}.consent-{tenant}`, as they are stored: whether a dispatch about a person needs a release. */
export type ConsentEvent =
  | { type: 'ReleasesRequired'; data: ReleasePurpose & { at: string } }
  | { type: 'ReleasesMadeOptional'; data: ReleasePurpose & { at: string } };

const personalOfTerms: AnswersFor<ReleaseTerms> = {
  workflows: false,
  uses: false,
  territories: false,
  expiresAt: false,
  fee: { unit: false },
  document: true,
};

export const releaseFamily: EventFamily<'release', ReleaseEvent> = {
  category: 'release',
  owner: 'tenant',
  ownKeys: true,
  idFields: { ModelReleaseGranted: 'releaseId' },
  upcasters: {
    ModelReleaseGranted: [],
    ModelReleaseRevised: [],
    ModelReleaseWithdrawn: [],
    ModelReleaseExpired: [],
    ModelReleaseErased: [],
  },
  personal: {
    ModelReleaseGranted: { releaseId: false, tenant: false, dataSubject: true, ...personalOfTerms },
    ModelReleaseRevised: personalOfTerms,
    ModelReleaseWithdrawn: { reason: true },
    ModelReleaseExpired: {},
    ModelReleaseErased: { erasureId: false },
  },
};

export const consentFamily: EventFamily<'consent', ConsentEvent> = {
  category: 'consent',
  owner: 'named-tenant',
  idFields: {},
  upcasters: {
    ReleasesRequired: [],
    ReleasesMadeOptional: [],
  },
  personal: {
    ReleasesRequired: { uses: false, territories: false },
    ReleasesMadeOptional: { uses: false, territories: false },
  },
};
