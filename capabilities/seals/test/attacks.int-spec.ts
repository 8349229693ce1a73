import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attacks, type Attack } from './support/attacks.js';
import { foundAfter, madeInstallation } from './support/attacked-store.js';

let installation: Awaited<ReturnType<typeof madeInstallation>>;
let [tried, found] = [0, 0];

beforeAll(async () => {
  installation = await madeInstallation();
});
afterAll(async () => {
  console.log(`Found ${found} of ${tried} attacks. Of the others the table says why nothing finds them.`);
  await installation[Symbol.asyncDispose]();
});

describe('a person who has the password of the database', () => {
  it('is not suspected where nothing was done', async () => {
    expect([...(await foundAfter(installation, () => Promise.resolve()))]).toEqual([]);
  });

  it.each(attacks)('$on: $attack', async ({ sql, by, from, because }) => {
    expect(by.length === 0).toBe(because !== undefined);
    tried++;
    const foundBy = await foundAfter(installation, (audited) => audited.sql(sql), from && { from });
    if (foundBy.size > 0) found++;
    if (by.length === 0) expect([...foundBy]).toEqual([]);
    else expect([...foundBy]).toEqual(expect.arrayContaining([...by]));
  });

  it('reads in docs/seals.md what is found by what; after a change: npm test -- capabilities/seals/test/attacks -u', async () => {
    const file = 'docs/seals.md';
    const [begin, end] = ['<!-- attacks: ', '<!-- attacks end -->'];
    const page = readFileSync(file, 'utf8');
    const [before, rest] = [page.slice(0, page.indexOf(begin)), page.slice(page.indexOf(end))];
    const line = page.slice(page.indexOf(begin), page.indexOf('\n', page.indexOf(begin)));
    const written = `${before}${line}\n\n${tableOf(attacks)}\n\n${rest}`;
    const formatted = await format(written, { ...(await resolveConfig(file)), parser: 'markdown' });
    await expect(formatted).toMatchFileSnapshot('../../../docs/seals.md');
  });
});

function tableOf(all: readonly Attack[]): string {
  const rows = [...Map.groupBy(all, ({ on }) => on)].flatMap(([on, own]) => [
    `| **${on}** | |`,
    ...own.map((attack) => `| ${attack.attack.replaceAll('|', '\\|')} | ${inWords(attack)} |`),
  ]);
  return ['| attack | found by |', '| --- | --- |', ...rows].join('\n');
}

function inWords({ by, because }: Attack): string {
  if (by.length === 0) return `not found: ${because}`;
  return by.map((each) => (each.startsWith('audit: ') ? `\`${each.slice(7)}\`` : each)).join(', ');
}
