/** What provenance and `image_model` call this engine. */
export const MODEL = 'sketch-1';
