import { readFileSync } from 'node:fs';
import { messageOf } from '#platform/errors.js';
import { CallRefused } from './call-refused.js';

/** The content of a file that the operator names. @throws CallRefused */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CallRefused(`${file} cannot be read: ${messageOf(error)}`);
  }
}
