import type { ServerResponse } from 'node:http';
import type { EngineErrorClass } from '@atelier/engine';
import { OpenAiVendor } from '@atelier/vendors/openai';
import {
  answersAtOnce,
  everyWorkflow,
  lostWithTheWorker,
  type Saying,
  type TestedFamily,
} from '../support/tested-family.js';
import { json, someCutOut, someJpeg, VendorDouble, type Asked, type Turn } from '../support/vendor-double.js';

/* OpenAI at the socket: images and chat completions (platform.openai.com/docs/api-reference/images, …/guides/error-codes). */

const openAiErrors: Partial<Record<Turn, [status: number, error: object, headers?: Record<string, string>]>> =
  {
    policy: [400, { code: 'moderation_blocked', type: 'image_generation_user_error', message: 'rejected' }],
    bad_input: [
      400,
      { code: 'invalid_image_file', type: 'invalid_request_error', param: 'image[0]', message: 'bad' },
    ],
    quota: [429, { code: 'insufficient_quota', type: 'insufficient_quota', message: 'quota' }],
    busy: [429, { code: 'rate_limit_exceeded', type: 'requests', message: 'slow' }, { 'retry-after': '1' }],
    broken: [500, { code: null, type: 'server_error', message: 'oops' }],
    key: [
      401,
      {
        code: 'invalid_api_key',
        type: 'invalid_request_error',
        message: 'Incorrect API key provided: sk-abc',
      },
    ],
  };

export class OpenAiDouble extends VendorDouble {
  protected isSubmission({ path }: Asked, method: string): boolean {
    return method === 'POST' && /images|completions/.test(path);
  }

  protected async answer({ path, body }: Asked, response: ServerResponse, turn: Turn): Promise<void> {
    const failure = openAiErrors[turn];
    const requestId = { 'x-request-id': `req_${this.asked.length}` };
    if (failure) return json(response, failure[0], { error: failure[1] }, { ...requestId, ...failure[2] });
    if (path.includes('/models/'))
      return json(response, 200, { id: path.split('/').at(-1), object: 'model' });
    if (path.includes('completions')) {
      const message = { role: 'assistant', content: JSON.stringify(this.reading) };
      return json(response, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }] }, requestId);
    }
    const size = /(\d{2,4})x(\d{2,4})/.exec(body);
    const data = await this.pictures(turn, Number(size?.[1] ?? 1024), Number(size?.[2] ?? 1024), body);
    json(response, 200, { created: 1, data }, requestId);
  }

  private async pictures(turn: Turn, width: number, height: number, body: string): Promise<object[]> {
    if (turn === 'nothing') return [];
    const isCutOut = /background"?[\s:"]+transparent/.test(body);
    const fine = isCutOut ? someCutOut : someJpeg;
    const bytes = await this.drawn(turn, { width, height }, () => firstPng(body), fine);
    return [{ b64_json: bytes.toString('base64') }];
  }
}

/** The first picture of a multipart body. */
function firstPng(body: string): Buffer {
  const start = body.indexOf('\u0089PNG');
  const end = body.indexOf('IEND', start) + 8;
  return Buffer.from(body.slice(start, end), 'latin1');
}

export const family: TestedFamily = {
  open: () => new OpenAiDouble(),
  vendor: (model) => new OpenAiVendor(model),
  model: { model: 'gpt-image-2' },
  serves: [[{ model: 'gpt-image-2', vision_model: 'gpt-5-mini' }, everyWorkflow]],
  says: /^gpt-image-2 is there$/,
  rows: answersAtOnce,
  points: lostWithTheWorker,
  failures: [
    said(400, { param: 'image[1]' }, 'bad_input'),
    said(422, { param: 'prompt' }, 'bad_input'),
    said(400, { param: 'mask' }, 'bad_input'),
    said(413, {}, 'bad_input'),
    said(400, { code: 'moderation_blocked' }, 'policy'),
    said(400, { code: 'content_policy_violation' }, 'policy'),
    [/images/, 429, { error: { code: 'rate_limit_exceeded' } }, 'capacity', { 'retry-after': '7' }],
    said(500, {}, 'capacity'),
    said(503, {}, 'capacity'),
    said(504, {}, 'outcome_unknown'),
    said(400, { param: 'size' }, 'misconfigured'),
    said(401, {}, 'misconfigured'),
    said(403, {}, 'misconfigured'),
    said(404, { code: 'model_not_found' }, 'misconfigured'),
    said(429, { code: 'insufficient_quota' }, 'misconfigured'),
  ],
};

function said(status: number, error: object, errorClass: EngineErrorClass): Saying {
  return [/images/, status, { error }, errorClass];
}
