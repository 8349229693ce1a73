import { Counter, type Registry } from 'prom-client';
import { environments } from '#domain/streams.js';
import type { WebhookObserver } from './webhook-sender.js';

/** Counts the messages that this process has sent to webhook endpoints. */
export function countWebhooks(registry: Registry): WebhookObserver {
  const registers = [registry];
  const attempts = new Counter({
    name: 'atelier_webhook_attempts_total',
    help: 'Calls of webhook endpoints, by how they ended',
    labelNames: ['environment', 'outcome'],
    registers,
  });
  const switchedOff = new Counter({
    name: 'atelier_webhook_endpoints_switched_off_total',
    help: 'Webhook endpoints that were switched off because they failed for days, or answered 410',
    labelNames: ['environment', 'reason'],
    registers,
  });
  for (const environment of environments) {
    for (const outcome of ['delivered', 'failed']) attempts.inc({ environment, outcome }, 0);
    for (const reason of ['failing', 'gone']) switchedOff.inc({ environment, reason }, 0);
  }
  return {
    attempted: (environment, outcome) => attempts.inc({ environment, outcome }),
    switchedOff: (environment, reason) => switchedOff.inc({ environment, reason }),
  };
}
