import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '../caller.js';
import { type Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import { type Page, type PageRequest, type RenderView, ReadModels } from '../read-models.js';

export class ListRenders extends Query<Fresh<Page<RenderView>>> {
  constructor(
    readonly caller: Caller,
    readonly page: PageRequest,
    readonly token?: bigint,
  ) {
    super();
  }
}

export class GetRender extends Query<RenderView | undefined> {
  constructor(
    readonly caller: Caller,
    readonly publicId: string,
    readonly token?: bigint,
  ) {
    super();
  }
}

@QueryHandler(ListRenders)
export class ListRendersHandler implements IQueryHandler<ListRenders> {
  constructor(
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  execute({ caller, page, token }: ListRenders): Promise<Fresh<Page<RenderView>>> {
    return this.consistency.read(caller, 'renders', token, () =>
      this.reads.of(caller.environment).renders.list(caller.tenant, page),
    );
  }
}

@QueryHandler(GetRender)
export class GetRenderHandler implements IQueryHandler<GetRender> {
  constructor(
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  async execute({ caller, publicId, token }: GetRender): Promise<RenderView | undefined> {
    const found = await this.consistency.read(caller, 'renders', token, () =>
      this.reads.of(caller.environment).renders.find(caller.tenant, publicId),
    );
    return found.value;
  }
}
