import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { v5 as uuidOf } from 'uuid';
import { EngineError, type BriefTask } from '@atelier/engine';
import { capacityFrom, farewellMs, refusalOf, tooManyPictures } from './failures.js';
import { fetchPicture, JsonApi } from './json-api.js';
import type { ImageVendor, PictureCall, VendorImage, VendorModel, VendorPictures } from './vendor.js';

interface ComfyOptions {
  /** Paths of the operator's own graphs, by task. Other tasks use one of the graphs below. */
  readonly graphs?: Readonly<Partial<Record<BriefTask, string>>>;
  readonly poll_ms?: number;
}

/** In the API's form, as ComfyUI exports it, with `{{slots}}` where values go. */
type Graph = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

/** Both follow the prompt: `edit` starts from up to three pictures, `draw` from none. */
const shipped = {
  edit: new URL('../graphs/edit.json', import.meta.url),
  draw: new URL('../graphs/draw.json', import.meta.url),
};

interface HistoryEntry {
  readonly outputs?: Readonly<Record<string, { readonly images?: readonly ComfyFile[] }>>;
  readonly status?: {
    readonly status_str?: string;
    readonly messages?: readonly (readonly [string, unknown])[];
  };
}

interface ComfyFile {
  readonly filename: string;
  readonly subfolder: string;
  readonly type: string;
}

/**
 * Runs graphs on the operator's own ComfyUI, which costs nothing but time. We choose the prompt's id and derive
 * it from the call, so queue and history show whether a recorded call arrived: no outcome stays unknown. It
 * polls over HTTP instead of using the WebSocket, because the WebSocket's messages reach only the connection
 * that submitted the prompt, and are lost while that is closed.
 */
export class ComfyVendor implements ImageVendor {
  private readonly api: JsonApi;
  private readonly options: ComfyOptions;

  constructor(model: VendorModel) {
    const base = (model.endpoint ?? 'http://127.0.0.1:8188').replace(/\/+$/, '');
    // A hosted ComfyUI needs a key; the operator's own has none.
    this.api = new JsonApi(base, model.secret ? { 'x-api-key': model.secret } : {}, failureOf);
    // The options are not checked here: the server reports a fault in a graph when it is called.
    this.options = model.options;
  }

  idOf(idempotencyKey: string): string {
    return uuidOf(idempotencyKey, uuidOf.URL);
  }

  draw(call: PictureCall): Promise<VendorPictures> {
    return this.drawAs(this.idOf(call.idempotencyKey), call);
  }

  async resume(vendorRequestId: string, call: PictureCall): Promise<VendorPictures> {
    if (await this.knows(vendorRequestId, call.signal)) return this.follow(vendorRequestId, call.signal);
    // The prompt never arrived, or the server lost it in a restart.
    return this.drawAs(vendorRequestId, call);
  }

  private async drawAs(id: string, call: PictureCall): Promise<VendorPictures> {
    const graph = filled(this.graphOf(call), call, await this.uploaded(call));
    const taken = await this.submit(id, graph, call.signal);
    await call.submitted(taken);
    return this.follow(taken, call.signal);
  }

  async cancel(vendorRequestId: string): Promise<boolean> {
    const signal = AbortSignal.timeout(farewellMs);
    const { running, pending } = await this.queue(signal);
    // A new server interrupts only the named prompt. An old server stops whichever prompt is running, so this
    // checks first.
    if (running.includes(vendorRequestId))
      return (await this.api.send('POST', '/interrupt', signal, { prompt_id: vendorRequestId })).ok;
    if (!pending.includes(vendorRequestId)) return false;
    return (await this.api.send('POST', '/queue', signal, { delete: [vendorRequestId] })).ok;
  }

  /** Checks whether the server has the nodes of the graphs, and the files that the nodes load. */
  async check(signal: AbortSignal): Promise<string> {
    const { system } = (await this.api.ask('GET', '/system_stats', signal)) as {
      system?: { comfyui_version?: string };
    };
    const graphs = [...Object.values(shipped), ...Object.values(this.options.graphs ?? {})].map(readGraph);
    const nodes = graphs.flatMap((graph) => Object.values(graph));
    const missing = new Set<string>();
    for (const kind of new Set(nodes.map(({ class_type: name }) => name))) {
      const known = (await this.api.ask('GET', `/object_info/${kind}`, signal)) as NodeKinds;
      const inputs = nodes.filter(({ class_type: name }) => name === kind).map((node) => node.inputs);
      for (const lack of lacking(kind, inputs, known)) missing.add(lack);
    }
    if (missing.size > 0) throw new Error(`it lacks ${[...missing].join(', ')}`);
    return `ComfyUI ${system?.comfyui_version ?? ''} has all that the graphs need`;
  }

