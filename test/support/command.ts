import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environment, run, type Finished } from '../standalone/support/atelier.js';
import type { Call } from './command-host.js';

const program = join(process.cwd(), 'dist', 'test', 'support', 'command-host.js');
const main = join(process.cwd(), 'dist', 'capabilities', 'operate', 'main.js');
const verbsRun = new Set<string>();
const idle: ChildProcess[] = [];

/**
 * Runs the operators' command. The first call of each verb gets a process of its own. Later calls share
 * processes that have already loaded their libraries, which is most of each call. These processes end with the
 * process that runs the tests.
 */
export async function runCommand(
  args: readonly string[],
  home: string,
  { env = {}, cwd = process.cwd() }: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<Finished> {
  const verb = args.filter((word, place) => place < 2 && /^[a-z]+$/.test(word)).join(' ');
  if (!verbsRun.has(verb)) {
    verbsRun.add(verb);
    return run('capabilities/operate/main.js', args, home, { env, cwd });
  }
  const host = idle.pop() ?? startHost();
  const call: Call = { main, args, cwd, environment: environment(home, env) };
  const answer = once(host, 'message') as Promise<[Finished]>;
  const answered = new AbortController();
  const gone = once(host, 'exit', { signal: answered.signal }).then(([code]) => {
    throw new Error(`atelier ${args.join(' ')} ended the process that it shares, with code ${String(code)}`);
  });
  host.send(call);
  const [finished] = await Promise.race([answer, gone]);
  answered.abort();
  idle.push(host);
  return finished;
}

/**
 * Runs the operators' command once, in the environment of this process with these settings.
 * @throws Error if the command fails; it holds what the command has printed
 */
export function operate(
  settings: NodeJS.ProcessEnv,
  ...args: readonly string[]
): Promise<{ stdout: string; stderr: string }> {
  const options = { env: { ...process.env, ...settings }, maxBuffer: 64 * 2 ** 20 };
  return promisify(execFile)(process.execPath, [main, ...args], options);
}

function startHost(): ChildProcess {
  const host = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  host.unref();
  host.channel?.unref();
  return host;
}
