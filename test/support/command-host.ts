import { Writable } from 'node:stream';

/**
 * A process that runs the operators' command many times. It loads the libraries once, which is most of a verb's
 * cost. Each call evaluates the command's own `main.js` anew, with arguments, environment and exit code as in a
 * process of its own.
 */
export interface Call {
  readonly main: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

class Exit extends Error {
  constructor(readonly code: number) {
    super('process.exit');
  }
}

let calls = 0;

async function run({ main, args, environment, cwd }: Call): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[name] += chunk.toString('utf8');
        done();
      },
    });
    Object.defineProperty(process, name, { configurable: true, value: stream });
  }
  const exit = process.exit;
  process.exit = (code) => {
    throw new Exit(Number(code ?? process.exitCode ?? 0));
  };
  process.env = { ...environment };
  process.argv = [process.execPath, main, ...args];
  process.exitCode = 0;
  process.chdir(cwd);
  calls += 1;
  try {
    await import(`${main}?call=${calls}`);
  } catch (error) {
    if (error instanceof Exit) process.exitCode = error.code;
    else [process.exitCode, written.stderr] = [1, `${written.stderr}${String(error)}`];
  } finally {
    process.exit = exit;
  }
  const code = Number(process.exitCode);
  process.exitCode = 0;
  return { code, ...written };
}

// Each call adds listeners to this process, as many as in a process of its own.
process.setMaxListeners(0);
process.on('disconnect', () => process.exit(0));
process.on('message', (call: Call) => void run(call).then((ended) => process.send?.(ended)));
