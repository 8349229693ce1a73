import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { crashPoints } from './crash-points.js';
import { execute, type Report, type Run } from './points/run.js';
import { planOf } from './points/plan.js';
import { auditFindings, readModelProblems } from './points/in-the-end.js';
import { World } from './points/world.js';

// Every test waits for its turn and takes long: `CRASH_POINTS=all` makes hundreds of processes die.
vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 3_600_000 });

/** Services that are tested at the same time; each has three processes. */
const lanes = 2;
const plan = planOf(process.env);

describe(`a process that dies at an await (${plan.about})`, () => {
  const reports = new Map<Run, PromiseWithResolvers<Report>>();
  for (const run of plan.runs) reports.set(run, Promise.withResolvers<Report>());
  const worlds: World[] = [];
  let driving: Promise<unknown> | undefined;

  beforeAll(async () => {
    for (let lane = 0; lane < lanes; lane++) worlds.push(await World.open());
    const waiting = [...plan.runs];
    const drive = async (world: World) => {
      for (let run = waiting.shift(); run; run = waiting.shift()) {
        const { resolve, reject } = reports.get(run)!;
        await execute(world, run).then(resolve, reject);
      }
    };
    driving = Promise.all(worlds.map(drive));
  });

  afterAll(async () => {
    await driving;
    await Promise.all(worlds.map((world) => world[Symbol.asyncDispose]()));
  });

  it.each(plan.runs.map((run) => [titleOf(run), run] as const))('%s', async (_title, run) => {
    const { problems, crashed, story } = await reports.get(run)!.promise;
    expect({ problems, ...(problems.length > 0 && { story }) }).toEqual({ problems: [] });
    if (plan.mustCrash(run)) expect(crashed).toBe(true);
  });

  it('passes no await that is not on the list, and each that is', async () => {
    const all = await Promise.all([...reports.values()].map(({ promise }) => promise));
    const passed = new Set(all.flatMap(({ hits }) => [...hits.keys()]));
    const listed = new Set(crashPoints.map(({ point }) => point));
    expect([...passed].filter((point) => !listed.has(point))).toEqual([]);
    if (plan.complete) expect([...listed].filter((point) => !passed.has(point))).toEqual([]);
  });

  it('leaves read models that are what history gives', async () => {
    await driving;
    for (const world of worlds) expect(await readModelProblems(world)).toEqual([]);
  });

  it('leaves nothing that the audit of the ledger objects to', async () => {
    await driving;
    for (const world of worlds) expect(await auditFindings(world)).toEqual([]);
  });
});

it('says of each point where it is', () => {
  const missing = crashPoints.filter(({ where }) => !existsSync(join(process.cwd(), where)));
  expect(missing).toEqual([]);
  expect(new Set(crashPoints.map(({ point }) => point)).size).toBe(crashPoints.length);
});

function titleOf({ crash, scenario }: Run): string {
  if (!crash) return `nobody dies: ${scenario}`;
  const time = crash.occurrence > 1 ? `, time ${crash.occurrence}` : '';
  const what = crash.mode === 'lost-answer' ? 'the answer is lost of' : `killed ${crash.mode}`;
  return `${what} ${crash.point} (${scenario}${time})`;
}
