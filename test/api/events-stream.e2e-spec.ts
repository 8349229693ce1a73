import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { prefersOverJson } from '../../apps/api/src/http/preferred-type.js';
import { expectError } from './support/api-client.js';
import { ApiService } from './support/api-service.js';
import { failJob, finishJob, startJob } from './support/finish-job.js';
import { openWorld } from './support/world.js';

const { service, api, tenant } = await openWorld({ credits: 1_000 });

async function dispatch(): Promise<string> {
  const { body } = await api.post('/v1/model-generator', tenant.key, {});
  return body.job_id as string;
}

interface Sent {
  readonly id: number;
  readonly event: string;
  readonly data: { seq: number; event_type: string };
}

/** Reads a stream as an EventSource does; `until` says when to leave before the stream ends. */
async function listen(
  jobId: string,
  {
    since = 0,
    lastEventId,
    until,
  }: { since?: number; lastEventId?: number; until?: (sent: Sent[]) => boolean } = {},
): Promise<Sent[]> {
  const leaving = new AbortController();
  const response = await fetch(`${api.url}/v1/jobs/${jobId}/events?since=${since}`, {
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
  });
  if (response.status === 204) return [];
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const sent: Sent[] = [];
  let whole = '';
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    whole += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
      );
      if (!fields.has('data')) continue;
      const data = JSON.parse(fields.get('data')!) as Sent['data'];
      sent.push({ id: Number(fields.get('id')), event: fields.get('event')!, data });
    }
    if (until?.(sent)) break;
  }
  leaving.abort();
  const { status, headers } = response;
  const complete = whole.slice(0, whole.lastIndexOf('\n\n'));
  const path = `/v1/jobs/${jobId}/events`;
  api.judge({
    method: 'GET',
    path,
    status,
    headers,
    contentType: headers.get('content-type'),
    body: complete,
  });
  return sent;
}

describe('a stream of events', () => {
  it('sends what happens as it happens, as polling shows it, and ends with the job', async () => {
    const jobId = await dispatch();
    const listening = listen(jobId);
    await sleep(50);
    await startJob(service, tenant, jobId);
    await sleep(20);
    await finishJob(service, tenant, jobId);
    const sent = await listening;
    expect(sent.map(({ id, event }) => [id, event])).toEqual([
      [1, 'queued'],
      [3, 'stage'],
      [4, 'succeeded'],
    ]);
    const polled = (await api.get(`/v1/jobs/${jobId}/events?wait=1`, tenant.key)).body.events;
    const withoutUrls = (events: unknown[]) =>
      JSON.parse(
        JSON.stringify(events, (key, value: unknown) => (key === 'image_url' ? '' : value)),
      ) as unknown;
    expect(withoutUrls(sent.map(({ data }) => data))).toEqual(withoutUrls(polled as unknown[]));
  });

  it('resumes after the event that arrived last, without a gap and without a repeat', async () => {
    const jobId = await dispatch();
    const [first] = await listen(jobId, { until: (sent) => sent.length === 1 });
    await startJob(service, tenant, jobId);
    const second = await listen(jobId, { lastEventId: first!.id, until: (sent) => sent.length === 1 });
    expect(second.map(({ id }) => id)).toEqual([3]);
    const resuming = listen(jobId, { since: 3 });
    await failJob(service, tenant, jobId);
    expect((await resuming).map(({ id, event }) => [id, event])).toEqual([[4, 'failed']]);
    expect((await listen(jobId, { since: 1, lastEventId: 3 })).map(({ id }) => id)).toEqual([4]);
  });

  it('tells a client that has everything not to come again', async () => {
    const jobId = await dispatch();
    await api.call('POST', `/v1/jobs/${jobId}/cancel`, { key: tenant.key });
    const answer = await api.get(`/v1/jobs/${jobId}/events?since=2`, tenant.key, {
      accept: 'text/event-stream',
    });
    expect(answer.status).toBe(204);
    expect(answer.body).toBe('');
  });

  it('loses no event of 20 jobs that end while their streams open', async () => {
    const jobIds = await Promise.all(Array.from({ length: 20 }, dispatch));
    const all = jobIds.map(async (jobId, index) => {
      const listening = listen(jobId);
      await sleep(index);
      await startJob(service, tenant, jobId);
      await finishJob(service, tenant, jobId);
      return (await listening).map(({ id }) => id);
    });
    expect(await Promise.all(all)).toEqual(jobIds.map(() => [1, 3, 4]));
  });

  it("refuses another tenant's job, and an id that is none, as JSON", async () => {
    const jobId = await dispatch();
    const other = await service.openTenant();
    const stream = { accept: 'text/event-stream' };
    expectError(await api.get(`/v1/jobs/${jobId}/events`, other.key, stream), 404, 'RESOURCE_NOT_FOUND');
    const wrong = { ...stream, 'last-event-id': 'seven' };
    expectError(await api.get(`/v1/jobs/${jobId}/events`, tenant.key, wrong), 422, 'VALIDATION_ERROR');
  });

  it('ends soon after the revocation of its key', async () => {
    const jobId = await dispatch();
    const other = await service.issueKey(tenant, ['jobs:read']);
    const response = await fetch(`${api.url}/v1/jobs/${jobId}/events`, {
      headers: { authorization: `Bearer ${other.key}`, accept: 'text/event-stream' },
    });
    const whole = response.text();
    await sleep(700);
    const begun = performance.now();
    await service.revoke(other);
    expect(await whole).toContain('event: queued');
    expect(performance.now() - begun).toBeLessThan(15_000);
    // Another key of the same tenant still works.
    expect(await listen(jobId, { until: (sent) => sent.length === 1 })).toHaveLength(1);
  });

  it('gives its place back when the client goes: many more than fit may come one after the other', async () => {
    const jobId = await dispatch();
    for (let round = 0; round < 15; round++) {
      await Promise.all(
        Array.from({ length: 10 }, () => listen(jobId, { until: (sent) => sent.length === 1 })),
      );
    }
    await sleep(50);
    const leaving = new AbortController();
    const open = () =>
      fetch(`${api.url}/v1/jobs/${jobId}/events`, {
        signal: leaving.signal,
        headers: { authorization: `Bearer ${tenant.key}`, accept: 'text/event-stream' },
      });
    const answers = await Promise.all(Array.from({ length: 101 }, open));
    const statuses = answers.map(({ status }) => status);
    leaving.abort();
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });
});

