import type { ServerResponse } from 'node:http';
import type { EngineErrorClass } from '@atelier/engine';
import { FalVendor } from '@atelier/vendors/fal';
import { answersLater, foundAgain, quick, type Saying, type TestedFamily } from '../support/tested-family.js';
import { json, VendorDouble, type Asked, type Turn } from '../support/vendor-double.js';

/* fal's queue at the socket (docs.fal.ai, model endpoints, queue). */

const falErrors: Partial<Record<Turn, [status: number, body: object, headers?: Record<string, string>]>> = {
  policy: [422, { detail: [{ type: 'content_policy_violation', msg: 'flagged', loc: ['body'] }] }],
  bad_input: [
    422,
    { detail: [{ type: 'image_load_error', msg: 'cannot load', loc: ['body', 'model_image'] }] },
  ],
  quota: [403, { detail: 'User is locked. Reason: Exhausted balance.' }],
  busy: [429, { detail: 'Too many requests' }, { 'retry-after': '1' }],
  broken: [500, { detail: 'Internal Server Error' }],
  key: [401, { detail: 'Cannot access application' }],
};

export class FalDouble extends VendorDouble {
  /** Submitted requests, with their outcomes. */
  readonly requests = new Map<string, { turn: Turn; cancelled: boolean; lane?: string }>();
  /** Requests stay in progress while it is shut. */
  gateShut = false;
  /** While it is shut, requests do not even begin. */
  queueShut = false;
  /** Requests whose payloads were deleted. */
  readonly deleted: string[] = [];

  protected override get taken() {
    return [...this.requests.values()];
  }

  protected isSubmission({ path }: Asked, method: string): boolean {
    return method === 'POST' && !path.includes('/requests/');
  }

  protected async answer({ lane, path, method }: Asked, response: ServerResponse, turn: Turn): Promise<void> {
    if (path.startsWith('/files/')) {
      // The address names the turn.
      const picture = this.drawn(path.slice('/files/'.length) as Turn, { width: 864, height: 1296 });
      return void response.end(await picture);
    }
    const id = /requests\/([^/]+)/.exec(path)?.[1];
    if (id === undefined) {
      const failure = falErrors[turn];
      // Policy and inputs are judged when the request runs; other failures come at the submission.
      if (failure && turn !== 'policy' && turn !== 'bad_input')
        return json(response, failure[0], failure[1], failure[2]);
      const requestId = `req-${this.requests.size + 1}`;
      this.requests.set(requestId, { turn, cancelled: false, lane });
      return json(response, 200, { request_id: requestId });
    }
    if (method === 'DELETE' && path === `/platform/models/requests/${id}/payloads`) {
      if (turn === 'key') return json(response, 403, { error: { type: 'authorization_error' } });
      if (!this.requests.has(id)) return json(response, 404, { error: { type: 'not_found' } });
      this.deleted.push(id);
      const link = `${this.url}/files/fine`;
      return json(response, 200, { cdn_delete_results: [{ link, exception: null }] });
    }
    // Requests after the submission use only the owner and the application, without the path of the model.
    if (!/^\/fal-ai\/[^/]+\/requests\//.test(path))
      return json(response, 405, { detail: 'Method Not Allowed' });
    const known = this.requests.get(id);
    if (!known) return json(response, 404, { detail: 'Request not found' });
    if (path.endsWith('/cancel')) {
      if (!this.gateShut) return json(response, 400, { status: 'ALREADY_COMPLETED' });
      known.cancelled = true;
      return json(response, 202, { status: 'CANCELLATION_REQUESTED' });
    }
    if (path.endsWith('/status')) {
      const waits = this.queueShut ? 'IN_QUEUE' : 'IN_PROGRESS';
      return json(response, 200, { status: this.gateShut ? waits : 'COMPLETED' });
    }
    const failure = falErrors[known.turn];
    if (failure) return json(response, failure[0], failure[1]);
    const images = known.turn === 'nothing' ? [] : [{ url: `${this.url}/files/${known.turn}` }];
    json(response, 200, { images });
  }
}

export const family: TestedFamily = {
  open: () => new FalDouble(),
  vendor: (model) => new FalVendor(model),
  model: {
    model: 'fal-ai/fashn/tryon/v1.6',
    aspect_ratios: ['2:3'],
    options: { ...quick, fields: { person: 'model_image', garment: 'garment_image', seed: 'seed' } },
  },
  serves: [],
  says: /can be reached$/,
  rows: answersLater,
  points: foundAgain,
  wayBack: {
    told: (double) =>
      double instanceof FalDouble && [...double.requests.values()].every(({ cancelled }) => cancelled),
    stopsRunning: false,
  },
  failures: [
    ends(422, [{ type: 'image_load_error' }], 'bad_input'),
    ends(422, [{ type: 'content_policy_violation' }], 'policy'),
    ends(422, [{ type: 'no_media_generated' }], 'no_image'),
    ends(500, 'Internal Server Error', 'no_image'),
    [/v1[.]6$/, 429, { detail: 'slow' }, 'capacity', { 'retry-after': '7' }],
    said(503, 'down', 'capacity'),
    said(500, 'oops', 'capacity'),
    said(504, 'late', 'outcome_unknown'),
    ends(404, 'Request not found', 'outcome_unknown'),
    said(401, 'no', 'misconfigured'),
    said(403, 'locked', 'misconfigured'),
    said(404, 'no such application', 'misconfigured'),
  ],
};

function said(status: number, detail: unknown, errorClass: EngineErrorClass): Saying {
  return [/v1[.]6$/, status, { detail }, errorClass];
}

function ends(status: number, detail: unknown, errorClass: EngineErrorClass): Saying {
  return [/requests\/[^/]+$/, status, { detail }, errorClass];
}
