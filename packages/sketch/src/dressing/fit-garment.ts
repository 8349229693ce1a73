import type { GarmentClass } from '../cutout/classify.js';
import type { Silhouette } from '../cutout/silhouette.js';
import type { Rig } from '../figure/rig.js';
import type { Fit } from './fit.js';
import { fitSkirt, fitTrousers } from './fit-lower.js';
import { fitUpper } from './fit-upper.js';

export function fitGarment(shape: Silhouette, rig: Rig, garmentClass: GarmentClass): Fit {
  switch (garmentClass) {
    case 'top':
    case 'outerwear':
    case 'dress':
      return fitUpper(shape, rig, garmentClass);
    case 'skirt':
      return fitSkirt(shape, rig);
    case 'trousers':
    case 'shorts':
      return fitTrousers(shape, rig, garmentClass);
    default: {
      const unknown: never = garmentClass;
      throw new RangeError(`no way to wear ${String(unknown)}`);
    }
  }
}
