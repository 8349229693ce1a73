import type { Environment } from '#domain/environment.js';

/** An upload that a caller would get again instead of a new one. */
export interface AskedOfReuse {
  readonly environment: Environment;
  readonly tenant: string;
  readonly storedAt: Date;
  readonly at: Date;
}

/** Asked before an upload is given again. It refuses one that is erased soon, so that a new one is stored. */
export abstract class ReuseCheck {
  abstract mayReuse(asked: AskedOfReuse): Promise<boolean>;
}
