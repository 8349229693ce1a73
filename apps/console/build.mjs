// Types from openapi-admin.json, and static files for both servers: `dist/console` at the top of the repository.
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { build } from 'vite';

const source = new URL('../../openapi-admin.json', import.meta.url);
const target = new URL('src/operator/openapi.ts', import.meta.url);
writeFileSync(target, astToString(await openapiTS(readFileSync(source, 'utf8'))));
// As old as what it was made from: it is no reason to build again.
const { mtime } = statSync(source);
utimesSync(target, mtime, mtime);

await build({
  root: import.meta.dirname,
  base: '/console/',
  // Warnings are of directives that libraries have for servers.
  logLevel: 'error',
  build: {
    outDir: '../../dist/console',
    // Pages that are open go on with the files of the build before.
    emptyOutDir: false,
    target: 'es2022',
    // The policy lets in files only: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ['operator.html'] },
  },
});
