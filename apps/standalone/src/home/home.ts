import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../start-error.js';

export interface HomeFolders {
  readonly home: string;
  readonly logs: string;
  readonly postgres: string;
}

/**
 * Makes the folders of a home. They may be entered but not listed by others, because an embedded PostgreSQL that is
 * started by root runs under another account and has to reach its own files below.
 * @throws StartError when the home is not a folder, or not writable
 */
export function prepareHome(home: string): HomeFolders {
  const folders = { home, logs: join(home, 'logs'), postgres: join(home, 'postgres') };
  try {
    mkdirSync(home, { recursive: true, mode: 0o711 });
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    mkdirSync(folders.logs, { recursive: true, mode: 0o711 });
    return folders;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const because = code === 'EEXIST' || code === 'ENOTDIR' ? 'is not a folder' : `is not writable (${code})`;
    throw new StartError(`${home} ${because}: set ATELIER_HOME to a folder that this user may write to`);
  }
}
