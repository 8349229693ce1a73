import { replayed } from '#operator-calls/replayed-fold.js';
import { evolveHolds, initialHolds } from './legal-hold.js';
import { evolveRetention, initialOwnDays } from './retention.js';

export const retentionFold = () => replayed(initialOwnDays, evolveRetention, (rule) => ({ ...rule }));

export const holdFold = () => replayed(initialHolds, evolveHolds, (holds) => ({ in_force: holds.length }));
