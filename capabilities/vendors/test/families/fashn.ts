import type { ServerResponse } from 'node:http';
import sharp from 'sharp';
import type { EngineErrorClass } from '@atelier/engine';
import { FashnVendor } from '@atelier/vendors/fashn';
import { fashnEndpoints } from '../../vendors.families.js';
import { answersLater, foundAgain, quick, type Saying, type TestedFamily } from '../support/tested-family.js';
import { json, VendorDouble, type Asked, type Turn } from '../support/vendor-double.js';

/* FASHN at the socket (docs.fashn.ai: API fundamentals, error handling, and the references of the endpoints). */

/** Refusals that come before there is a prediction. */
const fashnErrors: Partial<Record<Turn, [status: number, body: object, headers?: Record<string, string>]>> = {
  quota: [429, { error: 'OutOfCredits', message: 'No API credits remaining' }],
  busy: [429, { error: 'ConcurrencyLimitExceeded', message: 'Too many predictions' }, { 'retry-after': '1' }],
  broken: [500, { error: 'InternalServerError', message: 'oops' }],
  key: [401, { error: 'UnauthorizedAccess', message: 'Unauthorized: Invalid token sk-abc' }],
};

const runtimeErrors: Partial<Record<Turn, string>> = {
  policy: 'ContentModerationError',
  unsafe: 'ThirdPartyError',
  bad_input: 'PoseError',
};

interface FashnRun {
  readonly model_name: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/** The picture that gives a result its format, for endpoints without a format parameter. */
const required: Readonly<Record<string, readonly string[]>> = {
  'tryon-v1.6': ['model_image', 'garment_image'],
  'tryon-max': ['model_image', 'product_image'],
  'product-to-model': ['product_image'],
  'model-swap': ['model_image'],
  edit: ['image', 'prompt'],
};

export class FashnDouble extends VendorDouble {
  cancellations = 0;
  readonly predictions = new Map<string, { turn: Turn; cancelled: boolean; lane: string; run: FashnRun }>();
  /** Predictions stay in processing while it is shut. */
  gateShut = false;
  /** While it is shut, predictions do not even begin, and can be cancelled. */
  queueShut = false;

  protected override get taken() {
    return [...this.predictions.values()];
  }

  protected isSubmission({ path }: Asked, method: string): boolean {
    return method === 'POST' && path === '/run';
  }

  protected async answer(asked: Asked, response: ServerResponse, turn: Turn): Promise<void> {
    const { path, headers } = asked;
    const refusal = fashnErrors[headers.authorization?.startsWith('Bearer sk-') ? turn : 'key'];
    if (refusal) return json(response, ...refusal);
    if (path === '/credits')
      return json(response, 200, { credits: { total: 42, subscription: 0, on_demand: 42 } });
    if (path === '/run') return this.run(asked, response, turn);
    const id = path.split('/').at(-1) ?? '';
    const known = this.predictions.get(id);
    if (!known) return json(response, 404, { error: 'NotFound', message: 'Prediction not found' });
    if (path.startsWith('/cancel')) {
      this.cancellations++;
      known.cancelled = this.queueShut;
      return json(response, this.queueShut ? 200 : 409, { id });
    }
    if (known.cancelled) return json(response, 200, { id, status: 'canceled', error: null });
    const name = runtimeErrors[known.turn];
    const waits = this.queueShut ? 'in_queue' : 'processing';
    if (this.gateShut) return json(response, 200, { id, status: waits, error: null });
    if (name) return json(response, 200, { id, status: 'failed', error: { name, message: 'failed' } });
    const output = known.turn === 'nothing' ? [] : [await this.output(known.turn, known.run)];
    json(response, 200, { id, status: 'completed', error: null, output });
  }

  private run({ body, lane }: Asked, response: ServerResponse, turn: Turn): void {
    // The engine writes this form; missing fields are refused below.
    const run = JSON.parse(body) as FashnRun;
    const missing = (required[run.model_name] ?? ['model_name']).filter((name) => !run.inputs[name]);
    if (missing.length > 0) return json(response, 400, { error: 'BadRequest', message: missing.join() });
    const id = `prediction-${this.predictions.size + 1}`;
    this.predictions.set(id, { turn, cancelled: false, lane, run });
    json(response, 200, { id, error: null });
  }

  private async output(turn: Turn, { model_name: name, inputs }: FashnRun): Promise<string> {
    const given = inputs[required[name]?.[0] ?? ''] ?? '';
    const source = Buffer.from(given.slice(given.indexOf(',') + 1), 'base64');
    const { width, height } = await sharp(source).metadata();
    const [w = width, h = height] = (inputs['aspect_ratio'] ?? `${width}:${height}`).split(':').map(Number);
    const size = {
      width: Math.round(1296 * Math.min(1, w / h)),
      height: Math.round(1296 * Math.min(1, h / w)),
    };
    const bytes = await this.drawn(turn, size, () => source);
    return `data:image/png;base64,${bytes.toString('base64')}`;
  }
}

export const family: TestedFamily = {
  open: () => new FashnDouble(),
  vendor: (model) => new FashnVendor(model),
  model: { model: 'tryon-v1.6', options: quick },
  // Both endpoints for try-ons get the same requests.
  serves: Object.entries(fashnEndpoints)
    .filter(([model]) => model !== 'tryon-max')
    .map(([model, { workflows, max_inputs }]) => [{ model, max_inputs, options: quick }, workflows]),
  says: /^42 credits are left$/,
  rows: [
    ...answersLater,
    [['echo', 'echo'], 'ENGINE_NO_IMAGE', 2, 0.08],
    [['unsafe'], 'ENGINE_POLICY', 1, 0],
  ],
  points: foundAgain,
  wayBack: {
    told: (double) => double instanceof FashnDouble && double.cancellations === 1,
    stopsRunning: false,
  },
  failures: [
    ...['ImageLoadError', 'PoseError', 'PhotoTypeError'].map((name) => ends(name, 'bad_input')),
    said(413, 'PayloadTooLarge', 'bad_input'),
    ...['ContentModerationError', 'NSFWError', 'ThirdPartyError'].map((name) => ends(name, 'policy')),
    ends('SomethingNew', 'no_image'),
    [/^\/run/, 429, { error: 'RateLimitExceeded' }, 'capacity', { 'retry-after': '7' }],
    said(500, 'InternalServerError', 'capacity'),
    ...['UnavailableError', 'PipelineError', '3rdPartyProviderError'].map((name) => ends(name, 'capacity')),
    said(504, 'GatewayTimeout', 'outcome_unknown'),
    [/^\/status/, 404, { error: 'NotFound' }, 'outcome_unknown'],
    said(401, 'UnauthorizedAccess', 'misconfigured'),
    said(404, 'NotFound', 'misconfigured'),
    said(400, 'BadRequest', 'misconfigured'),
    said(429, 'OutOfCredits', 'misconfigured'),
    ends('InputValidationError', 'misconfigured'),
  ],
};

function said(status: number, error: string, errorClass: EngineErrorClass): Saying {
  return [/^\/run/, status, { error, message: 'no' }, errorClass];
}

function ends(name: string, errorClass: EngineErrorClass): Saying {
  return [/^\/status/, 200, { id: 'p', status: 'failed', error: { name, message: 'no' } }, errorClass];
}
