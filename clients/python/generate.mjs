/*
 * Writes the types of the Python client from openapi.json, or checks that they are up to date (--check):
 * `openapi.py` has the forms of requests and answers, `calls.py` a signature for each path and workflow.
 *
 * Python 3.10 has no `NotRequired`, so a form with required and optional fields is two classes: the second
 * extends the first. Rules between fields are left to the service: TypedDict cannot express them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const check = process.argv.includes('--check');
const { paths, components, webhooks } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'),
);
const note = 'Made from openapi.json by `npm run generate`: changes by hand are lost.';
const width = 100;
const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
const isName = (text) => /^[a-z_]\w*$/i.test(text) && !keywords.has(text);
const nameOf = ({ $ref }) => $ref.split('/').at(-1);
const pascal = (text) => text.replace(/(?:^|[_-])(\w)/g, (_, first) => first.toUpperCase());

/** The definitions of `openapi.py` by their names, in the order in which they are met. */
const definitions = new Map();

function define(name, text) {
  if (definitions.has(name)) throw new Error(`openapi.json leads to two forms that are called ${name}`);
  definitions.set(name, text);
}

const constants = new Map([
  [null, 'None'],
  [true, 'True'],
  [false, 'False'],
]);
const literal = (values) => values.map((value) => constants.get(value) ?? JSON.stringify(value)).join(', ');

/** A Python type. An object inside another one becomes a form of its own, called `name`. */
function typeOf(schema, name) {
  if (schema.$ref) return nameOf(schema);
  if (schema.enum) return `Literal[${literal(schema.enum)}]`;
  const choices = schema.anyOf ?? schema.oneOf;
  // Beside fields, these are rules between the fields.
  if (choices && !schema.properties) return union(choices.map((choice) => typeOf(choice, name)));
  const types = [schema.type ?? 'any'].flat();
  return union(types.map((type) => simpleTypeOf(type, schema, name)));
}

const union = (types) => [...new Set(types)].join(' | ');

function simpleTypeOf(type, schema, name) {
  switch (type) {
    case 'string':
      return schema['x-picture'] ? 'Picture' : 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `list[${typeOf(schema.items, `${name}Item`)}]`;
    case 'object':
      return objectTypeOf(schema, name);
    case 'any':
      return 'object';
    default:
      throw new Error(`${name}: no Python type for ${type}`);
  }
}

function objectTypeOf(schema, name) {
  if (!schema.properties) return 'dict[str, Any]';
  defineForm(name, schema);
  return name;
}

/** A string of Python, in lines that are indented by four. */
function docstring(text) {
  if (!text) return [];
  const lines = [''];
  for (const word of text.replaceAll('\\', '\\\\').split(/\s+/)) {
    const longer = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`;
    if (longer.length > width - 7) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  // A quotation mark at the end would end the string too early.
  const [first = '', ...more] = lines.map((line) => line.replace(/"$/, '" '));
  const closed = more.length === 0 ? [`"""${first}"""`] : [`"""${first}`, ...more, '"""'];
  return closed.map((line) => `    ${line}`);
}

function defineForm(name, { properties, required = [], description }) {
  const fields = Object.entries(properties).map(([field, schema]) => ({
    field,
    type: typeOf(schema, name + pascal(field)),
    text: schema.description,
    isRequired: required.includes(field),
  }));
  if (!fields.every(({ field }) => isName(field))) return define(name, calledForm(name, fields, required));
  const needed = fields.filter(({ isRequired }) => isRequired);
  const optional = fields.filter(({ isRequired }) => !isRequired);
  if (optional.length === 0) return define(name, form(name, 'TypedDict', description, needed));
  if (needed.length === 0) return define(name, form(name, 'TypedDict, total=False', description, optional));
  define(`_${name}Required`, form(`_${name}Required`, 'TypedDict', undefined, needed));
  define(name, form(name, `_${name}Required, total=False`, description, optional));
}

function form(name, parents, description, fields) {
  const lines = fields.flatMap(({ field, type, text }) => [`    ${field}: ${type}`, ...docstring(text)]);
  return [
    '',
    '',
    `class ${name}(${parents}):`,
    ...docstring(description),
    ...(lines.length > 0 ? lines : ['    pass']),
  ];
}

/** A form with a field that is no name of Python. */
function calledForm(name, fields, required) {
  if (required.length > 0 && required.length < fields.length)
    throw new Error(`${name}: the call of TypedDict knows no single optional fields`);
  const lines = fields.map(({ field, type }) => `        ${JSON.stringify(field)}: ${JSON.stringify(type)},`);
  const total = required.length > 0 ? [] : ['    total=False,'];
  return ['', '', `${name} = TypedDict(`, `    "${name}",`, '    {', ...lines, '    },', ...total, ')'];
}

const json = (content) => content?.content?.['application/json']?.schema;

function alias(name, type) {
  const line = `${name} = ${type}`;
  if (line.length <= width) return [line];
  const values = type.slice('Literal['.length, -1).split(', ');
  return [`${name} = Literal[`, ...values.map((value) => `    ${value},`), ']'];
}

function defineAll() {
  const aliases = [];
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (schema.properties) defineForm(name, schema);
    else aliases.push([name, schema]);
  }
  const simple = aliases.flatMap(([name, schema]) => [
    ...alias(name, typeOf(schema, name)),
    ...docstring(schema.description).map((line) => line.slice(4)),
  ]);
  const messages = Object.values(webhooks).map(({ post }) => nameOf(json(post.requestBody)));
  return [
    `"""The forms of requests and answers. ${note}"""`,
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Literal, TypedDict, Union',
    '',
    'from .pictures import Picture',
    '',
    ...simple,
    ...[...definitions.values()].flat(),
    '',
    '',
    'WebhookMessage = Union[',
    ...[...new Set(messages)].map((message) => `    ${message},`),
    ']',
    '"""A message to an endpoint: `type` says which fields `data` has."""',
  ];
}

