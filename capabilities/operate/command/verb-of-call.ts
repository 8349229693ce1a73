import { Argument, Option, type Command } from 'commander';
import { ulidPattern } from '#platform/ids.js';
import { listOf, duration, shortText, ulid, wholeNumber } from './arguments.js';
import { fieldsOf, type FieldSchema } from '../fields-of-input.js';
import { NoInput } from '#operator-calls/input.js';
import type { AnyCall, TypedAs } from '#operator-calls/call.js';
import { lazily, verb } from '#operator-calls/verb.js';

const dayMs = 86_400_000;

/** Adds the verb of a call to the command: its arguments and options are the fields of the call's input. */
export function addVerbOfCall(program: Command, call: AnyCall): void {
  const words = call.name.split(' ');
  const name = words.pop()!;
  const parent = program.commands.find((each) => each.name() === words[0]) ?? program;
  const typed = verb(parent, name, describe(call));
  for (const field of fieldsIn(call)) {
    if (field.typed === 'argument') typed.addArgument(argumentOf(field));
    else if (field.typed !== 'nothing') typed.addOption(optionOf(field));
  }
  if (call.file !== undefined) typed.argument('[file]', call.file);
  if (call.download) typed.requiredOption('--out <file>', 'a new file, which gets the answer');
  if (call.csv || call.lines?.length) typed.option('--csv', 'comma-separated values, with a header');
  typed.action(
    lazily(async () => {
      const { ask } = await import('./ask.js');
      return { run: (...args: unknown[]) => ask(call, args) };
    }, 'run'),
  );
}

interface TypedField {
  readonly name: string;
  readonly schema: FieldSchema;
  readonly initial: unknown;
  readonly typed: TypedAs;
}

/** Arguments come first, in the order in which the call names them. */
function fieldsIn({ name, route, input, ...call }: AnyCall): TypedField[] {
  if (input === NoInput) return [];
  const typed: Readonly<Record<string, TypedAs>> = call.typed ?? {};
  const initial = new input() as Readonly<Record<string, unknown>>;
  const noun = name.split(' ', 1)[0];
  // An id in the path is an argument, but the tenant only where the verb is about tenants.
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, field]) => field!);
  const ids = inPath.filter((field) => field !== 'tenant' || noun === 'tenants');
  const order = [...ids, ...Object.keys(typed)];
  const fields = fieldsOf(input).map((field) => ({
    ...field,
    initial: initial[field.name],
    typed: typed[field.name] ?? (ids.includes(field.name) ? 'argument' : 'option'),
  }));
  const place = ({ name: field, typed: as }: TypedField) =>
    as === 'argument' ? order.indexOf(field) : order.length;
  return fields.sort((one, other) => place(one) - place(other));
}

function argumentOf({ name, schema }: TypedField): Argument {
  const isList = schema.type === 'array';
  const shown = `${dashed(name)}${isList ? '...' : ''}`;
  const argument = new Argument(schema.required ? `<${shown}>` : `[${shown}]`, asHelp(schema.description));
  if (schema.enum) return argument.choices(schema.enum);
  // The items of a list are checked with the rest of the input.
  return isList ? argument : argument.argParser(parserOf(schema, 'argument'));
}

function optionOf({ name, schema, initial, typed }: TypedField): Option {
  const flag = dashed(name);
  const about = asHelp(schema.description);
  if (schema.type === 'boolean') {
    if (initial === true) return new Option(`--no-${flag}`, about.replace(/^false: /, ''));
    return new Option(`--${flag}`, about);
  }
  const value = placeholderOf(name, schema, typed);
  const option = new Option(`--${flag} ${typed === 'flag' ? `[${value}]` : `<${value}>`}`, about);
  if (schema.enum) option.choices(schema.enum);
  else option.argParser(parserOf(schema, typed));
  if (schema.items?.enum) option.description += ` (with commas: ${schema.items.enum.join(', ')})`;
  if (typed === 'duration') {
    option.description = about.replace('in milliseconds', 'such as 90s, 15m, 24h or 7d');
    if (typeof initial === 'number') option.default(initial, `${initial / dayMs}d`);
  } else if (!Array.isArray(initial)) option.default(initial);
  return option.makeOptionMandatory(schema.required);
}

const times = new Set(['from', 'to', 'since', 'until', 'at']);

function placeholderOf(name: string, { type, pattern, enum: choices }: FieldSchema, typed: TypedAs) {
  if (typed === 'file') return 'file';
  if (typed === 'duration') return 'time';
  if (type === 'integer') return 'n';
  if (type === 'array') return 'list';
  if (choices) return name;
  if (pattern === ulidPattern.source) return 'id';
  return times.has(name) ? 'time' : 'text';
}

function parserOf(schema: FieldSchema, typed: TypedAs): (text: string) => unknown {
  const { type, minimum = 0, maximum = 0, minLength = 0, maxLength = 0 } = schema;
  if (typed === 'duration') return duration(maximum / dayMs);
  if (type === 'integer') return wholeNumber(minimum, maximum);
  if (type === 'array') return listOf(schema.items?.enum);
  return schema.pattern === ulidPattern.source ? ulid : shortText(minLength, maxLength);
}

function describe({ summary, failed, complaint }: AnyCall): string {
  return `${asHelp(summary)}${failed || complaint ? '; exit code 0 only if all is well' : ''}`;
}

const dashed = (name: string): string => name.replaceAll('_', '-');

/** A sentence of openapi-admin.json in the form of `--help`: no capital at its beginning, no full stop at its end. */
function asHelp(sentence: string): string {
  return sentence.replace(/^[A-Z](?=[a-z' ])/, (first) => first.toLowerCase()).replace(/\.$/, '');
}
