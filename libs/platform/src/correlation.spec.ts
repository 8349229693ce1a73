import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { acceptTraceparent, correlated, correlation, parseTraceparent } from './correlation.js';
import { inSpan } from './tracing.js';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';
const traceparent = `00-${trace}-${span}-01`;

describe('a traceparent', () => {
  it('is read', () => {
    expect(parseTraceparent(traceparent)).toEqual({ traceId: trace, spanId: span, sampled: true });
    expect(parseTraceparent(`00-${trace}-${span}-00`)).toMatchObject({ sampled: false });
  });

  it('of a later version is read as far as it is known, and passed on as version 00', () => {
    expect(acceptTraceparent(`cc-${trace}-${span}-01-what-the-future-holds`)).toBe(traceparent);
    expect(acceptTraceparent(`00-${trace}-${span}-03`)).toBe(traceparent);
  });

  it.each([
    ['', 'empty'],
    [`ff-${trace}-${span}-01`, 'of the version that is none'],
    [`00-${trace}-${span}-01-more`, 'longer than version 00 allows'],
    [`00-${trace.toUpperCase()}-${span}-01`, 'in capitals'],
    [`00-${'0'.repeat(32)}-${span}-01`, 'without a trace'],
    [`00-${trace}-${'0'.repeat(16)}-01`, 'without a span'],
    [`01-${trace}-${span}-01-${'x'.repeat(300)}`, 'endless'],
  ])('%s is not taken: it is %s', (text) => {
    expect(acceptTraceparent(text)).toBeUndefined();
  });

  it('that comes twice is not taken', () => {
    expect(acceptTraceparent([traceparent, traceparent])).toBeUndefined();
    expect(acceptTraceparent(undefined)).toBeUndefined();
  });
});

describe('correlation', () => {
  it('reaches what is awaited, stays apart from what goes on beside it, and ends with the work', async () => {
    const seen = await Promise.all(
      ['a', 'b'].map((requestId) =>
        correlated({ requestId }, async () => {
          await sleep(5);
          return correlated({ traceparent }, () => Promise.resolve(correlation()));
        }),
      ),
    );
    expect(seen).toEqual([
      { requestId: 'a', traceparent },
      { requestId: 'b', traceparent },
    ]);
    expect(correlation()).toEqual({});
  });
});

describe('a span, while no traces are sent', () => {
  it('is its work, under the parent that it names', async () => {
    expect(await inSpan('work', {}, () => Promise.resolve(correlation()))).toEqual({});
    const parent = traceparent;
    expect(await inSpan('work', { parent }, () => Promise.resolve(correlation()))).toEqual({ traceparent });
    await expect(inSpan('work', { parent }, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  });
});
