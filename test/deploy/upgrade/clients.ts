import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPython } from '../../support/python.js';

const run = promisify(execFile);
const orderWithinMs = 180_000;

/** Each orders a picture, follows the job by its stream, and prints the picture's address as the last line. */
const typescript = `
import { Atelier } from '@atelier/client';
const atelier = new Atelier({ baseUrl: process.env.ATELIER_URL, apiKey: process.env.ATELIER_KEY });
const run = atelier.run('model-generator', { gender: 'FEMALE', age_range: '26-30', ethnicity: 'east_african' });
for await (const { event_type: type } of run) console.log(type);
const { pictures } = await run.result();
console.log(pictures[0].image_url);
`;
const python = `
import os
from atelier import Atelier
atelier = Atelier(base_url=os.environ["ATELIER_URL"], api_key=os.environ["ATELIER_KEY"])
with atelier.run("model-generator", {"gender": "FEMALE", "age_range": "26-30", "ethnicity": "east_african"}) as run:
    for event in run:
        print(event["event_type"])
print(run.result()["pictures"][0]["image_url"])
`;

interface Checkout {
  readonly name: string;
  /** Its folder, with its modules and its built client. */
  readonly root: string;
}

/**
 * The clients of these releases each order a picture from a service and fetch it.
 * @returns a sentence for each that could not
 */
export async function clientsThatFail(
  releases: readonly Checkout[],
  service: { readonly url: string; readonly key: string },
): Promise<string[]> {
  const failures: string[] = [];
  const env = { ...process.env, ATELIER_URL: service.url, ATELIER_KEY: service.key };
  const attempt = async (client: string, order: () => Promise<{ stdout: string }>) => {
    try {
      const { stdout } = await order();
      const picture = await fetch(stdout.trim().split('\n').at(-1) ?? '');
      if (picture.status === 200 && stdout.includes('succeeded')) return;
      failures.push(`${client}: the picture answers ${picture.status} after ${stdout}`);
    } catch (error) {
      failures.push(`${client}: ${String(error)}`);
    }
  };
  const interpreter = findPython();
  if (!interpreter) console.log('No python3 ≥ 3.10: the Python clients were not tried');
  for (const { name, root } of releases) {
    const options = { cwd: root, timeout: orderWithinMs };
    await attempt(`the TypeScript client of the release ${name}`, () =>
      run(process.execPath, ['--input-type=module', '--eval', typescript], { ...options, env }),
    );
    const modules = join(root, 'clients', 'python', 'src');
    if (interpreter)
      await attempt(`the Python client of the release ${name}`, () =>
        run(interpreter, ['-c', python], { ...options, env: { ...env, PYTHONPATH: modules } }),
      );
  }
  return failures;
}
