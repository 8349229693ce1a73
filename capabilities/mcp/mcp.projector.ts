import { Module } from '@nestjs/common';
import { PastQuotes } from './past-quotes.js';

/** Erases the words of quotes that can no longer be ordered. */
@Module({ providers: [PastQuotes] })
export class McpProjectorModule {}
