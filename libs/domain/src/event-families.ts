import { installed, type Installed } from '#capabilities/installed.js';
import { accountFamily } from './account/account.events.js';
import { actionFamily } from './action/action.events.js';
import { assetFamily } from './asset/asset.events.js';
import type { AnyEventFamily } from './event-family.js';
import { grantFamily } from './grant/grant.events.js';
import { jobFamily } from './job/job.events.js';
import { keyFamily } from './key/key.events.js';
import { noticeFamily } from './notice/notice.events.js';
import { operationFamily } from './operation/operation.events.js';
import { presetFamily } from './preset/preset.events.js';
import { productFamily } from './product/product.events.js';
import { usageFamily } from './usage/usage.events.js';

const ofKernel = [
  accountFamily,
  jobFamily,
  keyFamily,
  assetFamily,
  productFamily,
  presetFamily,
  operationFamily,
  usageFamily,
  grantFamily,
  actionFamily,
  noticeFamily,
] as const;

/** The type of every family: the kernel's and those of the installed capabilities. */
export type AnyFamily = (typeof ofKernel)[number] | Installed['events'][number];

export const eventFamilies: readonly AnyEventFamily[] = [
  ...ofKernel,
  ...installed.flatMap(({ events }) => events),
];
