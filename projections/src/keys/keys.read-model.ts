import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { KeyRow } from './keys.entity.js';

export const keysReadModel: ReadModel<KeyRow> = {
  name: 'keys',
  version: 2,
  entity: KeyRow,
  categories: ['key'],
  keyOf: (event) => [event.streamId],
  evolve,
};

function evolve(row: KeyRow | undefined, event: ProjectedEvent): KeyRow | undefined {
  switch (event.type) {
    case 'ApiKeyIssued': {
      const { keyId, tenant, capabilities, label, at } = event.data;
      return { keyId, tenant, capabilities, label, issuedAt: new Date(at), revokedAt: null, retiresAt: null };
    }
    case 'ApiKeyRetired':
      if (!row) throw new Error(`ApiKeyRetired came before ApiKeyIssued in ${event.stream}`);
      return { ...row, retiresAt: new Date(event.data.retiresAt) };
    case 'ApiKeyRevoked':
      if (!row) throw new Error(`ApiKeyRevoked came before ApiKeyIssued in ${event.stream}`);
      return { ...row, revokedAt: new Date(event.data.at) };
    default:
      throw new Error(`${event.type} does not belong in ${event.stream}`);
  }
}
