import type { Stance } from '../casting/figure-spec.js';
import type { Person } from '../composition/person.js';
import type { ShotFraming } from '../composition/shot.js';
import type { Slot } from '../cutout/classify.js';
import type { Mask } from '../cutout/mask.js';
import type { Raster } from '../drawing/rasterise.js';
import type { Photograph } from './photograph.js';

/** The subject of a picture, separated from its background. */
export interface Subject {
  /** At the size of the small picture; empty if nothing was found. */
  readonly mask: Mask;
  /** Share of the picture, 0–1. */
  readonly share: number;
  /** Whether the background is one plain colour, apart from a fall of light. */
  readonly plainGround: boolean;
}

/** One garment of a picture. */
export interface GarmentRegion {
  readonly slot: Slot;
  /** At the size of the small picture. */
  readonly mask: Mask;
  /** Share of the picture, 0–1. */
  readonly areaShare: number;
  /** How clearly it stands out from its surroundings, 0–1; absent if the picture's meta has its outline. */
  readonly confidence?: number;
  /** The garment alone, cropped, clear around it. */
  cut(): Promise<Raster>;
}

/** All the parts that are separated in one picture. */
export interface Reading {
  readonly photograph: Photograph;
  readonly subject: Subject;
  /** Largest first. */
  readonly garments: readonly GarmentRegion[];
  /** In a picture that this engine composed. */
  readonly figure?: DrawnFigure;
  /** Set if it shows a photographed person. Then neither the person nor the place behind them is extracted. */
  readonly person?: true;
  /** Why there is no garment, and what to send. */
  readonly refusal: string;
}

/** The person in a picture that this engine composed, and the visible part of them. */
interface DrawnFigure {
  /** Absent if the picture's meta does not say, as in a catalogue shot of a preset. */
  readonly person?: Person;
  readonly shows: ShotFraming;
  readonly stance?: Stance;
  /** Share of the picture's height that a head takes. */
  readonly head: number;
}
