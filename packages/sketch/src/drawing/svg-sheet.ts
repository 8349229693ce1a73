type Attributes = Readonly<Record<string, string | number | undefined>>;

const written = (attributes: Attributes): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('');

export const element = (name: string, attributes: Attributes, ...children: string[]): string =>
  children.length > 0
    ? `<${name}${written(attributes)}>${children.join('')}</${name}>`
    : `<${name}${written(attributes)}/>`;

export const path = (d: string, attributes: Attributes): string => element('path', { d, ...attributes });

export const group = (attributes: Attributes, ...children: string[]): string =>
  element('g', attributes, ...children, '');

type GradientStop = readonly [offset: number, colour: string, opacity?: number];

/**
 * Collects the definitions (clips, blurs, gradients) of one drawing and hands out references to them. Equal
 * definitions share one id, which keeps the document small and its bytes repeatable.
 */
export class SvgSheet {
  private readonly ids = new Map<string, string>();
  private readonly definitions: string[] = [];

  private define(build: (id: string) => string, key: string): string {
    const known = this.ids.get(key);
    if (known) return `url(#${known})`;
    const id = `d${this.ids.size}`;
    this.ids.set(key, id);
    this.definitions.push(build(id));
    return `url(#${id})`;
  }

  clip(...paths: readonly string[]): string {
    const shapes = paths.map((d) => path(d, {})).join('');
    return this.define((id) => element('clipPath', { id }, shapes), `clip:${shapes}`);
  }

  /**
   * A soft edge. `radius` is the Gaussian's standard deviation, in the units of the shape that uses it.
   * `margin` is its reach beyond the shape, in percent of the shape's size. A clipped shape needs little, and a
   * small margin costs less.
   */
  blur(radius: number, margin = 40): string {
    // Blurring in sRGB saves two conversions of every pixel. The difference is not visible on soft shadows.
    const region = {
      x: `-${margin}%`,
      y: `-${margin}%`,
      width: `${100 + 2 * margin}%`,
      height: `${100 + 2 * margin}%`,
      'color-interpolation-filters': 'sRGB',
    };
    return this.define(
      (id) => element('filter', { id, ...region }, element('feGaussianBlur', { stdDeviation: radius })),
      `blur:${radius}:${margin}`,
    );
  }

  linear(x1: number, y1: number, x2: number, y2: number, stops: readonly GradientStop[]): string {
    const frame = { x1, y1, x2, y2, gradientUnits: 'userSpaceOnUse' };
    return this.gradient('linearGradient', frame, stops);
  }

  radial(cx: number, cy: number, r: number, stops: readonly GradientStop[]): string {
    return this.gradient('radialGradient', { cx, cy, r, gradientUnits: 'userSpaceOnUse' }, stops);
  }

  /**
   * A tile that repeats, in the units of the shape that uses it. `transform` turns or scales the whole repeat.
   */
  pattern(width: number, height: number, transform: string, ...tile: readonly string[]): string {
    const frame = { width, height, patternUnits: 'userSpaceOnUse', patternTransform: transform };
    return this.define(
      (id) => element('pattern', { id, ...frame }, ...tile, ''),
      `pattern:${JSON.stringify(frame)}${tile.join('')}`,
    );
  }

  private gradient(kind: string, frame: Attributes, stops: readonly GradientStop[]): string {
    const inner = stops
      .map(([offset, colour, opacity]) =>
        element('stop', { offset, 'stop-color': colour, 'stop-opacity': opacity }),
      )
      .join('');
    return this.define(
      (id) => element(kind, { id, ...frame }, inner),
      `${kind}:${JSON.stringify(frame)}${inner}`,
    );
  }

  /** The finished document in pixels. */
  document(width: number, height: number, ...body: readonly string[]): string {
    const frame = { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}` };
    return element('svg', frame, element('defs', {}, ...this.definitions, ''), ...body);
  }
}
