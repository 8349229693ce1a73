import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { NotConnected, unavailable } from '../calls.js';
import { classifySqlFailure } from './connection.js';

const sql = (code: string) => Object.assign(new pg.DatabaseError(`error ${code}`, 0, 'error'), { code });

describe('a failure of PostgreSQL', () => {
  it.each(['28P01', '3D000'])('is final without a connection when the settings are wrong: %s', (code) => {
    expect(classifySqlFailure(new NotConnected('no connection', { cause: sql(code) }))).toBe('refused');
  });

  it('passes when no connection came for another reason', () => {
    expect(classifySqlFailure(new NotConnected('no connection', { cause: sql('57P03') }))).toBe('not-done');
  });

  it('asks about the migration where a table or a schema is missing, and nowhere else', () => {
    const asked = (code: string) => unavailable(sql(code), classifySqlFailure(sql(code)));
    expect(asked('42P01').message).toMatch(/\(was it migrated\?\)$/);
    expect(asked('3F000').message).toMatch(/\(was it migrated\?\)$/);
    expect(asked('42501').message).toBe('The event store refused this: error 42501');
  });
});
