import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Metrics } from './metrics.js';
import type { InstallationSources } from './metrics-installation.js';

let metrics: Metrics;
const lines = async () => (await metrics.text()).split('\n');
beforeEach(() => {
  metrics = new Metrics('worker');
});

describe('the metrics of a role', () => {
  it('have each series from the start', async () => {
    const text = await lines();
    expect(text).toEqual(
      expect.arrayContaining([
        'atelier_event_store_retries_total{operation="append",role="worker"} 0',
        'atelier_event_store_reconnections_total{role="worker"} 0',
        'atelier_event_store_append_duration_seconds_count{role="worker",result="appended"} 0',
        'atelier_refunds_total{environment="live",reason="orphaned",role="worker"} 0',
      ]),
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
    eventStore.snapshotDropped?.();
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
        `${name}_snapshots_dropped_total{role="worker"} 1`,
      ]),
    );
    expect(text.join('\n')).not.toContain('01J');
  });

  it('show answers by template of their route, and what nobody can bound as one series', async () => {
    const answer = { method: 'GET', durationMs: 3, workflow: undefined };
    metrics.http({ ...answer, route: '/v1/jobs/:public_id', status: 404 });
    metrics.http({ ...answer, route: undefined, status: 404, method: 'BREW' });
    metrics.http({ ...answer, route: undefined, status: 404, method: 'PROPFIND' });
    metrics.http({
      method: 'POST',
      route: '/v1/try-on',
      status: 402,
      durationMs: 12,
      workflow: 'try-on',
    });
    metrics.http({ ...answer, route: '/v1/jobs', status: undefined });
    const text = await lines();
    const count = (labels: string) => `atelier_http_request_duration_seconds_count{role="worker",${labels}}`;
    expect(text).toEqual(
      expect.arrayContaining([
        `${count('method="GET",route="/v1/jobs/:public_id",status="4xx"')} 1`,
        `${count('method="any",route="unmatched",status="4xx"')} 2`,
        `${count('method="GET",route="/v1/jobs",status="aborted"')} 1`,
        'atelier_dispatches_total{workflow="try-on",status="402",role="worker"} 1',
      ]),
    );
  });
});

describe('the levels of the installation', () => {
  const level = { kind: 'projection', environment: 'live', halted: false, parkedStreams: 0 } as const;
  const sources: InstallationSources = {
    consumers: () => Promise.resolve([{ ...level, name: 'jobs', events: 3, seconds: 1.5 }]),
    charges: () =>
      Promise.resolve([{ environment: 'live', count: 2, credits: 9, oldestSeconds: 4, orphaned: 1 }]),
    queues: () => Promise.resolve([{ environment: 'test', state: 'waiting', tasks: 5, oldestSeconds: 6 }]),
    processes: () => Promise.resolve([{ role: 'projector', alive: 2, silent: 1 }]),
  };

  it('are looked up by whoever scrapes', async () => {
    metrics.watchInstallation(sources);
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'atelier_projection_lag_events{environment="live",projection="jobs",role="worker"} 3',
        'atelier_projection_lag_seconds{environment="live",projection="jobs",role="worker"} 1.5',
        'atelier_open_charges{environment="live",role="worker"} 2',
        'atelier_orphaned_charges{environment="live",role="worker"} 1',
        'atelier_render_queue_tasks{environment="test",state="waiting",role="worker"} 5',
        'atelier_processes{process_role="projector",state="alive",role="worker"} 2',
        'atelier_processes{process_role="projector",state="silent",role="worker"} 1',
        'atelier_installation_readable{source="log",role="worker"} 1',
      ]),
    );
  });

  it('are looked up once for scrapes that come close together', async () => {
    let looks = 0;
    const consumers = () => {
      looks++;
      return sources.consumers();
    };
    metrics.watchInstallation({ ...sources, consumers });
    await Promise.all([metrics.text(), metrics.text()]);
    await metrics.text();
    expect(looks).toBe(1);
  });

  it('are absent when they cannot be read, and the rest is there', async () => {
    const consumers = () => Promise.reject(new Error('away'));
    metrics.watchInstallation({ ...sources, consumers });
    const text = await lines();
    expect(text).toContain('atelier_installation_readable{source="log",role="worker"} 0');
    expect(text).toContain('atelier_open_charges{environment="live",role="worker"} 2');
    expect(text.filter((line) => line.startsWith('atelier_projection_lag'))).toEqual([]);
  });

  it('do not keep a scrape waiting for a source that does not answer, nor show what it said before', async () => {
    let answer = sources.queues();
    metrics.watchInstallation({ ...sources, queues: () => answer }, { freshForMs: 50, patienceMs: 100 });
    const waiting = 'atelier_render_queue_tasks{environment="test",state="waiting",role="worker"} 5';
    expect(await lines()).toContain(waiting);
    answer = new Promise(() => undefined);
    await sleep(60);
    const startedAt = performance.now();
    const text = await lines();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(text).toContain('atelier_open_charges{environment="live",role="worker"} 2');
    expect(text).toContain('atelier_installation_readable{source="render_queue",role="worker"} 0');
    expect(text).not.toContain(waiting);
  });
});
