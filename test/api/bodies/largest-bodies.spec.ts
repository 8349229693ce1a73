import { describe, expect, it } from 'vitest';
import { workflows } from '#workflows/workflows.js';
import { hasTooManyValues, jsonBodyLimit } from '../../../apps/api/src/http/request-body.js';
import { batchBodyLimit } from '../../../apps/api/src/dispatch/dispatch.controller.js';
import { openApi, resolve, type Schema } from './body-schemas.js';

const bodies = Object.entries(openApi.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema;
    return schema ? [{ name: `${method.toUpperCase()} ${path}`, schema }] : [];
  }),
);

/** A character beyond the first plane counts as one, but JSON may write it in twelve bytes. */
const longestCharacter = '\\ud83d\\ude00';
/** 8 KiB of JSON by our count; with its escapes it is three times as long. */
const metadata = `{"${longestCharacter.repeat(8 * 256 - 4)}":1}`;

/** The longest JSON that a schema allows. */
function longest(given: Schema): string {
  const { schema } = resolve(given);
  if (schema.enum) return JSON.stringify(schema.enum.toSorted((a, b) => b.length - a.length)[0]);
  switch (schema.type) {
    case 'string': {
      if (schema.format === 'date-time') return '"2026-01-31T12:00:00.123456789+00:00"';
      if (schema.maxLength === undefined) throw new Error('a text without a bound');
      const character = schema.maxLength === schema.minLength ? 'x' : longestCharacter;
      return `"${character.repeat(schema.maxLength)}"`;
    }
    case 'array':
      return `[${Array.from({ length: schema.maxItems ?? 0 }, () => longest(schema.items ?? {})).join(', ')}]`;
    case 'object': {
      if (!schema.properties) return metadata;
      const members = Object.entries(schema.properties).map(([name, each]) => `"${name}": ${longest(each)}`);
      return `{${members.join(', ')}}`;
    }
    default:
      return '-2.2250738585072014e-308';
  }
}

describe('the largest body by the interface', () => {
  it.each(bodies)('$name is taken, however its text is written', ({ name, schema }) => {
    const body = Buffer.from(longest(schema));
    const isBatch = workflows.some((workflow) => workflow.batch && name === `POST /v1/${workflow.name}`);
    expect(body.length).toBeLessThanOrEqual(isBatch ? batchBodyLimit : jsonBodyLimit);
    expect(hasTooManyValues(body)).toBe(false);
    expect(() => JSON.parse(String(body)) as unknown).not.toThrow();
  });
});
