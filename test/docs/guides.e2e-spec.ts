import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { partFailureCodes } from '@atelier/engine';
import { vocabulary } from '../../apps/api/src/http/vocabulary.js';
import { startService } from '../journeys/service.js';
import { openBrowser } from '../support/browser.js';
import { findPython, pythonEnvironment } from '../support/python.js';
import { untilEnd } from '../support/until-end.js';

const folder = join('docs', 'guides');
const guides = readdirSync(folder).map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
const snippets = guides.flatMap(({ file, text }) =>
  [...text.matchAll(/```(\w+) run\n(.+?)```/gs)].map(([, language = '', code = '']) => ({
    file,
    language,
    code,
  })),
);
const python = findPython();
const commands: Readonly<Record<string, (code: string) => [string, string[]]>> = {
  sh: (code) => ['bash', ['-euo', 'pipefail', '-c', code]],
  ts: (code) => [process.execPath, ['--input-type=module-typescript', '--eval', code]],
  python: (code) => [python ?? 'python3', ['-c', code]],
};

/** The parts of a guide that generate a client and then use it. */
const generators = guides.flatMap(({ text }) =>
  text.split(/^## /m).flatMap((part) => {
    const [, command] = /```sh generate\n(.+?)```/s.exec(part) ?? [];
    const [, program] = /```ts generated\n(.+?)```/s.exec(part) ?? [];
    return command && program ? [{ name: part.split('\n')[0]!, command, program }] : [];
  }),
);

const service = untilEnd(await startService(100));
const key = await service.testKey(500);
const browser = untilEnd(await openBrowser());

/** Snippets run where they leave nothing behind: inside the repository, so that its packages are found. */
const place = mkdtempSync(join(process.cwd(), 'dist', 'guides-'));
symlinkSync(join(process.cwd(), 'assets'), join(place, 'assets'));
untilEnd({ [Symbol.asyncDispose]: async () => rmSync(place, { recursive: true }) });

describe('the guides', () => {
  it.each(snippets)('$file: the $language snippet works', async ({ language, code }) => {
    if (language === 'python' && !python) return console.warn('There is no python3 ≥ 3.10: not tried');
    const [command, args] = commands[language]!(code);
    const env = { ...pythonEnvironment, ATELIER_URL: service.baseUrl, ATELIER_KEY: key };
    const { stdout } = await promisify(execFile)(command, args, { env, cwd: place });
    expect(stdout).toMatch(/"|https?:/);
    expect(stdout).not.toContain('"error":{"code":"VALIDATION');
  });

  it.each(generators)('$name makes a client that compiles, and orders a picture', async (generator) => {
    // A folder inside the repository, so that its packages are found.
    const folder = mkdtempSync(join(process.cwd(), 'dist', 'generated-client-'));
    const env = { ...process.env, ATELIER_URL: service.baseUrl, ATELIER_KEY: key };
    const run = promisify(execFile);
    try {
      const compilerOptions = {
        target: 'es2022',
        module: 'nodenext',
        strict: true,
        skipLibCheck: true,
        types: ['node'],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      writeFileSync(join(folder, 'program.ts'), generator.program);
      await run('bash', ['-c', generator.command], { env, cwd: folder });
      await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder]);
      const { stdout } = await run(process.execPath, [join(folder, 'program.js')], { env });
      const [picture = ''] = /^https?:.*$/m.exec(stdout) ?? [];
      expect((await fetch(picture)).headers.get('content-type')).toBe('image/png');
      expect(stdout).toMatch(/^[0-9A-Z]{26} PRODUCT_TO_MODEL/m);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('explain every word of the vocabulary, and no other', () => {
    const wordsIn = (file: string): string[][] => {
      const [, ...parts] = guides.find((guide) => guide.file === file)!.text.split(/^## .+$/m);
      return parts.map((part) => [...part.matchAll(/^\| `(\w+)`/gm)].map(([, word = '']) => word));
    };
    const [codes, jobCodes, partCodes] = wordsIn('errors.md');
    const [stages, kinds, keys] = wordsIn('vocabulary.md');
    const { ErrorCode, JobErrorCode, StageName, ArtifactKind, MetaKey } = vocabulary;
    expect([codes, jobCodes, partCodes]).toEqual([ErrorCode, JobErrorCode, partFailureCodes]);
    expect([stages, kinds, keys]).toEqual([StageName, ArtifactKind, MetaKey]);
  });

  it('are where an error answer, and an enumeration, say that a word is explained', async () => {
    const { error } = (await (await fetch(`${service.baseUrl}/v1/credits`)).json()) as {
      error: { docs_url: string };
    };
    const description = await (await fetch(`${service.baseUrl}/openapi.json`)).text();
    const told = new Set([error.docs_url, ...(description.match(/\/docs\/guides\/[\w-]+#[\w-]+/g) ?? [])]);
    expect(told.size).toBeGreaterThan(10);
    for (const url of told) {
      const [path, anchor] = url.split('#');
      const page = await (await fetch(service.baseUrl + path)).text();
      expect([url, page.includes(`id="${anchor}"`)]).toEqual([url, true]);
    }
  });

  it('are pages that a browser draws without asking anybody else, and so is the reference', async () => {
    const visit = await browser.newPage();
    const elsewhere: string[] = [];
    const problems: string[] = [];
    visit.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(service.baseUrl) && !/^(?:data|blob):/.test(url)) elsewhere.push(url);
    });
    visit.on('pageerror', (error) => problems.push(error.message));
    await visit.goto(service.baseUrl);
    await visit.click('text=Errors');
    await visit.waitForSelector('#insufficient_balance');
    await visit.goto(`${service.baseUrl}/docs`);
    await visit.getByText('Dispatch a workflow with one POST').first().waitFor();
    await visit.getByText('try-on').first().waitFor();
    expect({ elsewhere, problems }).toEqual({ elsewhere: [], problems: [] });
    await visit.close();
  });

  it('lead only to what is there', async () => {
    const pages = new Set(['/']);
    for (const path of pages) {
      const answer = await fetch(service.baseUrl + path);
      expect([path, answer.status]).toEqual([path, 200]);
      const isPage = answer.headers.get('content-type')?.startsWith('text/html');
      const found = isPage ? (await answer.text()).matchAll(/(?:href|src)="([^"#]+)/g) : [];
      for (const [, to = ''] of found)
        if (!/^https?:/.test(to)) pages.add(new URL(to, service.baseUrl + path).pathname);
    }
    expect(pages.size).toBeGreaterThan(guides.length);
  });

  it('are listed for machines, as Markdown', async () => {
    const list = await (await fetch(`${service.baseUrl}/llms.txt`)).text();
    const paths = [...list.matchAll(/\]\((\/docs\/[^)]+)\)/g)].map(([, path]) => path);
    expect(paths.length).toBeGreaterThanOrEqual(guides.length);
    for (const path of paths) {
      const answer = await fetch(service.baseUrl + path);
      expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(await answer.text()).toMatch(/^# /);
    }
    expect((await fetch(`${service.baseUrl}/docs/guides/nothing`)).status).toBe(404);
  });
});
