import { crashPoints, type CrashPoint } from '../crash-points.js';
import type { Run } from './run.js';
import { scenarios, type ScenarioName } from './scenarios.js';
import type { CrashMode } from './recorder.js';

/** Which crashes are tried. */
export interface Plan {
  readonly about: string;
  readonly runs: readonly Run[];
  /** Whether every point of the list is tried. */
  readonly complete: boolean;
  /** A point may not be passed a second or third time; then no crash happens, and none is required. */
  mustCrash(run: Run): boolean;
}

/**
 * Values of `CRASH_POINTS`:
 * - unset: each point once, before and after in turn, and lost answers where money moves;
 * - `all`: every point in all its scenarios, in every way, also the second and third time;
 * - `none`: every scenario without a crash;
 * - anything else: parts of names, separated by commas; selects the points that contain one of them.
 */
export function planOf({ CRASH_POINTS: asked }: NodeJS.ProcessEnv): Plan {
  const mustCrash = ({ crash }: Run) => crash?.occurrence === 1;
  if (asked === 'none') {
    const runs = (Object.keys(scenarios) as ScenarioName[]).map((scenario) => ({ scenario }));
    return { about: 'nobody dies', runs, complete: true, mustCrash };
  }
  if (asked === 'all') {
    return { about: 'all', runs: crashPoints.flatMap(everyWay), complete: true, mustCrash };
  }
  if (asked) {
    const parts = asked.split(',');
    const chosen = crashPoints.filter(({ point }) => parts.some((part) => point.includes(part)));
    if (chosen.length === 0)
      throw new RangeError(`CRASH_POINTS=${asked}: no point has a name with any of that`);
    return { about: asked, runs: chosen.flatMap(everyWay), complete: false, mustCrash };
  }
  return { about: 'each point once', runs: crashPoints.flatMap(once), complete: true, mustCrash };
}

function once(point: CrashPoint, index: number): Run[] {
  const mode = index % 2 === 0 ? 'before' : 'after';
  return [runOf(point, mode), ...(isMoney(point) ? [runOf(point, 'lost-answer')] : [])];
}

function runOf(
  { point, during }: CrashPoint,
  mode: CrashMode,
  scenario: ScenarioName = during[0],
  occurrence = 1,
): Run {
  return { scenario, crash: { point, mode, occurrence } };
}

/** Scenarios that pass the same point several times, each time with another meaning. */
const repeated: readonly ScenarioName[] = ['batch', 'cancelled-batch', 'abandoned-batch', 'abandoned-cancel'];

function everyWay(point: CrashPoint): Run[] {
  const modes: CrashMode[] = ['before', 'after', ...(isAppend(point) ? (['lost-answer'] as const) : [])];
  return point.during.flatMap((scenario) =>
    modes.flatMap((mode) =>
      (repeated.includes(scenario) ? [1, 2, 3] : [1]).map((occurrence) =>
        runOf(point, mode, scenario, occurrence),
      ),
    ),
  );
}

function isAppend({ point }: CrashPoint): boolean {
  return point.includes(':event-store.append:');
}

function isMoney(point: CrashPoint): boolean {
  return isAppend(point) && /:(?:Credits|JobQueued|JobVoided|JobSucceeded)/.test(point.point);
}
