import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { likenessOf, pictureFinishers } from '#capabilities/parts.js';
import { PictureFinisher, type FinishedPicture } from './finished-pictures.js';

/** The finishers of all capabilities, one after the other. */
@Injectable()
export class PictureFinishers extends PictureFinisher implements OnModuleInit {
  private all: readonly PictureFinisher[] = [];
  private readonly findLikeness = likenessOf?.();

  constructor(private readonly modules: ModuleRef) {
    super();
  }

  async onModuleInit(): Promise<void> {
    const types = await pictureFinishers();
    this.all = types.map((type) => this.modules.get<PictureFinisher>(type, { strict: false }));
  }

  async finish(picture: FinishedPicture): Promise<Buffer> {
    let { bytes } = picture;
    for (const finisher of this.all) bytes = await finisher.finish({ ...picture, bytes });
    return bytes;
  }

  override async likenessOf(bytes: Uint8Array): Promise<string | undefined> {
    return (await this.findLikeness)?.(bytes);
  }
}
