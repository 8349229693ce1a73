import { appendFileSync, closeSync, mkdtempSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RoleLog } from './role-log.js';

describe('the log of a role', () => {
  let folder: string;
  let path: string;
  let errors: string[];
  let log: RoleLog;
  const open = () => (log = new RoleLog(path, (message) => errors.push(message)));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'atelier-log-'));
    path = join(folder, 'role.log');
    errors = [];
  });
  afterEach(() => {
    log.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const entry = (level: number, msg: string, err?: object) => `${JSON.stringify({ level, msg, err })}\n`;

  it('shows errors with their cause, and nothing that is less', () => {
    open();
    appendFileSync(
      path,
      entry(30, 'ready') + entry(40, 'slow') + entry(50, 'lost', { message: 'no route\nat x' }),
    );
    expect(log.lastComplaint()).toBe('lost: no route');
    expect(errors).toEqual(['lost: no route']);
  });

  it('waits for the end of a line', () => {
    open();
    const line = entry(60, 'halted');
    appendFileSync(path, line.slice(0, 10));
    expect(log.lastComplaint()).toBeUndefined();
    appendFileSync(path, line.slice(10));
    expect(log.lastComplaint()).toBe('halted');
  });

  it('finds the line that matters in what Node prints when a process ends on an error', () => {
    open();
    appendFileSync(
      path,
      "file:///app.js:1\nthrow new Error('x')\n^\n\nError: x\n    at app.js:1:7 {\n  code: 'E'\n}\n\nNode.js v24.0.0\n",
    );
    expect(log.lastComplaint()).toBe('Error: x');
    expect(errors).toEqual([]);
  });

  it('shows nothing of the run before', () => {
    appendFileSync(path, entry(50, 'yesterday'));
    open();
    expect(log.lastComplaint()).toBeUndefined();
  });

  it('stays bounded while a process goes on writing to it', () => {
    open();
    const descriptor = log.open();
    const megabyte = entry(30, 'x'.repeat(1024 * 1024));
    for (let count = 0; count < 11; count++) writeSync(descriptor, megabyte);
    log.lastComplaint();
    expect(statSync(path).size).toBe(0);
    expect(statSync(`${path}.1`).size).toBeGreaterThan(10 * 1024 * 1024);
    writeSync(descriptor, entry(50, 'after the cut'));
    closeSync(descriptor);
    expect(log.lastComplaint()).toBe('after the cut');
    expect(statSync(path).size).toBeLessThan(1024);
  });
});
