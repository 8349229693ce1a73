import { expect, it } from 'vitest';
import { AuditedStore } from '../../../../test/audit/support/audited-store.js';
import { Story } from '../../../../test/audit/support/story.js';
import { untilEnd } from '../../../../test/support/until-end.js';
import { auditedEvent, placeOf } from '../audited-event.js';
import { AuditFindings } from '../findings.js';
import { WaitingJobs } from './waiting-jobs.js';

const audited = untilEnd(await AuditedStore.open());

it('names a job without a task, unless it has ended since', async () => {
  const told = new Story().account('acme').queue('acme', 'waits').queue('acme', 'ended');
  await audited.write(told);
  const { store } = audited.fixture;
  const waiting = new WaitingJobs();
  for (const recorded of await store.readAll({})) waiting.apply(auditedEvent(placeOf(recorded)!));
  await audited.write(new Story().cancel('acme', 'ended'));
  const findings = new AuditFindings();
  await waiting.check('live', new Set(), Date.now(), store, findings);
  expect(findings.all.map(({ check, stream }) => [check, stream])).toEqual([['tasks', 'live.job-waits']]);
});
