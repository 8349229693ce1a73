import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { countSealed } from '#capabilities/seals/seal-metrics.js';
import { countWebhooks } from '#capabilities/webhooks/webhook-metrics.js';
import { Metrics } from '#platform/metrics.js';

const page = readFileSync('docs/metrics.md', 'utf8');

/** Our own metrics, with their labels, of a process that exports all of them. */
async function exported(): Promise<Map<string, string[]>> {
  const metrics = new Metrics('api');
  metrics.http({ method: 'GET', route: '/', status: 200, durationMs: 1, workflow: 'try-on' });
  const { outcomes } = metrics;
  outcomes.charged('live', 'try-on', 1);
  outcomes.rendered('try-on', 1);
  outcomes.jobEnded('live', 'try-on', { outcome: 'failed', code: 'ENGINE_POLICY' });
  countWebhooks(metrics.registry).attempted('live', 'delivered');
  countSealed(metrics.registry)(1);
  metrics.engines.answered('gpt-image', 'answered');
  metrics.engines.waits('gpt-image');
  metrics.engines.rests('gpt-image', false);
  const consumer = {
    environment: 'live',
    name: 'jobs',
    events: 1,
    seconds: 1,
    halted: false,
    parkedStreams: 0,
  };
  metrics.watchInstallation({
    consumers: () =>
      Promise.resolve([
        { ...consumer, kind: 'projection' },
        { ...consumer, kind: 'process manager' },
      ]),
    charges: () =>
      Promise.resolve([{ environment: 'live', count: 1, credits: 1, oldestSeconds: 1, orphaned: 1 }]),
    queues: () => Promise.resolve([{ environment: 'live', state: 'active', tasks: 1, oldestSeconds: 1 }]),
    processes: () => Promise.resolve([{ role: 'worker', alive: 1, silent: 0 }]),
  });
  const text = await metrics.text();
  const families = [...text.matchAll(/^# TYPE (atelier_\w+) (\w+)$/gm)];
  return new Map(families.map(([, name = '', type]) => [name, labelsOf(text, name, type === 'histogram')]));
}

function labelsOf(text: string, family: string, isHistogram: boolean): string[] {
  const name = isHistogram ? `${family}_count` : family;
  const labels = new RegExp(`^${name}(?:\\{(.*)\\})? `, 'm').exec(text)?.[1] ?? '';
  return [...labels.matchAll(/(\w+)=/g)].map(([, label = '']) => label).filter((label) => label !== 'role');
}

/** The first two columns of the tables. */
const documented = new Map(
  [...page.matchAll(/^\| `(atelier_\w+)` +\| ([^|]*)\|/gm)].map(([, name = '', labels = '']) => [
    name,
    [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  ]),
);

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

// Prometheus requires this form of the file; if the file differs, the checks below fail.
const rules = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as Rules;
const alerts = rules.groups.flatMap((group) => group.rules);

describe('docs/metrics.md', () => {
  it('lists the metrics that there are, with their labels, and no other', async () => {
    const found = await exported();
    expect([...documented.keys()].toSorted()).toEqual([...found.keys()].toSorted());
    for (const [name, labels] of found) {
      expect({ name, labels: labels.toSorted() }).toEqual({ name, labels: documented.get(name)?.toSorted() });
    }
  });

  it('says what to do about each alarm that there is, and about no other', () => {
    const named = [...page.matchAll(/^\| (Atelier\w+) +\|/gm)].map(([, name]) => name);
    expect(named).toEqual(alerts.map(({ alert }) => alert));
  });
});

/** Fails for one of our metrics that no process exports, and for a label that the metric lacks. */
async function expectToExist(expr: string): Promise<string[]> {
  const found = await exported();
  const asked = [...expr.matchAll(/(atelier_\w+)(?:\{([^}]*)\})?/g)];
  return asked.map(([, name = '', selectors = '']) => {
    const family = name.replace(/_(?:count|bucket)$/, '');
    expect([...found.keys()]).toContain(family);
    for (const [, label] of selectors.matchAll(/(\w+)=/g)) expect(found.get(family)).toContain(label);
    return family;
  });
}

describe('the alarms of deploy/prometheus', () => {
  it.each(alerts)('$alert asks for metrics and labels that exist', async ({ expr }) => {
    expect((await expectToExist(expr)).length).toBeGreaterThan(0);
  });
});

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

describe('the dashboard of deploy/grafana', () => {
  const { panels } = JSON.parse(readFileSync('deploy/grafana/atelier.json', 'utf8')) as Dashboard;
  const drawn = panels.filter(({ targets }) => targets);

  it.each(drawn)('$title asks for metrics and labels that exist', async ({ targets = [] }) => {
    for (const { expr } of targets) {
      const families = await expectToExist(expr);
      if (families.length === 0) expect(expr).toMatch(/\b(?:process|nodejs)_\w+/);
    }
  });

  it('leaves out no metric that an operator would look for', async () => {
    const shown = new Set(
      (
        await Promise.all(drawn.flatMap(({ targets = [] }) => targets.map(({ expr }) => expectToExist(expr))))
      ).flat(),
    );
    const elsewhere = /_lag_events$|_read_duration_seconds$|_open_charges_credits$/;
    expect(
      [...(await exported()).keys()].filter((name) => !shown.has(name) && !elsewhere.test(name)),
    ).toEqual([]);
  });
});
