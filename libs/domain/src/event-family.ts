/** An event's data as some version of this service once wrote it. */
export type StoredData = Readonly<Record<string, unknown>>;

/** Brings data of version n to version n + 1. Pure; never edits its argument. */
export type Upcast = (data: StoredData) => StoredData;

/** The events of one category of streams, for code that loops over families. */
export interface AnyEventFamily {
  /** The second part of the streams' names: `live.{category}-{id}`. */
  readonly category: string;
  /** Whose the streams are: the installation's, or a tenant's. `named-tenant`: the tenant's id is the stream's. */
  readonly owner: 'installation' | 'tenant' | 'named-tenant';
  /** Where an event's data repeats the id of its stream: the field that does. */
  readonly idFields: Readonly<Record<string, string | undefined>>;
  /**
   * Every event type that was ever stored, with the steps from its first version to today's: `[v1→v2, v2→v3, …]`.
   * Stored events are a format: a line here is only ever added to, and `test/golden` replays a file of every version.
   */
  readonly upcasters: Readonly<Record<string, readonly Upcast[]>>;
}

/**
 * The kernel lists its families in `event-families.ts`, and each capability adds its own. A fold takes the events of one
 * family and ends in `satisfies never`, so a new event of the family compiles only when each of its folds knows it.
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
