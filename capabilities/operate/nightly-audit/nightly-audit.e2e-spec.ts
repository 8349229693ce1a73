import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { actionsPrefix } from '#application/action/record-action.handler.js';
import { eventually } from '../../../test/support/eventually.js';
import { configurationOn } from '../../../test/support/roles.js';
import { ProjectorProcess } from '../../../test/projector/support/projector-process.js';
import { Workshop } from '../../../test/worker/support/workshop.js';
import { actionsIn } from '../actions/list-actions.js';
import { ConnectedOperator } from '../connected-operator.js';
import { lastAudits } from '../ledger/last-audit.js';
import { auditInProcess } from './audit-process.js';

let workshop: Workshop;
let operator: ConnectedOperator;
const projectors: ProjectorProcess[] = [];

beforeEach(async () => {
  workshop = await Workshop.open();
  operator = await ConnectedOperator.serve(configurationOn(workshop.databaseUrl), []);
});

afterEach(async () => {
  for (const projector of projectors.splice(0)) await projector.end('SIGKILL');
  await operator[Symbol.asyncDispose]();
  await workshop[Symbol.asyncDispose]();
});

/** A projector whose audit is due now. */
async function start(): Promise<ProjectorProcess> {
  const projector = await ProjectorProcess.start({
    ATELIER_HOME: workshop.folder,
    DATABASE_URL: workshop.databaseUrl,
    ATELIER_AUDIT_AT: new Date().toISOString().slice(11, 16),
  });
  projectors.push(projector);
  return projector;
}

const recorded = () => operator.recorded({ streamPrefixes: [actionsPrefix] });
const audits = async () => actionsIn(await recorded());

/** The process that audits, as long as it runs. */
async function auditOf({ pid }: ProjectorProcess): Promise<number> {
  return eventually(async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return Number(children.split(' ')[0]) || false;
  });
}

const isRunning = (pid: number) =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    (stat) => !/\) Z /.test(stat),
    () => false,
  );

describe('the nightly audit', () => {
  it('is made once by several projectors, in a process of the lowest priority, and its result is kept', async () => {
    const pid = await auditOf(await start());
    await eventually(() => getPriority(pid) === 19);
    await start();
    await eventually(async () => lastAudits(await recorded()).last_audit !== null);
    await projectors[0]!.end('SIGTERM');
    await start();
    expect(lastAudits(await recorded())).toMatchObject({
      last_audit: { by: 'nightly audit', holds: true, outcome: 'done' },
      failed_audit: null,
    });
    expect(await audits()).toMatchObject([{ action: 'ledger audit', via: 'projector', outcome: 'done' }]);
  });

  it('has failed when its process is killed', async () => {
    const projector = await start();
    process.kill(await auditOf(projector), 'SIGKILL');
    const { failed_audit: failed } = await eventually(async () => {
      const found = lastAudits(await recorded());
      return found.failed_audit !== null && found;
    });
    expect(failed).toMatchObject({
      by: 'nightly audit',
      summary: expect.stringContaining('its process was killed'),
    });
    expect(projector.interrupted).toEqual(new Set());
  });

  it('has failed when its memory does not suffice, and its parent goes on', async () => {
    const { signal } = new AbortController();
    expect(await auditInProcess(16, signal)).toEqual({
      outcome: 'failed',
      summary:
        'its 16 MB of memory did not suffice: raise ATELIER_AUDIT_MEMORY_MB and the limit of the projector',
    });
  });

  it('ends with a projector that is killed, and the next one says so', async () => {
    const first = await start();
    const pid = await auditOf(first);
    await first.end('SIGKILL');
    await eventually(async () => !(await isRunning(pid)));
    expect(await audits()).toMatchObject([{ outcome: 'unknown' }]);
    await start();
    await eventually(async () => lastAudits(await recorded()).failed_audit !== null);
    expect(await audits()).toMatchObject([
      { outcome: 'failed', summary: 'the projector was killed meanwhile, or could not record the end' },
    ]);
  });
});
