import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly boolValue?: boolean;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: OtlpValue }[];
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

export interface ReceivedSpan {
  /** The role that sent it, for example `atelier-worker`. */
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A collector on loopback that takes OTLP over HTTP in JSON, and keeps every byte it receives. */
export class OtlpReceiver implements AsyncDisposable {
  readonly bodies: string[] = [];
  readonly spans: ReceivedSpan[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpReceiver> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        if (request.method !== 'POST' || request.url !== '/v1/traces') return response.writeHead(404).end();
        receiver.take(body);
        return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const receiver = new OtlpReceiver(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(body: string): void {
    this.bodies.push(body);
    const { resourceSpans } = JSON.parse(body) as OtlpRequest;
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = plain(resource.attributes)['service.name'] ?? '';
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) this.spans.push(received(service, span));
    }
  }
}

function received(service: string, span: OtlpSpan): ReceivedSpan {
  const { traceId, spanId, parentSpanId, name, attributes } = span;
  return {
    service,
    traceId,
    spanId,
    parentSpanId: parentSpanId || undefined,
    name,
    startedAtMs: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000,
    endedAtMs: Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000,
    attributes: plain(attributes),
  };
}

function plain(attributes: OtlpSpan['attributes']): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      String(value.stringValue ?? value.intValue ?? value.boolValue ?? ''),
    ]),
  );
}
