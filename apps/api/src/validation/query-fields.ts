import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { BooleanField, IntegerField } from './fields.js';

/** An integer that arrives as text. What is not plainly one stays text, and the rule then refuses it. */
export function IntegerQuery(options: {
  description: string;
  min: number;
  max: number;
  default?: number;
}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value,
    ),
    IntegerField({ ...options, nullable: false }),
  );
}

/** `true` or `false`, in these letters. */
export function BooleanQuery(options: { description: string; default?: boolean }): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      value === 'true' ? true : value === 'false' ? false : value,
    ),
    BooleanField({ ...options, nullable: false }),
  );
}

/** Larger than any list that somebody pages through, small enough for the database not to mind. */
export const deepestOffset = 1_000_000;

/** One page of a list, newest first. */
export class PageQuery {
  @IntegerQuery({ description: 'Rows on the page.', min: 1, max: 200, default: 50 })
  limit: number = 50;

  @IntegerQuery({ description: 'Rows before the page.', min: 0, max: deepestOffset, default: 0 })
  offset: number = 0;
}
