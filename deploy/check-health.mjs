// Ends with 0 when the role of this container is ready: the image's HEALTHCHECK runs it.
const url = `http://127.0.0.1:${process.env['METRICS_PORT'] || process.env['PORT'] || 3000}/health/ready`;
const healthy = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  (response) => response.ok,
  () => false,
);
process.exit(healthy ? 0 : 1);
