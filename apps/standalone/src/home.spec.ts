import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identityOf } from '#platform/processes.js';
import { lockHome } from './home.js';

describe('the lock of a home', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'atelier-lock-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const lockFile = () => join(home, 'atelier.lock');

  it('is taken once and leaves nothing behind when released', () => {
    const lock = lockHome(home);
    expect(lock.takenOver).toBe(false);
    expect(readdirSync(home)).toEqual(['atelier.lock']);
    lock.release();
    expect(readdirSync(home)).toEqual([]);
  });

  it('is refused while its holder runs, and names it', () => {
    const parent = identityOf(process.ppid);
    writeFileSync(lockFile(), JSON.stringify(parent));
    expect(() => lockHome(home)).toThrow(`in use by another atelier (process ${parent.pid})`);
    expect(JSON.parse(readFileSync(lockFile(), 'utf8'))).toEqual(parent);
    expect(readdirSync(home)).toEqual(['atelier.lock']);
  });

  it('is taken over from a holder that is gone', () => {
    writeFileSync(lockFile(), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: null }));
    const lock = lockHome(home);
    expect(lock.takenOver).toBe(true);
    expect(readdirSync(home)).toEqual(['atelier.lock']);
    lock.release();
  });

  it('is taken over when the number of the holder belongs to another process meanwhile', () => {
    writeFileSync(lockFile(), JSON.stringify({ pid: process.pid, startedAt: 'an earlier boot' }));
    expect(lockHome(home).takenOver).toBe(true);
  });

  it('is taken over when the file is damaged', () => {
    writeFileSync(lockFile(), '');
    expect(lockHome(home).takenOver).toBe(true);
  });
});
