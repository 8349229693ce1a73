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
    const clamp = (v: number, most: number): number => Math.max(0, Math.min(most, Math.round(v)));
    const [x0, x1] = [clamp(left, this.width), clamp(right, this.width)];
    const [y0, y1] = [clamp(top, this.height), clamp(bottom, this.height)];
    if (x1 <= x0 || y1 <= y0) return 0;
    const stride = this.width + 1;
    const at = (x: number, y: number): number => this.table[y * stride + x] ?? 0;
    return (at(x1, y1) - at(x0, y1) - at(x1, y0) + at(x0, y0)) / ((x1 - x0) * (y1 - y0));
  }
}