/** The paths that have an HTTP method, except uploads and workflows: the client has its own methods for them. */
function operations(method) {
  return Object.entries(paths).flatMap(([path, item]) => {
    const operation = item[method];
    return operation && !operation.responses[202] && !path.match(/^\/v1\/uploads(\/batch)?$/)
      ? [{ path, operation }]
      : [];
  });
}

const workflows = Object.entries(paths).flatMap(([path, { post }]) =>
  post?.responses[202] ? [{ workflow: path.replace('/v1/', ''), operation: post }] : [],
);

function answerOf({ responses }) {
  const schema = json(responses[200]) ?? json(responses[201]);
  return schema ? typeOf(schema, 'Answer') : 'None';
}

/** The parameters of the path and of the query: required ones first. */
function parametersOf({ parameters = [] }, left = []) {
  const asked = parameters.filter(({ in: place, name }) => place !== 'header' && !left.includes(name));
  const sorted = asked.toSorted((a, b) => Number(Boolean(b.required)) - Number(Boolean(a.required)));
  return sorted.map(({ name, required, schema }) => {
    if (!isName(name))
      throw new Error(`no call in Python can name the parameter ${name}: choose another name`);
    return `${name}: ${typeOf(schema, pascal(name))}${required ? '' : ' = ...'}`;
  });
}

/** `def` in lines that are not too long. */
function signature(prefix, parameters, result, end = ' ...') {
  const line = `    ${prefix}(${parameters.join(', ')}) -> ${result}:${end}`;
  if (line.length <= width) return [line];
  return [`    ${prefix}(`, ...parameters.map((one) => `        ${one},`), `    ) -> ${result}:${end}`];
}

function overload(prefix, first, parameters, result) {
  const named = parameters.length > 0 ? ['*', ...parameters] : [];
  return ['    @overload', ...signature(prefix, ['self', ...first, '/', ...named], result), ''];
}

/** The method of the client for an HTTP method. */
function verb(method, isAsync) {
  const prefix = `${isAsync ? 'async ' : ''}def ${method}`;
  const hasBody = method === 'post' || method === 'patch';
  const declared = operations(method).flatMap(({ path, operation }) => {
    const schema = json(operation.requestBody);
    const form = schema?.$ref ? nameOf(schema) : undefined;
    const needed = operation.requestBody?.required ? '' : ' | None = None';
    const body = !hasBody ? [] : [form ? `body: ${form}${needed}` : 'body: None = None'];
    return overload(
      prefix,
      [`path: Literal["${path}"]`, ...body],
      parametersOf(operation),
      answerOf(operation),
    );
  });
  const body = hasBody ? ['body: Any = None'] : [];
  const given = `"${method.toUpperCase()}", path, ${hasBody ? 'body' : 'None'}, asked`;
  return [
    ...declared,
    ...signature(prefix, ['self', 'path: str', ...body, '/', '**asked: Any'], 'Any', ''),
    `        """A ${method.toUpperCase()} by path${hasBody ? '. Files in the body are uploaded' : ''}."""`,
    `        return ${isAsync ? 'await ' : ''}self._call(${given})`,
    '',
  ];
}

