import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { S3StorageOptions } from '#storage/s3/s3-storage.js';
import { answerToForm } from './s3-form.js';

const errorOf = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>x</Message></Error>`;

/** A fake of the S3 server at the socket. It keeps objects, and fails on a test's command. */
export class S3Peer {
  /** By path: `/{bucket}/{key}`. */
  readonly objects = new Map<string, { bytes: Buffer; type: string | undefined }>();
  readonly seen: { method: string; path: string; authorization: string }[] = [];
  /** So many of the next requests get the answer 503. */
  failures = 0;
  /** The server stores this many of the next objects, but does not answer. */
  lostAnswers = 0;
  /** By path: the versions of an object, and marks of its deletion. Undefined: the bucket keeps no versions. */
  versions: Map<string, { id: string; deleted: boolean }[]> | undefined;
  /** Takes requests before the server does. @returns whether it has taken this one */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      void (async () => {
        const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://x');
        const { method = '', headers } = request;
        this.seen.push({ method, path, authorization: headers.authorization ?? '' });
        const bytes = await buffer(request);
        if (this.intercept?.(request, response)) return;
        if (this.failures-- > 0) return response.writeHead(503).end();
        if (method === 'PUT' && headers['if-none-match'] === '*' && this.objects.has(path))
          return response.writeHead(412).end();
        if (method === 'GET' && (query.has('versions') || query.has('list-type')))
          return this.answerList(response, path.replace(/\/$/, ''), query);
        if (method === 'PUT') {
          this.addVersion(path, false);
          this.objects.set(path, { bytes, type: headers['content-type'] });
          if (this.lostAnswers-- > 0) return response.destroy();
          return response.end();
        }
        if (method === 'POST') {
          const [, bucket = ''] = path.split('/');
          const answer = await answerToForm(bytes, headers['content-type'] ?? '', bucket, this.options);
          if (answer.status !== 204) return response.writeHead(answer.status).end(errorOf(answer.code));
          this.objects.set(`/${bucket}/${answer.key}`, { bytes: answer.bytes, type: answer.type });
          return response.writeHead(204).end();
        }
        if (method === 'DELETE') {
          const id = query.get('versionId');
          if (id === null) this.addVersion(path, true);
          const others = this.versions?.get(path)?.filter((version) => version.id !== id) ?? [];
          this.versions?.set(path, others);
          if (id === null || others.length === 0) this.objects.delete(path);
          return response.writeHead(204).end();
        }
        const found = this.objects.get(path);
        if (found) return response.end(found.bytes);
        return response.writeHead(404, { 'content-type': 'application/xml' }).end(errorOf('NoSuchKey'));
      })();
    });
  }

  private addVersion(path: string, deleted: boolean): void {
    const known = this.versions?.get(path) ?? [];
    this.versions?.set(path, [...known, { id: `v${known.length + 1}`, deleted }]);
  }

  /** Pages of one, so that a client must ask for the next one. */
  private answerList(response: ServerResponse, bucket: string, query: URLSearchParams): void {
    const { versions } = this;
    if (query.has('versions') && !versions) {
      response.writeHead(501, { 'content-type': 'application/xml' }).end(errorOf('NotImplemented'));
      return;
    }
    const paths = query.has('versions') ? [...versions!.keys()] : [...this.objects.keys()];
    const start = `${bucket}/${query.get('prefix') ?? ''}`;
    const found = paths
      .filter((path) => path.startsWith(start))
      .flatMap((path) => {
        const Key = `<Key>${path.slice(bucket.length + 1)}</Key>`;
        if (!query.has('versions')) return [`<Contents>${Key}</Contents>`];
        return versions!.get(path)!.map(({ id, deleted }) => {
          const kind = deleted ? 'DeleteMarker' : 'Version';
          return `<${kind}>${Key}<VersionId>${id}</VersionId></${kind}>`;
        });
      });
    // The marker counts what was shown. What was deleted meanwhile is no longer there.
    const shown = query.has('versions') ? 0 : Number(query.get('continuation-token') ?? 0);
    const more = shown + 1 < found.length;
    const next = query.has('versions')
      ? '<NextKeyMarker>more</NextKeyMarker>'
      : `<NextContinuationToken>${shown + 1}</NextContinuationToken>`;
    const page = `${found[shown] ?? ''}<IsTruncated>${more}</IsTruncated>${more ? next : ''}`;
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(`<?xml version="1.0"?><Result>${page}</Result>`);
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
