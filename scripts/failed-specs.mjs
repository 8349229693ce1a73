import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * A reporter for Vitest. It writes the paths of the files with a failure to `.atelier/failed-specs`, one a
 * line, for `.ci/run`.
 */
export class FailedSpecs {
  path = join(process.cwd(), '.atelier', 'failed-specs');

  onTestRunStart() {
    rmSync(this.path, { force: true });
  }

  onTestRunEnd(modules) {
    const failed = modules.filter((module) => !module.ok());
    if (failed.length === 0) return;
    mkdirSync(join(this.path, '..'), { recursive: true });
    writeFileSync(
      this.path,
      failed.map(({ moduleId }) => relative(process.cwd(), moduleId)).join('\n') + '\n',
    );
  }
}
