import { replayed } from '#operator-calls/replayed-fold.js';
import { evolveClosing, initialClosing } from './closing.js';

export const closingFold = () => replayed(initialClosing, evolveClosing, ({ status }) => ({ status }));
