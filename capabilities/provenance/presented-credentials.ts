import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { presentCredentials, type CredentialsResponse } from './provenance.dto.js';
import type { Credentials } from './read-credentials.js';
import { judgeTime } from './time-stamped.js';

/** Credentials as both APIs show them, with their time judged by the operator's settings. */
@Injectable()
export class PresentedCredentials {
  constructor(
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async of(credentials: Credentials | null | undefined): Promise<CredentialsResponse | null> {
    if (!credentials) return null;
    const { authorities } = this.configuration.provenance.timeStamps;
    return presentCredentials(credentials, await judgeTime(credentials, authorities, this.clock()));
  }
}
