import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The sources of the client, which is written in Python alone and runs from there. */
export const pythonClient = join(process.cwd(), 'clients', 'python');

/** For Python programs that import the client. */
export const pythonEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  PYTHONPATH: join(pythonClient, 'src'),
  PYTHONDONTWRITEBYTECODE: '1',
};

/**
 * A Python from 3.10 on that has these modules. A machine may have several Pythons. Debian's has the modules
 * that `apt-get install python3-pytest python3-mypy` brings.
 */
export function findPython(...modules: readonly string[]): string | undefined {
  const code = [
    'import sys',
    ...modules.map((name) => `import ${name}`),
    'assert sys.version_info >= (3, 10)',
  ];
  return ['python3', '/usr/bin/python3'].find(
    (python) => spawnSync(python, ['-c', code.join('\n')]).status === 0,
  );
}

/** @throws with what the program printed, if it fails */
export async function runPython(
  python: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  cwd = pythonClient,
): Promise<string> {
  const options = { cwd, env: { ...pythonEnvironment, ...environment } };
  try {
    const { stdout } = await promisify(execFile)(python, args, options);
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${python} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}
