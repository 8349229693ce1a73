// The types of requests and answers come from openapi.json. A field that takes a picture (`x-picture`) also
// takes a file.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const source = new URL('../../openapi.json', import.meta.url);
const picture = ts.factory.createTypeReferenceNode('Picture');
const orNull = ts.factory.createUnionTypeNode([
  picture,
  ts.factory.createLiteralTypeNode(ts.factory.createNull()),
]);
const types = await openapiTS(readFileSync(source, 'utf8'), {
  transform(schema) {
    if (!schema['x-picture']) return undefined;
    return Array.isArray(schema.type) ? orNull : picture;
  },
});
const target = new URL('src/openapi.ts', import.meta.url);
writeFileSync(target, `import type { Picture } from './pictures.js';\n\n${astToString(types)}`);
// The written file gets the modification time of its source, so that it does not trigger a new build.
const { mtime } = statSync(source);
utimesSync(target, mtime, mtime);
execFileSync('tsc', ['--project', import.meta.dirname], { stdio: 'inherit' });
