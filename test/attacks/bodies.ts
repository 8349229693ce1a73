/** The worst bodies that fit into `bytes`; each is invalid and is refused. */
export function worstBodies(bytes: number): Record<string, string> {
  return {
    'unknown fields': fill(bytes, '{', (index) => `"${index.toString(36)}":1`, '}'),
    'unknown fields in metadata': fill(
      bytes,
      '{"metadata":{',
      (index) => `"${index.toString(36)}":1`,
      '},"no":1}',
    ),
    'unknown fields in items': fill(bytes, '{"items":[', () => '{"a":1,"b":2}', ']}'),
    'wrong items': fill(bytes, '{"items":[', () => '0', ']}'),
    'wrong groups': fill(bytes, '{"photos":[],"grouping":{"person_groups":[', () => '{}', ']}}'),
    'wrong photos': fill(bytes, '{"photos":[', () => '{"pdp_image_public_id":1}', ']}'),
    'deep lists': `{"metadata":${'['.repeat(bytes / 2 - 20)}${']'.repeat(bytes / 2 - 20)}}`,
    'deep objects': `{"metadata":${'{"a":'.repeat(bytes / 6 - 20)}1${'}'.repeat(bytes / 6 - 20)}}`,
    'wide and deep': fill(bytes, '{"metadata":[', () => `${'['.repeat(25)}${']'.repeat(25)}`, ']}'),
    'one long text': `{"display_name":"${'x'.repeat(bytes - 30)}"}`,
    'escaped text': `{"display_name":"${'\\ud83d\\ude00'.repeat((bytes - 30) / 12)}"}`,
    'half a pair': `{"display_name":"${'é'.repeat((bytes - 60) / 2)}\\ud83d"}`,
    'long numbers': fill(bytes, '{"metadata":[', () => '9'.repeat(400), ']}'),
    'one long number': `{"seed":${'9'.repeat(bytes - 20)}}`,
    'small fractions': fill(bytes, '{"metadata":[', () => `0.${'0'.repeat(300)}1e-300`, ']}'),
    'the same name again': fill(bytes, '{', () => '"seed":1', '}'),
    'reserved names': fill(bytes, '{', () => '"__proto__":{"a":1}', '}'),
    'names of numbers': fill(bytes, '{', (index) => `"${index * 7919}":1`, '}'),
    'not JSON at its end': fill(bytes, '{', (index) => `"${index.toString(36)}":1`, ''),
    'no UTF-8 at its end': `${fill(bytes - 2, '{"display_name":"', () => 'é', '"}')}\u00ff`,
  };
}

/** A body with the most members that fit, separated by commas. */
function fill(bytes: number, open: string, member: (index: number) => string, close: string): string {
  const members: string[] = [];
  let size = open.length + close.length;
  for (let index = 0; ; index++) {
    const next = member(index);
    size += Buffer.byteLength(next) + 1;
    if (size > bytes) return open + members.join(',') + close;
    members.push(next);
  }
}
