import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsArray, ValidateNested } from 'class-validator';
import { ApiError, type FieldProblem } from '../errors/api-error.js';
import { BooleanField, ChoiceField, IdField, IntegerField, TextField } from './fields.js';
import { rulesOf } from './field-rules.js';
import { validate } from './validate.js';

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
  @ValidateNested({ each: true })
  @Type(() => Child)
  items: Child[];
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
    if (error instanceof ApiError) return sorted(error.detail ?? []);
    throw error;
  }
  return undefined;
}

describe('validation', () => {
  it('gives an instance in which null and absent are the same, and defaults are in place', () => {
    expect(validate(Child, { id, name: null, count: null }, 'body')).toEqual({ id, name: 'none' });
    expect(validate(Child, { id, name: 'Ada', flag: false, count: 0 }, 'body')).toEqual({
      ...{ id, name: 'Ada', flag: false, count: 0 },
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
    expect(rulesOf(Child)?.size).toBe(5);
    expect(rulesOf(Nest)).toBeUndefined();
    expect(detailOf(Nest, { items: [{ id }, { id, count: -1, more: 1 }] })).toEqual([
      ['items.1.count', 'integer'],
      ['items.1.more', 'extra_forbidden'],
    ]);
    expect(detailOf(Nest, { items: [{ id }] })).toBeUndefined();
  });

  it('counts characters as people do', () => {
    expect(detailOf(Parent, { name: '🧵'.repeat(5) })).toBeUndefined();
    expect(detailOf(Parent, { name: '🧵'.repeat(6) })).toEqual([['name', 'string']]);
  });
});
