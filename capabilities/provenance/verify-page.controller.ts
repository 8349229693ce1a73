import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Post,
  Req,
  Res,
  UseGuards,
  type CanActivate,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '#api/auth/api-key.guard.js';
import { ApiError, notFound } from '#api/http/api-error.js';
import { BoundedConcurrency } from '#platform/bounded-concurrency.js';
import { Attempts } from '#application/limits/attempts.js';
import { Configuration } from '#platform/configuration.js';
import { ConsoleFiles } from '#platform/console-files.js';
import { carrierOf } from './carriers.js';
import type { OriginResponse, VerificationResponse } from './provenance.dto.js';
import { Verification, VerificationPlaces, type Asking } from './verification.js';

/** How many pictures one address may send in a minute, to each API process. */
const picturesPerMinute = 20;

/** This environment and tenant own nothing. */
const stranger: Asking = { environment: 'live', tenant: '' };

interface PublicVerdict extends Pick<
  VerificationResponse,
  'verdict' | 'looks_alike' | 'sha256' | 'credentials'
> {
  readonly origin: Pick<
    OriginResponse,
    'environment' | 'workflow' | 'engine' | 'model' | 'created_at'
  > | null;
}

@Injectable()
class OnlyIfOffered implements CanActivate {
  constructor(@Inject(Configuration) private readonly configuration: Pick<Configuration, 'provenance'>) {}

  canActivate(): true {
    if (this.configuration.provenance.verifyPage) return true;
    throw notFound('page');
  }
}

/**
 * `/verify`: where a picture comes from, for people without a key. It answers less than `POST /v1/verify`: neither the job
 * nor anything about who ordered it.
 */
@ApiExcludeController()
@Controller('/verify')
@Public()
@UseGuards(OnlyIfOffered)
export class VerifyPageController {
  private readonly files = new ConsoleFiles('verify', []);
  private readonly sent = new Attempts(picturesPerMinute);
  /** Apart from that of callers with a key, so that strangers take no place from them. */
  private readonly places = new VerificationPlaces(
    new BoundedConcurrency(2, 8, () => tooMany(2, 'Many pictures are checked now.')),
  );

  constructor(private readonly verification: Verification) {}

  @Get()
  async page(@Res() reply: FastifyReply): Promise<void> {
    const file = await this.files.file('');
    if (!file) throw notFound('page');
    await reply.headers(file.headers).send(file.body);
  }

  @Post()
  @HttpCode(200)
  @RouteConfig({ streamsBody: true })
  async verify(@Req() request: FastifyRequest): Promise<PublicVerdict> {
    const wait = this.sent.take(request.ip);
    if (wait > 0) throw tooMany(wait, 'Your network has sent many pictures.');
    return withoutOwner(await this.verification.ofUpload(stranger, request, this.places, requirePicture));
  }
}

function withoutOwner({ origin, ...verdict }: VerificationResponse): PublicVerdict {
  if (!origin) return { ...verdict, origin };
  const { environment, workflow, engine, model, created_at } = origin;
  return { ...verdict, origin: { environment, workflow, engine, model, created_at } };
}

function requirePicture(bytes: Buffer): void {
  if (carrierOf(bytes)) return;
  const message = 'This file is no picture that can be checked. Choose a JPEG, PNG, WebP or AVIF.';
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', message);
}

function tooMany(seconds: number, why: string): ApiError {
  const headers = { 'retry-after': String(seconds) };
  return new ApiError('RATE_LIMITED', `${why} Try again in ${seconds} seconds.`, { headers });
}
