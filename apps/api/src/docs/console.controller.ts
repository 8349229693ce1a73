import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Configuration } from '#platform/configuration.js';
import { ConsoleFiles } from '#platform/console-files.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { Public } from '../auth/api-key.guard.js';
import { notFound } from '../http/api-error.js';

/** The pages for integrators. They are no secret: what they show, they ask `/v1` for, with the caller's key. */
@ApiExcludeController()
@Controller()
@Public()
export class ConsoleController {
  private files: Promise<ConsoleFiles> | undefined;

  constructor(
    @Inject(Configuration) private readonly configuration: Pick<Configuration, 'publicUrl'>,
    private readonly storage: ObjectStorage,
  ) {}

  @Get(['/console', '/console/*'])
  async get(@Param('*') path: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    this.files ??= this.open();
    const file = await (await this.files).file(path ?? '');
    if (!file) throw notFound('file');
    await reply.headers(file.headers).send(file.body);
  }

  /** Pictures come from where their URLs lead: smaller ones from here, the others from the storage. */
  private async open(): Promise<ConsoleFiles> {
    const urls = [this.configuration.publicUrl, await this.storage.presignGet('picture')];
    return new ConsoleFiles('tenant', [...new Set(urls.map((url) => new URL(url).origin))]);
  }
}
