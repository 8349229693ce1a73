import { relative } from 'node:path';
import { BaseSequencer, startVitest } from 'vitest/node';

/* Takes specs as arguments, runs them in that order, one at a time, and sends the result of each test. */
const specs = process.argv.slice(2);

class InOrder extends BaseSequencer {
  sort(files) {
    const place = ({ moduleId }) => specs.indexOf(relative(process.cwd(), moduleId));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

const reporter = {
  onTestCaseResult(test) {
    const failed = test.result().state === 'failed';
    process.send({ test: test.fullName, spec: test.module.relativeModuleId, failed });
  },
  onTestModuleEnd(module) {
    const spec = module.relativeModuleId;
    const [error] = module.errors();
    if (!module.ok()) process.send({ test: `${spec}: ${error?.message ?? 'a hook'}`, spec, failed: true });
  },
  onTestRunEnd: (_, [error]) => error && process.send({ test: error.message, failed: true }),
};

const vitest = await startVitest('test', specs, {
  watch: false,
  bail: 1,
  maxWorkers: 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  reporters: [reporter],
  sequence: { sequencer: InOrder },
});
await vitest.close();
process.disconnect();
