import type { ProjectedEvent } from '#read-store/projected-event.js';

const types = [
  'AssetStored',
  'CatalogEntryRetired',
  'ProductRegistered',
  'ProductRevised',
  'ProductArchived',
  'JobCancelled',
] as const;

const known: ReadonlySet<string> = new Set(types);

/** An event of a caller's write that costs nothing. */
export type FreeCallEvent = Extract<ProjectedEvent, { type: (typeof types)[number] }>;

/** False for the same events if a worker, the service or an operator caused them. */
export function isFreeCall(event: ProjectedEvent): event is FreeCallEvent {
  return known.has(event.type) && event.metadata.actor.startsWith('key:');
}

interface FreeCall {
  /** The path's template, like in the reference, because events do not name the entry's catalogue resource. */
  readonly endpoint: string;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly httpStatus: 200 | 201 | 204;
  readonly jobId: string | null;
  /** If a call has several events: whether this one shows which route was called. */
  readonly isWhole: boolean;
}

const [products, product] = ['/v1/products', '/v1/products/{public_id}'];
const none = { jobId: null, isWhole: false };

export function freeCall(event: FreeCallEvent): FreeCall {
  switch (event.type) {
    case 'AssetStored':
      return { ...none, endpoint: '/v1/uploads', method: 'POST', httpStatus: 201 };
    case 'CatalogEntryRetired': {
      const endpoint = '/v1/catalog/{resource}/{public_id}';
      return { ...none, endpoint, method: 'DELETE', httpStatus: 204 };
    }
    case 'ProductRegistered':
      return { ...none, endpoint: products, method: 'POST', httpStatus: 201 };
    case 'ProductRevised':
      return isPost(event)
        ? { ...none, endpoint: products, method: 'POST', httpStatus: 200 }
        : { ...none, endpoint: product, method: 'PATCH', httpStatus: 200 };
    case 'ProductArchived':
      // The same call may also have revised the product, and that event fits two routes.
      return { ...none, endpoint: product, method: 'PATCH', httpStatus: 200, isWhole: true };
    case 'JobCancelled': {
      // One call cancels a batch and its jobs. It names the batch.
      const isWhole = event.data.parentJobId === null;
      const endpoint = '/v1/jobs/{public_id}/cancel';
      return { endpoint, method: 'POST', httpStatus: 200, jobId: event.streamId, isWhole };
    }
    default:
      return event satisfies never;
  }
}

/**
 * A product is revised by its id, or by a post of its reference. Earlier releases gave both commands one name.
 * From such a release, a revision of a product with a reference counts as a post.
 */
function isPost({ data, metadata }: Extract<ProjectedEvent, { type: 'ProductRevised' }>): boolean {
  return data.externalRef !== null && metadata.causationId.startsWith('product:');
}
