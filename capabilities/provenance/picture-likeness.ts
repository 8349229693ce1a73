import type { FindsLikeness } from '../capability.js';
import { greyOf, likenessOf } from './likeness.js';

export const likenessOfPicture: FindsLikeness = async (bytes) => {
  const { default: sharp } = await import('sharp');
  const grey = await greyOf(sharp(bytes));
  return grey && likenessOf(grey);
};
