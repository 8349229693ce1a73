import { ApiProperty } from '@nestjs/swagger';
import { armPattern, metaFacts, metaKeys, partFailureCodes, pictureKinds, stages } from '@atelier/engine';
import { shownFailureCodes } from '#domain/job/job.events.js';
import { errorStatuses } from './api-error.js';

/** The words that `npm run generate` writes into docs/guides/vocabulary.md, each with its meaning. */
export const explained = {
  StageName: {
    queued: 'The job is accepted and paid for.',
    ...stages,
    succeeded: 'The job has ended with its pictures.',
    failed: 'The job has ended without pictures: see [why](/docs/guides/errors#why-a-job-failed).',
  },
  ArtifactKind: pictureKinds,
  MetaKey: { width: 'Pixels.', height: 'Pixels.', ...metaFacts },
} as const;

/**
 * All words in answers that callers branch on. Each group is an enumeration in openapi.json and a table in a
 * guide that says what to do. If a word is missing in one of them, the code does not compile, or a test of the
 * guides, the engines or the API fails.
 */
export const vocabulary = {
  ErrorCode: Object.keys(errorStatuses),
  JobErrorCode: shownFailureCodes,
  /** For a whole photograph of a batch: why its job failed. */
  PartFailureCode: [...new Set([...partFailureCodes, ...shownFailureCodes])],
  StageName: Object.keys(explained.StageName),
  ArtifactKind: Object.keys(explained.ArtifactKind),
  MetaKey: Object.keys(explained.MetaKey),
} as const;

/** Where each table stands. */
const tables: Readonly<Record<keyof typeof vocabulary, string>> = {
  ErrorCode: 'errors#what-each-code-means',
  JobErrorCode: 'errors#why-a-job-failed',
  PartFailureCode: 'errors#why-a-part-of-a-job-gave-nothing',
  StageName: 'vocabulary#stages',
  ArtifactKind: 'vocabulary#kinds-of-pictures',
  MetaKey: 'vocabulary#what-meta-says',
};

const meaning = (name: keyof typeof vocabulary) =>
  `New ones may come. The meaning of each: /docs/guides/${tables[name]}`;

export function Word(
  name: Exclude<keyof typeof vocabulary, 'MetaKey'>,
  more: { description?: string; example?: unknown; nullable?: boolean; required?: boolean },
): PropertyDecorator {
  const enumSchema = { description: meaning(name) };
  return ApiProperty({ ...more, enum: [...vocabulary[name]], enumName: name, enumSchema });
}

/** The arm of a failure as callers see it. In a batch it follows the name of its photograph or pass. */
export const shownArm = `^(?:(?:photos\\[[0-9]+\\]|grouping)(?:\\.|$))?(?:${armPattern})?$`;

const pixels = { type: 'integer', minimum: 1, description: 'In pixels.' } as const;

/** `meta` and `attributes`: all possible keys, each with any JSON unless its schema limits it. */
export function MetaProperty(about: string, example: object): PropertyDecorator {
  return ApiProperty({
    description: `${about} The kind decides which of these are present. ${meaning('MetaKey')}`,
    type: 'object',
    properties: {
      ...Object.fromEntries(metaKeys.map((key) => [key, {}])),
      width: pixels,
      height: pixels,
      seed: { type: 'integer' },
    },
    example,
  });
}

const shownKeys = new Set<string>(metaKeys);

/**
 * The members of `meta` that callers see. It leaves out an engine's own notes, and members of older releases
 * that are no longer used.
 */
export function shownMeta(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => shownKeys.has(key)));
}
