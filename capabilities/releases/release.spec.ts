import { describe, expect, it } from 'vitest';
import { accept, reject } from '#domain/decision.js';
import { erasedText } from '#domain/erased.js';
import type { ConsentEvent, ReleaseEvent, ReleaseTerms } from './release.events.js';
import {
  covers,
  eraseRelease,
  evolveRelease,
  evolveRule,
  expireRelease,
  grantRelease,
  hasEnded,
  initialRelease,
  initialRule,
  reviseRelease,
  setRule,
  withdrawRelease,
  type KnownRelease,
  type Release,
} from './release.js';
import { parsePermit, permitOf } from './release-uses.read-model.js';

const day = (number: number) => `2026-06-0${number}T12:00:00.000Z`;
const releaseId = '01JWZ0000000000000000000E1';
const terms: ReleaseTerms = {
  workflows: ['try-on'],
  uses: ['e-commerce'],
  territories: ['DE', 'AT'],
  expiresAt: day(5),
  fee: { amount: 250, unit: 'EUR' },
  document: 'contracts/17.pdf',
};
const grant = { ...terms, releaseId, tenant: 'acme', dataSubject: 'Anna', at: day(1) };

const after = (...events: ReleaseEvent[]): KnownRelease =>
  events.reduce<Release>(evolveRelease, initialRelease)!;
const granted: ReleaseEvent = { type: 'ModelReleaseGranted', data: grant };
const withdrawn: ReleaseEvent = { type: 'ModelReleaseWithdrawn', data: { reason: null, at: day(2) } };
const expired: ReleaseEvent = { type: 'ModelReleaseExpired', data: { at: day(5) } };

describe('a release', () => {
  it('is granted once, with an expiry that is still to come', () => {
    expect(grantRelease(grant, initialRelease)).toEqual(accept(granted));
    expect(grantRelease({ ...grant, dataSubject: 'Ben' }, after(granted))).toEqual(accept());
    expect(grantRelease({ ...grant, at: day(5) }, initialRelease)).toEqual(reject({ code: 'EXPIRY_PASSED' }));
  });

  it('is revised as a whole, while it lasts', () => {
    const change = { tenant: 'acme', terms: { ...terms, uses: ['social'] }, at: day(2) };
    const revised = reviseRelease(change, after(granted));
    expect(revised).toEqual(
      accept({ type: 'ModelReleaseRevised', data: { ...terms, uses: ['social'], at: day(2) } }),
    );
    expect(reviseRelease({ ...change, terms }, after(granted))).toEqual(accept());
    const past = { ...change, terms: { ...terms, expiresAt: day(1) } };
    expect(reviseRelease(past, after(granted))).toEqual(reject({ code: 'EXPIRY_PASSED' }));
  });

  it('that has ended is not revised, also before the expiry is recorded', () => {
    const change = { tenant: 'acme', terms: { ...terms, expiresAt: null }, at: day(6) };
    for (const ended of [after(granted), after(granted, withdrawn), after(granted, expired)])
      expect(reviseRelease(change, ended)).toEqual(reject({ code: 'RELEASE_ENDED' }));
  });

  it('is withdrawn once', () => {
    const withdraw = { tenant: 'acme', reason: null, at: day(2) };
    expect(withdrawRelease(withdraw, after(granted))).toEqual(accept(withdrawn));
    expect(withdrawRelease(withdraw, after(granted, withdrawn))).toEqual(accept());
    expect(withdrawRelease(withdraw, after(granted, expired))).toEqual(accept());
    expect(after(granted, withdrawn)).toMatchObject({ status: 'withdrawn', endedAt: day(2) });
  });

  it('expires once its time has come, and not before', () => {
    expect(expireRelease(day(4), after(granted))).toEqual(accept());
    expect(expireRelease(day(5), after(granted))).toEqual(accept(expired));
    expect(expireRelease(day(6), after(granted, withdrawn))).toEqual(accept());
    expect(expireRelease(day(6), after(granted, expired))).toEqual(accept());
    expect(expireRelease(day(6), initialRelease)).toEqual(accept());
  });

  it('is erased once: it ends, and keeps its terms but no words', () => {
    const order = { tenant: 'acme', erasureId: 'E1', at: day(3) };
    const erased: ReleaseEvent = { type: 'ModelReleaseErased', data: { erasureId: 'E1', at: day(3) } };
    expect(eraseRelease(order, after(granted))).toEqual(accept(erased));
    expect(eraseRelease(order, after(granted, erased))).toEqual(accept());
    expect(eraseRelease({ ...order, tenant: 'other' }, after(granted))).toEqual(
      reject({ code: 'RELEASE_NOT_FOUND' }),
    );
    const { expiresAt, fee } = terms;
    const words = { dataSubject: erasedText, document: erasedText, erasedAt: day(3) };
    expect(after(granted, erased)).toMatchObject({
      ...words,
      expiresAt,
      fee,
      status: 'withdrawn',
      endedAt: day(3),
    });
    expect(after(granted, expired, erased)).toMatchObject({ ...words, status: 'expired', endedAt: day(5) });
  });

  it('of another tenant is unknown', () => {
    const theirs = { tenant: 'rival', at: day(2) };
    const unknown = reject({ code: 'RELEASE_NOT_FOUND' });
    expect(reviseRelease({ ...theirs, terms }, after(granted))).toEqual(unknown);
    expect(withdrawRelease({ ...theirs, reason: null }, after(granted))).toEqual(unknown);
    expect(withdrawRelease({ ...theirs, reason: null }, initialRelease)).toEqual(unknown);
  });
});

