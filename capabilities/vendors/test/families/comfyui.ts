import type { ServerResponse } from 'node:http';
import type { EngineErrorClass } from '@atelier/engine';
import { ComfyVendor } from '@atelier/vendors/comfyui';
import {
  deliveries,
  everyWorkflow,
  foundAlways,
  quick,
  type Saying,
  type TestedFamily,
} from '../support/tested-family.js';
import { json, VendorDouble, type Asked, type Turn } from '../support/vendor-double.js';

/* ComfyUI at the socket (docs.comfy.org, server routes; the server's own `server.py` and `execution.py`). */

type ComfyGraph = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

interface Prompt {
  readonly turn: Turn;
  readonly lane: string;
  readonly graph: ComfyGraph;
  readonly files: readonly string[];
  done: boolean;
}

const comfyErrors: Partial<Record<Turn, [status: number, body: object, headers?: Record<string, string>]>> = {
  key: [401, { error: 'unauthorized' }],
  quota: [403, { error: 'forbidden' }],
  busy: [429, { error: 'the queue is full' }, { 'retry-after': '1' }],
  broken: [500, {}],
  bad_input: [413, {}],
};

/** The files that the loaders offer: the server has exactly the files that the shipped graphs need. */
const loaders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  UNETLoader: {
    unet_name: ['qwen_image_edit_2509_fp8_e4m3fn.safetensors', 'qwen_image_fp8_e4m3fn.safetensors'],
    weight_dtype: ['default', 'fp8_e4m3fn'],
  },
  CLIPLoader: { clip_name: ['qwen_2.5_vl_7b_fp8_scaled.safetensors'], type: ['qwen_image', 'flux2'] },
  VAELoader: { vae_name: ['qwen_image_vae.safetensors'] },
};

export class ComfyDouble extends VendorDouble {
  readonly prompts = new Map<string, Prompt>();
  readonly interrupted: string[] = [];
  /** Prompts stay in the queue while it is shut. */
  gateShut = false;
  /** A kind of node that the server lacks. */
  lacks = '';

  private readonly uploads = new Map<string, Buffer>();

  protected override get taken() {
    return [...this.prompts.values()];
  }

  /** Acts like a server after a restart: its queue and its history are gone. */
  forget(): void {
    this.prompts.clear();
  }

  protected isSubmission({ path }: Asked, method: string): boolean {
    return method === 'POST' && path === '/prompt';
  }

  protected async answer(asked: Asked, response: ServerResponse, turn: Turn): Promise<void> {
    const { path, body } = asked;
    const [, place = '', id = ''] = path.split(/[/?]/);
    const failure = comfyErrors[turn];
    if (failure) return json(response, ...failure);
    switch (place) {
      case 'upload':
        return this.upload(body, response);
      case 'prompt':
        return this.take(asked, response, turn);
      case 'queue':
        return this.queue(asked, response);
      case 'interrupt':
        this.interrupted.push((JSON.parse(body) as { prompt_id: string }).prompt_id);
        return void response.writeHead(200).end();
      case 'history':
        return json(response, 200, this.history(id));
      case 'view':
        return void response.end(await this.view(path));
      case 'system_stats':
        return json(response, 200, { system: { comfyui_version: '0.34.0' } });
      case 'object_info':
        return json(response, 200, this.objectInfo(id));
      default:
        return json(response, 404, {});
    }
  }

