/** An event's data in the form of some version of this service. */
export type StoredData = Readonly<Record<string, unknown>>;

/** Converts data of version n to version n + 1. Pure; never changes its argument. */
export type Upcast = (data: StoredData) => StoredData;

/** The events of one category of streams, in a form for code that loops over families. */
export interface AnyEventFamily {
  /** The second part of the streams' names: `live.{category}-{id}`. */
  readonly category: string;
  /**
   * The owner of the streams: the installation or a tenant. `named-tenant`: the tenant's id is the stream's id.
   */
  readonly owner: 'installation' | 'tenant' | 'named-tenant';
  /** By event type: the field of the data that repeats the stream's id, if there is one. */
  readonly idFields: Readonly<Record<string, string | undefined>>;
  /**
   * Every event type that was ever stored, with the steps from its first version to today's:
   * `[v1→v2, v2→v3, …]`. Stored events are a format: entries are added and never changed, and `test/golden`
   * replays a file of every version.
   */
  readonly upcasters: Readonly<Record<string, readonly Upcast[]>>;
}

/**
 * The kernel lists its families in `event-families.ts`, and each capability adds its own. A fold takes the
 * events of one family and ends in `satisfies never`. A new event of the family therefore compiles only when
 * each of its folds handles it.
 */
export interface EventFamily<
  Category extends string,
  Event extends { readonly type: string; readonly data: object },
> extends AnyEventFamily {
  readonly category: Category;
  readonly idFields: {
    readonly [Type in Event['type']]?: keyof Extract<Event, { type: Type }>['data'] & string;
  };
  readonly upcasters: { readonly [Type in Event['type']]: readonly Upcast[] };
  /** The events as a type. Nothing has it as a value. */
  readonly events?: Event;
}
