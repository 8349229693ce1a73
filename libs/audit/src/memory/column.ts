type Numbers = Uint8Array | Uint32Array | Int32Array | Float64Array;

const firstCapacity = 1024;

/** One property of many things, by their number: a few bytes each, where an object would take a hundred. Begins as 0. */
export class Column {
  private values: Numbers;

  constructor(private readonly make: (length: number) => Numbers) {
    this.values = make(firstCapacity);
  }

  static readonly uint8 = (): Column => new Column((length) => new Uint8Array(length));
  static readonly uint32 = (): Column => new Column((length) => new Uint32Array(length));
  static readonly int32 = (): Column => new Column((length) => new Int32Array(length));
  static readonly float64 = (): Column => new Column((length) => new Float64Array(length));

  get(index: number): number {
    return index < this.values.length ? this.values[index]! : 0;
  }

  set(index: number, value: number): void {
    if (index >= this.values.length) this.grow(index);
    this.values[index] = value;
  }

  private grow(index: number): void {
    let length = this.values.length * 2;
    while (length <= index) length *= 2;
    const larger = this.make(length);
    larger.set(this.values);
    this.values = larger;
  }
}
