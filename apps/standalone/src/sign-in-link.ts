import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Configuration } from '#platform/configuration.js';
import type { LinkAnswer } from '#platform/sign-in-link.js';

const ownMachine = /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** The parts of the settings that decide whether a start prints a link. */
type LinkSettings = Pick<Configuration, 'host' | 'storage' | 'trustedProxies'>;

/**
 * A service prints a link only if it listens on this machine's own address and uses the database and the folder that it
 * made itself. With any setting of a real installation it prints none.
 */
export function printsLink(
  { host, storage, trustedProxies }: LinkSettings,
  given: NodeJS.ProcessEnv,
): boolean {
  const own = ['DATABASE_URL', 'EVENT_STORE_URL', 'PUBLIC_URL'].every(
    (name) => !given[name] && !given[`${name}_FILE`],
  );
  return (
    own &&
    ownMachine.test(host) &&
    storage.kind === 'folder' &&
    trustedProxies.length === 0 &&
    given['NODE_ENV'] !== 'production'
  );
}

const validMs = 15 * 60_000;

/**
 * The link that signs one browser in to the console. It lives in this process only.
 *
 * - `open`: from the start on. The first browser that shows the token makes it `used`; after a quarter of an hour it is
 *   `ended`. If no key can be issued, it is open again.
 * - `used`, `ended`: it gives no key any more. The next start prints another link.
 */
export class SignInLink {
  /** It goes to the terminal, and from there to the browser: nothing else holds it. */
  readonly token = randomBytes(32).toString('base64url');
  private readonly endsAtMs: number;
  private used = false;

  constructor(
    private readonly issueKey: () => Promise<string>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.endsAtMs = nowMs() + validMs;
  }

  /** @param warn told once why no key could be issued */
  async take(token: string, warn: (because: unknown) => void): Promise<LinkAnswer> {
    if (!timingSafeEqual(digest(token), digest(this.token))) return { kind: 'unknown' };
    if (this.used) return { kind: 'used' };
    if (this.nowMs() > this.endsAtMs) return { kind: 'ended' };
    // Before anything is awaited: of two browsers only the first gets a key.
    this.used = true;
    try {
      return { kind: 'key', key: await this.issueKey() };
    } catch (error) {
      this.used = false;
      warn(error);
      return { kind: 'failed' };
    }
  }
}

/** Texts of any length have digests of one length, which the comparison needs. */
const digest = (text: string) => createHash('sha256').update(text).digest();
