import { readFile } from 'node:fs/promises';
import {
  Controller,
  Get,
  Header,
  Inject,
  Param,
  Res,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { of, type Observable } from 'rxjs';
import { packagePath } from '#platform/package-folder.js';
import { Public } from '../auth/api-key.guard.js';
import { ApiError, notFound } from '../http/api-error.js';
import { PreparedPages } from './prepared-pages.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Configuration } from '#platform/configuration.js';
import { ConsoleFiles } from '#platform/console-files.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { guidePage, guides, homePage, icon, missingPage } from './pages.js';

const html = 'text/html; charset=utf-8';

/** Browsers get an HTML page for a missing guide; programs get the usual error. */
class MissingGuides implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { params, headers } = http.getRequest<FastifyRequest<{ Params: { name?: string } }>>();
    if (params.name === undefined || isGuide(params.name) || !headers.accept?.includes('text/html'))
      return next.handle();
    void http.getResponse<FastifyReply>().status(404).header('content-type', html);
    return of(missingPage());
  }
}

/**
 * The documentation for people and language models: `/`, the reference, the guides, `/llms.txt`. It needs no
 * key and loads nothing from other servers.
 */
@ApiExcludeController()
@Controller()
@Public()
@UseInterceptors(MissingGuides, PreparedPages)
export class DocsController {
  @Get('/')
  @Header('content-type', html)
  home(): string {
    return homePage();
  }

  @Get('/docs/sheet.css')
  @Header('content-type', 'text/css; charset=utf-8')
  sheet(): Promise<Buffer> {
    return readFile(packagePath('dist', 'docs', 'sheet.css'));
  }

  @Get('/docs/icon.svg')
  @Header('content-type', 'image/svg+xml')
  icon(): string {
    return icon;
  }

  @Get('/docs/picture.jpg')
  @Header('content-type', 'image/jpeg')
  picture(): Promise<Buffer> {
    return readFile(packagePath('docs', 'picture.jpg'));
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
      url: '/openapi.json',
      telemetry: false,
      withDefaultFonts: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
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
    return guidePage(name, title, anchored);
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

> Fashion imagery on order over HTTP: a POST costs credits and answers with a job. Follow the job's timeline until the
> picture is there. A job that fails is refunded.

## Guides

${list.join('\n')}

## Interface

- [openapi.json](/openapi.json): every path, field, error and example
`;
  }
}

const isGuide = (name: string) => Object.hasOwn(guides, name);

const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** @throws ApiError 404 */
async function read(name: string): Promise<{ title: string; text: string }> {
  const [file, title] = isGuide(name) ? guides[name]! : [];
  if (file === undefined || title === undefined)
    throw new ApiError('RESOURCE_NOT_FOUND', 'There is no such guide: /llms.txt lists all guides.');
  const text = await readFile(packagePath('docs', ...file.split('/')), 'utf8');
  return { title, text: text.replace(links, served) };
}

/** To other files of the repository. */
const links = /\[([^\]]+)\]\((?!\/|https?:)([^)]+)\)/g;

/** A link to a page that is served here. For other pages, such as those for operators, only the words. */
function served(_link: string, words: string, file: string): string {
  if (file === '../openapi.json') return `[${words}](/openapi.json)`;
  const [slug] = Object.entries(guides).find(([, [known]]) => known === file) ?? [];
  return slug === undefined ? words : `[${words}](/docs/guides/${slug})`;
}

/**
 * The pages for integrators. They are public, because they load their data from `/v1` with the caller's key.
 */
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

  /** Pictures come from these origins: smaller sizes from this service, all others from the storage. */
  private async open(): Promise<ConsoleFiles> {
    const urls = [this.configuration.publicUrl, await this.storage.presignGet('picture')];
    return new ConsoleFiles('tenant', [...new Set(urls.map((url) => new URL(url).origin))]);
  }
}
