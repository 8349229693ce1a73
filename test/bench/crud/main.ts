import { startCrudService } from './crud-service.js';

// Runs the peer in a process of its own, as Atelier's API does. The environment gives DATABASE_URL and KEYS
// (comma-separated).
const service = await startCrudService(
  process.env['DATABASE_URL'] ?? '',
  (process.env['KEYS'] ?? '').split(','),
);
process.send?.({ type: 'ready', url: service.url });
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => void service.stop().then(() => process.exit(0)));
