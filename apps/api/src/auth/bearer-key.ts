import type { FastifyRequest } from 'fastify';

/** What a request sends as its key; undefined when it sends none. Whether it is a key at all is not looked at. */
export function bearerKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  return /^Bearer +([^\s]{1,256}) *$/i.exec(headers.authorization ?? '')?.[1];
}
