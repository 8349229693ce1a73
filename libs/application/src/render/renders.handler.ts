import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Environment } from '#domain/streams.js';
import type { Caller } from '../caller.js';
import type { Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import type { Page, PageRequest } from '../page.js';

/** A finished picture, under the id of the job that made it. */
export interface RenderView {
  readonly publicId: string;
  readonly jobType: string;
  readonly label: string;
  readonly kind: string;
  readonly width: number;
  readonly height: number;
  readonly storageKey: string;
  readonly createdAt: Date;
}

/** The renders gallery of one environment. */
export abstract class RenderReads {
  /** Newest first. */
  abstract list(tenant: string, page: PageRequest): Promise<Page<RenderView>>;
  abstract find(tenant: string, publicId: string): Promise<RenderView | undefined>;
}

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
    private readonly renders: Readonly<Record<Environment, RenderReads>>,
    private readonly consistency: ReadYourWrites,
  ) {}

  execute({ caller, page, token }: ListRenders): Promise<Fresh<Page<RenderView>>> {
    return this.consistency.read(caller, 'renders', token, () =>
      this.renders[caller.environment].list(caller.tenant, page),
    );
  }
}

@QueryHandler(GetRender)
export class GetRenderHandler implements IQueryHandler<GetRender> {
  constructor(
    private readonly renders: Readonly<Record<Environment, RenderReads>>,
    private readonly consistency: ReadYourWrites,
  ) {}

  async execute({ caller, publicId, token }: GetRender): Promise<RenderView | undefined> {
    const found = await this.consistency.read(caller, 'renders', token, () =>
      this.renders[caller.environment].find(caller.tenant, publicId),
    );
    return found.value;
  }
}
