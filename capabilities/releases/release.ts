import { accept, reject, type Decision } from '#domain/decision.js';
import {
  erasedWords,
  type ConsentEvent,
  type ReleaseEvent,
  type ReleasePurpose,
  type ReleaseTerms,
} from './release.events.js';

/**
 * undefined → active → withdrawn | expired. An active release can be revised. After its expiry it covers nothing,
 * also before ModelReleaseExpired says so. Each of them can be erased; an active one then counts as withdrawn.
 */
export interface KnownRelease extends Readonly<ReleaseTerms> {
  readonly releaseId: string;
  readonly tenant: string;
  readonly dataSubject: string;
  readonly status: 'active' | 'withdrawn' | 'expired';
  /** ISO 8601, like the next one. */
  readonly grantedAt: string;
  readonly endedAt: string | null;
  /** ISO 8601; only of a release whose words are erased. */
  readonly erasedAt?: string;
}

export type Release = KnownRelease | undefined;

export const initialRelease: Release = undefined;

export function evolveRelease(release: Release, event: ReleaseEvent): KnownRelease {
  if (event.type === 'ModelReleaseGranted') {
    const { at: grantedAt, ...granted } = event.data;
    return { ...granted, status: 'active', grantedAt, endedAt: null };
  }
  if (!release) throw new Error(`${event.type} on a release that was never granted`);
  switch (event.type) {
    case 'ModelReleaseRevised': {
      const { at: _at, ...terms } = event.data;
      return { ...release, ...terms };
    }
    case 'ModelReleaseWithdrawn':
      return { ...release, status: 'withdrawn', endedAt: event.data.at };
    case 'ModelReleaseExpired':
      return { ...release, status: 'expired', endedAt: event.data.at };
    case 'ModelReleaseErased':
      return {
        ...release,
        ...(release.status === 'active' && { status: 'withdrawn', endedAt: event.data.at }),
        ...erasedWords(release),
        erasedAt: event.data.at,
      };
    default:
      return event satisfies never;
  }
}

/**
 * `RELEASE_NOT_FOUND`: unknown, or another tenant's. `EXPIRY_PASSED`: the new expiry is not in the future.
 */
export type ReleaseRejection = { readonly code: 'RELEASE_NOT_FOUND' | 'RELEASE_ENDED' | 'EXPIRY_PASSED' };

/** Granting it again under the same id changes nothing. */
export function grantRelease(
  command: ReleaseTerms & { releaseId: string; tenant: string; dataSubject: string; at: string },
  release: Release,
): Decision<ReleaseEvent, ReleaseRejection> {
  if (release) return accept();
  if (hasPassed(command.expiresAt, command.at)) return reject({ code: 'EXPIRY_PASSED' });
  return accept({ type: 'ModelReleaseGranted', data: { ...command } });
}

interface OfTenant {
  readonly tenant: string;
  readonly at: string;
}

/** The terms anew, all of them. Without a change there is no event. */
export function reviseRelease(
  { tenant, terms, at }: OfTenant & { readonly terms: ReleaseTerms },
  release: Release,
): Decision<ReleaseEvent, ReleaseRejection> {
  if (release?.tenant !== tenant) return reject({ code: 'RELEASE_NOT_FOUND' });
  if (hasEnded(release, at)) return reject({ code: 'RELEASE_ENDED' });
  const { workflows, uses, territories, expiresAt, fee, document } = release;
  const before: ReleaseTerms = { workflows, uses, territories, expiresAt, fee, document };
  if (hasPassed(terms.expiresAt, at)) return reject({ code: 'EXPIRY_PASSED' });
  // The same order of members as in `before`.
  const after = { ...before, ...terms };
  if (JSON.stringify(after) === JSON.stringify(before)) return accept();
  return accept({ type: 'ModelReleaseRevised', data: { ...after, at } });
}

/** A release that has ended stays as it is. */
export function withdrawRelease(
  { tenant, reason, at }: OfTenant & { readonly reason: string | null },
  release: Release,
): Decision<ReleaseEvent, ReleaseRejection> {
  if (release?.tenant !== tenant) return reject({ code: 'RELEASE_NOT_FOUND' });
  if (release.status !== 'active') return accept();
  return accept({ type: 'ModelReleaseWithdrawn', data: { reason, at } });
}

/** An erased release stays as it is. */
export function eraseRelease(
  { tenant, erasureId, at }: OfTenant & { readonly erasureId: string },
  release: Release,
): Decision<ReleaseEvent, ReleaseRejection> {
  if (release?.tenant !== tenant) return reject({ code: 'RELEASE_NOT_FOUND' });
  if (release.erasedAt !== undefined) return accept();
  return accept({ type: 'ModelReleaseErased', data: { erasureId, at } });
}

/** Records the end of a release whose expiry has come. */
export function expireRelease(at: string, release: Release): Decision<ReleaseEvent> {
  const isDue = release?.status === 'active' && hasPassed(release.expiresAt, at);
  return isDue ? accept({ type: 'ModelReleaseExpired', data: { at } }) : accept();
}

/** Both in ISO 8601, UTC. */
function hasPassed(expiresAt: string | null, at: string): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.parse(at);
}

export function hasEnded({ status, expiresAt }: KnownRelease, at: string): boolean {
  return status !== 'active' || hasPassed(expiresAt, at);
}

/** Whether the release allows this workflow now, for all that the tenant uses pictures for. */
export function covers(
  release: KnownRelease,
  { workflow, purpose, at }: { workflow: string; purpose: Readonly<ReleasePurpose>; at: string },
): boolean {
  return (
    !hasEnded(release, at) &&
    allows(release.workflows, [workflow]) &&
    allows(release.uses, purpose.uses) &&
    allows(release.territories, purpose.territories)
  );
}

const allows = (allowed: readonly string[], wanted: readonly string[]): boolean =>
  allowed.length === 0 || wanted.every((each) => allowed.includes(each));

/** A tenant's rule for dispatches about persons. */
export interface ReleaseRule extends Readonly<ReleasePurpose> {
  /** Whether a dispatch without a release is refused. */
  readonly required: boolean;
}

export const initialRule: ReleaseRule = { required: false, uses: [], territories: [] };

export function evolveRule(_rule: ReleaseRule, { type, data }: ConsentEvent): ReleaseRule {
  const { uses, territories } = data;
  return { required: type === 'ReleasesRequired', uses, territories };
}

/** Absent fields stay. Without a change there is no event. */
export function setRule(
  { at, ...change }: Partial<ReleaseRule> & { readonly at: string },
  rule: ReleaseRule,
): Decision<ConsentEvent> {
  const after = { ...rule, ...change };
  if (JSON.stringify(after) === JSON.stringify(rule)) return accept();
  const { required, ...purpose } = after;
  return accept({ type: required ? 'ReleasesRequired' : 'ReleasesMadeOptional', data: { ...purpose, at } });
}
