import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { askForLink, type LinkAnswer } from '#platform/sign-in-link.js';
import { TextField } from '#validation/fields.js';
import { ApiError } from '../http/api-error.js';
import { NoIdempotencyKey, ValidBody } from '../http/valid-request.js';
import { Public } from './api-key.guard.js';

class SignInLinkBody {
  @TextField({ description: 'What follows `#link=` in the link.', min: 1, max: 100, required: true })
  token: string;
}

const another = 'Stop npm start with Ctrl-C and start it again: it prints another one. Or log in with a key.';

const refusals: Readonly<Record<Exclude<LinkAnswer['kind'], 'key' | 'failed'>, string>> = {
  used: `This link has signed a browser in already, and works only once. ${another}`,
  ended: `This link has ended: it works for 15 minutes after the start. ${another}`,
  unknown: `This link does not belong to the service that runs now. ${another}`,
};

/**
 * Exchanges the link that `npm start` printed for a key. Only the API of such a start has this route: the token comes in
 * the body, so that no log and no referrer has it.
 */
@ApiExcludeController()
@Controller('/console/sign-in')
@Public()
export class SignInLinkController {
  @Post()
  @HttpCode(200)
  @UseGuards(NoIdempotencyKey)
  async signIn(@ValidBody(SignInLinkBody) { token }: SignInLinkBody): Promise<{ key: string }> {
    const answer = await askForLink(token);
    if (answer.kind === 'key') return { key: answer.key };
    if (answer.kind === 'failed')
      throw new ApiError(
        'SERVICE_UNAVAILABLE',
        'The key could not be made; the link still works. Open it again in a moment.',
      );
    throw new ApiError('UNAUTHENTICATED', refusals[answer.kind]);
  }
}
