import { ApiPropertyOptional } from '@nestjs/swagger';
import type { Caller } from '#application/command-context.js';

/** The persons whom a thing of the API is about. */
export function DataSubjectsProperty(): PropertyDecorator {
  return ApiPropertyOptional({
    description:
      'Your own names for the persons whom it is about. Absent where none is named, and in answers to a client token.',
    type: [String],
    example: ['customer-4711'],
  });
}

/** A client token is in the hands of the tenant's user, who does not learn the tenant's names for persons. */
export function shownSubjects(
  names: readonly string[] | null | undefined,
  { scope }: Pick<Caller, 'scope'>,
): { data_subjects?: string[] } {
  return scope || !names || names.length === 0 ? {} : { data_subjects: [...names] };
}
