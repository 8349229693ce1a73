import { describe, expect, it } from 'vitest';
import { describeEngine } from '@atelier/engine/conformance';
import { SketchEngine } from '@atelier/sketch';
import { categoryById } from '#domain/garment/garment-categories.js';
import { presetTable } from '#domain/preset/preset-table.js';
import { readShot } from '../../packages/sketch/src/composition/shot.js';
import { orders } from './example-orders.js';

/*
 * The service and the engine fit together: the engine draws each workflow's own example, with pictures for
 * everything that the example refers to, and understands every preset. The engine's own specs judge how the
 * pictures look: `npm run test:pixels`.
 */

const sketch = {
  engine: new SketchEngine(),
  orders,
  repeatable: true,
  marks: true,
  garmentKind: categoryById,
};
describeEngine('sketch', sketch);

describe('the presets', () => {
  it("are shots that the engine understands: none falls back on the plain shot's framing by accident", () => {
    for (const { spec } of presetTable.filter((preset) => preset.kind === 'shot')) {
      const shot = readShot(spec);
      expect([shot.framing, shot.cameraHeight, shot.angle, shot.pose]).toEqual([
        spec['framing'],
        spec['camera_height'],
        spec['angle'],
        spec['pose'],
      ]);
      expect(shot.light.contrast).toBe((spec['light'] as { contrast: number }).contrast);
    }
  });
});
