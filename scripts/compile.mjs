// Compiles TypeScript with the settings of `.swcrc`; `tsc` checks the types. In the top folder it compiles the
// service, in a package's folder that package. It only adds and replaces files, so processes that run from `dist` are
// not disturbed.
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';

const top = join(import.meta.dirname, '..');
const service = process.cwd() === top;
const found = service
  ? globSync('{apps,capabilities,libs,projections,test}/**/*.ts', { exclude: ['apps/console'] })
  : globSync('src/**/*.ts');
/** Only tests load these, and from their source. */
const ofTests = /[.](?:spec|int-spec|e2e-spec|fixture)[.]ts$|\/global-setup[.]ts$/;

async function compile(source) {
  const target = join('dist', service ? source : relative('src', source)).replace(/ts$/, 'js');
  const { code, map } = await transformFile(source, {
    configFile: join(top, '.swcrc'),
    swcrc: false,
    sourceFileName: relative(dirname(target), source),
  });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${code}\n//# sourceMappingURL=${basename(target)}.map`);
  writeFileSync(`${target}.map`, map);
}

await Promise.all(found.filter((source) => !ofTests.test(source)).map(compile));
