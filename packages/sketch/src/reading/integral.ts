/** The nearest whole place between 0 and `end`. */
const clipped = (v: number, end: number): number => (v < 0 ? 0 : v > end ? end : (v + 0.5) | 0);

/** Sums over rectangles in constant time. */
export class Integral {
  private readonly table: Float64Array;

  constructor(
    values: ArrayLike<number>,
    readonly width: number,
    readonly height: number,
  ) {
    const stride = width + 1;
    this.table = new Float64Array(stride * (height + 1));
    for (let y = 0; y < height; y++) {
      let row = 0;
      for (let x = 0; x < width; x++) {
        row += values[y * width + x] ?? 0;
        this.table[(y + 1) * stride + x + 1] = (this.table[y * stride + x + 1] ?? 0) + row;
      }
    }
  }

  /** Mean over [left, right) × [top, bottom), clipped to the picture; 0 where nothing is left. */
  mean(left: number, top: number, right: number, bottom: number): number {
    const x0 = clipped(left, this.width);
    const x1 = clipped(right, this.width);
    const y0 = clipped(top, this.height);
    const y1 = clipped(bottom, this.height);
    if (x1 <= x0 || y1 <= y0) return 0;
    const stride = this.width + 1;
    const at = (x: number, y: number): number => this.table[y * stride + x] ?? 0;
    return (at(x1, y1) - at(x0, y1) - at(x1, y0) + at(x0, y0)) / ((x1 - x0) * (y1 - y0));
  }
}
