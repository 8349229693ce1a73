import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics, serveMetrics, type MetricsServer } from './metrics.js';

describe('the metrics of a role', () => {
  let metrics: Metrics;
  let server: MetricsServer;
  const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  const lines = async () => (await (await get('/metrics')).text()).split('\n');
  beforeEach(async () => {
    metrics = new Metrics('worker');
    server = await serveMetrics(metrics, '127.0.0.1', 0);
  });
  afterEach(() => server.close());

  it('are served as Prometheus reads them, each series from the start', async () => {
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    expect(text).toMatch(/^process_resident_memory_bytes\{role="worker"\} \d+$/m);
    expect(text).toContain('atelier_event_store_retries_total{operation="append",role="worker"} 0');
    expect(text).toContain('atelier_event_store_reconnections_total{role="worker"} 0');
    expect(text).toContain(
      'atelier_event_store_append_duration_seconds_count{role="worker",result="appended"} 0',
    );
  });

  it('count what the event store tells', async () => {
    const { eventStore } = metrics;
    eventStore.appended?.(30, 'appended');
    eventStore.appended?.(7_000, 'failed');
    eventStore.retried?.('append', 'a message about tenant 01J that belongs into no label');
    eventStore.unknownOutcomeResolved?.();
    eventStore.resubscribed?.('why');
    eventStore.reconnected?.();
    const text = await lines();
    const name = 'atelier_event_store';
    expect(text).toEqual(
      expect.arrayContaining([
        `${name}_append_duration_seconds_bucket{le="0.025",role="worker",result="appended"} 0`,
        `${name}_append_duration_seconds_bucket{le="0.05",role="worker",result="appended"} 1`,
        `${name}_append_duration_seconds_count{role="worker",result="failed"} 1`,
        `${name}_retries_total{operation="append",role="worker"} 1`,
        `${name}_unknown_outcomes_resolved_total{role="worker"} 1`,
        `${name}_resubscriptions_total{role="worker"} 1`,
        `${name}_reconnections_total{role="worker"} 1`,
      ]),
    );
    expect(text.join('\n')).not.toContain('01J');
  });

  it('are all that is served', async () => {
    expect((await get('/')).status).toBe(404);
    expect((await get('/metrics', 'POST')).status).toBe(404);
  });

  it('say so when the port is taken', async () => {
    await expect(serveMetrics(metrics, '127.0.0.1', server.port)).rejects.toThrow(/EADDRINUSE/);
  });
});
