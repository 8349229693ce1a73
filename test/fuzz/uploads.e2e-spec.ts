import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc, { type Arbitrary } from 'fast-check';
import { ApiService, type Tenant } from '../api/support/api-service.js';
import type { ApiClient } from '../api/support/api-client.js';
import { photographs } from './pictures.js';

/** `npm run fuzz` sends 10,000; the tests send fewer. */
const cases = Number(process.env['FUZZ_UPLOADS'] ?? 60);
const seed = process.env['FUZZ_SEED'] === undefined ? {} : { seed: Number(process.env['FUZZ_SEED']) };
const lanes = 4;

/**
 * Room for the memory that a decoder may keep, and less than the sum if one small picture in a hundred leaked.
 */
const roomMb = 400;

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;
let originals: readonly Buffer[];

beforeAll(async () => {
  service = await ApiService.start({ projector: false });
  api = await service.openApi();
  tenant = await service.openTenant({ terms: { rateLimitPerMin: 10_000_000 } });
  originals = await photographs();
});
afterAll(() => service[Symbol.asyncDispose]());

type Mutation = (bytes: Buffer) => Buffer;

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const mutations: Arbitrary<Mutation> = fc.oneof(
  fc.array(fc.tuple(share, fc.nat(255)), { minLength: 1, maxLength: 40 }).map((hits): Mutation => (bytes) => {
    for (const [at, value] of hits) bytes[Math.floor(at * bytes.length)] = value;
    return bytes;
  }),
  // The first bytes hold the format and the size; a change there does the most harm.
  fc
    .array(fc.tuple(fc.nat(63), fc.nat(255)), { minLength: 1, maxLength: 6 })
    .map((hits): Mutation => (bytes) => {
      for (const [at, value] of hits) bytes[at] = value;
      return bytes;
    }),
  share.map(
    (at): Mutation =>
      (bytes) =>
        bytes.subarray(0, Math.floor(at * bytes.length)),
  ),
  fc.tuple(share, share).map(([from, to]): Mutation => (bytes) => {
    const [start, end] = [from, to].map((at) => Math.floor(at * bytes.length)) as [number, number];
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(Math.min(start, end))]);
  }),
  fc.uint8Array({ maxLength: 400 }).map(
    (noise): Mutation =>
      (bytes) =>
        Buffer.concat([bytes, noise]),
  ),
);

describe('POST /v1/uploads', () => {
  it(
    `takes ${cases} damaged pictures without a crash, in bounded memory`,
    async () => {
      const seen = new Map<number, number>();
      const before = process.memoryUsage.rss();
      let most = before;
      const damaged = fc.tuple(fc.nat(), fc.array(mutations, { minLength: 1, maxLength: 3 }));
      const property = fc.asyncProperty(damaged, async ([which, steps]) => {
        const original = Buffer.from(originals[which % originals.length]!);
        const bytes = steps.reduce<Buffer>((older, mutate) => mutate(older), original);
        const { status, body } = await api.upload(tenant.key, new Uint8Array(bytes));
        seen.set(status, (seen.get(status) ?? 0) + 1);
        most = Math.max(most, process.memoryUsage.rss());
        if (status >= 500) throw new Error(`${status} ${JSON.stringify(body)}`);
      });
      const run = () => fc.assert(property, { numRuns: Math.ceil(cases / lanes), ...seed });
      await Promise.all(Array.from({ length: lanes }, run));
      if (process.env['FUZZ_UPLOADS']) console.table(Object.fromEntries(seen));

      expect((most - before) / 2 ** 20).toBeLessThan(roomMb);
      // Some mutants must still be pictures and some must not be, so that both outcomes are tested.
      expect([...seen.keys()].some((status) => status < 300)).toBe(true);
      expect([...seen.keys()].some((status) => status >= 400)).toBe(true);
      expect((await api.get('/health/live')).status).toBe(200);
      expect((await api.upload(tenant.key, new Uint8Array(originals[0]!))).status).toBeLessThan(300);
    },
    30 * 60_000,
  );
});
