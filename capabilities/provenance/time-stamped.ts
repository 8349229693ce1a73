import type { X509Certificate } from 'node:crypto';
import { lapseOf } from './provenance.key.js';
import type { Credentials } from './read-credentials.js';
import type { TimeStamp } from './time-stamp-token.js';

/** How the time of a signature is judged. */
export interface JudgedTime {
  /** Null: the signature has no time-stamp. */
  readonly timeStamp: TimeStamp | null;
  /**
   * Whether the certificate that signed was out of its time: at the time of the time-stamp if that is trusted, else now.
   * Null: the certificate cannot be read.
   */
  readonly expired: boolean | null;
}

/** @param authorities certificates of authorities of time that are trusted, or of those that issue to them */
export async function judgeTime(
  { stamp, signedBy }: Pick<Credentials, 'stamp' | 'signedBy'>,
  authorities: readonly X509Certificate[],
  now: Date,
): Promise<JudgedTime> {
  const timeStamp = stamp ? await judged(stamp, authorities) : null;
  const at = timeStamp?.status === 'timeStamp.trusted' ? (timeStamp.time ?? now) : now;
  return { timeStamp, expired: signedBy && lapseOf(signedBy, at) !== undefined };
}

async function judged(
  { token, stamped }: NonNullable<Credentials['stamp']>,
  authorities: readonly X509Certificate[],
): Promise<TimeStamp> {
  // Most processes never see one, and the library costs 70 ms of CPU to load.
  const { judgeToken } = await import('./time-stamp-token.js');
  return judgeToken(token, stamped, authorities);
}