describe('a release covers', () => {
  const purpose = { uses: ['e-commerce'], territories: ['DE'] };
  const asked = { workflow: 'try-on', purpose, at: day(2) };

  it('its workflows, uses and territories', () => {
    expect(covers(after(granted), asked)).toBe(true);
    expect(covers(after(granted), { ...asked, workflow: 'look' })).toBe(false);
    const more = (change: object) => ({ ...asked, purpose: { ...purpose, ...change } });
    expect(covers(after(granted), more({ uses: ['e-commerce', 'social'] }))).toBe(false);
    expect(covers(after(granted), more({ territories: ['DE', 'FR'] }))).toBe(false);
    expect(covers(after(granted), more({ uses: [], territories: [] }))).toBe(true);
  });

  it('everything where it names nothing', () => {
    const all = { ...grant, workflows: [], uses: [], territories: [] };
    expect(covers(after({ type: 'ModelReleaseGranted', data: all }), asked)).toBe(true);
  });

  it('nothing once it has ended', () => {
    expect(covers(after(granted), { ...asked, at: day(5) })).toBe(false);
    expect(covers(after(granted, withdrawn), asked)).toBe(false);
    expect(hasEnded(after(granted, expired), day(1))).toBe(true);
  });
});

describe('the rule of a tenant', () => {
  const data = { uses: ['e-commerce'], territories: [], at: day(1) };
  const required: ConsentEvent = { type: 'ReleasesRequired', data };

  it('requires no release before it says so', () => {
    expect(initialRule.required).toBe(false);
    const rule = evolveRule(initialRule, required);
    expect(rule).toEqual({ required: true, uses: ['e-commerce'], territories: [] });
  });

  it('changes in what is named', () => {
    expect(setRule({ required: true, uses: ['e-commerce'], at: day(1) }, initialRule)).toEqual(
      accept(required),
    );
    const rule = evolveRule(initialRule, required);
    expect(setRule({ required: true, at: day(2) }, rule)).toEqual(accept());
    expect(setRule({ required: false, at: day(2) }, rule)).toEqual(
      accept({ type: 'ReleasesMadeOptional', data: { ...required.data, at: day(2) } }),
    );
  });
});

describe('a permit', () => {
  it('names the release and the revision of its terms', () => {
    expect(parsePermit(permitOf(releaseId, 3n))).toEqual({ releaseId, revision: 3 });
    expect(parsePermit(null)).toBeUndefined();
    expect(parsePermit('another capability')).toBeUndefined();
  });
});
