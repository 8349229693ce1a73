import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Atelier } from '../standalone/support/atelier.js';
import { temporaryHome } from '../standalone/support/home.js';
import { fieldsOf, median, ownCpuMs } from './cost.js';
import { tell } from './results.js';

const starts = 3;
const calmS = 10;
const restS = 30;

/**
 * Measures `npm start` from an empty home and from an existing one, and the memory and CPU of the idle service.
 * Linux only.
 */
export async function benchStart(): Promise<void> {
  const measured: Record<string, number[]> = {};
  const note = (measure: string, value: number) => void (measured[measure] ??= []).push(value);
  for (let round = 0; round < starts; round++) {
    await using home = temporaryHome();
    for (const kind of ['cold', 'warm'] as const) {
      const startedAt = performance.now();
      const atelier = await Atelier.start(home.path);
      try {
        note(`${kind}: ready after, ms`, performance.now() - startedAt);
        for (const name of ['api', 'worker', 'projector'] as const)
          note(`${kind}: CPU of the ${name} until then, ms`, ownCpuMs(atelier.role(name).pid));
        if (kind === 'warm' && round === starts - 1) await rest(atelier);
      } finally {
        await atelier.stop();
      }
    }
  }
  const rows = Object.entries(measured).map(([measure, values]) => [
    measure,
    median(values).toFixed(0),
    values.map((value) => value.toFixed(0)).join(', '),
  ]);
  tell({ title: 'Starts of npm start', head: ['what', 'median', 'all'], rows });
}

/** Groups the processes of the service by their work. A PostgreSQL backend names its own work. */
async function rest(atelier: Atelier): Promise<void> {
  await sleep(calmS * 1_000);
  const roots = atelier.all().map(({ pid }) => pid);
  const family = () =>
    readdirSync('/proc').filter((pid) => {
      try {
        return roots.includes(Number(pid)) || roots.includes(Number(fieldsOf(pid)[1]));
      } catch {
        return false;
      }
    });
  const before = new Map(family().map((pid) => [pid, ownCpuMs(Number(pid))]));
  await sleep(restS * 1_000);
  const kinds: Record<string, { processes: number; cpuMs: number; pssKb: number }> = {};
  for (const pid of family()) {
    const [program = '', script = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0);
    const name = /apps\/(\w+)\/src\/main/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[1];
    const kind =
      name ??
      (program.startsWith('postgres:') ? program.replace(/\d[\d.()]*/g, '').trim() : `${program} ${script}`);
    const sum = (kinds[kind] ??= { processes: 0, cpuMs: 0, pssKb: 0 });
    sum.processes++;
    sum.cpuMs += ownCpuMs(Number(pid)) - (before.get(pid) ?? 0);
    sum.pssKb += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
  }
  const rows: (string | number)[][] = [];
  const total = { processes: 0, cpuMs: 0, pssKb: 0 };
  for (const [kind, { processes, cpuMs, pssKb }] of [...Object.entries(kinds), ['all', total] as const]) {
    rows.push([kind, processes, (pssKb / 1024).toFixed(0), (cpuMs / restS / 10).toFixed(2)]);
    total.processes += processes;
    total.cpuMs += cpuMs;
    total.pssKb += pssKb;
  }
  tell({ title: 'At rest', head: ['what', 'processes', 'PSS, MB', '% of a core'], rows });
}
