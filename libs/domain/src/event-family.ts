/** An event's data in the form of some version of this service. */
export type StoredData = Readonly<Record<string, unknown>>;

/** Converts data of version n to version n + 1. Pure; never changes its argument. */
export type Upcast = (data: StoredData) => StoredData;

/**
 * Says of each field of an event whether it is personal: whether it holds words or hashes that can describe a person.
 * Personal fields are stored encrypted, so that destroying a key erases them. A list answers once for all its items.
 */
export interface PersonalFields {
  readonly [field: string]: boolean | PersonalFields;
}

/**
 * The answers that a value of this type owes: `boolean` for free text and for values of any shape, one answer for each
 * field of an object. Numbers, flags and texts from a fixed list owe none.
 */
type Answer<Value> = unknown extends Value
  ? boolean
  : Value extends string
    ? string extends Value
      ? boolean
      : never
    : Value extends number | boolean | bigint | null | undefined
      ? never
      : Value extends readonly (infer Item)[]
        ? Answer<Item>
        : string extends keyof Value
          ? boolean
          : Value extends object
            ? AnswersFor<Value>
            : never;

/** One answer for each field that owes one. `at` is the time of the event everywhere, and is never personal. */
export type AnswersFor<Data> = {
  readonly [
    Field in keyof Data as Field extends 'at' ? never : [Answer<Data[Field]>] extends [never] ? never : Field
  ]-?: Answer<Data[Field]>;
};

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
  /** By event type. A new field that says neither yes nor no does not compile. */
  readonly personal: Readonly<Record<string, PersonalFields>>;
  /**
   * Each stream has keys of its own, so that its words can be erased without those of other streams. Absent: a key of
   * the whole tenant encrypts them. It may be added later, for events from then on, and must not be removed.
   */
  readonly ownKeys?: true;
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
  readonly personal: { readonly [Type in Event['type']]: AnswersFor<Extract<Event, { type: Type }>['data']> };
  /** The events as a type. Nothing has it as a value. */
  readonly events?: Event;
}
