import type { EnginePicture, RenderContext, Renderer, RenderRequest } from '@atelier/engine';
import { breathe } from './abort.js';
import { canvasSize, drawnSize, previewSize, type CanvasOrder, type CanvasSize } from './canvas-size.js';
import { viewFacts } from './composition/facts.js';
import { opaque, outlinesOf } from './composition/outline.js';
import { cast, type Casting } from './casting/cast.js';
import type { FigureSpec } from './casting/figure-spec.js';
import { personFacts, personFrom, type Person } from './composition/person.js';
import { blankSheet } from './composition/setting.js';
import type { Framing } from './dressing/framing.js';
import { rasterise, type Raster } from './drawing/rasterise.js';
import { SvgSheet } from './drawing/svg-sheet.js';
import { encode, type PictureFacts } from './encode.js';
import { drawFigure } from './figure/figure.js';
import { buildRig, type Rig, SIDES } from './figure/rig.js';
import { compose, figureLayer, frame, scaled, soles } from './scene.js';
import { chooseStudio, drawBackdrop, drawFloorShadow, type Studio } from './studio/backdrop.js';
import { paintWash } from './studio/wash.js';
import { MODEL } from './model.js';
import { opposite, type Point } from './drawing/geometry.js';
import { HeadFrame } from './face/head-frame.js';
import { drawHand } from './figure/hand.js';
import { shoulderLine, trunkLine } from './figure/body.js';
import { HEAD_DROP } from './figure/head.js';
import { stroke, type Pens } from './figure/pens.js';
import { points } from './drawing/points.js';

const PENCIL = '#4d5a70';

/**
 * The construction drawing under a croquis: head divisions, axes of shoulders and hips, and the contour in
 * pencil.
 */
function drawConstruction(pens: Pens, rig: Rig): string {
  const line = (points: readonly Point[], width = 1.1, opacity = 0.8): string =>
    stroke(pens, points, width, { colour: PENCIL, opacity, ends: [0.3, 0.3] });
  const frame = new HeadFrame(rig.spec, [0, HEAD_DROP]);
  const heads = Array.from({ length: 10 }, (_, i) =>
    line(
      [
        [-170, i * 100],
        [170, i * 100],
      ],
      0.6,
      0.28,
    ),
  );
  const joints = SIDES.flatMap(([name, side]) => {
    const [arm, leg] = [rig.arms[name], rig.legs[name]];
    return [
      line(shoulderLine(rig, side)),
      line(trunkLine(rig, side)),
      line(arm.edge(1)),
      line(arm.edge(-1, 0.1)),
      line(leg.edge(1, 0.05)),
      line(leg.edge(-1, 0.08)),
      line(arm.edge(0), 0.7, 0.35),
      line(leg.edge(0), 0.7, 0.35),
      drawHand(
        { ...pens, palette: { ...pens.palette, skin: '#f4f0e8', skinShade: '#e6e0d6', line: PENCIL } },
        arm.point(1, 0),
        arm.endAngle,
        opposite(side),
        rig.proportions.handScale,
      ),
    ];
  });
  const { shoulder } = rig.proportions;
  return [
    ...heads,
    line([[0, -10], rig.place(0, 145), rig.place(0, 300), rig.place(0, 410), [0, 900]], 0.7, 0.4),
    line([rig.place(-shoulder - 12, 160), rig.place(shoulder + 12, 160)], 1.4, 0.7),
    line([rig.place(-62, 392), rig.place(62, 392)], 1.4, 0.7),
    line([rig.place(-46, 300), rig.place(46, 300)], 0.9, 0.5),
    ...joints,
    line([...frame.contour(-1), ...frame.contour(1).reverse()], 1.3),
    line(frame.all(points('-34 50, 0 50.5, 34 50')), 0.7, 0.5),
    line(frame.all(points('-20 69, 0 70, 20 69')), 0.6, 0.4),
    line(frame.all(points('-16 80, 0 81, 16 80')), 0.7, 0.5),
    line(frame.all(points('0 4, 0 50, 0 99')), 0.7, 0.5),
  ].join('');
}

