import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Signs the time-stamps of these specs: elsewhere they are skipped. */
export const hasOpenssl = (() => {
  try {
    return /^OpenSSL [3-9]/.test(execFileSync('openssl', ['version'], { encoding: 'utf8' }));
  } catch {
    return false;
  }
})();

const shortKeys = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

const settings = `
[tsa]
serial = ./serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
accuracy = secs:1
`;

/**
 * Makes the answer to a request, or its status; undefined: it answers itself.
 * @param reply gives what a good authority says to a query
 */
type Answers = (
  query: Buffer,
  reply: (query: Buffer) => Promise<Buffer>,
  response: ServerResponse,
) => Promise<Buffer | number | undefined>;

export const honest: Answers = (query, reply) => reply(query);

/** An authority of time on loopback, whose answers OpenSSL signs. */
export class TimeAuthority implements AsyncDisposable {
  /** Requests that came in. */
  asked = 0;
  answers: Answers = honest;

  private constructor(
    private readonly folder: string,
    private readonly server: ReturnType<typeof createServer>,
    /** Of the root that issued its certificate, as PEM. */
    readonly root: string,
  ) {}

  /**
   * A root issues the certificate of an issuer, who issues that of the authority.
   * @param key what OpenSSL calls the kind of its keys
   * @param issued extended key usage of certificates that the issuer may issue
   * @param own extensions of its certificate
   */
  static async open(
    key: readonly string[] = shortKeys,
    issued = 'timeStamping',
    own = 'keyUsage=digitalSignature',
  ): Promise<TimeAuthority> {
    const folder = await mkdtemp(join(tmpdir(), 'time-authority-'));
    const openssl = (...args: readonly string[]) => run('openssl', args, { cwd: folder });
    const file = (name: string, text: string) => writeFile(join(folder, name), text);
    await file('settings', settings);
    await file('of-issuer', `basicConstraints=critical,CA:TRUE\nextendedKeyUsage=${issued}\n`);
    await file('of-authority', `basicConstraints=CA:FALSE\nextendedKeyUsage=critical,timeStamping\n${own}\n`);
    const make = (name: string, subject: string) =>
      [
        'req',
        '-newkey',
        ...key,
        '-nodes',
        '-keyout',
        `${name}.key`,
        '-subj',
        `/O=Test/CN=${subject}`,
      ] as const;
    const ca = ['-addext', 'basicConstraints=critical,CA:TRUE'];
    await openssl(...make('root', 'Root of time'), '-x509', ...ca, '-out', 'root.pem');
    const issue = async (name: string, subject: string, by: string) => {
      await openssl(...make(name, subject), '-out', `${name}.csr`);
      const issuer = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial', '-days', '2'];
      const request = ['-in', `${name}.csr`, '-extfile', `of-${name}`, '-out', `${name}.pem`];
      await openssl('x509', '-req', ...issuer, ...request);
    };
    await issue('issuer', 'Issuer of time', 'root');
    await issue('authority', 'Time of test', 'issuer');
    const server = createServer();
    const authority = new TimeAuthority(folder, server, await readFile(join(folder, 'root.pem'), 'utf8'));
    server.on('request', authority.take);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return authority;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/tsr`;
  }

  private readonly take: RequestListener = (request, response) => {
    this.asked++;
    void (async () => {
      const answer = await this.answers(await buffer(request), (query) => this.reply(query), response);
      if (answer === undefined) return;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(answer);
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  };

  private async reply(query: Buffer): Promise<Buffer> {
    const name = `query-${this.asked}-${process.hrtime.bigint()}`;
    await writeFile(join(this.folder, name), query);
    const signer = ['-signer', 'authority.pem', '-inkey', 'authority.key', '-chain', 'issuer.pem'];
    const config = ['-config', 'settings', '-section', 'tsa'];
    const args = ['ts', '-reply', ...config, '-queryfile', name, ...signer, '-out', `${name}.answer`];
    await run('openssl', args, { cwd: this.folder });
    return readFile(join(this.folder, `${name}.answer`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
    await rm(this.folder, { recursive: true, force: true });
  }
}
