import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Vitest's reporter that lists the files with a failure in `.atelier/failed-specs`, one path a line, for `.ci/run`. */
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