describe('a long poll', () => {
  it('answers with the first event that comes, and not before', async () => {
    const jobId = await dispatch();
    const path = `/v1/jobs/${jobId}/events?since=1&wait=20`;
    const begun = performance.now();
    const polling = api.get(path, tenant.key);
    await sleep(300);
    await startJob(service, tenant, jobId);
    const { body } = await polling;
    const tookMs = performance.now() - begun;
    expect(body.events.map(({ seq }: { seq: number }) => seq)).toEqual([3]);
    expect(body.latest_seq).toBe(3);
    expect(tookMs).toBeGreaterThanOrEqual(290);
    expect(tookMs).toBeLessThan(15_000);
  });

  it('answers at once when there is something, or nothing more will come, and empty when its time is over', async () => {
    const jobId = await dispatch();
    const timed = async (query: string) => {
      const begun = performance.now();
      const { body } = await api.get(`/v1/jobs/${jobId}/events?${query}`, tenant.key);
      return {
        count: body.events.length as number,
        latest: body.latest_seq as number,
        ms: performance.now() - begun,
      };
    };
    const there = await timed('wait=30');
    expect(there).toMatchObject({ count: 1, latest: 1 });
    expect(there.ms).toBeLessThan(15_000);
    const over = await timed('since=1&wait=1');
    expect(over).toMatchObject({ count: 0, latest: 1 });
    expect(over.ms).toBeGreaterThanOrEqual(950);
    await api.call('POST', `/v1/jobs/${jobId}/cancel`, { key: tenant.key });
    const ended = await timed('since=2&wait=30');
    expect(ended).toMatchObject({ count: 0, latest: 2 });
    expect(ended.ms).toBeLessThan(15_000);
  });

  it('waits 30 seconds at most', async () => {
    const jobId = await dispatch();
    expectError(await api.get(`/v1/jobs/${jobId}/events?wait=31`, tenant.key), 422, 'VALIDATION_ERROR');
    expectError(await api.get(`/v1/jobs/${jobId}/events?wait=-1`, tenant.key), 422, 'VALIDATION_ERROR');
  });

  it('is let go when the server stops', async () => {
    const stopping = await ApiService.start();
    const own = await stopping.openApi();
    const owner = await stopping.openTenant();
    const jobId = (await own.post('/v1/model-generator', owner.key, {})).body.job_id as string;
    const polling = own.get(`/v1/jobs/${jobId}/events?since=1&wait=30`, owner.key);
    const streaming = fetch(`${own.url}/v1/jobs/${jobId}/events`, {
      headers: { authorization: `Bearer ${owner.key}`, accept: 'text/event-stream' },
    }).then((response) => response.text());
    await sleep(300);
    const begun = performance.now();
    await stopping[Symbol.asyncDispose]();
    expect((await polling).body.events).toEqual([]);
    expect(await streaming).toContain('event: queued');
    expect(performance.now() - begun).toBeLessThan(25_000);
  });
});

describe('a server that stops', () => {
  it('does not wait for a client that says nothing, or never ends its headers', async () => {
    const stopping = await ApiService.start();
    const { hostname, port } = new URL((await stopping.openApi()).url);
    const [mute, stuttering] = [connect(Number(port), hostname), connect(Number(port), hostname)];
    stuttering.write('GET /v1/jobs HTTP/1.1\r\nHost: ');
    const gone = Promise.all([mute, stuttering].map((socket) => once(socket.resume(), 'close')));
    await sleep(200);
    const begun = performance.now();
    await stopping[Symbol.asyncDispose]();
    await gone;
    expect(performance.now() - begun).toBeLessThan(25_000);
  });
});

describe('who asks for a stream', () => {
  it.each([
    ['text/event-stream', true],
    ['text/event-stream, */*', true],
    ['text/event-stream, application/json', true],
    ['application/json, text/event-stream', false],
    ['application/json;q=0.5, text/event-stream', true],
    ['text/event-stream;q=0', false],
    ['*/*', false],
    [undefined, false],
  ])('%s: %s', (accept, stream) => expect(prefersOverJson('text/event-stream', accept)).toBe(stream));
});
