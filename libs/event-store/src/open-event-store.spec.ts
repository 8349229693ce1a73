import { describe, expect, it } from 'vitest';
import { locationOf } from './open-event-store.js';

describe('the location of a log', () => {
  it.each([
    ['postgres://user:p%40ss@db.example:5432/atelier?sslmode=require', 'postgres://db.example:5432/atelier'],
    ['postgresql://user:a@b@db/atelier', 'postgres://db/atelier'],
    ['esdb://admin:secret@one:2113,two:2113?tls=true', 'esdb://one:2113,two:2113'],
    ['esdb+discover://cluster.example:2113/', 'esdb+discover://cluster.example:2113'],
  ])('of %s is %s', (url, location) => expect(locationOf(url)).toBe(location));
});
