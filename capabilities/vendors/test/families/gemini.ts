import type { ServerResponse } from 'node:http';
import type { EngineErrorClass } from '@atelier/engine';
import { GeminiVendor } from '@atelier/vendors/gemini';
import {
  answersAtOnce,
  everyWorkflow,
  lostWithTheWorker,
  type Saying,
  type TestedFamily,
} from '../support/tested-family.js';
import { json, someJpeg, VendorDouble, type Asked, type Turn } from '../support/vendor-double.js';

/* Google's Gemini API at the socket (ai.google.dev/api/generate-content, …/gemini-api/docs/image-generation, …/troubleshooting). */

const google = 'type.googleapis.com/google.rpc';

const geminiErrors: Partial<
  Record<Turn, { code: number; status: string; message: string; details?: object[] }>
> = {
  bad_input: { code: 400, status: 'INVALID_ARGUMENT', message: 'Unable to process input image.' },
  quota: { code: 400, status: 'FAILED_PRECONDITION', message: 'Enable billing on your project.' },
  busy: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'You exceeded your current quota.',
    details: [{ '@type': `${google}.QuotaFailure` }, { '@type': `${google}.RetryInfo`, retryDelay: '1.07s' }],
  },
  broken: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' },
  key: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'API key not valid: sk-abc',
    details: [{ '@type': `${google}.ErrorInfo`, reason: 'API_KEY_INVALID' }],
  },
};

interface GeminiRequest {
  readonly contents: readonly { readonly parts: readonly { readonly inlineData?: { data: string } }[] }[];
  readonly generationConfig: {
    readonly imageConfig?: { readonly aspectRatio: string; readonly imageSize?: string };
  };
}

export class GeminiDouble extends VendorDouble {
  protected isSubmission({ path }: Asked, method: string): boolean {
    return method === 'POST' && path.endsWith(':generateContent');
  }

  protected async answer(
    { path, body, headers }: Asked,
    response: ServerResponse,
    turn: Turn,
  ): Promise<void> {
    const error = geminiErrors[headers['x-goog-api-key'] ? turn : 'key'];
    if (error) return json(response, error.code, { error });
    if (!path.endsWith(':generateContent'))
      return json(response, 200, { name: path.slice(path.indexOf('models/')) });
    const responseId = `response-${this.asked.length}`;
    if (turn === 'policy')
      return json(response, 200, { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, responseId });
    if (turn === 'unsafe')
      return json(response, 200, { candidates: [{ finishReason: 'IMAGE_SAFETY' }], responseId });
    // The client writes this form.
    const request = JSON.parse(body) as GeminiRequest;
    const [parts, finishReason] = await this.partsFor(request, turn);
    const content = { role: 'model', parts };
    json(response, 200, { candidates: [{ content, finishReason, index: 0 }], responseId });
  }

  private async partsFor(
    request: GeminiRequest,
    turn: Turn,
  ): Promise<[parts: object[], finishReason: string]> {
    const { imageConfig } = request.generationConfig;
    if (!imageConfig) return [[{ text: JSON.stringify(this.reading) }], 'STOP'];
    if (turn === 'nothing') return [[{ text: 'Here is how the picture could look:' }], 'NO_IMAGE'];
    const [w = 1, h = 1] = imageConfig.aspectRatio.split(':').map(Number);
    const long = { '1K': 1024, '2K': 2048, '4K': 4096 }[imageConfig.imageSize ?? '1K'] ?? 1024;
    const [width, height] = w > h ? [long, Math.round((long * h) / w)] : [Math.round((long * w) / h), long];
    const parts = request.contents[0]?.parts ?? [];
    const echoed = () => {
      const first = parts.find(({ inlineData }) => inlineData)?.inlineData?.data;
      return Buffer.from(first ?? '', 'base64');
    };
    const bytes = await this.drawn(turn, { width, height }, echoed);
    const inlineData = { mimeType: 'image/png', data: bytes.toString('base64') };
    // A model that thinks sends its drafts along.
    const draft = { mimeType: 'image/png', data: (await someJpeg(64, 64)).toString('base64') };
    return [[{ thought: true, inlineData: draft }, { text: 'Here it is.' }, { inlineData }], 'STOP'];
  }
}

export const family: TestedFamily = {
  open: () => new GeminiDouble(),
  vendor: (model) => new GeminiVendor(model),
  model: { model: 'gemini-3-pro-image' },
  serves: [
    [{ model: 'gemini-3-pro-image', vision_model: 'gemini-3-flash', transparent: false }, everyWorkflow],
  ],
  says: /^gemini-3-pro-image is there$/,
  rows: [...answersAtOnce, [['unsafe'], 'ENGINE_POLICY', 1, 0]],
  points: lostWithTheWorker,
  failures: [
    said(400, { message: 'Unable to process input image.' }, 'bad_input'),
    said(413, {}, 'bad_input'),
    [/generateContent/, 200, { promptFeedback: { blockReason: 'OTHER' } }, 'policy'],
    ...['SAFETY', 'PROHIBITED_CONTENT', 'IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'RECITATION'].map(ends),
    said(429, { details: [{ retryDelay: '7s' }] }, 'capacity'),
    said(500, {}, 'capacity'),
    said(503, {}, 'capacity'),
    said(504, {}, 'outcome_unknown'),
    said(400, { details: [{ reason: 'API_KEY_INVALID' }] }, 'misconfigured'),
    said(400, { message: 'Unknown name' }, 'misconfigured'),
    said(403, {}, 'misconfigured'),
    said(404, {}, 'misconfigured'),
  ],
};

function said(code: number, error: object, errorClass: EngineErrorClass): Saying {
  return [/generateContent/, code, { error: { code, message: '', ...error } }, errorClass];
}

function ends(finishReason: string): Saying {
  return [/generateContent/, 200, { candidates: [{ finishReason }] }, 'policy'];
}
