import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseConnectionString } from './connection-string.js';

const secret = 'hunter2%40home';

describe('a connection string of EventStoreDB', () => {
  it('names a node, its credentials and options', () => {
    const settings = parseConnectionString(
      `esdb://ad%3Amin:${secret}@db.example:2114/?keepAliveInterval=15000&Node-Preference=leader&tls=true`,
    );
    expect(settings).toMatchObject({
      hosts: [{ address: 'db.example', port: 2114 }],
      discover: false,
      secure: true,
      credentials: { username: 'ad:min', password: 'hunter2@home' },
      options: { keepAliveInterval: 15_000, nodePreference: 'leader', tls: true },
    });
  });

  it('is secure and on port 2113 unless it says otherwise', () => {
    expect(parseConnectionString('esdb://one')).toMatchObject({ hosts: [{ port: 2113 }], secure: true });
    expect(parseConnectionString('esdb://one?tls=false').secure).toBe(false);
  });

  it('names a cluster by its scheme or by several nodes', () => {
    expect(parseConnectionString('esdb+discover://cluster.example')).toMatchObject({ discover: true });
    expect(parseConnectionString('esdb://one:1,two:2,three')).toMatchObject({
      discover: true,
      hosts: [{ port: 1 }, { port: 2 }, { port: 2113 }],
    });
  });

  it.each([
    ['another scheme', `http://admin:${secret}@one`],
    ['a host that is none', `esdb://admin:${secret}@one:port`],
    ['a port that is none', `esdb://admin:${secret}@one:99999`],
    ['credentials that are none', `esdb://${secret}@one`],
    ['credentials that are not encoded', 'esdb://admin:hunter2%zz@one'],
    ['an unknown option', `esdb://admin:${secret}@one?pasword=${secret}`],
    ['a flag that is none', `esdb://admin:${secret}@one?tls=${secret}`],
    ['a number that is none', `esdb://admin:${secret}@one?keepAliveTimeout=${secret}`],
    ['an empty value', `esdb://admin:${secret}@one?connectionName=`],
    ['an empty file name', `esdb://admin:${secret}@one?tlsCAFile=`],
    ['a certificate without its key', `esdb://admin:${secret}@one?userCertFile=/x`],
    ['a file that is not there', `esdb://admin:${secret}@one?tlsCAFile=/nowhere/ca.pem`],
    ['two question marks', `esdb://admin:${secret}@one?tls=true?tls=false`],
  ])('refuses %s, and quotes no secret', (_, text) => {
    let thrown: unknown;
    try {
      parseConnectionString(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(RangeError);
    expect(inspect(thrown, { depth: 9 })).not.toContain('hunter2');
  });

  it('shows its password to nobody who prints it', () => {
    const settings = parseConnectionString(`esdb://admin:${secret}@one`);
    expect(inspect(settings, { depth: 9 })).not.toContain('hunter2');
    expect(JSON.stringify(settings)).not.toContain('hunter2');
  });
});
