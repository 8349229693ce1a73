import { Inject, Injectable } from '@nestjs/common';
import CircuitBreaker from 'opossum';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { messageOf } from '#platform/errors.js';
import { Logger } from '#platform/logger.js';
import { Troubles } from '#platform/troubles.js';
import type { SignedPicture } from './manifest.js';
import { lapseOf, type SigningCertificate } from './provenance.key.js';
import { askAuthority, missingTimeStamps } from './time-stamp-authority.js';

/** Room beside a token: the next one has another serial number, and perhaps a longer signature. */
const spareBytes = 96;

/** The authority rests when half of at least two requests of a minute failed; then a single picture tries again. */
const breakerOptions = {
  name: 'time-stamps',
  timeout: false,
  errorThresholdPercentage: 49,
  volumeThreshold: 2,
  rollingCountTimeout: 60_000,
  rollingCountBuckets: 6,
  rollingPercentilesEnabled: false,
  resetTimeout: 30_000,
} as const;

/**
 * Gets time-stamps (RFC 3161) for pictures from the operator's authority. A picture is worth more than its time-stamp:
 * if the authority is slow, away or wrong, the picture goes without, and the worker's troubles say so.
 */
@Injectable()
export class TimeStamps {
  private readonly breaker = new CircuitBreaker(
    (signed: SignedPicture, certificate: SigningCertificate) => this.ask(signed, certificate),
    breakerOptions,
  );
  /** Learned from the first token. */
  private roomBytes = 0;

  constructor(
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    private readonly troubles: Troubles,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /**
   * Signs a picture and has it stamped.
   * @param sign leaves a room for the token
   * @returns undefined: there is no authority, or the picture has to go without a time-stamp
   */
  async stamped(
    sign: (roomBytes: number) => SignedPicture,
    certificate: SigningCertificate,
  ): Promise<Buffer | undefined> {
    if (this.configuration.provenance.timeStamps.url === undefined) return undefined;
    // The second round is for the first token, which says how long tokens are, and for one that is longer than all before.
    for (let round = 0; round < 2; round++) {
      const signed = sign(this.roomBytes);
      const token = await this.tokenFor(signed, certificate);
      if (!token) return undefined;
      const bytes = signed.withToken(token);
      if (bytes) {
        this.troubles.tell(missingTimeStamps, undefined);
        return bytes;
      }
      this.roomBytes = token.length + spareBytes;
    }
    this.fails(new Error('it answers with a longer token each time'));
    return undefined;
  }

  private async tokenFor(
    signed: SignedPicture,
    certificate: SigningCertificate,
  ): Promise<Buffer | undefined> {
    try {
      return await this.breaker.fire(signed, certificate);
    } catch (error) {
      // While the authority rests, its last failure stands.
      if (!CircuitBreaker.isOurError(error as Error)) this.fails(error);
      return undefined;
    }
  }

  private async ask({ stamped }: SignedPicture, certificate: SigningCertificate): Promise<Buffer> {
    const { url, authorities } = this.configuration.provenance.timeStamps;
    const { token, stamp } = await askAuthority(url!, stamped, authorities);
    // A verifier that trusts the authority would call the whole picture invalid.
    const lapse = lapseOf(certificate, stamp.time!);
    if (lapse === undefined) return token;
    throw new Error(
      `its clock says ${stamp.time!.toISOString()}, when the certificate in ATELIER_PROVENANCE_CERT ${lapse}`,
    );
  }

  private fails(error: unknown): void {
    // The rest of the address may hold a secret.
    const { host } = new URL(this.configuration.provenance.timeStamps.url!);
    const because = `${host}: ${messageOf(error)}`;
    const at = this.clock().toISOString();
    this.troubles.tell(missingTimeStamps, `pictures have no time-stamp, last tried ${at}: ${because}`);
    this.logger.warn({ because }, 'a picture has no time-stamp');
  }
}
