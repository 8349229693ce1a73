import type { ModuleMetadata } from '@nestjs/common';
import type { Shape } from '#validation/validate.js';
import type { OperatorRole } from './operator-role.js';
import type { Operator } from './operator.js';

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

/** How far a walk through the log has come. */
export interface LogProgress {
  /** What is being done, in a word or two. */
  readonly phase: string;
  readonly position: bigint;
  /** Where this phase began, and where it ends. */
  readonly from: bigint;
  readonly through: bigint;
  /** Handled in this phase; absent where it is not events that are handled. */
  readonly events?: number;
}

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
  /** The command makes it beside the database, and the API has no such route: it needs what only that machine has. */
  readonly local?: boolean;
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
