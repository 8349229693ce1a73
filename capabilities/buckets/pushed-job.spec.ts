import { expect, it } from 'vitest';
import type { EventMetadata } from '#event-store/event-store.js';
import { isErasedByPerson } from './pushed-job.js';

it.each([
  ['key:01K9Z7J0V6X8Y2Z4A6B8C0D2EF', true],
  ['operator:ada', true],
  ['operator', true],
  ['retention', false],
  ['saga:closings', false],
])('an erasure by %s reaches the bucket: %s', (actor, reaches) => {
  const metadata: EventMetadata = {
    requestId: 'r',
    causationId: 'c',
    tenant: 't',
    actor,
    schemaVersion: 1,
    recordedAt: '2026-06-01T12:00:00.000Z',
  };
  expect(isErasedByPerson(metadata)).toBe(reaches);
});