  private graphOf({ task, images }: PictureCall): Graph {
    return readGraph(this.options.graphs?.[task] ?? (images.length > 0 ? shipped.edit : shipped.draw));
  }

  /** The names under which the server has the pictures. They lie in its folder for temporary files. */
  private uploaded({ images, idempotencyKey, signal }: PictureCall): Promise<string[]> {
    const upload = async ({ bytes, contentType }: VendorImage, index: number) => {
      const form = new FormData();
      const file = new Blob([new Uint8Array(bytes)], { type: contentType });
      form.set('image', file, `${uuidOf(`${idempotencyKey}/${index}`, uuidOf.URL)}.png`);
      form.set('type', 'temp');
      form.set('overwrite', 'true');
      const { name } = (await this.api.ask('POST', '/upload/image', signal, form)) as { name: string };
      return `${name} [temp]`;
    };
    return Promise.all(images.map(upload));
  }

  /** @returns the prompt's id on the server: ours, except on old servers, which choose their own */
  private async submit(id: string, prompt: Graph, signal: AbortSignal): Promise<string> {
    const order = { prompt, prompt_id: id, client_id: 'atelier' };
    try {
      const said = (await this.api.ask('POST', '/prompt', signal, order)) as { prompt_id?: string };
      return said.prompt_id ?? id;
    } catch (error) {
      const unknown = error instanceof EngineError && error.errorClass === 'outcome_unknown';
      if (!unknown) throw error;
      // The server may still be checking the graph.
      await sleep(this.pollMs, undefined, { signal });
      if (await this.knows(id, signal)) return id;
      throw capacityFrom();
    }
  }

  private async follow(id: string, signal: AbortSignal): Promise<VendorPictures> {
    for (;;) {
      // The order matters: a prompt that ends between the two looks is in the history.
      const waiting = await this.waits(id, signal);
      const entry = await this.entry(id, signal);
      if (entry) return { pictures: await this.picturesOf(entry, signal), vendorRequestId: id };
      // A restarted server has lost its queue.
      if (!waiting) throw capacityFrom();
      await sleep(this.pollMs, undefined, { signal });
    }
  }

  private async picturesOf({ outputs = {}, status }: HistoryEntry, signal: AbortSignal): Promise<Buffer[]> {
    if (status?.status_str === 'error') throw runtimeFailure(status.messages ?? []);
    const files = Object.values(outputs).flatMap(({ images = [] }) => images);
    // The result of a graph is the pictures that it saves, or its previews if it saves none.
    const saved = files.filter(({ type }) => type === 'output');
    const results = saved.length > 0 ? saved : files;
    return Promise.all(
      results.map(({ filename, subfolder, type }) => {
        const query = new URLSearchParams({ filename, subfolder, type });
        return fetchPicture(`${this.api.base}/view?${query.toString()}`, signal, this.api.headers);
      }),
    );
  }

  private async knows(id: string, signal: AbortSignal): Promise<boolean> {
    return (await this.waits(id, signal)) || (await this.entry(id, signal)) !== undefined;
  }

  private async entry(id: string, signal: AbortSignal): Promise<HistoryEntry | undefined> {
    return ((await this.api.look(`/history/${id}`, signal)) as Record<string, HistoryEntry>)[id];
  }

  private async waits(id: string, signal: AbortSignal): Promise<boolean> {
    const { running, pending } = await this.queue(signal);
    return running.includes(id) || pending.includes(id);
  }

  private async queue(signal: AbortSignal) {
    // Each item is a list: its number, its id, the graph, and more.
    const queue = (await this.api.look('/queue', signal)) as Record<string, readonly (readonly unknown[])[]>;
    const ids = (items: readonly (readonly unknown[])[] = []) => items.map((item) => item[1]);
    return { running: ids(queue['queue_running']), pending: ids(queue['queue_pending']) };
  }

