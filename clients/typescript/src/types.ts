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

/** What a workflow is asked with. A field that takes a picture takes an id, or a file, which is uploaded. */
export type WorkflowBody<Name extends WorkflowName> = paths[`/v1/${Name}`] extends {
  post: { requestBody: Json<infer Body extends object> };
}
  ? Body
  : never;

/** The paths that can be read: `/v1/jobs/{public_id}`. */
export type GetPath = {
  [Path in keyof paths]: paths[Path] extends { get: { responses: { 200: Json<unknown> } } } ? Path : never;
}[keyof paths];

/** What a read answers. */
export type Answer<Path extends GetPath> = paths[Path] extends {
  get: { responses: { 200: Json<infer Body> } };
}
  ? Body
  : never;

type Parameters<Path extends GetPath> = paths[Path] extends { get: { parameters: infer Found } }
  ? Found
  : never;

/** What may be left out is `never` in the types where there is nothing. */
type Some<Found> = [NonNullable<Found>] extends [never] ? object : NonNullable<Found>;

export type PathParameters<Path extends GetPath> =
  Parameters<Path> extends { path: infer Found } ? Some<Found> : object;
export type QueryParameters<Path extends GetPath> =
  Parameters<Path> extends { query?: infer Found } ? Some<Found> : object;

/** The lists, which come in pages. */
export type ListPath = {
  [Path in GetPath]: Answer<Path> extends { limit: number; offset: number } ? Path : never;
}[GetPath];

/** One row of a list: the answer has one array. */
export type ListRow<Path extends ListPath> = {
  [Field in keyof Answer<Path>]: Answer<Path>[Field] extends readonly (infer Row)[] ? Row : never;
}[keyof Answer<Path>];

/** The paths that create something at once: `/v1/products`. Uploads and workflows have methods of their own. */
export type PostPath = {
  [Path in keyof paths]: paths[Path] extends { post: { requestBody: Json<unknown> } }
    ? paths[Path] extends { post: { responses: { 202: unknown } } }
      ? never
      : Path
    : never;
}[keyof paths];

export type PostBody<Path extends PostPath> = paths[Path] extends {
  post: { requestBody: Json<infer Body extends object> };
}
  ? Body
  : never;

export type PostAnswer<Path extends PostPath> = paths[Path] extends { post: { responses: infer Found } }
  ? Found extends { 200: Json<infer Body> }
    ? Body
    : Found extends { 201: Json<infer Body> }
      ? Body
      : never
  : never;
