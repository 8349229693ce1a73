import type { DeclaredNotice } from '../capability.js';

export const expiringTopic = 'picture.expiring';

const id = { type: 'string', minLength: 26, maxLength: 26, example: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF' };

/** Given once for each picture, some days before it is erased. */
export const expiringNotice: DeclaredNotice = {
  topic: expiringTopic,
  summary: 'An upload or a final picture is erased soon, because its time is over',
  content: {
    asset_id: { ...id, description: 'The picture.' },
    job_id: {
      ...id,
      type: ['string', 'null'],
      description: 'The job that made it; null for an upload.',
      example: null,
    },
    kind: { type: 'string', enum: ['upload', 'final'] },
    expires_at: {
      type: 'string',
      format: 'date-time',
      description: 'From then on it is erased. A change of the rule may move this.',
      example: '2026-02-03T12:00:00.000Z',
    },
  },
};
