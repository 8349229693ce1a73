import { Injectable } from '@nestjs/common';
import type { AskedOfCheck, CheckAnswer, DispatchCheck } from '#application/dispatch/dispatch-check.js';
import { KnownReleases } from './known-releases.js';

/** Finds the releases under which a dispatch may use a person's pictures, and refuses it if the tenant requires one. */
@Injectable()
export class ReleaseCheck implements DispatchCheck {
  constructor(private readonly known: KnownReleases) {}

  async check({ environment, tenant, workflow, dataSubjects, at }: AskedOfCheck): Promise<CheckAnswer> {
    await this.known.whenRead();
    const asked = { operation: workflow, at: at.toISOString() };
    const permits = dataSubjects.map((name) => this.known.permit(environment, tenant, name, asked) ?? null);
    const missing = dataSubjects.find((_name, index) => permits[index] === null);
    if (missing !== undefined && this.known.rule(environment, tenant).required) {
      const message =
        `No release of "${missing}" covers ${workflow} now. Nothing was charged: grant one with POST /v1/releases, ` +
        'or leave out the pictures of this person.';
      return { kind: 'refused', refusal: { code: 'RELEASE_REQUIRED', message } };
    }
    return permits.every((permit) => permit === null) ? { kind: 'allowed' } : { kind: 'allowed', permits };
  }
}
