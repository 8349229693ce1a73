import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { categoryById } from '@atelier/engine/garment-categories';
import type { Caller } from '../caller.js';
import { type Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import { ReadModels } from '../read-models.js';
import { verdictOn, type CandidateVerdict } from './candidate-verdict.js';

/** Which of the caller's catalogue garments may be seen with a product. Undefined: there is no such category. */
export class CheckCompatibility extends Query<Fresh<readonly CandidateVerdict[]> | undefined> {
  constructor(
    readonly caller: Caller,
    readonly productCategoryId: string,
    /** As the caller named them, in the order in which the verdicts are wanted. */
    readonly candidates: readonly string[],
    readonly token?: bigint,
  ) {
    super();
  }
}

@QueryHandler(CheckCompatibility)
export class CheckCompatibilityHandler implements IQueryHandler<CheckCompatibility> {
  constructor(
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  async execute({
    caller,
    productCategoryId,
    candidates,
    token,
  }: CheckCompatibility): Promise<Fresh<readonly CandidateVerdict[]> | undefined> {
    const product = categoryById(productCategoryId);
    if (!product) return undefined;
    const { environment, tenant } = caller;
    return this.consistency.read(caller, 'catalog', token, async () => {
      const entries = await this.reads
        .of(environment)
        .catalog.find(tenant, 'garments', [...new Set(candidates)]);
      const attributes = new Map(entries.map((entry) => [entry.assetId, entry.attributes]));
      return candidates.map((candidate) => verdictOn(candidate, product, attributes.get(candidate)));
    });
  }
}