  private get pollMs(): number {
    return this.options.poll_ms ?? 1_000;
  }
}

/** @throws EngineError if the operator's file does not hold a graph */
function readGraph(path: string | URL): Graph {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Graph;
  } catch (error) {
    throw Object.assign(refusalOf('misconfigured'), { cause: error });
  }
}

const slot = /\{\{(\w+)\}\}/g;

/**
 * The graph with the call's values in its slots. A node whose picture this call lacks is left out, and so are
 * the links to it.
 * @throws EngineError for a picture that no slot takes
 */
function filled(template: Graph, call: PictureCall, names: readonly string[]): Graph {
  const { prompt, seed, size, count, images } = call;
  // These models are trained on multiples of 16 pixels. The surplus is cut off at delivery.
  const even = (side: number) => Math.round(side / 16) * 16;
  const [width, height] = [even(size.width), even(size.height)];
  const values = new Map<string, string | number>(Object.entries({ prompt, seed, count, width, height }));
  for (const [index, name] of names.entries()) {
    values.set(`image_${index + 1}`, name);
    const role = images[index]?.role ?? '';
    if (!values.has(role)) values.set(role, name);
  }
  const used = new Set<unknown>();
  const value = (found: unknown): unknown => {
    if (typeof found !== 'string') return found;
    const whole = /^\{\{(\w+)\}\}$/.exec(found)?.[1];
    if (whole === undefined)
      return found.replaceAll(slot, (_, name: string) => String(values.get(name) ?? ''));
    used.add(values.get(whole));
    return values.get(whole);
  };
  const graph: Graph = {};
  for (const [id, { class_type, inputs }] of Object.entries(template)) {
    const own = Object.entries(inputs).map(([name, found]) => [name, value(found)] as const);
    if (own.every(([, found]) => found !== undefined))
      graph[id] = { class_type, inputs: Object.fromEntries(own) };
  }
  for (const node of Object.values(graph)) {
    const there = Object.entries(node.inputs).filter(
      ([, from]) => !Array.isArray(from) || String(from[0]) in graph,
    );
    node.inputs = Object.fromEntries(there);
  }
  if (!names.every((name) => used.has(name))) throw tooManyPictures();
  return graph;
}

/**
 * The kinds of nodes in `/object_info`. The possible values of an input come as a list, in one of two forms.
 */
type NodeKinds = Readonly<
  Record<
    string,
    {
      readonly input?: Readonly<
        Record<
          string,
          Readonly<Record<string, readonly [unknown, { readonly options?: readonly unknown[] }?]>>
        >
      >;
    }
  >
>;

function* lacking(
  kind: string,
  nodes: readonly Graph[string]['inputs'][],
  known: NodeKinds,
): Generator<string> {
  const inputs = known[kind]?.input;
  if (!inputs) return yield `the node ${kind}`;
  for (const [name, [type, more]] of Object.entries({ ...inputs['required'], ...inputs['optional'] })) {
    const allowed = Array.isArray(type) ? (type as unknown[]) : more?.options;
    for (const node of nodes) {
      const value = node[name];
      if (allowed && typeof value === 'string' && !value.includes('{{') && !allowed.includes(value))
        yield `${value} (${kind})`;
    }
  }
}

/** The failure of a running graph. Nothing is paid, so failures that may be temporary get another try. */
function runtimeFailure(messages: readonly (readonly [string, unknown])[]): EngineError {
  const [, error] = messages.find(([name]) => name === 'execution_error') ?? [];
  const { exception_type: type = '' } = (error ?? {}) as { exception_type?: string };
  return /OutOfMemory/i.test(type) ? capacityFrom() : refusalOf('no_image');
}

function failureOf({ status, headers }: Response, _said: unknown, submitting: boolean): EngineError {
  if (status === 413) return refusalOf('bad_input');
  if (status === 429 || status === 503) return capacityFrom(headers.get('retry-after'));
  if (status >= 500 || status === 408 || status < 400)
    return submitting ? refusalOf('outcome_unknown') : capacityFrom();
  // A graph that the server refuses names nodes or files that it does not have.
  return refusalOf('misconfigured');
}
