import { replayed } from '#operator-calls/replayed-fold.js';
import { evolveWebhooks, initialWebhooks } from './webhook.js';

export const webhookFold = () =>
  replayed(initialWebhooks, evolveWebhooks, (endpoints) => ({ endpoints: endpoints.length }));
