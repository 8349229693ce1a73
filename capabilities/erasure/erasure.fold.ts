import { replayed } from '#operator-calls/replayed-fold.js';
import { evolveErasure, initialErasure } from './erasure.js';

export const erasureFold = () =>
  replayed(initialErasure, evolveErasure, (erasure) => ({
    status: erasure.status,
    steps: erasure.status === 'unrequested' ? 0 : erasure.steps.length,
  }));