/** The lists, which come in pages: the answer has one array. */
function lists(isAsync) {
  const iterator = isAsync ? 'AsyncIterator' : 'Iterator';
  const declared = operations('get').flatMap(({ path, operation }) => {
    const { properties = {} } = components.schemas[answerOf(operation)] ?? {};
    if (!properties.limit || !properties.offset) return [];
    const [rows] = Object.values(properties).filter(({ type }) => type === 'array');
    const left = ['limit', 'offset', 'cursor'];
    const result = `${iterator}[${nameOf(rows.items)}]`;
    return overload('def list', [`path: Literal["${path}"]`], parametersOf(operation, left), result);
  });
  return [
    ...declared,
    ...signature('def list', ['self', 'path: str', '/', '**asked: Any'], `${iterator}[Any]`, ''),
    '        """The rows of a list, newest first, page by page."""',
    '        return self._list(path, asked)',
    '',
  ];
}

function orders(isAsync) {
  const [run, async] = isAsync ? ['AsyncRun', 'async '] : ['Run', ''];
  const first = ({ workflow, operation }) => [
    `workflow: Literal["${workflow}"]`,
    `body: ${nameOf(json(operation.requestBody))}`,
  ];
  const options = ['idempotency_key: str | None = None', 'headers: Mapping[str, str] | None = None'];
  const any = ['self', 'workflow: str', 'body: Any', '/'];
  return [
    ...workflows.flatMap((each) => overload('def run', first(each), options, run)),
    ...signature('def run', [...any, '*', ...options], run, ''),
    '        """Orders pictures. Files in the body are uploaded first. The client repeats the dispatch under',
    '        one Idempotency-Key until it gets an answer, so it is charged once.',
    '',
    '        idempotency_key: your own key, which survives restarts of your process.',
    '        """',
    '        return self._run(workflow, body, idempotency_key, headers)',
    '',
    ...workflows.flatMap((each) => overload(`${async}def quote`, first(each), [], 'DryRunResponse')),
    ...signature(`${async}def quote`, any, 'DryRunResponse', ''),
    '        """The price of `run`, and whether it would be accepted now. Uploads files in the body, but',
    '        charges nothing.',
    '        """',
    `        return ${isAsync ? 'await ' : ''}self._quote(workflow, body)`,
    '',
  ];
}

/** The methods that the client itself has, below the ones that are made here. */
function hooks(isAsync) {
  const [run, async, iterator] = isAsync ? ['AsyncRun', 'async ', 'AsyncIterator'] : ['Run', '', 'Iterator'];
  const hook = (text) => ['    @abstractmethod', `    ${text}: ...`, ''];
  return [
    ...hook(`${async}def _call(self, method: str, path: str, body: Any, asked: dict[str, Any]) -> Any`),
    ...hook(`def _list(self, path: str, asked: dict[str, Any]) -> ${iterator}[Any]`),
    '    @abstractmethod',
    '    def _run(',
    '        self, workflow: str, body: Any, key: str | None, headers: Mapping[str, str] | None',
    `    ) -> ${run}: ...`,
    '',
    ...hook(`${async}def _quote(self, workflow: str, body: Any) -> DryRunResponse`).slice(0, -1),
  ];
}

function calls(name, isAsync) {
  return [
    '',
    '',
    `class ${name}(ABC):`,
    `    """The calls of the interface, by path and by workflow${isAsync ? ', for asyncio' : ''}."""`,
    '',
    ...orders(isAsync),
    ...['get', 'post', 'patch', 'delete'].flatMap((method) => verb(method, isAsync)),
    ...lists(isAsync),
    ...hooks(isAsync),
  ];
}

function callsModule() {
  const body = [...calls('Calls', false), ...calls('AsyncCalls', true)];
  // In these classes, `list` is the method of that name.
  const text = body.join('\n').replaceAll(/\blist\[/g, 'List[');
  // Names in quotation marks are values; the others are types.
  const words = new Set(text.replaceAll(/"[^"\n]*"/g, '').match(/\b[A-Z]\w+/g));
  const used = [...definitions.keys(), ...Object.keys(components.schemas)].filter((name) => words.has(name));
  return [
    `"""A signature for each path and workflow. ${note}"""`,
    '',
    'from __future__ import annotations',
    '',
    'from abc import ABC, abstractmethod',
    'from collections.abc import AsyncIterator, Iterator, Mapping',
    'from typing import Any, List, Literal, overload',
    '',
    'from .openapi import (',
    ...[...new Set(used)].toSorted((a, b) => a.localeCompare(b, 'en')).map((name) => `    ${name},`),
    ')',
    'from .run import AsyncRun, Run',
    text,
  ];
}

function writeOrCheck(file, lines) {
  const path = join(import.meta.dirname, 'src', 'atelier', file);
  const after = `${lines.join('\n')}\n`;
  if (!check) return writeFileSync(path, after);
  if (readFileSync(path, 'utf8') === after) return;
  console.error(`clients/python: ${file} is old: npm run generate writes it`);
  process.exitCode = 1;
}

writeOrCheck('openapi.py', defineAll());
writeOrCheck('calls.py', callsModule());
