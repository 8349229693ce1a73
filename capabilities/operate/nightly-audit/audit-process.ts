import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { packagePath } from '#platform/package-folder.js';

export interface AuditEnd {
  readonly outcome: 'done' | 'failed';
  readonly summary: string;
}

/** The program beside this file, where the build puts it. */
const program = () => packagePath('dist', 'capabilities/operate/nightly-audit/main.js');

/** An audit that takes longer hangs. */
const longestMs = 12 * 60 * 60_000;

const leastPriority = 19;

/**
 * Audits in a process of its own: it takes the least important share of the processors, and its memory is bounded. Neither
 * its end nor a lack of memory ends this process.
 * @param signal ends the process
 */
export async function auditInProcess(memoryMb: number, signal: AbortSignal): Promise<AuditEnd> {
  const late = AbortSignal.timeout(longestMs);
  const child = fork(program(), {
    // Its errors beside the log are in that of the projector.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=4'],
  });
  // Undefined if it could not be started, which the event below reports.
  if (child.pid !== undefined) setPriority(child.pid, leastPriority);
  let told: AuditEnd | undefined;
  child.on('message', (message) => (told = message as AuditEnd));
  const stop = () => child.kill('SIGKILL');
  for (const each of [signal, late]) each.addEventListener('abort', stop);
  try {
    if (signal.aborted) stop();
    const [code, by] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return told ?? { outcome: 'failed', summary: causeOf({ code, by, memoryMb, signal, late }) };
  } finally {
    for (const each of [signal, late]) each.removeEventListener('abort', stop);
  }
}

interface Exit {
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
  readonly memoryMb: number;
  readonly signal: AbortSignal;
  readonly late: AbortSignal;
}

function causeOf({ code, by, memoryMb, signal, late }: Exit): string {
  if (signal.aborted) return 'the projector stopped, or lost its connection to the database';
  if (late.aborted) return 'it took longer than 12 hours';
  // V8 ends a process so whose heap is full.
  if (by === 'SIGABRT')
    return `its ${memoryMb} MB of memory did not suffice: raise ATELIER_AUDIT_MEMORY_MB and the limit of the projector`;
  if (by === 'SIGKILL') return 'its process was killed, as a container does whose memory ran out';
  return by ? `its process was killed by ${by}` : `its process ended with code ${code}`;
}
