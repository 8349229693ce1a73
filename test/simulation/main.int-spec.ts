import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const main = join(process.cwd(), 'dist/test/simulation/main.js');

function simulate(...options: string[]): Promise<{ code: unknown; out: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...options], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, out: stdout + stderr }),
    );
  });
}

describe('npm run simulate', () => {
  it('draws where it starts, and says so', async () => {
    const runs = [await simulate('--seeds', '1'), await simulate('--seeds', '1')];
    const starts = runs.map(({ code, out }) => {
      expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('Everything held.') });
      const [, first, last] = /^Seeds (\d+) to (\d+)$/m.exec(out) ?? [];
      expect(last).toBe(first);
      return first;
    });
    expect(starts[0]).not.toBe(starts[1]);
  });

  it('finds the same in each seed, however many threads share them', async () => {
    const seeds = ['--from', '701740', '--seeds', '40'];
    const [alone, shared] = await Promise.all([
      simulate(...seeds, '--threads', '1'),
      simulate(...seeds, '--threads', '2'),
    ]);
    const counted = ({ out }: { out: string }) => {
      const [, turns, events] = /40 of 40 seeds.* (\d+) turns.* (\d+) events/.exec(out) ?? [];
      return { turns: Number(turns), events: Number(events) };
    };
    expect(counted(alone).turns).toBeGreaterThan(40);
    expect(counted(shared)).toEqual(counted(alone));
  });

  it('ends with 1 on a find, and says how to repeat it', async () => {
    const { code, out } = await simulate('--bug', 'queue-before-debit', '--from', '1', '--seeds', '60');
    expect(code).toBe(1);
    const [, repeat] = /npm run simulate -- (--seed .*)$/m.exec(out) ?? [];
    const again = await simulate(...(repeat ?? '').split(' '));
    expect(again.code).toBe(1);
    expect(/^Broken: .*$/m.exec(again.out)?.[0]).toBe(/^Broken: .*$/m.exec(out)?.[0]);
  });

  it('refuses what is no number', async () => {
    expect(await simulate('--seeds=many')).toMatchObject({
      code: 2,
      out: expect.stringContaining('whole number'),
    });
  });
});
