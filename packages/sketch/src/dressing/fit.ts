import type { GarmentClass } from '../cutout/classify.js';
import type { Point } from '../drawing/geometry.js';
import type { ArmPose } from '../figure/rig.js';
import type { Silhouette } from '../cutout/silhouette.js';
import type { Mesh } from './mesh.js';
import type { Sleeve } from './sleeve.js';

/** Which part of the cut-out a mesh carries. */
type GarmentPart = 'body' | 'left' | 'right';

/** A mesh whose source is in mask pixels and whose target is in figure units. */
export interface FittedPart {
  readonly part: GarmentPart;
  readonly mesh: Mesh;
}

/** How a garment sits on the figure. */
export interface Fit {
  readonly garmentClass: GarmentClass;
  /** Back to front. */
  readonly parts: readonly FittedPart[];
  /** 1 where the mask pixel belongs to the part. */
  readonly owns: Readonly<Record<GarmentPart, Uint8Array>>;
  /** The pose of the arms in which the hands come out of the sleeves. */
  readonly arms?: Readonly<Record<'left' | 'right', ArmPose>>;
  /** Where on the leg the drawn trousers end, 0–1; 0: none. */
  readonly legwear: number;
  /** The drawn trousers are only the garment's lining and take its colour. */
  readonly lining?: boolean;
  /** The parts of bare arms that are drawn again in front of the garment. */
  readonly armsInFront: 'all' | 'forearms' | 'none';
  /** Height at which the front of a closed collar begins; absent if the neckline is open. */
  readonly collar?: number;
  /** Lowest point of the garment in figure units. */
  readonly hem: number;
}

/** Piecewise linear through (source, target) rows; straight on beyond the ends. */
export function piecewise(rows: readonly Point[]): (at: number) => number {
  return (at) => {
    let i = 0;
    while (i < rows.length - 2 && at > (rows[i + 1]?.[0] ?? 0)) i++;
    const [a, b] = [rows[i] ?? [0, 0], rows[i + 1] ?? [1, 1]];
    return a[1] + ((at - a[0]) / Math.max(1e-6, b[0] - a[0])) * (b[1] - a[1]);
  };
}

/** Shares the pixels of a cut-out among its sleeves and the rest. */
export function ownership(shape: Silhouette, sleeves: readonly Sleeve[]): Fit['owns'] {
  const body = new Uint8Array(shape.mask.data);
  const none = new Uint8Array(body.length);
  for (const { owns } of sleeves) for (let i = 0; i < body.length; i++) if (owns[i]) body[i] = 0;
  return {
    body,
    left: sleeves.find((s) => s.side === -1)?.owns ?? none,
    right: sleeves.find((s) => s.side === 1)?.owns ?? none,
  };
}
