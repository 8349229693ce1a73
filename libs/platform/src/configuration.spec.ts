import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, loadConfiguration } from './configuration.js';

const bucket = {
  DATABASE_URL: 'postgres://db/atelier',
  S3_BUCKET: 'pictures',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'hush',
};

describe('configuration', () => {
  it('reads where callers reach the bucket, beside where this process does', () => {
    const { storage } = loadConfiguration({
      ...bucket,
      S3_ENDPOINT: 'http://objects:8333',
      S3_PUBLIC_ENDPOINT: 'https://atelier.example/',
    });
    expect(storage).toMatchObject({
      endpoint: 'http://objects:8333',
      publicEndpoint: 'https://atelier.example',
    });
    expect(loadConfiguration({ ...bucket, S3_PUBLIC_ENDPOINT: '' }).storage).toMatchObject({
      publicEndpoint: undefined,
    });
  });

  it.each(['atelier.example', 'ftp://atelier.example', 'https://atelier.example/pictures', 'https://'])(
    'refuses %s as the public endpoint: signatures cover host and path',
    (value) => {
      expect(() => loadConfiguration({ ...bucket, S3_PUBLIC_ENDPOINT: value })).toThrow(ConfigurationError);
      expect(() => loadConfiguration({ ...bucket, S3_PUBLIC_ENDPOINT: value })).toThrow(
        /^S3_PUBLIC_ENDPOINT must be/,
      );
    },
  );

  it('tells all that is wrong at once, and shows no secret', () => {
    expect(() => loadConfiguration({ PORT: 'x', S3_BUCKET: 'b', S3_SECRET_ACCESS_KEY: 'hush' })).toThrow(
      /^PORT must .*; DATABASE_URL is not set; EVENT_STORE_URL is not set; S3_ACCESS_KEY_ID is not set$/,
    );
  });

  it.each(['esdb://eventstore:2113?tls=false', 'esdb+discover://a:1,b:2?tls=false', 'postgres://db/events'])(
    'takes %s as the event store',
    (EVENT_STORE_URL) => {
      expect(loadConfiguration({ ...bucket, EVENT_STORE_URL }).eventStoreUrl).toBe(EVENT_STORE_URL);
    },
  );
});
