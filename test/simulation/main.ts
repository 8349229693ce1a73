import { parseArgs } from 'node:util';
import { bugs } from './planted-bugs.js';
import { search } from './search.js';

/** `npm run simulate -- [--seeds N] [--from SEED] [--seed SEED [--path PATH]] [--bug NAME]` */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    path: { type: 'string' },
    bug: { type: 'string' },
  },
});

const seeds = values.seed === undefined ? wholeNumber('seeds', values.seeds) : 1;
const first = wholeNumber('from', values.seed ?? values.from);
const options = { first, seeds, path: values.path, bug: values.bug, showsProgress: true };
if (values.bug !== undefined && !Object.hasOwn(bugs, values.bug)) {
  console.error(`There is no planted bug ${values.bug}. There are: ${Object.keys(bugs).join(', ')}`);
  process.exit(2);
}
process.exitCode = (await search(options, (line) => console.log(line))) === undefined ? 0 : 1;

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  console.error(`--${name} is a whole number, not ${text}`);
  process.exit(2);
}
