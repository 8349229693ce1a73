import { replayed } from '#operator-calls/replayed-fold.js';
import { evolveRelease, evolveRule, initialRelease, initialRule } from './release.js';

export const releaseFold = () =>
  replayed(initialRelease, evolveRelease, (release) => ({ status: release?.status ?? 'unknown' }));

export const consentFold = () => replayed(initialRule, evolveRule, ({ required }) => ({ required }));
