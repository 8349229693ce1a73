import { hash } from 'node:crypto';
import { promisify } from 'node:util';

interface Reply {
  code(status: number): Reply;
  headers(values: Record<string, string>): Reply;
}

interface Asked {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * A document that is the same for every caller. It is made, compressed and hashed once, and all callers share
 * its bytes.
 */
export class PreparedAnswer {
  private constructor(
    private readonly whole: Buffer,
    private readonly compressed: Buffer,
    private readonly etag: string,
  ) {}

  static async of(document: string | Buffer): Promise<PreparedAnswer> {
    const whole = Buffer.from(document);
    const digest = hash('sha256', whole, 'base64url').slice(0, 22);
    return new PreparedAnswer(whole, await gzipped(whole), `"${digest}"`);
  }

  /**
   * Sets the status and all headers but the content type. @returns the body; undefined for a client that has it
   * already
   */
  answer({ headers }: Asked, reply: Reply): Buffer | undefined {
    // Weak, as it is the same for both encodings.
    const shared = { 'cache-control': 'no-cache', etag: `W/${this.etag}`, vary: 'accept-encoding' };
    reply.headers(shared);
    if (String(headers['if-none-match'] ?? '').includes(this.etag)) {
      reply.code(304);
      return undefined;
    }
    if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(headers['accept-encoding'] ?? '')))
      return this.whole;
    reply.headers({ 'content-encoding': 'gzip' });
    return this.compressed;
  }
}

export async function gzipped(bytes: Buffer): Promise<Buffer> {
  // A module of 3 MB. Processes whose documents and pages are never read do not load it.
  const { gzip } = await import('node:zlib');
  return promisify(gzip)(bytes);
}
