// The reference at /docs is a script by Scalar. This copies the script beside the compiled files, so that the
// service needs neither the package nor the network. It also writes the style sheet of the pages for
// integrators, which begins with the style sheet of the consoles.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const version = devDependencies['@scalar/fastify-api-reference'];
const folder = join(root, 'dist', 'docs');
const stamp = join(folder, 'version');
mkdirSync(folder, { recursive: true });
const sheets = ['apps/console/src/shared/base.css', 'apps/api/src/docs/docs.css'];
writeFileSync(
  join(folder, 'sheet.css'),
  sheets.map((path) => readFileSync(join(root, path), 'utf8')).join(''),
);
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== version) {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const { default: fastify } = await import('fastify');
  const server = fastify();
  await server.register(reference, { routePrefix: '/', configuration: { url: '/openapi.json' } });
  const { statusCode, payload } = await server.inject('/js/scalar.js');
  if (statusCode !== 200) throw new Error(`the package serves no /js/scalar.js: ${statusCode}`);
  writeFileSync(join(folder, 'reference.js'), payload);
  writeFileSync(stamp, version);
}
