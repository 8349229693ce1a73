// Writes types from openapi-admin.json, and static files for both servers: `dist/console` in the top folder of
// the repository.
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { build } from 'vite';

const source = new URL('../../openapi-admin.json', import.meta.url);
const target = new URL('src/operator/openapi.ts', import.meta.url);
writeFileSync(target, astToString(await openapiTS(readFileSync(source, 'utf8'))));
// The file gets the time of its source, so that it causes no new build.
const { mtime } = statSync(source);
utimesSync(target, mtime, mtime);

/**
 * The parts of openapi.json that forms need, as the module `virtual:workflows`. The whole is ten times as
 * large.
 */
const workflows = {
  name: 'workflows',
  resolveId: (id) => (id === 'virtual:workflows' ? id : undefined),
  load(id) {
    if (id !== 'virtual:workflows') return undefined;
    const { paths, components } = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url)));
    const found = Object.entries(paths).filter(([, { post }]) => post?.tags.includes('workflows'));
    const shown = found.map(([path, { post }]) => {
      const { schema, examples } = post.requestBody.content['application/json'];
      return { name: path.replace('/v1/', ''), summary: post.summary, schema, examples };
    });
    const schemas = {};
    const keep = (value) => {
      for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (name in schemas) continue;
        schemas[name] = components.schemas[name];
        keep(schemas[name]);
      }
    };
    keep(shown);
    return `export const workflows = ${JSON.stringify(shown)};\nexport const schemas = ${JSON.stringify(schemas)};`;
  },
};

await build({
  root: import.meta.dirname,
  base: '/console/',
  // Warnings are of directives that libraries have for servers.
  logLevel: 'error',
  plugins: [workflows],
  build: {
    outDir: '../../dist/console',
    // Open pages go on with the files of the previous build.
    emptyOutDir: false,
    target: 'es2022',
    // The policy lets in files only: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ['operator.html', 'tenant.html', 'verify.html'] },
  },
});
