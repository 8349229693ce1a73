import { Inject, Injectable } from '@nestjs/common';
import { Configuration } from '#platform/configuration.js';
import { ApiError } from '../http/api-error.js';
import { createHmac, timingSafeEqual, type Hmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { signingSecretOf } from '#application/key/api-key.js';
import { readRawBody } from '../http/request-body.js';

/**
 * The same for a key that is missing, malformed, unknown, revoked or retired, and for a signature that is missing or
 * wrong: the answer must not help a guesser.
 */
export function unauthenticated(): ApiError {
  return new ApiError(
    'UNAUTHENTICATED',
    'Send a valid API key in the header Authorization: Bearer <API_KEY>.',
    { headers: { 'www-authenticate': 'Bearer' } },
  );
}

export const signatureHeader = 'X-Atelier-Hmac-Sha256';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body as a stream, and has the word on the signature: see {@link pendingSignature}. */
    streamsBody?: boolean;
  }
}

/** 32 bytes in base64, as there is only one way to write them. */
const base64 = /^[A-Za-z0-9+/]{43}=$/;

/** The signature that a request came with, and what the body has to show for it. */
export class Signature {
  private readonly expected: Buffer;
  private readonly hmac: Hmac;

  constructor(expected: string, secret: string) {
    this.expected = Buffer.from(expected, 'base64');
    this.hmac = createHmac('sha256', secret);
  }

  update(chunk: Uint8Array): void {
    this.hmac.update(chunk);
  }

  /** To be called once, when the whole body was seen. @throws ApiError 401 when it is not what was signed */
  verify(): void {
    if (!timingSafeEqual(this.hmac.digest(), this.expected)) throw unauthenticated();
  }
}

const pending = new WeakMap<FastifyRequest, Signature>();

/** The signature that a route which streams its body has to verify before it keeps anything. */
export function pendingSignature(request: FastifyRequest): Signature | undefined {
  return pending.get(request);
}

/** Checks the signatures of requests: HMAC-SHA256 of the raw body with the signing secret of the key. */
@Injectable()
export class SignatureCheck {
  private readonly signingKey: string | undefined;

  constructor(@Inject(Configuration) { signingKey }: Configuration) {
    this.signingKey = signingKey;
  }

  /**
   * Reads the body of a signed request, unless the route streams it.
   * @throws ApiError 401 for a signature that is missing where the key asks for one, malformed, or of something else;
   *   400 where this installation cannot check it
   */
  async check(request: FastifyRequest, { keyId, requiresSignature = false }: Caller): Promise<void> {
    const given = request.headers['x-atelier-hmac-sha256'];
    if (given === undefined) {
      if (requiresSignature) throw unauthenticated();
      return;
    }
    if (this.signingKey === undefined) throw uncheckable();
    if (typeof given !== 'string' || !base64.test(given)) throw unauthenticated();
    const signature = new Signature(given, signingSecretOf(this.signingKey, keyId));
    if (request.routeOptions.config.streamsBody && request.isMultipart()) {
      pending.set(request, signature);
      return;
    }
    // The body of these is never read: it counts as empty.
    if (request.method !== 'GET' && request.method !== 'HEAD') signature.update(await readRawBody(request));
    signature.verify();
  }
}

function uncheckable(): ApiError {
  return new ApiError(
    'BAD_REQUEST',
    `This installation cannot check ${signatureHeader}: its operator has set no ATELIER_SIGNING_KEY. Nothing was charged.`,
  );
}
