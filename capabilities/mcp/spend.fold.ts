import { replayed } from '#operator-calls/replayed-fold.js';
import { evolveSpending, initialSpending, type Spending } from './spend.js';

const countOf = (spending: Spending, status: string) =>
  [...spending.values()].filter((offer) => offer.status === status).length;

export const spendFold = () =>
  replayed(
    initialSpending,
    evolveSpending,
    (spending) => ({ offers: spending.size, ordered: countOf(spending, 'ordered') }),
    (spending) => Object.fromEntries(spending),
  );
