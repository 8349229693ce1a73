import type { components, paths } from './openapi.js';

type Schemas = components['schemas'];

export type Accepted = Schemas['WorkflowAcceptedResponse'];
export type Artifact = Schemas['Artifact'];
export type Job = Schemas['JobDetailResponse'];
export type JobEvent = Schemas['JobEventResponse'];
export type Quote = Schemas['DryRunResponse'];
export type Upload = Schemas['UploadResponse'];

interface Json<Body> {
  content: { 'application/json': Body };
}

/** `try-on`: what can be dispatched. */
export type WorkflowName = {
  [Path in keyof paths]: Path extends `/v1/${infer Name}`
    ? paths[Path] extends { post: { responses: { 202: unknown } } }
      ? Name
      : never
    : never;
}[keyof paths];

/** A workflow's body. A picture field takes an id, or a file, which is uploaded. */
export type WorkflowBody<Name extends WorkflowName> = paths[`/v1/${Name}`] extends {
  post: { requestBody: Json<infer Body extends object> };
}
  ? Body
  : never;

export type Method = 'get' | 'post' | 'patch' | 'delete';

type Operation<Verb extends Method, Path extends keyof paths> =
  paths[Path] extends Record<Verb, infer Found> ? Found : never;

/**
 * The paths that have an HTTP method. Posts of uploads and workflows are left out: the client has its own methods
 * for them.
 */
export type PathOf<Verb extends Method> = {
  [Path in keyof paths]: Operation<Verb, Path> extends { responses: infer Found }
    ? Verb extends 'post'
      ? Found extends { 202: unknown }
        ? never
        : Exclude<Path, '/v1/uploads' | '/v1/uploads/batch'>
      : Path
    : never;
}[keyof paths];

type BodyAt<Found, Status extends number> = Found extends Record<Status, Json<infer Body>> ? Body : never;
type SomeBody<Body> = [Body] extends [never] ? undefined : Body;

/** The body of the answer; undefined if it has none. */
export type Answer<Path extends keyof paths, Verb extends Method = 'get'> =
  Operation<Verb, Path> extends { responses: infer Found }
    ? SomeBody<BodyAt<Found, 200> | BodyAt<Found, 201> | BodyAt<Found, 202>>
    : never;

/** The body of the request; undefined if it has none. */
export type Body<Path extends keyof paths, Verb extends Method> =
  Operation<Verb, Path> extends { requestBody: Json<infer Sent extends object> } ? Sent : undefined;

/** The generated types have `never` for absent optional parts. */
type Some<Found> = [NonNullable<Found>] extends [never] ? object : NonNullable<Found>;

/** The parameters of a path and of its query. */
export type Parameters<Path extends keyof paths, Verb extends Method> =
  Operation<Verb, Path> extends { parameters: { path?: infer Parts; query?: infer Query } }
    ? Some<Parts> & Some<Query>
    : object;

/** The lists, which come in pages. */
export type ListPath = {
  [Path in PathOf<'get'>]: Answer<Path> extends { limit: number; offset: number } ? Path : never;
}[PathOf<'get'>];

/** One row of a list: the answer has one array. */
export type ListRow<Path extends ListPath> = {
  [Field in keyof Answer<Path>]: Answer<Path>[Field] extends readonly (infer Row)[] ? Row : never;
}[keyof Answer<Path>];
