import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ObjectNotFound } from '../object-storage.js';
import { FolderStorage } from './folder-storage.js';

const key = 'live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/uploads/01K9Z7J0V4M2Q8T6R3N5B1C7DE.png';
let directory: string;
let now: number;
let storage: FolderStorage;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'atelier-folder-'));
  now = Date.parse('2026-01-31T12:00:00.001Z');
  storage = new FolderStorage({
    directory,
    signingSecret: 'secret',
    publicUrl: 'http://localhost:3000',
    now: () => now,
  });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function readOf(url: string) {
  const { pathname, searchParams } = new URL(url);
  const signature = searchParams.get('signature') ?? '';
  return { key: pathname.replace('/objects/', ''), expires: Number(searchParams.get('expires')), signature };
}

describe('folder storage', () => {
  it('removes an object, and one that is not there as well', async () => {
    await storage.put(key, Buffer.from('bytes'));
    for (let time = 0; time < 2; time++) await storage.remove(key);
    await expect(storage.get(key)).rejects.toThrow(ObjectNotFound);
  });

  it('erases an object with unfinished writes of it, or all below a folder, and leaves the neighbours', async () => {
    const [folder, name] = [join(directory, key, '..'), '01K9Z7J0V4M2Q8T6R3N5B1C7DE.png'];
    const other = key.replace('7DE', '7DF');
    for (const each of [key, other, 'live/t/renders/J1/a.png', 'live/t/renders/J1/calls/x.0'])
      await storage.put(each, Buffer.from('bytes'));
    writeFileSync(join(folder, `${name}.0badc0de.part`), 'half');
    expect(await storage.erase(key)).toBe(2);
    expect(readdirSync(folder)).toEqual(['01K9Z7J0V4M2Q8T6R3N5B1C7DF.png']);
    expect(await storage.erase(key)).toBe(0);
    expect((await storage.list('live/t/renders/')).sort()).toEqual([
      'live/t/renders/J1/a.png',
      'live/t/renders/J1/calls/x.0',
    ]);
    expect(await storage.erase('live/t/renders/J1/')).toBe(2);
    expect(await storage.list('live/t/renders/')).toEqual([]);
    await expect(storage.erase('live/t/')).rejects.toThrow(RangeError);
  });

  it('gives back what was put, whole, and nothing but that lies in the folder', async () => {
    await storage.put(key, Buffer.from('first'));
    await storage.put(key, Buffer.from('second'));
    expect((await storage.get(key)).toString()).toBe('second');
    expect(readdirSync(join(directory, key, '..'))).toEqual(['01K9Z7J0V4M2Q8T6R3N5B1C7DE.png']);
    const opened = await storage.openRead(key);
    expect(opened).toMatchObject({ sizeBytes: 6, contentType: 'image/png' });
    expect((await buffer(opened.stream)).toString()).toBe('second');
  });

  it('says so when there is no such object', async () => {
    await expect(storage.get(key)).rejects.toThrow(ObjectNotFound);
    await expect(storage.openRead(key)).rejects.toThrow(ObjectNotFound);
    await storage.put(key, Buffer.from('x'));
    await expect(storage.openRead('live')).rejects.toThrow(ObjectNotFound);
    await expect(storage.openRead(`${key}/x.png`)).rejects.toThrow(ObjectNotFound);
  });

  it.each([
    '../x.png',
    'a/../x.png',
    '/etc/passwd',
    'a//b',
    'a/',
    '',
    '.x',
    'a/.x',
    'a\0',
    'a\\b',
    'x'.repeat(200),
  ])('has no way out of its folder: %j', async (wrong) => {
    await expect(storage.put(wrong, Buffer.from('x'))).rejects.toThrow(RangeError);
    await expect(storage.get(wrong)).rejects.toThrow(ObjectNotFound);
    expect(storage.allows({ key: wrong, expires: 99_999_999_999, signature: 'x' })).toBe(false);
  });

  it('signs URLs that allow one object for a while', async () => {
    const url = await storage.presignGet(key);
    const read = readOf(url);
    expect(storage.allows(read)).toBe(true);
    expect(storage.allows({ ...read, key: key.replace('live', 'test') })).toBe(false);
    expect(storage.allows({ ...read, expires: read.expires + 1 })).toBe(false);
    expect(storage.allows({ ...read, signature: `${read.signature}x` })).toBe(false);
    now += 14 * 60_000;
    expect(storage.allows(read)).toBe(true);
    now += 2 * 60_000 + 1;
    expect(storage.allows(read)).toBe(false);
  });

  it('gives the same URL for a minute, so that it can be kept with what it leads to', async () => {
    const first = await storage.presignGet(key);
    now += 59_000;
    expect(await storage.presignGet(key)).toBe(first);
    now += 2_000;
    expect(await storage.presignGet(key)).not.toBe(first);
  });
});
