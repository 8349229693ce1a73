import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { correlation } from '#platform/correlation.js';
import { inSpan, isTracing, startTracing } from '#platform/tracing.js';

const settings = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TIMEOUT'] as const;
const secret = 'user:secret-of-the-collector';

describe('a collector that is away', () => {
  const before = settings.map((name) => [name, process.env[name]] as const);
  beforeEach(() => {
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://${secret}@127.0.0.1:1/base`;
    process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '500';
  });
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('costs the spans and a line in the log, and holds up neither the work nor the stop', async () => {
    const lines: string[] = [];
    const stop = await startTracing('test', pino({}, { write: (line: string) => void lines.push(line) }));
    const traceparent = await inSpan('work', {}, () => Promise.resolve(correlation().traceparent));
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    const startedAt = performance.now();
    await stop();
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    const complaints = lines.filter((line) => line.includes('traces are not sent'));
    expect(complaints).toHaveLength(1);
    expect(lines.join('')).not.toContain(secret);
    expect(isTracing()).toBe(false);
  });
});
