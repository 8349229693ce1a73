import { erasureBugs } from './planted/erasure-bugs.js';
import { moneyBugs } from './planted/money-bugs.js';
import { processBugs } from './planted/process-bugs.js';
import { restoreBugs } from './planted/restore-bugs.js';
import { storeBugs } from './planted/store-bugs.js';
import { webhookBugs } from './planted/webhook-bugs.js';
import { sound, type Wiring } from './wiring.js';

/** The planted bugs, by the name that `--bug` takes. */
export const bugs: Readonly<Record<string, Partial<Wiring>>> = {
  ...moneyBugs,
  ...processBugs,
  ...storeBugs,
  ...restoreBugs,
  ...webhookBugs,
  ...erasureBugs,
};

export function wiringOf(bug: string | undefined): Wiring {
  return { ...sound, ...(bug === undefined ? {} : bugs[bug]) };
}
