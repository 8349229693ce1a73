import { Inject, Injectable } from '@nestjs/common';
import { Configuration } from '#platform/configuration.js';
import { Clock } from '#platform/clock.js';
import { ApiError, invalid } from '../http/api-error.js';
import { createHmac, timingSafeEqual, type Hmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { UsedOnce } from '#application/limits/rate-limit-store.js';
import { signingSecretOf } from '#application/key/api-key.js';
import { readRawBody } from '../http/request-body.js';

/**
 * The answer is the same for a key that is missing, malformed, unknown, revoked or retired, and for a signature
 * that is missing or wrong. It must not help a guesser.
 */
export function unauthenticated(
  message = 'Send a valid API key in the header Authorization: Bearer <API_KEY>.',
): ApiError {
  return new ApiError('UNAUTHENTICATED', message, { headers: { 'www-authenticate': 'Bearer' } });
}

export const signatureHeader = 'X-Atelier-Hmac-Sha256';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body as a stream and checks the `pendingSignature` itself. */
    streamsBody?: boolean;
  }
  interface FastifyRequest {
    /** The signature that a route with a streamed body must verify before it stores data. */
    pendingSignature?: Signature;
  }
}

/**
 * The two forms of the header: a bare signature of the body, or `t={Unix time},v1={signature}`, which covers
 * the time, method, path, Idempotency-Key and body. The signature is 32 bytes in canonical base64.
 */
const forms = /^(?:t=(?<time>[1-9]\d{0,12}),v1=)?(?<signature>[A-Za-z0-9+/]{43}=)$/;

/**
 * A time with this many digits is in milliseconds. It is for clients that send the same request twice in a
 * second.
 */
const millisecondDigits = 13;

/** How far the time of a signature may differ from ours. Stripe and Standard Webhooks allow the same. */
const toleranceSeconds = 5 * 60;

export class Signature {
  private readonly hmac: Hmac;

  /** @param objection another mistake in the request; only callers with a valid signature get to see it */
  constructor(
    secret: string,
    private readonly expected: Buffer,
    head: string,
    private readonly objection: ApiError | undefined,
    private readonly isFirstUse: () => Promise<boolean>,
  ) {
    this.hmac = createHmac('sha256', secret).update(head);
  }

  update(chunk: Uint8Array): void {
    this.hmac.update(chunk);
  }

  /**
   * Call it once, after the whole body was read. @throws ApiError 401 if the signature is not of this body, or
   * was used before
   */
  async verify(): Promise<void> {
    if (!timingSafeEqual(this.hmac.digest(), this.expected)) throw unauthenticated();
    if (this.objection) throw this.objection;
    if (!(await this.isFirstUse())) throw usedBefore();
  }
}

/**
 * Checks the signatures of requests: HMAC-SHA256 with the signing secret of the key (docs/signed-requests.md).
 */
@Injectable()
export class SignatureCheck {
  private readonly signingKey: string | undefined;

  constructor(
    @Inject(Configuration) { signingKey }: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    private readonly used: UsedOnce,
  ) {
    this.signingKey = signingKey;
  }

  /**
   * Reads the body of a signed request, unless the route streams it.
   * @throws ApiError 401 if the key requires a signature and it is missing, or if it is malformed, used before,
   *   or of another request; 422 for a dispatch without protection from repetition; 400 if this installation
   *   cannot check signatures
   */
  async check(request: FastifyRequest, { keyId, requiresSignature = false }: Caller): Promise<void> {
    const given = request.headers['x-atelier-hmac-sha256'];
    if (given === undefined) {
      if (requiresSignature) throw unauthenticated();
      return;
    }
    if (this.signingKey === undefined) throw uncheckable();
    const { time, signature: sent } = forms.exec(String(given))?.groups ?? {};
    if (sent === undefined || (time === undefined && requiresSignature === 'timed')) throw unauthenticated();
    const seconds = Number(time) / (time?.length === millisecondDigits ? 1_000 : 1);
    const signature = new Signature(
      signingSecretOf(this.signingKey, keyId),
      Buffer.from(sent, 'base64'),
      time === undefined ? '' : signedHead(request, time),
      time === undefined ? undefined : this.objectionTo(request, seconds),
      // The form without a time never expires, like in earlier releases.
      async () =>
        time === undefined ||
        this.used.use(`${keyId} ${sent}`, new Date((seconds + toleranceSeconds) * 1_000)),
    );
    if (request.routeOptions.config.streamsBody && request.isMultipart()) {
      request.pendingSignature = signature;
      return;
    }
    // The body of these is never read: it counts as empty.
    if (request.method !== 'GET' && request.method !== 'HEAD') signature.update(await readRawBody(request));
    await signature.verify();
  }

  private objectionTo({ headers, routeOptions }: FastifyRequest, time: number): ApiError | undefined {
    const ahead = Math.round(time - this.clock().getTime() / 1000);
    if (Math.abs(ahead) > toleranceSeconds) return untimely(ahead);
    // Within the tolerance, only the Idempotency-Key prevents a second charge for a repeated dispatch.
    const charges = routeOptions.config.workflow !== undefined;
    return charges && headers['idempotency-key'] === undefined ? repeatable() : undefined;
  }
}

/** The signed text before the body. No part of it can contain a line break. */
function signedHead({ method, raw, headers }: FastifyRequest, time: string): string {
  return `${time}\n${method}\n${raw.url ?? ''}\n${String(headers['idempotency-key'] ?? '')}\n`;
}

function usedBefore(): ApiError {
  return unauthenticated(
    'This signature was used before, and each signature is valid once. Sign a request again before you repeat it. If you ' +
      'send the same request twice within a second, give the time in milliseconds. Nothing was charged.',
  );
}

function untimely(ahead: number): ApiError {
  return unauthenticated(
    `The signature is right, but its time is ${Math.abs(ahead)} seconds ${ahead > 0 ? 'ahead of' : 'behind'} ours, and ` +
      `at most ${toleranceSeconds} are allowed: set the clock, and sign each request when you send it. Nothing was charged.`,
  );
}

function repeatable(): ApiError {
  const msg =
    'is required with a signature that names its time: it keeps a repeated request from charging twice';
  return invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'missing' }]);
}

function uncheckable(): ApiError {
  return new ApiError(
    'BAD_REQUEST',
    `This installation cannot check ${signatureHeader}: its operator has set no ATELIER_SIGNING_KEY. Nothing was charged.`,
  );
}
