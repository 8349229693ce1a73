import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { jsonFile, zipOf, type ZippedFile } from './zip-stream.js';

const at = new Date('2026-01-31T12:00:00Z');

async function* failing(): AsyncGenerator<ZippedFile> {
  yield* await Promise.reject<ZippedFile[]>(new Error('the storage is away'));
}

it('holds the files in their order', async () => {
  async function* files() {
    yield await Promise.resolve(jsonFile('one.json', { a: 1 }));
    yield ['two/picture.png', Buffer.from('bytes')] as const;
  }
  const zip = await buffer(zipOf(files(), at));
  expect(zip.subarray(0, 2).toString()).toBe('PK');
  expect(zip.indexOf('one.json')).toBeLessThan(zip.indexOf('two/picture.png'));
  expect(zip.includes('bytes')).toBe(true);
});

it('that fails before its reader listens ends the reader, and not the process', async () => {
  const zip = zipOf(failing(), at);
  while (!zip.destroyed) await sleep(1);
  await sleep(1);
  await expect(buffer(zip)).rejects.toThrow();
});
