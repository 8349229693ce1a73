import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { packagePath } from './package-folder.js';
import { gzipped } from './prepared-answer.js';

/** A file of the console, as it is answered. */
export interface ConsoleFile {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
};

/**
 * The pages in `dist/console`, which `npm run build` writes. Each file is read and compressed once, at its
 * first request.
 */
export class ConsoleFiles {
  private readonly kept = new Map<string, Promise<Buffer>>();

  /**
   * @param page the page for every path that is not a file, because its own router handles the path
   * @param pictures further origins from which the page loads pictures
   */
  constructor(
    private readonly page: 'operator' | 'tenant' | 'verify',
    private readonly pictures: readonly string[],
    private readonly folder = packagePath('dist', 'console'),
  ) {}

  /** @param path below `/console/`. Undefined where there is no such file */
  async file(path: string): Promise<ConsoleFile | undefined> {
    const [folder, asset = ''] = path.split('/', 2);
    if (folder !== 'assets') return this.answer(`${this.page}.html`, 'no-cache');
    // Serves only files that the build wrote for this page, so that no name leads out of the folder.
    const names = await readdir(`${this.folder}/assets`);
    const other = this.page === 'tenant' ? 'operator' : 'tenant';
    if (!names.includes(asset) || asset.startsWith(`${other}-`)) return undefined;
    return this.answer(`assets/${asset}`, 'public, max-age=31536000, immutable');
  }

  private async answer(name: string, caching: string): Promise<ConsoleFile> {
    const body = this.kept.get(name) ?? readFile(`${this.folder}/${name}`).then(gzipped);
    this.kept.set(name, body);
    // One that cannot be read now may be there later.
    body.catch(() => this.kept.delete(name));
    return {
      body: await body,
      headers: {
        'content-type': types[extname(name)] ?? 'application/octet-stream',
        'content-encoding': 'gzip',
        'cache-control': caching,
        'content-security-policy': this.policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    };
  }

  private get policy(): string {
    return [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      ['img-src', "'self'", 'data:', 'blob:', ...this.pictures].join(' '),
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ].join('; ');
  }
}
