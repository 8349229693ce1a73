import { replayed } from '#operator-calls/replayed-fold.js';
import { evolveOperator, initialOperator } from './operator.js';

export const operatorFold = () => replayed(initialOperator, evolveOperator, ({ status }) => ({ status }));
