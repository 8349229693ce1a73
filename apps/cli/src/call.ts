import type { ModuleMetadata } from '@nestjs/common';
import { ChoiceField, fieldDescriptions, IdField, IntegerField } from '#validation/fields.js';
import { installation } from '#application/command-context.js';
import { RecordAction } from '#application/operator/manage-operators.handler.js';
import type { EventOfType } from '#domain/events.js';
import type { ActionOutcome, OperatorRole } from '#domain/operator/operator.events.js';
import { environments, type Environment } from '#domain/streams.js';
import { messageOf } from '#platform/errors.js';
import { timelessId } from '#platform/ids.js';
import { InvalidFields, validate, type Shape } from '#validation/validate.js';
import type { Operator } from './operator.js';
import { printLine } from './output.js';
import type { LogProgress } from './progress.js';
import { CliError } from './verb.js';

/** What comes of a value on its way through JSON. */
export type AsJson<T> = T extends Date | bigint
  ? string
  : T extends readonly (infer Item)[]
    ? AsJson<Item>[]
    : T extends AsyncIterable<infer Line>
      ? AsyncIterable<AsJson<Line>>
      : T extends object
        ? { [Name in keyof T]: AsJson<T[Name]> }
        : T;

export interface OutputForm {
  readonly json: boolean;
  readonly csv: boolean;
}

/** `flag`: an option that may have a value; `duration`: such as 90s, in place of milliseconds; `nothing`: not typed. */
export type TypedAs = 'argument' | 'option' | 'flag' | 'duration' | 'file' | 'nothing';

/** How a call is made, beside its input. */
export interface Asked {
  /** Names the request for good: the same key and input are the same request, however often they come. */
  readonly idempotencyKey?: string | undefined;
  /** When it was asked for first, also where this is not the first time. */
  readonly requestedAt?: Date;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: LogProgress) => void;
}

/**
 * Something that an operator can ask for, declared once. From it follow the route, its description in openapi-admin.json,
 * who may use it, and the verb of the command. What it answers is the object that `--json` prints.
 */
export interface Call<Input extends object, Result> {
  /** The verb of the command: `tenants create`. */
  readonly name: string;
  /** Method and path below `/admin/v1`. A GET changes nothing, and is not written down. */
  readonly route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;
  /** Who may beside admins. `read` stands for everybody. */
  readonly may: readonly OperatorRole[];
  readonly summary: string;
  readonly input: Shape<Input>;
  readonly features?: NonNullable<ModuleMetadata['imports']>;
  /** Takes an Idempotency-Key: always, or where it is sent. */
  readonly idempotent?: 'always' | 'if-sent';
  /** Takes longer than a request may: it is started, and looked after under `/runs`. What is told to who stops it. */
  readonly long?: string;
  /**
   * What it answers is as long as history: an iterable of objects, which goes over the wire as one JSON object a line, or
   * with `format=csv` as comma-separated values of these columns, if any.
   */
  readonly lines?: readonly string[];
  /** A GET that is worth following: `/events` behind its path tells what it answers again and again. */
  readonly live?: boolean;
  /**
   * Changes nothing although it is no GET. `recorded`: it is written down when it is done, so that it does not see
   * that itself; `silent`: not at all.
   */
  readonly readOnly?: 'recorded' | 'silent';
  /** Of the input, what is too large or too private to be kept in the log. */
  readonly unrecorded?: readonly (keyof Input & string)[];
  run(operator: Operator, input: Input, asked: Asked): Promise<Result>;
  /** For people, on standard output; of lines, also where JSON or CSV is asked for. */
  print(result: AsJson<Result>, input: NoInfer<Input>, output: OutputForm): void | Promise<void>;
  /** In a line, for the history of actions. */
  summarise?(result: Result): string;
  /**
   * How the command takes its fields. Otherwise an id in the path is an argument, and every other field an option. Arguments
   * come in the order of their names here.
   */
  readonly typed?: Partial<Record<keyof Input & string, TypedAs>>;
  /** An argument that names a file, which `prepare` makes fields of: what `--help` says of it. */
  readonly file?: string;
  /** Can be printed as comma-separated values, too. */
  readonly csv?: boolean;
  /** Done by the command before it asks: what only its machine has, such as a file. */
  prepare?(input: Input): Input | Promise<Input>;
  /** Done by the command where no service runs, for what needs none. */
  here?(input: Input): Result | Promise<Result>;
  /** Whether the command should end with exit code 1, and say no more. */
  failed?(result: AsJson<Result>): boolean;
  /** Why the command should end with an error although there is a result. */
  complaint?(result: AsJson<Result>, input: NoInfer<Input>): string | undefined;
}

/** A call of any input and result, for those who pass both on as they are. */
export type AnyCall = Call<object, unknown>;

export function isCall(exported: unknown): exported is AnyCall {
  return typeof exported === 'object' && exported !== null && 'route' in exported && 'run' in exported;
}

export function defineCall<Input extends object, Result>(call: Call<Input, Result>): Call<Input, Result> {
  return call;
}

/** For calls that ask for nothing. */
export class NoInput {}

export class InEnvironment {
  @ChoiceField({ description: 'Only this data environment.', values: environments })
  env?: Environment;
}

