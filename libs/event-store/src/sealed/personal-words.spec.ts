import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { erasedText } from '#domain/erased.js';
import { eventFamilies } from '#domain/event-families.js';
import type { AnswersFor, PersonalFields } from '#domain/event-family.js';
import { joinWords, partWords } from './personal-words.js';

interface Stored {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** Events of every version of every type. */
const events = globSync('{test/golden,capabilities/*/test}/histories/*.json').flatMap(
  (file) => (JSON.parse(readFileSync(file, 'utf8')) as { events: Stored[] }).events,
);

const answers = new Map(eventFamilies.flatMap(({ personal }) => Object.entries(personal)));

/** The paths of texts under `value` that have no answer, and the texts whose answer is yes. */
function look(value: unknown, answer: boolean | PersonalFields | undefined, path: string) {
  const unanswered: string[] = [];
  const personal: string[] = [];
  const visit = (inner: unknown, its: boolean | PersonalFields | undefined, place: string): void => {
    if (Array.isArray(inner)) for (const item of inner) visit(item, its, place);
    else if (typeof inner === 'object' && inner !== null)
      for (const [name, member] of Object.entries(inner))
        visit(member, typeof its === 'object' ? its[name] : its, `${place}.${name}`);
    else if (typeof inner === 'string' && its === true) personal.push(inner);
    else if (typeof inner === 'string' && its !== false) unanswered.push(place);
  };
  visit(value, answer, path);
  return { unanswered, personal };
}

/** Texts from a fixed list owe no answer, nor does the time of the event. */
const owesNone =
  /^\w+\.(?:at|kind|reason|origin|role|status|environment|capabilities|outcome|code|consent|events|testOutcome|requiresSignature|step|artifacts\.role|images\.role|scope\.kind|targets\.kind)$/;

describe('the personal fields of events', () => {
  it('are declared: every text of every stored event says yes or no', () => {
    const missing = events.flatMap(({ type, data }) => look(data, answers.get(type), type).unanswered);
    expect([...new Set(missing)].filter((path) => !owesNone.test(path))).toEqual([]);
  });

  it('are declared for a new field, or it does not compile', () => {
    type Data = {
      id: string;
      title?: string | null;
      size: number;
      parts: { words: string; kind: 'a' | 'b' }[];
    };
    const whole: AnswersFor<Data> = { id: false, title: true, parts: { words: true } };
    // @ts-expect-error: the title says neither yes nor no.
    const lacking: AnswersFor<Data> = { id: false, parts: { words: true } };
    // @ts-expect-error: the words of the parts say neither yes nor no.
    const lackingBelow: AnswersFor<Data> = { id: false, title: true, parts: {} };
    expect([whole, lacking, lackingBelow]).toHaveLength(3);
  });

  it('are in several families, and some event of each has them', () => {
    const withWords = events.filter(({ type, data }) => partWords(type, data) !== undefined);
    expect(new Set(withWords.map(({ type }) => type)).size).toBeGreaterThan(15);
  });

  it('leave no word in the data, and come back to their places', () => {
    for (const { type, data } of events) {
      const before = JSON.stringify(data);
      const parted = partWords(type, data);
      if (!parted) continue;
      const joined = joinWords(parted);
      expect({ type, joined: JSON.stringify(joined), given: JSON.stringify(data) }).toEqual({
        type,
        joined: before,
        given: before,
      });
      const left = look(parted.data, answers.get(type), type).personal;
      expect({ type, left: left.filter((text) => text !== erasedText) }).toEqual({ type, left: [] });
    }
  });

  it('keep their kinds when they are erased, and null stays null', () => {
    const data = {
      title: 'Anna in a red dress',
      externalRef: 'SKU-1',
      description: null,
      images: [{ assetId: 'a', storageKey: 'k', sha256: 'ff', role: 'primary' }],
      productId: 'p',
      tenant: 't',
    };
    expect(partWords('ProductRegistered', data)).toEqual({
      data: {
        ...data,
        title: erasedText,
        images: [{ assetId: 'a', storageKey: 'k', sha256: erasedText, role: 'primary' }],
      },
      words: { title: 'Anna in a red dress', 'images.0.sha256': 'ff' },
    });
    const provenance = { engine: 'sketch', inputHashes: ['ff', 'ee'] };
    expect(partWords('JobSucceeded', { message: '', artifacts: [], provenance })).toEqual({
      data: { message: erasedText, artifacts: [], provenance: { engine: 'sketch', inputHashes: [] } },
      words: { message: '', 'provenance.inputHashes': ['ff', 'ee'] },
    });
  });
});
