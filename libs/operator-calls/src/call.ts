import type { ModuleMetadata } from '@nestjs/common';
import type { Shape } from '#validation/validate.js';
import type { OperatorRole } from './operator-role.js';
import type { Operator } from './operator.js';

/** The value after a JSON round trip. */
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

/**
 * `flag`: an option that may have a value; `duration`: for example 90s, instead of milliseconds; `nothing`: not
 * typed.
 */
export type TypedAs = 'argument' | 'option' | 'flag' | 'duration' | 'file' | 'nothing';

export interface LogProgress {
  /** The name of the current work, in a word or two. */
  readonly phase: string;
  readonly position: bigint;
  /** Where this phase began, and where it ends. */
  readonly from: bigint;
  readonly through: bigint;
  /** Handled in this phase; absent if the phase does not handle events. */
  readonly events?: number;
}

/** The key, time and signals of a call, beside its input. */
export interface Asked {
  /** Names the request permanently: the same key and input are always the same request. */
  readonly idempotencyKey?: string | undefined;
  /** Time of the first request with this key and input. */
  readonly requestedAt?: Date;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: LogProgress) => void;
}

/**
 * A call that operators can make, declared once. The declaration gives the route, its description in
 * openapi-admin.json, the allowed roles, and the verb of the command. The result is the object that `--json`
 * prints.
 */
export interface Call<Input extends object, Result> {
  /** The verb of the command: `tenants create`. */
  readonly name: string;
  /** Method and path below `/admin/v1`. A GET changes nothing and is not recorded. */
  readonly route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;
  /** The roles that may call it, beside admins. `read` means all operators. */
  readonly may: readonly OperatorRole[];
  readonly summary: string;
  readonly input: Shape<Input>;
  readonly features?: NonNullable<ModuleMetadata['imports']>;
  /** Takes an Idempotency-Key: always, or if it is sent. */
  readonly idempotent?: 'always' | 'if-sent';
  /**
   * Set if the call takes longer than a request may. The call then runs in the background, under `/runs`. The
   * text is the message for an operator who stops it.
   */
  readonly long?: string;
  /**
   * Set if the result may be as long as the history. It is then an iterable of objects, sent as one JSON object
   * a line. With `format=csv` it is sent as comma-separated values of these columns, if there are any.
   */
  readonly lines?: readonly string[];
  /** Set if the result is a file: a stream of its bytes, which the command writes to the file of `--out`. */
  readonly download?: { readonly type: string; readonly name: string };
  /** A GET whose changes are worth following: `/events` below its path sends the result again and again. */
  readonly live?: boolean;
  /**
   * Changes nothing although it is not a GET. `recorded`: it is recorded afterwards, so that it does not see
   * its own record; `silent`: it is not recorded.
   */
  readonly readOnly?: 'recorded' | 'silent';
  /**
   * Only the command makes this call, next to the database: it needs what only that machine has. The API has no
   * such route.
   */
  readonly local?: boolean;
  /** Fields of the input that are too large or too private for the log. */
  readonly unrecorded?: readonly (keyof Input & string)[];
  run(operator: Operator, input: Input, asked: Asked): Promise<Result>;
  /** Prints the result for people, on standard output. If the result is lines, it also prints JSON and CSV. */
  print(result: AsJson<Result>, input: NoInfer<Input>, output: OutputForm): void | Promise<void>;
  /** One line for the history of actions. */
  summarise?(result: Result): string;
  /**
   * How the command takes its fields. By default an id in the path is an argument, and every other field an
   * option. Arguments follow the order of their names here.
   */
  readonly typed?: Partial<Record<keyof Input & string, TypedAs>>;
  /** Set if an argument names a file that `prepare` turns into fields: the text about it in `--help`. */
  readonly file?: string;
  /** Can be printed as comma-separated values, too. */
  readonly csv?: boolean;
  /** Runs in the command before the call. It adds data that only this machine has, such as a file. */
  prepare?(input: Input): Input | Promise<Input>;
  /** Runs in the command if no service is running, for calls that do not need one. */
  here?(input: Input): Result | Promise<Result>;
  /** Whether the command ends with exit code 1, without a message. */
  failed?(result: AsJson<Result>): boolean;
  /** The error with which the command ends although there is a result. */
  complaint?(result: AsJson<Result>, input: NoInfer<Input>): string | undefined;
}

/** A call of any input and result, for code that only passes both on. */
export type AnyCall = Call<object, unknown>;

export function isCall(exported: unknown): exported is AnyCall {
  return typeof exported === 'object' && exported !== null && 'route' in exported && 'run' in exported;
}

export function defineCall<Input extends object, Result>(call: Call<Input, Result>): Call<Input, Result> {
  return call;
}
