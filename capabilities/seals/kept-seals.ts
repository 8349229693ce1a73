import { CallRefused } from '#operator-calls/call-refused.js';
import { isGenuine, type Seal } from './seal.js';

/** Parses seals in the form of `seal export`, one a line. @throws CallRefused for a seal that no key has signed */
export function parseKeptSeals(text: string, file: string): Seal[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new CallRefused(`${file} holds no seal`);
  return lines.map((line, index) => {
    const seal = parsed(line, `line ${index + 1} of ${file}`) as Seal;
    if (isGenuine(seal)) return seal;
    throw new CallRefused(`line ${index + 1} of ${file} is no seal, or was altered since it was signed`);
  });
}

/** Parses JSON. The signature shows later whether the value is genuine. @throws CallRefused */
export function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CallRefused(`${where} is not JSON`);
  }
}
