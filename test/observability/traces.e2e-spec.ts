import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#event-store/event-store.js';
import { ApiService, type Tenant } from '../api/support/api-service.js';
import { OtlpReceiver, type ReceivedSpan } from './support/otlp-receiver.js';
import { eventsIn } from '../support/streams.js';
import { Service } from './support/service.js';

const callersTrace = '0af7651916cd43dd8448eb211c80319c';
const failingTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = 'b7ad6b7169203331';
const traceparent = `00-${callersTrace}-${callersSpan}-01`;

function tracesOf(events: readonly RecordedEvent[]): (string | undefined)[] {
  return events.map(({ metadata }) => metadata.traceparent?.slice(3, 35));
}

describe('with a collector', () => {
  let receiver: OtlpReceiver;
  let service: Service;
  let tenant: Tenant;
  let ids: { jobId: string; requestId: string };
  let job: readonly RecordedEvent[];
  let account: readonly RecordedEvent[];
  let spans: ReceivedSpan[];

  beforeAll(async () => {
    receiver = await OtlpReceiver.start();
    service = await Service.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=secret-of-the-collector',
    });
    tenant = await service.inner.openTenant({ environment: 'test' });
    ids = await service.render(tenant, { traceparent });
    job = await service.events(`test.job-${ids.jobId}`);
    account = await service.events(`test.account-${tenant.id}`);
    const failing = traceparent.replace(callersTrace, failingTrace);
    await service.render(tenant, { traceparent: failing, 'X-Atelier-Test-Outcome': 'policy' });
    // A role that stops sends the spans that it still holds.
    await service.stopRoles();
    spans = receiver.spans.filter(({ traceId }) => traceId === callersTrace);
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await receiver?.[Symbol.asyncDispose]();
  });

  function named(name: string): ReceivedSpan[] {
    return spans.filter((span) => span.name === name);
  }

  function only(name: string): ReceivedSpan {
    const found = named(name);
    expect({ name, count: found.length }).toEqual({ name, count: 1 });
    return found[0]!;
  }

  function spanOf({ metadata }: RecordedEvent): ReceivedSpan | undefined {
    return spans.find(({ spanId }) => spanId === metadata.traceparent?.slice(36, 52));
  }

  it('one trace leads from the request of the caller to the last event of the job', () => {
    const request = only('POST /v1/model-generator');
    expect(request).toMatchObject({ service: 'atelier-api', parentSpanId: callersSpan });
    expect(request.attributes).toMatchObject({
      'http.route': '/v1/model-generator',
      'http.response.status_code': '202',
      'atelier.request_id': ids.requestId,
      'atelier.job_id': ids.jobId,
      'atelier.tenant': tenant.id,
    });
    const enqueued = only('render-dispatcher');
    expect(enqueued).toMatchObject({ service: 'atelier-projector', parentSpanId: request.spanId });
    const render = only('render');
    expect(render).toMatchObject({ service: 'atelier-worker', parentSpanId: request.spanId });
    expect(render.attributes).toMatchObject({
      'atelier.job_id': ids.jobId,
      'atelier.attempt': '1',
      'atelier.operation': 'model-generator',
      'atelier.outcome': 'done',
    });
    const engine = only('engine');
    expect(engine.parentSpanId).toBe(render.spanId);
    const stages = named('stage');
    expect(stages.length).toBe(job.filter(({ type }) => type === 'StageCompleted').length);
    expect(stages.length).toBeGreaterThan(0);
    expect(stages.every(({ parentSpanId }) => parentSpanId === engine.spanId)).toBe(true);
    const closed = only('charge-closer');
    expect(closed).toMatchObject({ service: 'atelier-projector', parentSpanId: render.spanId });
  });

  it('the span of an engine names the class of its error', () => {
    const failed = receiver.spans.find(({ traceId, name }) => traceId === failingTrace && name === 'engine');
    expect(failed?.attributes).toMatchObject({ 'atelier.error_class': 'policy' });
  });

  it('every event that the request brought about names the span that wrote it, and its append is below that', () => {
    expect(job.length).toBeGreaterThan(3);
    const caused = [...job, ...account.filter(({ type }) => /Debited|Settled/.test(type))];
    expect(new Set(tracesOf(caused))).toEqual(new Set([callersTrace]));
    const writers: Record<string, string> = {
      CreditsDebited: 'POST /v1/model-generator',
      JobQueued: 'POST /v1/model-generator',
      RenderStarted: 'render',
      StageCompleted: 'stage',
      JobSucceeded: 'render',
      CreditsSettled: 'charge-closer',
    };
    for (const event of caused) {
      const writer = spanOf(event);
      expect({ type: event.type, writer: writer?.name }).toEqual({
        type: event.type,
        writer: writers[event.type],
      });
      const appends = named('append').filter(
        ({ parentSpanId, attributes }) =>
          parentSpanId === writer?.spanId && attributes['atelier.events']?.includes(event.type),
      );
      expect({ type: event.type, appends: appends.length }).toEqual({ type: event.type, appends: 1 });
    }
  });

  it('a span lies within the one that it is below, where both are of one process', () => {
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    for (const span of spans) {
      const parent = byId.get(span.parentSpanId ?? '');
      if (parent?.service !== span.service) continue;
      expect(span.startedAtMs).toBeGreaterThanOrEqual(parent.startedAtMs - 2);
      // Spans are sent in the order in which they end. Their clocks may differ a little on a busy machine.
      if (spans.indexOf(span) > spans.indexOf(parent))
        expect(span.endedAtMs).toBeLessThanOrEqual(parent.endedAtMs + 2);
      expect(span.endedAtMs).toBeGreaterThanOrEqual(span.startedAtMs);
    }
  });

  it('nothing secret is sent', () => {
    const sent = receiver.bodies.join('\n');
    const { password } = new URL(service.inner.databaseUrl);
    const secrets = [tenant.key, 'a secret of tests', 'secret-of-the-collector', password, 'postgres://'];
    for (const secret of secrets.filter(Boolean)) expect(sent).not.toContain(secret);
    expect(sent.toLowerCase()).not.toContain('authorization');
  });

  it('is what probes and scrapes leave no trace in', () => {
    const names = new Set(receiver.spans.map(({ name }) => name));
    expect([...names].filter((name) => /health|metrics/.test(name))).toEqual([]);
  });
});