export interface ModelGeneratorOrder extends CanvasOrder, Casting {
  readonly generation_stage?: 'portrait' | 'full_body';
}

async function backdrop(
  spec: FigureSpec,
  studio: Studio,
  size: CanvasSize,
  framing: Framing,
  rig?: Rig,
): Promise<Raster[]> {
  const sheet = new SvgSheet();
  const { width, height } = size;
  const floor = rig ? framing.y + 862 * framing.scale : undefined;
  const shadow = new SvgSheet();
  const wash = await paintWash(
    studio.wash,
    spec.random.fork('wash'),
    width,
    height,
    floor ? floor / height - 0.06 : 0.96,
  );
  return [
    await rasterise(sheet.document(width, height, drawBackdrop(sheet, studio, width, height, floor))),
    wash,
    ...(rig
      ? [
          await rasterise(
            shadow.document(
              width,
              height,
              drawFloorShadow(shadow, studio, soles(framing, rig), framing.scale),
            ),
          ),
        ]
      : []),
  ];
}

async function sketchStage(
  rig: Rig,
  size: CanvasSize,
  framing: Framing,
  request: RenderRequest<unknown>,
  context: RenderContext,
): Promise<void> {
  const small = previewSize(size);
  const view = scaled(framing, small.width / size.width);
  const lines = await figureLayer(rig.spec, view, small.width, small.height, (pens) =>
    drawConstruction(pens, rig),
  );
  const picture = await encode(await compose([await blankSheet(small), lines], request.testMark), {
    kind: 'croquis',
    label: 'Construction sketch',
    meta: { seed: request.seed },
  });
  await context.onStage({ stage: 'croquis', message: 'The figure is sketched out', pictures: [picture] });
}

/**
 * Draws a model: `portrait` is head and shoulders, `full_body` stands in plain base wear. If this engine drew
 * `portrait_image`, it draws the same person again. From any other portrait it takes the colours of skin and
 * hair.
 */
export const modelGenerator: Renderer<ModelGeneratorOrder> = async (request, context) => {
  const { body, seed } = request;
  const full = body.generation_stage === 'full_body';
  const asked = canvasSize(body, full ? '2:3' : '4:5');
  const size = drawnSize(asked);
  const portrait = request.inputs.find((input) => input.name === 'portrait_image');
  const person: Person = portrait ? personFrom(portrait, body, seed) : { spec: cast(body, seed), seed };
  const { spec } = person;
  const rig = buildRig(full ? spec : { ...spec, stance: 'relaxed' });
  const framing = full
    ? frame(size.width, size.height, 0, 900, 0.875, 0.068)
    : frame(size.width, size.height, 0, 100, Math.min(0.43, (0.5 * size.width) / size.height), 0.16);
  await sketchStage(rig, size, framing, request, context);
  await breathe(context.signal);
  const studio = chooseStudio(spec.random.fork('studio'));
  const behind = await backdrop(spec, studio, size, framing, full ? rig : undefined);
  await breathe(context.signal);
  const figure = await figureLayer(spec, framing, size.width, size.height, (pens) =>
    drawFigure(pens, rig, full),
  );
  await breathe(context.signal);
  const sheet = await compose([...behind, figure], request.testMark);
  const step = Math.max(1, Math.round(size.height / 512));
  const facts: PictureFacts = {
    kind: full ? 'model_full_body' : 'model_portrait',
    label: request.displayName || (full ? 'Model, full length' : 'Model portrait'),
    meta: {
      ...personFacts(person),
      view: viewFacts({ framing, shows: full ? 'full' : 'half' }, size),
      // With these, a workflow that later cuts the figure out of its studio need not search for it.
      silhouettes: { subject: outlinesOf(opaque([figure], size.width, size.height, step), 1) },
      aspect_ratio: size.aspectRatio,
      resolution: size.resolution,
    },
  };
  const picture: EnginePicture = await encode(sheet, facts, { enlargeTo: asked });
  return {
    pictures: [picture],
    message: full ? 'The model stands before the studio backdrop' : 'The portrait is painted',
    model: MODEL,
  };
};
