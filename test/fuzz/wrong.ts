import fc, { type Arbitrary } from 'fast-check';

/** Values that are wrong in every field, or almost every one. */
const oddities: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    1e308,
    2 ** 53,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '../../etc/passwd',
    "'; drop table jobs; --",
    'https://example.invalid/picture.png',
    '01K9Z7J0V4M2Q8T6R3N5B1C7D',
    '01K9Z7J0V4M2Q8T6R3N5B1C7DEX',
    'ｱ\u202e\u{1f459}',
    'x'.repeat(5_000),
    [],
    {},
    [[[[[[[[]]]]]]]],
    { toString: 'x', constructor: { prototype: 1 } },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

const names = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'owner', 'tenant', 'client_id', 'credits_cost', ''),
  fc.string({ maxLength: 20 }),
);

/** A valid body with one change. It may still be valid by chance. */
export function wrongBody(right: Arbitrary<unknown>): Arbitrary<string> {
  const spoiled = fc.tuple(right, fc.nat(), oddities, names).chain(([body, at, odd, name]) => {
    const fields = body !== null && typeof body === 'object' ? Object.keys(body) : [];
    const field = fields[at % Math.max(fields.length, 1)];
    const rest = { ...(body as Record<string, unknown>) };
    if (field === undefined) return fc.constant<unknown>(odd);
    const { [field]: _dropped, ...without } = rest;
    return fc.constantFrom<unknown>(
      without,
      { ...rest, [field]: odd },
      withOwn(rest, name, odd),
      [rest],
      odd,
    );
  });
  return fc.oneof(
    { weight: 8, arbitrary: spoiled.map((body) => JSON.stringify(body) ?? '') },
    { weight: 1, arbitrary: fc.string({ maxLength: 200, unit: 'binary' }) },
    {
      weight: 1,
      arbitrary: fc.tuple(right, fc.double({ min: 0, max: 1, noNaN: true })).map(([body, share]) => {
        const text = JSON.stringify(body) ?? '';
        return text.slice(0, Math.floor(text.length * share));
      }),
    },
  );
}

/** Makes `__proto__` a field like any other, as JSON.parse does. */
function withOwn(body: Record<string, unknown>, name: string, value: unknown): unknown {
  return Object.fromEntries([...Object.entries(body), [name, value]]);
}

/** Values for a query parameter, a header or a part of the path. */
export const wrongText: Arbitrary<string> = fc.oneof(
  fc.constantFrom('', '-1', '0', '1e9', '99999999999999999999', 'NaN', 'null', '%00', '../..', '💃', 'a b'),
  fc.string({ maxLength: 40, unit: 'binary' }),
);
