import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { IsArray, ValidateNested } from 'class-validator';
import {
  BooleanField,
  choice,
  ChoiceField,
  IdField,
  integer,
  IntegerField,
  ListField,
  nested,
  NestedField,
  NumberField,
  text,
  TextField,
} from './fields.js';
import { InvalidFields, validate, type FieldProblem } from './validate.js';

class Parent {
  @TextField({ description: 'Name.', max: 5 })
  name: string = 'none';

  @IntegerField({ description: 'Count.', min: 0, max: 9 })
  count?: number;
}

class Child extends Parent {
  @IdField({ description: 'Id.', required: true })
  id: string;

  @BooleanField({ description: 'Flag.' })
  flag?: boolean;

  @ChoiceField({ description: 'Colour.', values: ['red', 'blue'] })
  colour?: string;
}

class Nest {
  @IsArray()
  @ValidateNested({ each: true, context: { shape: Child } })
  items: Child[];
}

class Group {
  @ListField({ description: 'Members.', required: true, max: 2, items: integer({ min: 0, max: 9 }) })
  members: number[];
}

class Order {
  @NestedField({ description: 'Child.', shape: Child })
  child?: Child;

  @ListField({ description: 'Children.', required: true, min: 1, max: 2, items: nested(Child) })
  children: Child[];

  @ListField({ description: 'Words.', max: 3, items: text({ min: 2, max: 3 }) })
  words?: string[];

  @ListField({ description: 'Colours.', max: 2, unique: true, items: choice(['red', 'blue']) })
  colours?: string[];

  @ListField({ description: 'Groups.', max: 2, items: nested(Group) })
  groups: Group[] = [];

  @NumberField({ description: 'Share.', min: 0, max: 1 })
  share: number = 1;
}

const id = '01K9Z7J0V4M2Q8T6R3N5B1C7DE';

/** `[path, type]` of each problem, by path. */
function sorted(detail: readonly FieldProblem[]): [string, string][] {
  return detail
    .map(({ loc, type }): [string, string] => [loc.slice(1).join('.'), type])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function detailOf(shape: new () => object, value: unknown) {
  try {
    validate(shape, value, 'body');
  } catch (error) {
    if (error instanceof InvalidFields) return sorted(error.problems);
    throw error;
  }
  return undefined;
}

describe('validation', () => {
  it('gives an instance in which null and absent are the same, and defaults are in place', () => {
    expect(validate(Child, { id, name: null, count: null }, 'body')).toEqual({ id, name: 'none' });
    expect(validate(Child, { id, name: 'Ada', flag: false, count: 0 }, 'body')).toEqual({
      id,
      name: 'Ada',
      flag: false,
      count: 0,
    });
    expect(validate(Child, { id }, 'body')).toBeInstanceOf(Child);
  });

  it('names every field that is wrong, and what kind of wrong it is', () => {
    expect(detailOf(Child, { name: 7, count: 10, flag: 'true', colour: 'green', more: 1 })).toEqual([
      ['colour', 'enum'],
      ['count', 'integer'],
      ['flag', 'boolean'],
      ['id', 'missing'],
      ['more', 'extra_forbidden'],
      ['name', 'string'],
    ]);
    expect(detailOf(Child, { id: null })).toEqual([['id', 'missing']]);
    expect(detailOf(Child, { id, nothing: null })).toEqual([['nothing', 'extra_forbidden']]);
    for (const value of [null, [], 'x', 7, undefined])
      expect(detailOf(Child, value)).toEqual([['', 'object']]);
  });

  it('holds nested shapes to their own rules, with the way to the field', () => {
    expect(detailOf(Nest, { items: [{ id }, { id, count: -1, more: 1 }] })).toEqual([
      ['items.1.count', 'integer'],
      ['items.1.more', 'extra_forbidden'],
    ]);
    expect(detailOf(Nest, { items: [{ id }] })).toBeUndefined();
  });

  it('gives instances at every depth, in which null is absent and defaults are in place', () => {
    const read = validate(
      Order,
      {
        child: { id, name: null },
        children: [{ id, count: 3, flag: null }],
        words: null,
        groups: [{ members: [1] }, { members: [] }],
      },
      'body',
    );
    expect(read).toEqual({
      child: { id, name: 'none' },
      children: [{ id, name: 'none', count: 3 }],
      groups: [{ members: [1] }, { members: [] }],
      share: 1,
    });
    expect(read.child).toBeInstanceOf(Child);
    expect(read.children[0]).toBeInstanceOf(Child);
  });

  it('names what is wrong inside of objects and lists by the way to it', () => {
    expect(
      detailOf(Order, {
        child: { more: 1 },
        children: [{ id }, { id, count: -1 }],
        words: ['ok', 'x', 7, null, 'ok'].slice(0, 3),
        colours: ['red', 'green'],
        groups: [{ members: [0] }, { members: [1, 2, 3] }],
        share: 1.01,
      }),
    ).toEqual([
      ['child.id', 'missing'],
      ['child.more', 'extra_forbidden'],
      ['children.1.count', 'integer'],
      ['colours.1', 'enum'],
      ['groups.1.members', 'array'],
      ['share', 'number'],
      ['words.1', 'string'],
      ['words.2', 'string'],
    ]);
    expect(detailOf(Order, { children: [null, [{ id }]] })).toEqual([
      ['children.0', 'object'],
      ['children.1', 'object'],
    ]);
    expect(detailOf(Order, { children: [{ id }], words: [null], groups: [null] })).toEqual([
      ['groups.0', 'object'],
      ['words.0', 'string'],
    ]);
    for (const child of ['x', 7, [], [{ id }], true]) {
      expect(detailOf(Order, { children: [{ id }], child })).toEqual([['child', 'object']]);
    }
  });

  it('holds lists to their size, and to items that differ where they must', () => {
    for (const children of [[], [{ id }, { id }, { id }], { 0: { id } }, 'x', { length: 1 }]) {
      expect(detailOf(Order, { children })).toEqual([['children', 'array']]);
    }
    expect(detailOf(Order, {})).toEqual([['children', 'missing']]);
    expect(detailOf(Order, { children: [{ id }], colours: ['red', 'red'] })).toEqual([['colours', 'array']]);
    expect(
      detailOf(Order, { children: [{ id }, { id }], colours: ['red', 'blue'], words: [] }),
    ).toBeUndefined();
  });

  it('tells no more than a hundred problems', () => {
    const more = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 1]));
    expect(detailOf(Child, { id, ...more })).toHaveLength(100);
  });

  it('counts characters as people do', () => {
    expect(detailOf(Order, { children: [{ id }], words: ['🧵🧵', '🧵🧵🧵'] })).toBeUndefined();
    expect(detailOf(Order, { children: [{ id }], words: ['🧵', '🧵🧵🧵🧵'] })).toEqual([
      ['words.0', 'string'],
      ['words.1', 'string'],
    ]);
    expect(detailOf(Parent, { name: '🧵'.repeat(5) })).toBeUndefined();
    expect(detailOf(Parent, { name: '🧵'.repeat(6) })).toEqual([['name', 'string']]);
  });
});