export class OfTenant {
  @IdField({ description: 'The tenant.', required: true })
  tenant: string;
}

export class OfTenantInEnvironment extends InEnvironment {
  @IdField({ description: 'The tenant.', required: true })
  tenant: string;
}

/** What is of one account: a tenant has one in each environment. */
export class OfAccount extends OfTenant {
  @ChoiceField({ description: 'Data environment.', values: environments, required: true })
  env: Environment;
}

/** How many entries of a list are shown. */
export const LimitField = (max: number, usual: number): PropertyDecorator =>
  IntegerField({
    description: 'How many, the latest first.',
    min: 1,
    max,
    default: usual,
  });

/** For lists that may be long. */
export class PageInEnvironment extends InEnvironment {
  @LimitField(200, 50)
  limit: number = 50;

  @IntegerField({
    description: 'How many to pass over.',
    min: 0,
    max: 1_000_000,
    default: 0,
  })
  offset: number = 0;
}

/** Says how to come to the rest of a list. */
export function printRest(shown: number, total: number): void {
  if (shown < total) printLine(`${shown} of ${total}: --offset ${shown} shows more.`);
}

/** @throws InvalidFields naming all that is wrong */
export function checkedInput({ input }: AnyCall, sent: object, place: 'body' | 'query'): object {
  if (input !== NoInput) return validate(input, sent, place);
  const [field] = Object.keys(sent);
  if (field === undefined) return sent;
  throw new InvalidFields([
    { loc: [place, field], msg: 'is not a field of this request', type: 'extra_forbidden' },
  ]);
}

/** What is described of the fields of an input, in the order of their declaration. */
export function fieldsOf(input: Shape) {
  const chain = new Set<object>();
  // The end of the chain is null.
  for (let each = input.prototype as object | null; each; each = Object.getPrototypeOf(each) as object | null)
    chain.add(each);
  return fieldDescriptions.fields
    .filter(({ prototype }) => chain.has(prototype))
    .map(({ property, schema }) => ({ name: String(property), schema: schema as FieldSchema }));
}

export interface FieldSchema {
  readonly description: string;
  readonly type?: string;
  readonly required: boolean;
  readonly enum?: readonly string[];
  readonly items?: { readonly enum?: readonly string[] };
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly [word: string]: unknown;
}

export function mayCall({ may }: Pick<AnyCall, 'may'>, role: OperatorRole): boolean {
  return role === 'admin' || may.includes('read') || may.includes(role);
}

export const changesThings = ({ route }: Pick<AnyCall, 'route'>) => !route.startsWith('GET ');

/** Does what is asked. What changes anything is written down before, with who asks for it, and how it ended. */
export async function perform(
  call: AnyCall,
  operator: Operator,
  input: object,
  asked: Asked,
): Promise<unknown> {
  if (!changesThings(call) || call.readOnly === 'silent') return call.run(operator, input, asked);
  const context = operator.context('live', installation);
  const { idempotencyKey } = asked;
  const actionId =
    idempotencyKey === undefined ? context.requestId : timelessId(`${operator.name} ${idempotencyKey}`);
  const at = context.at.toISOString();
  const kept = Object.entries(input).filter(([name]) => !call.unrecorded?.some((each) => each === name));
  const request = { action: call.name, by: operator.name, input: Object.fromEntries(kept), at };
  const begin = () =>
    operator.execute(new RecordAction(context, actionId, { type: 'ActionRequested', data: request }));
  const end = (outcome: ActionOutcome, summary: string | null) => {
    const data = { outcome, summary, at: new Date().toISOString() };
    return operator.execute(new RecordAction(context, actionId, { type: 'ActionEnded', data }));
  };
  if (call.readOnly === 'recorded') {
    const result = await call.run(operator, input, asked);
    const recorded = begin().then(() => end('done', call.summarise?.(result) ?? null));
    // What was found out is worth having, also where nothing can be written.
    await recorded.catch(() => operator.say('that it was done could not be written down'));
    return result;
  }
  const earlier = await begin();
  if (earlier) requireSameRequest(earlier as EventOfType<'ActionRequested'>, request);
  try {
    const requestedAt = new Date((earlier as EventOfType<'ActionRequested'> | undefined)?.data.at ?? at);
    const result = await call.run(operator, input, { ...asked, requestedAt });
    await end('done', call.summarise?.(result) ?? null);
    return result;
  } catch (error) {
    // Whether the end can be written down or not: what has gone wrong is what counts.
    await end(error instanceof CliError ? 'refused' : 'failed', messageOf(error)).catch(() => undefined);
    throw error;
  }
}

function requireSameRequest(
  { data }: EventOfType<'ActionRequested'>,
  request: Pick<EventOfType<'ActionRequested'>['data'], 'action' | 'input'>,
): void {
  const same = (one: typeof request) => JSON.stringify([one.action, sorted(one.input)]);
  if (same(data) === same(request)) return;
  throw new CliError(
    'this Idempotency-Key was used for another request: use a new key for a new request. Nothing was changed',
    'IDEMPOTENCY_KEY_REUSED',
  );
}

/** PostgreSQL keeps the fields of an object in an order of its own. */
const sorted = (input: object) => Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1));
