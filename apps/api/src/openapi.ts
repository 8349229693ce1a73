import { readFileSync, writeFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiModule } from './api.module.js';
import type { ApiDependencies } from './api-dependencies.js';
import { openApiDocument } from './docs/openapi-document.js';

/** Describing the API calls nothing that it depends on. */
const disconnected = { reads: { live: {}, test: {} } } as unknown as ApiDependencies;

async function generate(): Promise<string> {
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.on(disconnected),
    new FastifyAdapter({ multipart: false }),
    { logger: false, abortOnError: false },
  );
  return `${JSON.stringify(openApiDocument(app), null, 2)}\n`;
}

// Both are run from the top of the repository, as npm does it.
const path = 'openapi.json';
const document = await generate();
switch (process.argv[2]) {
  case '--write':
    writeFileSync(path, document);
    break;
  case '--check':
    if (readFileSync(path, 'utf8') !== document) {
      process.stderr.write(
        'openapi.json differs from the code: run `npm run openapi` and commit what it writes\n',
      );
      process.exitCode = 1;
    }
    break;
  default:
    process.stderr.write('usage: openapi --write | --check\n');
    process.exitCode = 2;
}
