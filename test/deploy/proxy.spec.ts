import { describe, expect, it } from 'vitest';
import { uploadLimitBytes } from '../../apps/api/src/uploads/spooled-upload.js';
import { compose, readRepositoryFile } from './support/compose-file.js';

const lines = readRepositoryFile('deploy/Caddyfile')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line && !line.startsWith('#'));

/** The words after a directive, for each place where it stands. */
function directives(name: string): string[][] {
  return lines.map((line) => line.replace(/ \{$/, '').split(' ')).filter(([first]) => first === name);
}

describe('the proxy', () => {
  it('passes on to services that there are, at the ports that they listen on', () => {
    const upstreams = directives('reverse_proxy').flatMap((words) => words.slice(1));
    expect(upstreams).toEqual(['objects:8333', 'objects:8333', 'api-1:3000', 'api-2:3000']);
    for (const upstream of upstreams) expect(compose.services[upstream.split(':', 1)[0] ?? '']).toBeDefined();
    expect(compose.services['objects']?.command).toContain('-s3.port=8333');
    expect(readRepositoryFile('Dockerfile')).toContain('PORT=3000');
    expect(compose.services['proxy']?.ports).toEqual([expect.stringMatching(/:8080$/)]);
    expect(lines).toContain(':8080 {');
  });

  it('lets the largest upload through with its framing, and holds no body back', () => {
    const [[, size = ''] = []] = directives('max_size');
    const [, count, unit] = /^(\d+)(MiB)$/.exec(size) ?? [];
    expect(unit).toBe('MiB');
    expect(Number(count) * 1024 * 1024).toBeGreaterThanOrEqual(uploadLimitBytes + 1024 * 1024);
    expect(lines.filter((line) => /buffer/.test(line))).toEqual([]);
  });

  it('gives the same key to the same API, and none to one that is not ready', () => {
    expect(directives('lb_policy')).toEqual([['lb_policy', 'header', 'Authorization']]);
    expect(directives('health_uri')).toEqual([['health_uri', '/health/ready']]);
    // A POST that may have arrived must not be sent again: nothing here adds to the requests that Caddy
    // repeats.
    expect(directives('lb_retry_match')).toEqual([]);
  });

  it('opens of the object storage what is presigned: to read, and to send a form', () => {
    expect(directives('method')).toEqual([
      ['method', 'GET', 'HEAD'],
      ['method', 'POST'],
    ]);
    expect(directives('query')).toEqual([['query', 'X-Amz-Signature=*']]);
    expect(directives('path')).toEqual([
      ['path', '/{$S3_BUCKET}/*'],
      ['path', '/{$S3_BUCKET}', '/{$S3_BUCKET}/'],
    ]);
    // A POST with a query, such as `?delete`, is another request of S3.
    expect(directives('header')).toEqual([['header', 'Content-Type', 'multipart/form-data*']]);
    expect(lines).toContain('expression `{http.request.uri.query} == ""`');
    expect(compose.services['proxy']?.environment).toHaveProperty('S3_BUCKET');
    // Signatures cover the Host header, and the API makes the request ids, so the proxy must change neither.
    expect(lines.filter((line) => /header_up|header_down|rewrite/.test(line))).toEqual([]);
  });
});
