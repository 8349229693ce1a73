export const MODEL = 'sketch-1';
