import { polygon } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { imageOf, rasterise, rasterOf, type Raster } from '../drawing/rasterise.js';
import { element, group, path, SvgSheet } from '../drawing/svg-sheet.js';
import { blot, type Brush } from './brush.js';
import type { SceneSpec } from './scene-spec.js';

/** Light is soft, so it is drawn this small and enlarged. */
const SIDE = 288;

const grey = (gain: number, warmth = 0): string => {
  const channel = (shift: number): number => Math.round(Math.min(255, Math.max(0, 128 * gain + shift)));
  return `rgb(${channel(warmth)},${channel(warmth * 0.25)},${channel(-warmth)})`;
};

interface View {
  readonly width: number;
  readonly height: number;
  readonly brush: Brush;
  readonly sheet: SvgSheet;
}

/** Light that falls off from the light's side to the other, and towards the corners. */
function falloff({ width, height, brush, sheet }: View): string {
  const { light } = brush;
  const warm = light.warmth * 9;
  const [bright, dark] = [1 + 0.09 * light.contrast, 1 - 0.24 * light.contrast];
  const across = sheet.linear(
    light.side < 0 ? 0 : width,
    0,
    light.side < 0 ? width : 0,
    Math.round(height * 0.5),
    [
      [0, grey(bright * light.level, warm)],
      [0.45, grey(light.level, warm * 0.5)],
      [1, grey(dark * light.level, -3 - warm * 0.4)],
    ],
  );
  const corners = sheet.radial(
    Math.round(width / 2),
    Math.round(height * 0.46),
    Math.round(Math.hypot(width, height) * 0.58),
    [
      [0.55, '#000000', 0],
      [1, '#1a1420', 0.1 + 0.16 * light.contrast],
    ],
  );
  return element('rect', { width, height, fill: across }) + element('rect', { width, height, fill: corners });
}

/** The sun through a window: slanting panes of light on the wall, and panes on the floor. */
function windowLight({ width, height, brush }: View): string {
  const { light } = brush;
  const side = -light.side;
  const colour = grey(1.16 + 0.16 * light.contrast, 10 + light.warmth * 16);
  const panes = [0, 1, 2, 3].flatMap((row) =>
    [0, 1].map((column) => {
      const x0 = width * (0.5 + side * (0.02 + column * 0.15 + row * 0.035));
      const w = width * 0.12 * side;
      const y0 = height * (0.06 + row * 0.155);
      const h = height * 0.13;
      const lean = height * 0.07;
      const quad: Point[] = [
        [x0, y0],
        [x0 + w, y0 + lean * 0.8],
        [x0 + w + side * width * 0.035, y0 + h + lean * 0.8],
        [x0 + side * width * 0.035, y0 + h],
      ];
      return path(polygon(quad), { fill: colour, 'fill-opacity': 0.42 + 0.3 * light.contrast });
    }),
  );
  const patch = [0, 1].map((k) => {
    const x0 = width * (0.5 + side * (0.02 + 0.2 * k));
    return path(
      polygon([
        [x0, height * 0.77],
        [x0 + side * width * 0.15, height * 0.755],
        [x0 + side * width * 0.27, height * 0.9],
        [x0 + side * width * 0.06, height * 0.93],
      ]),
      { fill: colour, 'fill-opacity': 0.4 },
    );
  });
  return panes.join('') + patch.join('');
}

/** The sun through leaves: bright ground with the shadows of twigs on it. */
function leafLight({ width, height, brush }: View): string {
  const { light } = brush;
  const random = brush.random.fork('leaflight');
  const shade = grey(0.84, -light.warmth * 5);
  const long = Math.max(width, height);
  const sunny = path(`M0 0H${width}V${height}H0Z`, {
    fill: grey(1.1, 12 + light.warmth * 10),
    'fill-opacity': 0.4,
  });
  const twigs = Array.from({ length: 13 }, () => {
    const root: Point = [
      width * (0.5 + light.side * random.between(0.3, 0.65)),
      height * random.between(-0.05, 0.5),
    ];
    const angle = random.between(0.1, 0.9);
    return Array.from({ length: 14 }, (_, i) => {
      const t = (i + 1) / 14;
      const reach = long * 0.42 * t;
      const centre: Point = [
        root[0] - light.side * Math.cos(angle) * reach + random.wobble(long * 0.04),
        root[1] + Math.sin(angle) * reach + random.wobble(long * 0.04),
      ];
      const size = long * random.between(0.008, 0.022);
      return path(blot(random, centre, size * 1.6, size * 0.6, 0.25, 7), {
        fill: shade,
        'fill-opacity': 0.55,
        transform: `rotate(${Math.round(random.between(-50, 50))} ${centre[0].toFixed(0)} ${centre[1].toFixed(0)})`,
      });
    }).join('');
  });
  return sunny + twigs.join('');
}

