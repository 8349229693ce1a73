import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { dispatchChecks } from '#capabilities/parts.js';
import { DispatchCheck, type AskedOfCheck, type CheckAnswer } from './dispatch-check.js';

/** The checks of all capabilities. The first refusal counts, and the first permit for each person. */
@Injectable()
export class DispatchChecks extends DispatchCheck implements OnModuleInit {
  private all: readonly DispatchCheck[] = [];

  constructor(private readonly modules: ModuleRef) {
    super();
  }

  async onModuleInit(): Promise<void> {
    const types = await dispatchChecks();
    this.all = types.map((type) => this.modules.get<DispatchCheck>(type, { strict: false }));
  }

  async check(asked: AskedOfCheck): Promise<CheckAnswer> {
    let permits: readonly (string | null)[] | undefined;
    for (const each of this.all) {
      const answer = await each.check(asked);
      if (answer.kind === 'refused') return answer;
      const earlier = permits;
      permits = earlier?.map((permit, index) => permit ?? answer.permits?.[index] ?? null) ?? answer.permits;
    }
    return { kind: 'allowed', ...(permits && { permits }) };
  }
}
