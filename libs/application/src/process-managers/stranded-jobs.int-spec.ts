import { expect, it } from 'vitest';
import { AuditedStore } from '../../../../test/audit/support/audited-store.js';
import { Story } from '../../../../test/audit/support/story.js';
import { openPostgresStore } from '../../../../test/support/open-postgres-store.js';
import { untilEnd } from '../../../../test/support/until-end.js';
import { markingUnproven, refusingUnproven } from '#event-store/authentic/authentic-store.js';
import { EventMacs } from '#event-store/authentic/event-macs.js';
import { testProof } from '../../../../test/support/signing-key.js';
import { strandedAmong } from './stranded-jobs.js';

const audited = untilEnd(await AuditedStore.open());

it('helps the other jobs where one has an event that the service did not write', async () => {
  await audited.write(new Story().account('acme').queue('acme', 'helped').queue('acme', 'forged'));
  const { store, url } = audited.fixture;
  const withoutKey = openPostgresStore(url);
  for (const { stream, event } of new Story().start('acme', 'forged').appends)
    await withoutKey.append(stream, 'any', [event]);
  await withoutKey.close();
  const jobs = ['helped', 'forged'].map((jobId) => ({ jobId, tenant: 'acme', parentJobId: null }));
  const checking = refusingUnproven(markingUnproven(store, { macs: new EventMacs(testProof) }));
  const stranded = await strandedAmong(checking, 'live', jobs);
  expect(stranded.map(({ jobId, remedy: { task } }) => [jobId, task])).toEqual([['helped', true]]);
});