  private upload(body: string, response: ServerResponse): void {
    const name = /filename="([^"]+)"/.exec(body)?.[1] ?? '';
    if (!/name="type"\r\n\r\ntemp/.test(body)) return json(response, 400, {});
    const start = body.indexOf('\u0089PNG');
    this.uploads.set(name, Buffer.from(body.slice(start, body.indexOf('IEND', start) + 8), 'latin1'));
    json(response, 200, { name, subfolder: '', type: 'temp' });
  }

  /**
   * Refuses the same things as the server: links to missing nodes, pictures that were not uploaded, values that
   * are not allowed.
   */
  private take({ body, lane }: Asked, response: ServerResponse, turn: Turn): void {
    const { prompt: graph, prompt_id: id } = JSON.parse(body) as { prompt: ComfyGraph; prompt_id: string };
    const files: string[] = [];
    const wrong: string[] = [];
    for (const [name, { class_type: kind, inputs }] of Object.entries(graph)) {
      for (const value of Object.values(inputs)) {
        if (Array.isArray(value) && !(String(value[0]) in graph)) wrong.push(name);
        if (typeof value === 'string' && value.includes('{{')) wrong.push(name);
      }
      if (kind !== 'LoadImage') continue;
      const file = /^(.+) \[temp\]$/.exec(String(inputs['image']))?.[1] ?? '';
      if (this.uploads.has(file)) files.push(file);
      else wrong.push(name);
    }
    if (wrong.length > 0 || !Object.values(graph).some(({ class_type: kind }) => kind === 'KSampler')) {
      const error = { type: 'prompt_outputs_failed_validation', message: 'Prompt outputs failed validation' };
      return json(response, 400, { error, node_errors: Object.fromEntries(wrong.map((name) => [name, {}])) });
    }
    this.prompts.set(id, { turn, lane, graph, files, done: !this.gateShut });
    json(response, 200, { prompt_id: id, number: this.prompts.size, node_errors: {} });
  }

  private queue({ method, body }: Asked, response: ServerResponse): void {
    if (method === 'POST') {
      for (const id of (JSON.parse(body) as { delete: string[] }).delete) this.prompts.delete(id);
      return void response.writeHead(200).end();
    }
    const waiting = [...this.prompts].filter(([, { done }]) => !done || this.gateShut);
    const [running, ...pending] = waiting.map(([id, { graph }], index) => [index, id, graph, {}, []]);
    json(response, 200, { queue_running: running ? [running] : [], queue_pending: pending });
  }

  private history(id: string): object {
    const prompt = this.prompts.get(id);
    if (!prompt || this.gateShut) return {};
    if (prompt.turn === 'unsafe') {
      const error = { exception_type: 'torch.OutOfMemoryError', exception_message: 'Allocation on device' };
      const messages = [
        ['execution_start', {}],
        ['execution_error', error],
      ];
      return { [id]: { outputs: {}, status: { status_str: 'error', completed: false, messages } } };
    }
    const images = [{ filename: `${id}.png`, subfolder: '', type: 'temp' }];
    const outputs = prompt.turn === 'nothing' ? {} : { result: { images } };
    return { [id]: { outputs, status: { status_str: 'success', completed: true, messages: [] } } };
  }

  private view(path: string): Promise<Buffer> {
    const id = new URL(path, this.url).searchParams.get('filename')?.replace('.png', '') ?? '';
    const { turn = 'garbage', graph = {}, files = [] } = this.prompts.get(id) ?? {};
    const size = (graph['canvas']?.inputs ?? {}) as { width: number; height: number };
    return this.drawn(turn, size, () => this.uploads.get(files[0] ?? '') ?? Buffer.alloc(0));
  }

  private objectInfo(kind: string): object {
    if (kind === this.lacks) return {};
    const known = Object.entries(loaders[kind] ?? {}).map(([name, values]) => [
      name,
      // Servers declare the allowed values in two forms, and both occur here.
      name === 'vae_name' ? ['COMBO', { options: values }] : [values],
    ]);
    return { [kind]: { input: { required: Object.fromEntries(known) } } };
  }
}

export const family: TestedFamily = {
  open: () => new ComfyDouble(),
  vendor: (model) => new ComfyVendor(model),
  model: { options: quick },
  // The shipped graph takes three pictures.
  serves: [
    [
      { options: quick, transparent: false },
      everyWorkflow.filter((name) => !['look', 'catalog-shots'].includes(name)),
    ],
  ],
  says: /^ComfyUI 0\.34\.0 has all that the graphs need$/,
  rows: [
    [['bad_input'], 'ENGINE_REJECTED_INPUT', 0, 0],
    [['key'], 'ENGINE_MISCONFIGURED', 0, 0],
    // The prompt's id is ours, so a look-up shows whether the server has taken it in.
    [['cut', 'fine'], 'SUCCESS', 1, 0.04],
    [['lost'], 'SUCCESS', 1, 0.04],
    [['torn'], 'SUCCESS', 1, 0.04],
    [['hang'], 'ENGINE_OUTCOME_UNKNOWN', 0, 0.04],
    [['busy', 'fine'], 'SUCCESS', 1, 0.04],
    [['broken', 'fine'], 'SUCCESS', 1, 0.04],
    // The server is out of memory.
    [['unsafe', 'fine'], 'SUCCESS', 2, 0.04],
    [['echo', 'echo'], 'ENGINE_NO_IMAGE', 2, 0.08],
    ...deliveries,
  ],
  // The id is ours, so a recorded call is looked up first, and made only if it never arrived.
  points: foundAlways,
  wayBack: {
    told: (double) => double instanceof ComfyDouble && double.interrupted.length === 1,
    stopsRunning: true,
  },
  failures: [
    said(413, 'bad_input'),
    [/^\/prompt/, 429, {}, 'capacity', { 'retry-after': '7' }],
    said(500, 'capacity'),
    said(503, 'capacity'),
    said(401, 'misconfigured'),
    said(403, 'misconfigured'),
    said(400, 'misconfigured'),
    [
      /^\/history/,
      200,
      { status: { status_str: 'error', messages: [['execution_error', { exception_type: 'KeyError' }]] } },
      'no_image',
    ],
  ],
};

function said(status: number, errorClass: EngineErrorClass): Saying {
  return [/^\/prompt/, status, {}, errorClass];
}
