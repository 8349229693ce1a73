export { References as PictureReferences, type UnknownReference } from './references.js';