/** The shadow of a row of roofs across a street, with sunlight beside it. */
function roofLight({ width, height, brush }: View): string {
  const { light, camera } = brush;
  const across = (t: number): number => width * (0.5 + light.side * t);
  const horizon = (camera.horizon / camera.height) * height;
  const line: Point[] = [
    [across(0.6), height * 0.12],
    [across(0.34), horizon * 0.7],
    [across(0.2), horizon * 1.02],
    [across(0.02), horizon * 1.12],
    [across(-0.1), height * 0.72],
    [across(-0.34), height * 0.8],
    [across(-0.62), height * 1.02],
    [across(0.6), height * 1.02],
  ];
  return (
    path(`M0 ${horizon}H${width}V${height}H0Z`, {
      fill: grey(1.1, 12 + light.warmth * 8),
      'fill-opacity': 0.3,
    }) + path(polygon(line), { fill: grey(0.72, -8), 'fill-opacity': 0.6 })
  );
}

/** One pool of light in the dark, where the subject stands. */
function poolLight({ width, height, brush, sheet }: View, at: number): string {
  const { light } = brush;
  const long = Math.max(width, height);
  const cx = Math.round(width * (at + light.side * 0.1));
  const pool = sheet.radial(cx, Math.round(height * 0.4), Math.round(long * 0.52), [
    [0, grey(0.98, 9 + light.warmth * 6), 0.8],
    [0.25, grey(0.93, 8 + light.warmth * 5), 0.72],
    [0.6, grey(0.74, 5), 0.4],
    [1, grey(0.45), 0],
  ]);
  const dark = element('rect', { width, height, fill: grey(0.52, -6), 'fill-opacity': 0.45 });
  return dark + element('rect', { width, height, fill: pool });
}

/** The even brightness that a softbox gives to a lit set. */
function setLight({ width, height, sheet }: View): string {
  const glow = sheet.radial(
    Math.round(width / 2),
    Math.round(height * 0.36),
    Math.round(Math.max(width, height) * 0.55),
    [
      [0, grey(1.2), 0.6],
      [1, grey(1), 0],
    ],
  );
  return element('rect', { width, height, fill: glow });
}

/**
 * The light over the finished drawing, as a picture of gains: 128 does not change a colour, 255 doubles it.
 * @param at the subject's place, as a share of the width
 */
export async function drawAtmosphere(brush: Brush, spec: SceneSpec, at: number): Promise<Raster> {
  const { camera, light } = brush;
  const shrink = Math.max(camera.width, camera.height) / SIDE;
  const [width, height] = [Math.round(camera.width / shrink), Math.round(camera.height / shrink)];
  const sheet = new SvgSheet();
  const view: View = { width, height, brush, sheet };
  const draw = {
    none: () => '',
    window: windowLight,
    leaves: leafLight,
    roofs: roofLight,
    pool: (v: View) => poolLight(v, at),
  }[light.pattern];
  const soft = sheet.blur(Math.round((0.8 + light.softness * 3.2) * 10) / 10);
  const small = await rasterise(
    sheet.document(
      width,
      height,
      falloff(view),
      group({ filter: soft }, draw(view)),
      spec.register === 'studio_set' ? setLight(view) : '',
    ),
  );
  return rasterOf(imageOf(small).resize(camera.width, camera.height, { fit: 'fill', kernel: 'cubic' }));
}
