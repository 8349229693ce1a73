import type { OpenAPIObject } from '@nestjs/swagger';
import { signatureHeader } from '../auth/signature.js';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

const signature = {
  name: signatureHeader,
  in: 'header',
  required: false,
  description:
    'Signs the request: base64 of the HMAC-SHA256 of the raw body, empty for a GET, with the signing secret of the ' +
    'key (`sks_…`). Keys that were issued to be signed with ask for it; others may go without. A wrong one gives 401.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9+/]{43}=$' },
} as const;

const headers = {
  'RateLimit-Policy': {
    description: "The key's limit: `q` requests in `w` seconds.",
    schema: { type: 'string', example: '"default";q=600;w=60' },
  },
  RateLimit: {
    description: '`r` requests are left; all of them are there again in `t` seconds.',
    schema: { type: 'string', example: '"default";r=599;t=1' },
  },
  'Retry-After': {
    description: 'In how many seconds the next request passes.',
    schema: { type: 'integer', minimum: 1, example: 2 },
  },
} as const;

/**
 * What the way in adds to every route that asks for a key: the signature, 429, and what is left of the limit. Said
 * here once, as the guard does it once.
 */
export function describeEntrance(document: OpenAPIObject): void {
  const { paths, components } = document;
  document.components = { ...components, headers: { ...components?.headers, ...headers } };
  for (const [path, item] of Object.entries(paths)) {
    if (!path.startsWith('/v1/')) continue;
    for (const method of methods) {
      const operation = item[method];
      if (operation) describeOne(operation);
    }
  }
}

function describeOne(operation: Operation): void {
  operation.parameters = [...(operation.parameters ?? []), { ...signature, schema: { ...signature.schema } }];
  const { responses } = operation;
  responses['429'] ??= tooManyRequests(responses['401']);
  const told = references('RateLimit-Policy', 'RateLimit');
  for (const [status, response] of Object.entries(responses)) {
    // 401 is the answer to nobody in particular.
    if (status === '401' || status === 'default' || !response || '$ref' in response) continue;
    const retry = status === '429' ? references('Retry-After') : {};
    response.headers = { ...response.headers, ...told, ...retry };
  }
}

function references(...names: (keyof typeof headers)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Like the 401 beside it, in the same envelope. */
function tooManyRequests(unauthenticated: Operation['responses'][string]): Operation['responses'][string] {
  const like = unauthenticated && 'content' in unauthenticated ? unauthenticated : undefined;
  const schema = like?.content?.['application/json']?.schema;
  const error = {
    code: 'RATE_LIMITED',
    message: 'This key may make 600 requests a minute. Nothing was charged: try again in a second.',
    request_id: '01K9Z7J0V4M2Q8T6R3N5B1C7DE',
  };
  return {
    description:
      "The key's requests of this minute are used up; or too many requests without a valid key came from this address.",
    headers: { ...like?.headers },
    content: {
      'application/json': {
        ...(schema && { schema }),
        examples: { RATE_LIMITED: { summary: 'RATE_LIMITED', value: { error } } },
      },
    },
  };
}
