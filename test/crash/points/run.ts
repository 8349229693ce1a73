import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.js';
import { historyOf, judge, problemsOf, tell } from './invariants.js';
import type { CrashMode } from './recorder.js';
import { readNotes, roles, type Note, type Role } from './role-host.js';
import type { Outcome } from './outcome.js';
import { scenarios, type ScenarioName } from './scenarios.js';
import type { World } from './world.js';

/** One crash, or none: then the scenario is only watched. */
export interface Run {
  readonly scenario: ScenarioName;
  readonly crash?: {
    readonly point: string;
    readonly mode: CrashMode;
    /** The pass at which it happens, counted from 1. */
    readonly occurrence: number;
  };
}

export interface Report {
  /** The points that were passed, with their counts. */
  readonly hits: ReadonlyMap<string, number>;
  /** True if the crash happened. */
  readonly crashed: boolean;
  readonly problems: readonly string[];
  /** The story of the run, for people. */
  readonly story: string;
}

/** The time limit of a run, even on a busy machine. */
const patienceMs = 45_000;

/** Only the loser of a race passes some awaits, so timing decides whether a try passes them. */
const tries = 6;

/**
 * Plays the scenario and checks its result. A process may skip an await because of its memory or because
 * another one was faster. A crash that did not happen is tried again, with a process that remembers nothing.
 */
export async function execute(world: World, run: Run): Promise<Report> {
  for (let attempt = 1; ; attempt++) {
    const report = await attemptOf(world, run);
    const done = report.crashed || !run.crash || run.crash.occurrence > 1 || report.problems.length > 0;
    if (done || attempt === tries) return report;
    await world.hosts[victimOf(run.crash)].replace();
  }
}

async function attemptOf(world: World, run: Run): Promise<Report> {
  const victim = run.crash && victimOf(run.crash);
  const scenario = scenarios[run.scenario];
  const before = (await world.events.store.head()) ?? 0n;
  const customer = await world.customer();
  const prepared = await scenario.prepare(world, customer);

  for (const role of roles) if (await world.hosts[role].isDead()) await world.hosts[role].start();
  const notes = mkdtempSync(join(tmpdir(), 'atelier-crash-notes-'));
  const noted = (role: Role) => readNotes(join(notes, role));
  try {
    for (const role of roles) {
      const crash = role === victim ? run.crash : undefined;
      await world.hosts[role].follow({ notes: join(notes, role), ...(crash && { crash }) });
    }
    const over = new AbortController();
    const revival =
      victim && run.crash?.mode !== 'lost-answer' ? revive(world, victim, over.signal) : undefined;
    const deadline = AbortSignal.timeout(patienceMs);
    const client = new Client(world, customer, deadline);
    const read = () => historyOf(world.events.store, customer.tenant, before);
    const problems: string[] = [];
    let outcome: Outcome | undefined;
    try {
      outcome = await scenario.act(client, prepared);
      await settled(world, read, deadline, () => !victim || crashedIn(run, noted(victim)));
    } catch (error) {
      problems.push(`it did not come to an end: ${String(error)}`);
    }
    const crashed = () => crashedIn(run, victim && noted(victim));
    // From here on only the test sends requests. The crash may still happen while its order is withdrawn.
    if (victim && !crashed()) await world.hosts[victim].follow({}).catch(() => undefined);
    if (!crashed()) over.abort();
    await revival;
    const all = roles.flatMap(noted);
    for (const role of roles) await world.hosts[role].follow({});
    const history = await read();
    if (outcome) problems.push(...(await problemsOf(world, client, outcome, history)));
    problems.push(...all.filter(({ what }) => what.startsWith('not resolved')).map(({ what }) => what));
    return {
      hits: count(all),
      crashed: crashed(),
      problems,
      story: tell(history),
    };
  } finally {
    rmSync(notes, { recursive: true, force: true });
  }
}

function victimOf({ point }: NonNullable<Run['crash']>): Role {
  // Points are named after the role that passes them.
  return point.split(':')[0] as Role;
}

/** Starts the successor as soon as the victim has died, as a supervisor does. */
async function revive(world: World, victim: Role, over: AbortSignal): Promise<void> {
  const host = world.hosts[victim];
  const stopped = new Promise<undefined>((resolve) =>
    over.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
  const death = await Promise.race([host.death(), stopped]);
  if (!death) return;
  if (death.signal !== 'SIGKILL') throw new Error(`the ${victim} ended by itself, with code ${death.code}`);
  await world.outwait(victim);
  await host.start();
}

function crashedIn({ crash }: Run, notes: readonly Note[] | undefined): boolean {
  if (!crash) return false;
  const sign = crash.mode === 'lost-answer' ? 'resolved' : `killed ${crash.mode}`;
  return notes?.some(({ what, point }) => what === sign && point === crash.point) ?? false;
}

/** Waits until every charge is closed, every job has ended, and the crash, if one is due, has happened. */
async function settled(
  world: World,
  read: () => Promise<Parameters<typeof tell>[0]>,
  deadline: AbortSignal,
  crashed: () => boolean,
): Promise<void> {
  let quietSince: number | undefined;
  for (;;) {
    await world.hurryRetries();
    const { unsettled, problems } = judge(await read());
    if (problems.length > 0) return;
    if (unsettled.length > 0) quietSince = undefined;
    else quietSince ??= Date.now();
    // A crash at the very end, when a checkpoint moves or a task is settled, comes after everything that the
    // log shows.
    if (quietSince !== undefined && (crashed() || Date.now() - quietSince > lastStepsMs)) return;
    if (deadline.aborted) throw new Error(unsettled.join('; '));
    await sleep(30);
  }
}

const lastStepsMs = 1_500;

function count(notes: readonly Note[]): Map<string, number> {
  const hits = new Map<string, number>();
  for (const { what, point } of notes) if (what === 'hit') hits.set(point, (hits.get(point) ?? 0) + 1);
  return hits;
}
