import { describe, expect, it } from 'vitest';
import { accept, reject } from '#domain/decision.js';
import { SettingsReader } from '#platform/configuration.js';
import { readKeepingSettings } from '../keeping.settings.js';
import { changeRetention, daysKept, evolveRetention, initialOwnDays } from './retention.js';

const at = '2026-02-01T08:30:00.001Z';
const most = { uploads: 60 };

describe("a tenant's rule", () => {
  it('changes the kinds that are named, and nothing twice', () => {
    const days = { ...initialOwnDays, uploads: 30 };
    const changed = { type: 'RetentionRuleChanged', data: { days, at } } as const;
    expect(changeRetention({ days: { uploads: 30 }, most, at }, initialOwnDays)).toEqual(accept(changed));
    const rule = evolveRetention(initialOwnDays, changed);
    expect(changeRetention({ days: { uploads: 30 }, most, at }, rule)).toEqual(accept());
    expect(changeRetention({ days: { uploads: null }, most, at }, rule)).toMatchObject({
      events: [{ data: { days: initialOwnDays } }],
    });
  });

  it("cannot be longer than the operator's maximum", () => {
    const refused = reject({ code: 'TOO_LONG', kind: 'uploads', most: 60 });
    expect(changeRetention({ days: { uploads: 61 }, most, at }, initialOwnDays)).toEqual(refused);
    expect(changeRetention({ days: { uploads: 60, words: 999 }, most, at }, initialOwnDays).kind).toBe(
      'accepted',
    );
  });

  it("comes before the default, and the operator's later maximum before both", () => {
    const own = { ...initialOwnDays, uploads: 90 };
    expect(daysKept('uploads', own, { usual: { uploads: 7 }, most: {} })).toBe(90);
    expect(daysKept('uploads', own, { usual: { uploads: 7 }, most })).toBe(60);
    expect(daysKept('words', own, { usual: { words: 7 }, most })).toBe(7);
    expect(daysKept('finals', own, { usual: {}, most })).toBeUndefined();
  });
});

describe('the settings of retention', () => {
  const read = (variables: Record<string, string>) => {
    const settings = new SettingsReader(variables);
    return { ...readKeepingSettings(settings).keeping, problems: settings.problems };
  };

  it('are days by kind', () => {
    expect(read({})).toEqual({ usual: {}, most: {}, warningDays: 3, problems: [] });
    const variables = {
      ATELIER_RETENTION_DAYS: 'uploads=30, words=365',
      ATELIER_RETENTION_MAX_DAYS: 'words=400',
    };
    expect(read(variables)).toMatchObject({ usual: { uploads: 30, words: 365 }, most: { words: 400 } });
  });

  it.each(['uploads', 'uploads=0', 'photos=3', 'uploads=3651', 'words=1.5'])('refuse %s', (text) => {
    expect(read({ ATELIER_RETENTION_DAYS: text }).problems.join()).toContain(`not "${text}"`);
  });

  it('refuse a default beyond the maximum', () => {
    const { problems } = read({ ATELIER_RETENTION_DAYS: 'finals=9', ATELIER_RETENTION_MAX_DAYS: 'finals=8' });
    expect(problems.join()).toContain('keeps finals for 9 days');
  });
});
