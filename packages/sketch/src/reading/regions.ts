import type { Stance } from '../casting/figure-spec.js';
import type { Person } from '../composition/person.js';
import type { ShotFraming } from '../composition/shot.js';
import type { Slot } from '../cutout/classify.js';
import type { Mask } from '../cutout/mask.js';
import type { Raster } from '../drawing/rasterise.js';
import type { Photograph } from './photograph.js';

/** What a picture is of, told from the ground that it stands or lies on. */
export interface Subject {
  /** At the size of the small picture; empty where nothing could be told. */
  readonly mask: Mask;
  /** Share of the picture, 0–1. */
  readonly share: number;
  /** The ground is one plain colour with no more than a fall of light in it. */
  readonly plainGround: boolean;
}

/** One garment of a picture. */
export interface GarmentRegion {
  readonly slot: Slot;
  /** At the size of the small picture. */
  readonly mask: Mask;
  /** Share of the picture, 0–1. */
  readonly areaShare: number;
  /** How clearly it is set off from what is around it, 0–1; absent where the picture itself tells its outline. */
  readonly confidence?: number;
  /** The garment alone, cropped, clear around it. */
  cut(): Promise<Raster>;
}

/** Everything that is told apart in one picture. */
export interface Reading {
  readonly photograph: Photograph;
  readonly subject: Subject;
  /** Largest first. */
  readonly garments: readonly GarmentRegion[];
  /** In a picture that this engine composed. */
  readonly figure?: DrawnFigure;
  /** In a photograph: whether its mask can be trusted. */
  readonly person?: 'clear' | 'unclear';
  /** Why there is no garment, and what to send. */
  readonly refusal: string;
}

/** Who stands in a picture that this engine composed, and how much of them it shows. */
interface DrawnFigure {
  /** Absent where the picture does not tell, as a catalogue shot of a preset. */
  readonly person?: Person;
  readonly shows: ShotFraming;
  readonly stance?: Stance;
  /** Share of the picture's height that a head takes. */
  readonly head: number;
}

export const shareOf = ({ data }: Mask): number => data.reduce((sum, v) => sum + v, 0) / data.length;
