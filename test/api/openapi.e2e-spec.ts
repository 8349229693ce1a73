import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { workflows } from '#workflows/workflows.js';
import { errorStatuses } from '../../apps/api/src/http/api-error.js';
import { InterfaceDescription, type Description } from '../support/interface-description.js';
import type { Json } from './support/api-client.js';
import { openWorld } from './support/world.js';

const { api } = await openWorld({ projector: false });
const document: Json = (await api.get('/openapi.json')).body;

describe('/openapi.json', () => {
  it('is what is committed at the top of the repository', () => {
    expect(document).toEqual(JSON.parse(readFileSync('openapi.json', 'utf8')));
  });

  it.each(['/openapi.json', '/docs/reference.js', '/docs/guides/webhooks', '/llms.txt', '/'])(
    'is, like every document, the same bytes for all: %s comes compressed or whole, and only once',
    async (path) => {
      const ask = (headers: Record<string, string>) => fetch(api.url + path, { headers });
      const whole = await ask({ 'accept-encoding': 'identity' });
      const compressed = await ask({ 'accept-encoding': 'br, gzip' });
      expect(whole.headers.get('content-encoding')).toBeNull();
      expect(compressed.headers.get('content-encoding')).toBe('gzip');
      expect(await compressed.text()).toBe(await whole.text());
      const etag = whole.headers.get('etag') ?? '';
      expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
      const again = await ask({ 'if-none-match': etag });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect((await ask({ 'if-none-match': '"other"', 'accept-encoding': 'gzip;q=0' })).status).toBe(200);
    },
  );

  it('is valid OpenAPI 3.1, and good by the recommended rules', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({
      source: JSON.stringify(document),
      absoluteRef: 'openapi.json',
      config,
    });
    const told = problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`,
    );
    // A caller of a probe can do nothing wrong.
    expect(told.filter((line) => !/^operation-4xx-response .*~1health~1/.test(line))).toEqual([]);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('describes every workflow, and every error code', () => {
    for (const { name } of workflows) expect(document.paths).toHaveProperty([`/v1/${name}`, 'post']);
    expect(document.components.schemas.ErrorCode.enum).toEqual(Object.keys(errorStatuses));
  });

  it('names, for each operation, an id of its own, the error envelope and an example of each code', () => {
    const ids = new Set<string>();
    let operations = 0;
    for (const [path, methods] of Object.entries<Json>(document.paths)) {
      for (const operation of Object.values<Json>(methods)) {
        operations += 1;
        ids.add(operation.operationId as string);
        if (path.startsWith('/health/')) continue;
        expect(operation.security ?? document.security).toEqual([{ key: [] }]);
        for (const status of ['401', '500', '503', 'default']) {
          const { schema } = operation.responses[status].content['application/json'];
          expect(schema).toEqual({ $ref: '#/components/schemas/ErrorEnvelope' });
        }
        for (const [status, response] of Object.entries<Json>(operation.responses)) {
          for (const code of Object.keys(response.content?.['application/json']?.examples ?? {})) {
            if (!(Number(status) >= 400)) continue;
            expect(errorStatuses[code as keyof typeof errorStatuses]).toBe(Number(status));
          }
        }
      }
    }
    expect(ids.size).toBe(operations);
  });

  it('has an example of each answer, which is as it is described', () => {
    const judge = new InterfaceDescription(document as Description);
    const told: string[] = [];
    for (const [path, methods] of Object.entries<Json>(document.paths)) {
      for (const [method, operation] of Object.entries<Json>(methods)) {
        for (const [code, { content = {} }] of Object.entries<Json>(operation.responses)) {
          const status = code === 'default' ? 400 : Number(code);
          for (const [contentType, { schema, example, examples = {} }] of Object.entries<Json>(content)) {
            // A file is shown by none.
            if (schema?.format === 'binary') continue;
            const shown = Object.values<Json>(examples).map(({ $ref, value }) =>
              $ref ? document.components.examples[$ref.split('/').at(-1)].value : value,
            );
            const bodies = example === undefined ? shown : [example];
            if (bodies.length === 0) told.push(`${method} ${path} ${code} has no example`);
            const headers = new Headers({ 'x-request-id': '01K9Z7J0V4M2Q8T6R3N5B1C7DE' });
            const exchange = { method: method.toUpperCase(), path, status, headers, contentType };
            for (const body of bodies)
              for (const problem of judge.problemsOf({ ...exchange, body }))
                told.push(`${method} ${path}: ${problem}`);
          }
        }
      }
    }
    expect(told).toEqual([]);
  });

  it.each(['openapi.json', 'openapi-admin.json'])(
    'says of each optional field of a body that it may be null, as the validation has it: %s',
    (file) => {
      const { paths, components }: Json = JSON.parse(readFileSync(file, 'utf8'));
      const told = new Set<string>();
      const seen = new Set<string>();
      let fields = 0;
      const walk = (
        name: string,
        { $ref, properties = {}, required = [], items, anyOf = [] }: Json,
      ): void => {
        const shape = $ref?.split('/').at(-1);
        if (shape && !seen.has(shape)) {
          seen.add(shape);
          walk(shape, components.schemas[shape]);
        }
        for (const part of [items, ...anyOf]) if (part) walk(name, part);
        for (const [field, schema] of Object.entries<Json>(properties)) {
          fields += 1;
          const kinds: Json[] = [schema, ...(schema.anyOf ?? [])];
          const nullable = kinds.some(({ type }) => [type].flat().includes('null'));
          if (nullable === required.includes(field)) told.add(`${name}.${field}`);
          walk(`${name}.${field}`, schema);
        }
      };
      for (const [path, methods] of Object.entries<Json>(paths)) {
        for (const { requestBody } of Object.values<Json>(methods))
          walk(path, requestBody?.content['application/json']?.schema ?? {});
      }
      expect(fields).toBeGreaterThan(50);
      expect([...told]).toEqual([]);
    },
  );
});
