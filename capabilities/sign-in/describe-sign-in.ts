import { operatorRoles } from '#operator-calls/operator-role.js';
import type { SignInDescription } from '#operator-calls/sign-in.js';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };

const session = {
  type: 'object',
  required: ['name', 'role', 'expires_at', 'session_expires_at'],
  properties: {
    name: text,
    role: { type: 'string', enum: operatorRoles },
    expires_at: { ...time, description: 'When the access of the operator ends.' },
    session_expires_at: {
      ...time,
      type: ['string', 'null'],
      description: 'When the session ends. Null if the request came with a token.',
    },
  },
};

const found = (schema: object) => ({
  200: { description: 'Found.', ...json(schema) },
  default: { description: 'It was refused.', ...json(ref('ErrorEnvelope')) },
});

const sessionCall = (operationId: string, summary: string, description: string) => ({
  operationId,
  tags: ['session'],
  summary,
  description,
  responses: {
    200: {
      description: 'Done.',
      headers: { 'Set-Cookie': { description: 'HttpOnly, SameSite=Strict.', schema: text } },
      ...json(ref('Session')),
    },
    default: { description: 'It was refused.', ...json(ref('ErrorEnvelope')) },
  },
});
const goOn = {
  303: {
    description: 'The browser goes on to `Location`.',
    headers: { Location: { schema: text }, 'Set-Cookie': { schema: text } },
  },
  default: { description: 'It was refused.', ...json(ref('ErrorEnvelope')) },
};
const login = { tags: ['session'], security: [] };

const sessionPaths = {
  '/admin/v1/session': {
    post: sessionCall(
      'sessionBegin',
      'Exchange a token for a session.',
      'The token comes in the header, the session as a cookie.',
    ),
    get: sessionCall('sessionShow', 'Who is logged in.', 'With a token, or with the cookie of a session.'),
    delete: sessionCall('sessionEnd', 'End the session.', 'Its cookie no longer works.'),
  },
  '/admin/v1/login': {
    get: {
      ...login,
      operationId: 'loginWays',
      summary: 'How people can log in, other than with a token.',
      responses: found({
        type: 'object',
        required: ['organisation'],
        properties: {
          organisation: {
            type: ['string', 'null'],
            description: 'Where the browser begins the login; null if there is none.',
          },
        },
      }),
    },
  },
  '/admin/v1/login/organisation': {
    get: {
      ...login,
      operationId: 'loginBegin',
      summary: 'Go to the login of the organisation.',
      responses: goOn,
    },
  },
  '/admin/v1/login/organisation/callback': {
    get: {
      ...login,
      operationId: 'loginFinish',
      summary: 'Return from the login of the organisation to the console.',
      responses: goOn,
    },
  },
};

/** The session's routes and those of the organisation's login, in openapi-admin.json. */
export const signInDescription: SignInDescription = {
  paths: sessionPaths,
  schemas: { Session: session },
  securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'op_…' } },
};
