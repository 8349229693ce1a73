import { describe, expect, it } from 'vitest';
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

const artifact = {
  image_url: 'https://atelier.example/p.png',
  kind: 'figure',
  role: 'final',
  label: 'Figure',
  thumbnails: { 256: 'https://a.example/1', 512: 'https://a.example/2', 1024: 'https://a.example/3' },
  meta: { width: 8, seed: 1 },
  s3_key: 'live/t/renders/p.png',
  asset_id: '01K9Z7J0V4M2Q8T6R3N5B1C7DE',
};

const failure = (arm: string, code = 'NO_PERSON_FOUND') => ({ arm, code, message: 'No.' });

/** A timeline with this single event. */
const timeline = (event: object, artifacts: object[] = [artifact]): Partial<Exchange> => ({
  path: '/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF/events',
  body: {
    public_id: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF',
    latest_seq: 1,
    events: [
      {
        seq: 1,
        event_type: 'stage',
        visibility: 'public',
        stage: 'figure',
        message: 'Drawn.',
        extra: {},
        created_at: '2026-01-31T12:00:00.000Z',
        artifacts,
        ...event,
      },
    ],
  },
});

describe('the description of the interface, as a judge', () => {
  it('agrees with an exchange that is as described', () => {
    expect(description.problemsOf(exchange({}))).toEqual([]);
    const arms = ['person', 'garment_12', 'photos[2].person', 'grouping.person', 'photos[0]', 'test'];
    const extra = { failures: arms.map((arm) => failure(arm)) };
    expect(description.problemsOf(exchange(timeline({ extra })))).toEqual([]);
  });

  it.each<[string, Partial<Exchange>]>([
    ['a field that is missing', { body: { jobs: [], ...rest } }],
    ['a field of another type', { body: { jobs: {}, count: 0, ...rest } }],
    ['a field that is not described', { body: { jobs: [], count: 0, ...rest, secret: 1 } }],
    ['a status that is not described', { status: 418 }],
    ['another content type', { contentType: 'text/html' }],
    ['an accepted parameter that is not described', { path: '/v1/jobs?color=red' }],
    ['an answer without its request id', { headers: new Headers() }],
    ['a stage that is in no list', timeline({ stage: 'polishing' })],
    ['a kind of picture that is in no list', timeline({}, [{ ...artifact, kind: 'poster' }])],
    ['a key of meta that is in no list', timeline({}, [{ ...artifact, meta: { silhouettes: [] } }])],
    ['a failed arm that is in no list', timeline({ extra: { failures: [failure('shoe')] } })],
    [
      'why a part failed that is in no list',
      timeline({ extra: { failures: [failure('person', 'BAD_MOOD')] } }),
    ],
    [
      'why a job failed that is in no list',
      timeline({ extra: { error: { code: 'BAD_MOOD', message: 'No.' } } }),
    ],
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
