import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { PreparedAnswer } from '#platform/prepared-answer.js';

/**
 * Makes each page of a controller once, at its first request. A page depends only on its handler and `:name`.
 */
export class PreparedPages implements NestInterceptor<string | Buffer, Buffer | undefined> {
  private readonly pages = new Map<string, Promise<PreparedAnswer>>();

  async intercept(
    context: ExecutionContext,
    next: CallHandler<string | Buffer>,
  ): Promise<Observable<Buffer | undefined>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest<{ Params: { name?: string } }>>();
    const name = `${context.getHandler().name} ${request.params.name ?? ''}`;
    let page = this.pages.get(name);
    if (!page) {
      page = lastValueFrom(next.handle()).then((document) => PreparedAnswer.of(document));
      this.pages.set(name, page);
      // There is no page of that name, or it cannot be read now. The next request tries again.
      page.catch(() => this.pages.delete(name));
    }
    return of((await page).answer(request, http.getResponse<FastifyReply>()));
  }
}
