import { describe, expect, it } from '@jest/globals';
import { InterfaceDescription, type Exchange } from './interface-description.js';

const description = InterfaceDescription.committed();

const rest = { limit: 5, offset: 0, total: 0, next_cursor: null };

const exchange = (more: Partial<Exchange>): Exchange => ({
  method: 'GET',
  path: '/v1/jobs?limit=5',
  status: 200,
  contentType: 'application/json; charset=utf-8',
  headers: new Headers({ 'x-request-id': '01K9Z7J0V4M2Q8T6R3N5B1C7DE' }),
  body: { jobs: [], count: 0, ...rest },
  ...more,
});

describe('the description of the interface, as a judge', () => {
  it('agrees with an exchange that is as described', () => {
    expect(description.problemsOf(exchange({}))).toEqual([]);
  });

  it.each<[string, Partial<Exchange>]>([
    ['a field that is missing', { body: { jobs: [], ...rest } }],
    ['a field of another type', { body: { jobs: {}, count: 0, ...rest } }],
    ['a field that is not described', { body: { jobs: [], count: 0, ...rest, secret: 1 } }],
    ['a status that is not described', { status: 418 }],
    ['another content type', { contentType: 'text/html' }],
    ['an accepted parameter that is not described', { path: '/v1/jobs?color=red' }],
    ['an answer without its request id', { headers: new Headers() }],
    ['an error that is no envelope', { status: 401, body: { error: 'no' } }],
    [
      'an accepted body that breaks a bound',
      {
        method: 'POST',
        path: '/v1/model-generator',
        json: { seed: 0.5 },
        status: 202,
        body: { request_id: 'r', job_id: 'j', status: 'NOT_STARTED', credits_cost: 5 },
      },
    ],
  ])('objects to %s', (_what, more) => {
    expect(description.problemsOf(exchange(more)).length).toBeGreaterThan(0);
  });
});
