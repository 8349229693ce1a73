export { Atelier, type AtelierOptions, type RunOptions } from './client.js';
export { AtelierError, ConnectionError, JobFailedError, type ErrorCode } from './errors.js';
export type { Picture } from './pictures.js';
export type { FinishedJob, Run } from './run.js';
export type {
  Accepted,
  Answer,
  Artifact,
  Job,
  JobEvent,
  ListRow,
  Quote,
  Upload,
  WorkflowBody,
  WorkflowName,
} from './types.js';
export {
  verifyWebhook,
  WebhookVerificationError,
  type WebhookHeaders,
  type WebhookMessage,
} from './webhooks.js';
