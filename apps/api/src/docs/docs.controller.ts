import { readFile } from 'node:fs/promises';
import { Controller, Get, Header, Param, Inject, Res, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { packagePath } from '#platform/package-folder.js';
import { Public } from '../auth/api-key.guard.js';
import { notFound } from '../http/api-error.js';
import { PreparedPages } from './prepared-pages.js';
import type { FastifyReply } from 'fastify';
import { Configuration } from '#platform/configuration.js';
import { ConsoleFiles } from '#platform/console-files.js';
import { ObjectStorage } from '#storage/object-storage.js';

/** The pages for integrators, in the order of the menu: their file below docs/, and what they are about. */
const guides: Readonly<Record<string, readonly [file: string, title: string, about: string]>> = {
  'quick-start': [
    'guides/quick-start.md',
    'Quick start',
    'curl, TypeScript and Python, from a key to a picture',
  ],
  jobs: ['guides/jobs.md', 'The life of a job', 'events, following, cancelling, how long URLs live'],
  money: ['guides/money.md', 'Credits and refunds', 'what is charged when, and what comes back'],
  retries: ['guides/retries.md', 'Retries and idempotency', 'what to send again, and how it is charged once'],
  'test-mode': ['guides/test-mode.md', 'Test mode', 'test keys, outcomes on demand, the sandbox'],
  errors: ['guides/errors.md', 'Errors', 'every code, and what to do about it'],
  vocabulary: ['guides/vocabulary.md', 'Words in answers', 'every stage, kind of picture and key of `meta`'],
  webhooks: ['webhooks.md', 'Webhooks', 'being called when a job has ended, and proof that it was us'],
  limits: ['keys-and-limits.md', 'Keys and limits', 'capabilities, rotation, rates and sizes'],
  'generated-clients': [
    'guides/generated-clients.md',
    'Generated clients',
    'from openapi.json, with two generators that are tried',
  ],
  'signed-requests': [
    'signed-requests.md',
    'Signed requests',
    'what a signature protects against, and how to make one',
  ],
};

const style = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem 4rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; border-bottom: 1px solid #8886; padding-bottom: .75rem; }
pre { overflow-x: auto; padding: .75rem 1rem; background: #8881; border-radius: .4rem; }
code { font: .9em ui-monospace, monospace; } h1, h2 { line-height: 1.2; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid #8884; }`;

function page(title: string, body: string): string {
  const menu = Object.entries(guides).map(([slug, [, name]]) => `<a href="/docs/guides/${slug}">${name}</a>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Atelier</title><style>${style}</style></head>
<body><nav><a href="/">Atelier</a> <a href="/docs">Reference</a> ${menu.join(' ')}</nav><main>${body}</main></body></html>`;
}

const html = 'text/html; charset=utf-8';

/** What is said to people and to machines that read: `/`, the reference, the guides, `/llms.txt`. No network, no key. */
@ApiExcludeController()
@Controller()
@Public()
@UseInterceptors(PreparedPages)
export class DocsController {
  @Get('/')
  @Header('content-type', html)
  home(): string {
    const list = Object.entries(guides).map(
      ([slug, [, title, about]]) => `<li><a href="/docs/guides/${slug}">${title}</a>: ${about}</li>`,
    );
    return page(
      'Fashion imagery on order',
      `<h1>Atelier</h1><p>Fashion imagery on order: post a workflow, follow the job, fetch the picture.</p>
<p>Begin with the <a href="/docs/guides/quick-start">quick start</a>, look things up in the
<a href="/docs">reference</a>, try things in the <a href="/console">console</a>, or take
<a href="/openapi.json">openapi.json</a> to a generator.</p><ul>${list.join('')}</ul>`,
    );
  }

  @Get('/docs')
  @Header('content-type', html)
  reference(): string {
    return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reference · Atelier</title></head>
<body><div id="reference"></div><script src="/docs/reference.js"></script><script src="/docs/start.js"></script></body></html>`;
  }

  @Get('/docs/reference.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  script(): Promise<Buffer> {
    return readFile(packagePath('dist', 'docs', 'reference.js'));
  }

  @Get('/docs/start.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  start(): string {
    const configuration = {
      ...{ url: '/openapi.json', telemetry: false, withDefaultFonts: false, hideClientButton: true },
      ...{ showDeveloperTools: 'never', agent: { disabled: true }, mcp: { disabled: true } },
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    };
    return `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)});\n`;
  }

  @Get('/docs/guides/:name')
  @Header('content-type', html)
  async guide(@Param('name') name: string): Promise<string> {
    const { title, text } = await read(name);
    // With the first page: most processes start without one being read.
    const { marked, Renderer } = await import('marked');
    const renderer = new Renderer();
    const heading = renderer.heading;
    renderer.heading = function (token) {
      return heading.call(this, token).replace('>', ` id="${slugOf(token.text)}">`);
    };
    const anchors = new Set<string>();
    const anchored = (await marked.parse(text, { renderer })).replace(
      /(?<=<tr>\s*)<td>(?=<code>(\w+)<\/code>)/g,
      (cell, word: string) => {
        const slug = slugOf(word);
        // A word of two tables: a link leads to the first.
        if (anchors.has(slug)) return cell;
        anchors.add(slug);
        return `<td id="${slug}">`;
      },
    );
    return page(title, anchored);
  }

  @Get('/docs/guides/:name.md')
  @Header('content-type', 'text/markdown; charset=utf-8')
  async source(@Param('name') name: string): Promise<string> {
    return (await read(name)).text;
  }

  @Get('/llms.txt')
  @Header('content-type', 'text/plain; charset=utf-8')
  llms(): string {
    const list = Object.entries(guides).map(
      ([slug, [, title, about]]) => `- [${title}](/docs/guides/${slug}.md): ${about}`,
    );
    return `# Atelier

> Fashion imagery on order over HTTP: a POST is charged in credits and answered with a job; its timeline is followed until the
> picture is there; a job that fails is refunded.

## Guides

${list.join('\n')}

## Interface

- [openapi.json](/openapi.json): every path, field, error and example
`;
  }
}

const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** @throws ApiError 404 */
async function read(name: string): Promise<{ title: string; text: string }> {
  const [file, title] = Object.hasOwn(guides, name) ? guides[name]! : [];
  if (file === undefined || title === undefined) throw notFound('guide');
  const text = await readFile(packagePath('docs', ...file.split('/')), 'utf8');
  return { title, text: text.replace(links, served) };
}

/** To other files of the repository. */
const links = /\[([^\]]+)\]\((?!\/|https?:)([^)]+)\)/g;

/** A link to what is served here, or the words alone: operators' pages are not. */
function served(_link: string, words: string, file: string): string {
  if (file === '../openapi.json') return `[${words}](/openapi.json)`;
  const [slug] = Object.entries(guides).find(([, [known]]) => known === file) ?? [];
  return slug === undefined ? words : `[${words}](/docs/guides/${slug})`;
}

/** The pages for integrators. They are no secret: what they show, they ask `/v1` for, with the caller's key. */
@ApiExcludeController()
@Controller()
@Public()
export class ConsoleController {
  private files: Promise<ConsoleFiles> | undefined;

  constructor(
    @Inject(Configuration) private readonly configuration: Pick<Configuration, 'publicUrl'>,
    private readonly storage: ObjectStorage,
  ) {}

  @Get(['/console', '/console/*'])
  async get(@Param('*') path: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    this.files ??= this.open();
    const file = await (await this.files).file(path ?? '');
    if (!file) throw notFound('file');
    await reply.headers(file.headers).send(file.body);
  }

  /** Pictures come from where their URLs lead: smaller ones from here, the others from the storage. */
  private async open(): Promise<ConsoleFiles> {
    const urls = [this.configuration.publicUrl, await this.storage.presignGet('picture')];
    return new ConsoleFiles('tenant', [...new Set(urls.map((url) => new URL(url).origin))]);
  }
}
