/** This engine's name in provenance and in `image_model`. */
export const MODEL = 'sketch-1';
