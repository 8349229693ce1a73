import type { Mask } from './mask.js';

interface Run {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** A garment's outline read row by row, in mask pixels. */
export class Silhouette {
  readonly runs: readonly (readonly Run[])[];
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  /** The garment's own middle line. */
  readonly centre: number;

  constructor(readonly mask: Mask) {
    this.runs = Array.from({ length: mask.height }, (_, y) => rowRuns(mask, y));
    const filled = this.runs.flatMap((runs, y) => (runs.length > 0 ? [y] : []));
    this.top = filled[0] ?? 0;
    this.bottom = filled[filled.length - 1] ?? 0;
    this.left = Math.min(mask.width, ...this.runs.flatMap((runs) => runs.map((r) => r.from)));
    this.right = Math.max(0, ...this.runs.flatMap((runs) => runs.map((r) => r.to)));
    this.centre = this.middle();
  }

  get height(): number {
    return this.bottom - this.top + 1;
  }

  get width(): number {
    return this.right - this.left;
  }

  /** Row at a share of the height, 0 top to 1 bottom. */
  row(share: number): number {
    return Math.round(this.top + (this.height - 1) * share);
  }

  /** From the leftmost to the rightmost pixel of a row. */
  extent(y: number): Run {
    const runs = this.runs[y] ?? [];
    return { from: runs[0]?.from ?? this.centre, to: runs[runs.length - 1]?.to ?? this.centre };
  }

  /** The run that holds the middle line, or the widest if none does. */
  central(y: number): Run {
    const runs = this.runs[y] ?? [];
    const holding = runs.find((r) => r.from <= this.centre && r.to > this.centre);
    const widest = [...runs].sort((a, b) => b.to - b.from - (a.to - a.from))[0];
    return holding ?? widest ?? { from: this.centre, to: this.centre };
  }

  /**
   * The part of a row that belongs to a body of the given half-breadth. Open fronts and vents may split it;
   * sleeves do not belong to it.
   */
  body(y: number, half: number): Run {
    const near = (this.runs[y] ?? []).filter(
      (r) => r.from < this.centre + half * 0.8 && r.to > this.centre - half * 0.8,
    );
    const [first, last] = [near[0], near[near.length - 1]];
    return first && last ? { from: first.from, to: last.to } : this.central(y);
  }

  /** First filled row in a column, at or below the garment's top. */
  topAt(x: number): number {
    const column = Math.min(this.mask.width - 1, Math.max(0, Math.round(x)));
    for (let y = this.top; y <= this.bottom; y++) if (this.mask.data[y * this.mask.width + column]) return y;
    return this.bottom;
  }

  /** The median of the rows' midpoints, because sleeves of unequal length hardly move it. */
  private middle(): number {
    const mids = this.runs
      .flatMap((runs) => {
        const [first, last] = [runs[0], runs[runs.length - 1]];
        return first && last ? [(first.from + last.to) / 2] : [];
      })
      .sort((a, b) => a - b);
    return mids[mids.length >> 1] ?? this.mask.width / 2;
  }
}

function rowRuns(mask: Mask, y: number): Run[] {
  const runs: Run[] = [];
  let from = -1;
  for (let x = 0; x <= mask.width; x++) {
    const inside = x < mask.width && mask.data[y * mask.width + x] === 1;
    if (inside && from < 0) from = x;
    if (!inside && from >= 0) {
      // Slivers of a few pixels are threads or noise, not parts of the garment.
      if (x - from > 3) runs.push({ from, to: x });
      from = -1;
    }
  }
  return runs;
}
