import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { S3StorageOptions } from '#storage/s3/s3-storage.js';

/** A fake of the S3 server at the socket. It keeps objects, and fails on a test's command. */
export class S3Peer {
  /** By path: `/{bucket}/{key}`. */
  readonly objects = new Map<string, { bytes: Buffer; type: string | undefined }>();
  readonly seen: { method: string; path: string; authorization: string }[] = [];
  /** So many of the next requests get the answer 503. */
  failures = 0;
  /** The server stores this many of the next objects, but does not answer. */
  lostAnswers = 0;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      void (async () => {
        const { pathname: path } = new URL(request.url ?? '', 'http://x');
        const { method = '', headers } = request;
        this.seen.push({ method, path, authorization: headers.authorization ?? '' });
        const bytes = await buffer(request);
        if (this.failures-- > 0) return response.writeHead(503).end();
        if (method === 'PUT' && headers['if-none-match'] === '*' && this.objects.has(path))
          return response.writeHead(412).end();
        if (method === 'PUT') {
          this.objects.set(path, { bytes, type: headers['content-type'] });
          if (this.lostAnswers-- > 0) return response.destroy();
          return response.end();
        }
        if (method === 'DELETE') {
          this.objects.delete(path);
          return response.writeHead(204).end();
        }
        const found = this.objects.get(path);
        if (found) return response.end(found.bytes);
        const missing = '<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>x</Message></Error>';
        return response.writeHead(404, { 'content-type': 'application/xml' }).end(missing);
      })();
    });
  }

  static async start(): Promise<S3Peer> {
    const peer = new S3Peer();
    await once(peer.server.listen(0, '127.0.0.1'), 'listening');
    return peer;
  }

  get options(): S3StorageOptions {
    return {
      bucket: 'pictures',
      region: 'eu-central-1',
      endpoint: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
      publicEndpoint: undefined,
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      forcePathStyle: true,
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
