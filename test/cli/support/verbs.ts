import { expect } from 'vitest';
import { testMasterKey, testSigningKey } from '../../support/signing-key.js';
import type { Json } from '../../api/support/api-client.js';
import type { Finished } from '../../standalone/support/atelier.js';
import { runCommand } from '../../support/command.js';

/** An installation as the operators' command sees it. */
export interface Place {
  readonly databaseUrl: string;
  /** The home of the command. */
  readonly folder: string;
}

/** The settings of the command on a database. */
export const settingsOn = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  URL_SIGNING_SECRET: 'x',
  ATELIER_SIGNING_KEY: testSigningKey,
  ATELIER_MASTER_KEY: testMasterKey,
  ATELIER_UNSIGNED_PICTURES: 'accept',
});

/**
 * The operators' command on an installation.
 * @param more settings beside those of {@link settingsOn}
 */
export function verbsOn({ databaseUrl, folder }: Place, more: NodeJS.ProcessEnv = {}) {
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> =>
    runCommand(args, folder, { env: { ...settingsOn(databaseUrl), ...more, ...env } });
  return {
    run,
    /** The answer of a verb that succeeds and has nothing to complain about. */
    async json(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Json> {
      const { code, stdout, stderr } = await run([...args, '--json'], env);
      // On a busy machine the projector takes a moment, and the command says that it waits.
      const complaints = stderr.replaceAll(/^atelier: done; waiting for the read model .*\n/gm, '');
      expect({ args, code, complaints }).toEqual({ args, code: 0, complaints: '' });
      return JSON.parse(stdout);
    },
    /** The complaint of a verb that refuses. */
    async complaint(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
      const { code, stdout, stderr } = await run(args, env);
      expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
      return stderr.trim();
    },
  };
}
