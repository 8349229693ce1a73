import type { FigureSpec } from '../casting/figure-spec.js';
import type { Person } from './person.js';
import type { ShotRecipe } from './shot.js';

function turned(spec: FigureSpec, shot: ShotRecipe): Pick<FigureSpec, 'face' | 'lean'> {
  const { face, lean } = spec;
  const turn = Math.max(0.2, Math.abs(face.yaw));
  switch (shot.angle) {
    case 'front':
      return { face: { ...face, yaw: face.yaw * 0.35, tilt: face.tilt * 0.5 }, lean };
    case 'slight_left':
      return { face: { ...face, yaw: -turn }, lean: 1 };
    case 'slight_right':
      return { face: { ...face, yaw: turn }, lean: -1 };
    default: {
      const unknown: never = shot.angle;
      throw new RangeError(`no such angle: ${String(unknown)}`);
    }
  }
}

/** The person in the recipe's pose, or in their own pose if the recipe has none. */
export const directed = (person: Person, shot: ShotRecipe): Person => ({
  ...person,
  spec: { ...person.spec, ...turned(person.spec, shot), stance: shot.pose ?? person.spec.stance },
});