describe('without a collector', () => {
  it("the caller's trace is carried on, into every event", async () => {
    await using service = await Service.start({});
    const tenant = await service.inner.openTenant({ environment: 'test' });
    const { jobId } = await service.render(tenant, { traceparent });
    const job = await service.events(`test.job-${jobId}`);
    const account = await service.events(`test.account-${tenant.id}`);
    expect(job.length).toBeGreaterThan(3);
    for (const { metadata } of job) expect(metadata.traceparent).toBe(traceparent);
    const closing = account.filter(({ type }) => /Debited|Settled/.test(type));
    expect(closing.map(({ metadata }) => metadata.traceparent)).toEqual([traceparent, traceparent]);
    // An operator's earlier action has no trace.
    expect(account[0]?.metadata).not.toHaveProperty('traceparent');
  });

  it.each([
    ['none is sent', undefined],
    ['it is malformed', '00-xyz-b7ad6b7169203331-01'],
    ['it names no trace', '00-00000000000000000000000000000000-b7ad6b7169203331-01'],
    ['it carries more than it may', `${traceparent}-<script>`],
  ])('events have none when %s', async (_case, header) => {
    await using inner = await ApiService.start({ projector: false });
    const api = await inner.openApi();
    const tenant = await inner.openTenant();
    const answer = await api.post(
      '/v1/model-generator',
      tenant.key,
      {},
      header ? { traceparent: header } : {},
    );
    expect(answer.status).toBe(202);
    const [queued] = await eventsIn(inner.store, `live.job-${String(answer.body.job_id)}`);
    expect(queued?.metadata).not.toHaveProperty('traceparent');
  });
});

describe('the SDK', () => {
  /** Starts a process with these settings and lists the packages of OpenTelemetry that it has loaded. */
  async function loadedUnder(settings: Record<string, string>): Promise<string[]> {
    const program = `
      const { startTracing } = await import('./dist/libs/platform/src/tracing.js');
      const { createLogger } = await import('./dist/libs/platform/src/logger.js');
      const { createRequire } = await import('node:module');
      const stop = await startTracing('test', createLogger('test', 'silent'));
      const loaded = Object.keys(createRequire(process.cwd() + '/x.js').cache);
      console.log(JSON.stringify(loaded.filter((path) => path.includes('@opentelemetry'))));
      await stop();`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { env: { ...process.env, ...settings } },
    );
    return JSON.parse(stdout) as string[];
  }

  it('is loaded where there is a collector, and nowhere else', async () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    expect((await loadedUnder(endpoint)).length).toBeGreaterThan(10);
    expect(await loadedUnder({})).toEqual([]);
    expect(await loadedUnder({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toEqual([]);
    expect(await loadedUnder({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toEqual([]);
  });
});
