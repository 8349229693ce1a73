import { describe, expect, it } from 'vitest';
import { EngineError, type EngineErrorClass } from '@atelier/engine';
import { afterEngineError } from './retry-policy.js';

function after(errorClass: EngineErrorClass, attempt: number, retryAfterMs?: number) {
  return afterEngineError(new EngineError(errorClass, 'a reason', retryAfterMs), attempt);
}

describe('what follows on an engine error', () => {
  it.each([
    ['bad_input', 'ENGINE_REJECTED_INPUT', false],
    ['policy', 'ENGINE_POLICY', false],
    ['outcome_unknown', 'ENGINE_OUTCOME_UNKNOWN', false],
    ['misconfigured', 'ENGINE_MISCONFIGURED', true],
  ] as const)('%s fails at once', (errorClass, code, alarm) => {
    expect(after(errorClass, 1)).toEqual({ kind: 'fail', code, alarm });
  });

  it('no_image is tried once more', () => {
    expect(after('no_image', 1)).toMatchObject({ kind: 'retry' });
    expect(after('no_image', 2)).toEqual({ kind: 'fail', code: 'ENGINE_NO_IMAGE', alarm: false });
  });

  it.each(['outcome_unknown', 'no_image'] as const)(
    '%s is tried until the attempts are used up for a caller who asked for that',
    (errorClass) => {
      const insistently = (attempt: number) =>
        afterEngineError(new EngineError(errorClass, ''), attempt, true);
      expect(insistently(1)).toMatchObject({ kind: 'retry' });
      expect(insistently(2)).toMatchObject({ kind: 'retry' });
      expect(insistently(3)).toMatchObject({ kind: 'fail' });
    },
  );

  it.each(['policy', 'bad_input', 'misconfigured'] as const)(
    '%s fails at once all the same',
    (errorClass) => {
      expect(afterEngineError(new EngineError(errorClass, ''), 1, true)).toMatchObject({ kind: 'fail' });
    },
  );

  it('capacity backs off, longer each time, until the attempts are used up', () => {
    expect(after('capacity', 1)).toEqual({ kind: 'retry', afterMs: 1_000 });
    expect(after('capacity', 2)).toEqual({ kind: 'retry', afterMs: 2_000 });
    expect(after('capacity', 3)).toEqual({ kind: 'fail', code: 'ENGINE_CAPACITY', alarm: false });
  });

  it('capacity waits as long as the engine asked, within bounds', () => {
    expect(after('capacity', 1, 30_000)).toEqual({ kind: 'retry', afterMs: 30_000 });
    expect(after('capacity', 1, 10 ** 9)).toEqual({ kind: 'retry', afterMs: 900_000 });
  });
});
