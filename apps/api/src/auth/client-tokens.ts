import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller, ClientScope } from '#application/command-context.js';
import { Authenticator } from '#application/key/authenticator.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';

/** `ct_{environment}_{key id}_{scope}_{id}_{end, Unix seconds}_{signature}` */
const pattern =
  /^(?<signed>ct_(?<environment>live|test)_(?<keyId>[0-9A-Z]{26})_(?<kind>upload|job)_(?<id>[0-9A-Z]{26})_(?<end>\d{10}))_(?<signature>[\w-]{43})$/;

/**
 * Tokens that a customer's server makes with its key and gives to a browser: for one upload, or for reading one
 * job, for some minutes. They are signed with ATELIER_SIGNING_KEY and not stored. A token becomes invalid when
 * its key is revoked.
 */
@Injectable()
export class ClientTokens {
  private readonly signingKey: string | undefined;

  constructor(
    @Inject(Configuration) { signingKey }: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    private readonly keys: Authenticator,
  ) {
    this.signingKey = signingKey;
  }

  /** Undefined where this installation has no key to sign with. */
  issue({ environment, keyId }: Caller, { kind, id }: ClientScope, end: Date): string | undefined {
    if (this.signingKey === undefined) return undefined;
    const signed = ['ct', environment, keyId, kind, id, Math.floor(end.getTime() / 1000)].join('_');
    return `${signed}_${this.sign(this.signingKey, signed).toString('base64url')}`;
  }

  /**
   * The caller that a token stands for, with the token's only purpose. Undefined for every kind of bad token.
   */
  async authenticate(token: string): Promise<Caller | undefined> {
    const parts = pattern.exec(token)?.groups;
    if (!parts || this.signingKey === undefined) return undefined;
    // The pattern has all of these groups.
    const { signed, environment, keyId, kind, id, end, signature } = parts as Record<string, string>;
    const given = Buffer.from(signature!, 'base64url');
    const expected = this.sign(this.signingKey, signed!);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    if (this.clock().getTime() / 1000 > Number(end)) return undefined;
    const caller = await this.keys.callerOf(environment as Caller['environment'], keyId!);
    return (
      caller && { ...caller, requiresSignature: false, scope: { kind: kind as ClientScope['kind'], id: id! } }
    );
  }

  private sign(signingKey: string, signed: string): Buffer {
    return createHmac('sha256', signingKey).update(`client-token\n${signed}`).digest();
  }
}

export const isClientToken = (bearer: string | undefined): bearer is string =>
  bearer?.startsWith('ct_') ?? false;
