import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy on loopback that can simulate faults. */
export interface TcpProxy {
  readonly port: number;
  /** From now on data from clients passes, and data from the server is held back. */
  readonly holdAnswers: () => void;
  /** Breaks all connections on both sides; data that was held back is lost. */
  readonly cut: () => void;
  /** Breaks all connections, and each new one as soon as it is made. */
  readonly refuse: () => void;
  /** All is well again: held answers pass, connections are accepted. */
  readonly restore: () => void;
  close(): Promise<void>;
}

/**
 * @param targetPort read for each connection if it is a function, since the server may come back on another
 * port
 */
export async function startTcpProxy(targetPort: number | (() => number)): Promise<TcpProxy> {
  const pairs = new Set<{ client: Socket; upstream: Socket }>();
  let holding = false;
  let refusing = false;

  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (refusing) {
      client.resetAndDestroy();
      return;
    }
    const port = typeof targetPort === 'number' ? targetPort : targetPort();
    const upstream = connect(port, '127.0.0.1');
    const pair = { client, upstream };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
    }
    client.on('data', (bytes) => upstream.write(bytes));
    upstream.on('data', (bytes) => client.write(bytes));
    if (holding) upstream.pause();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  const cut = () => {
    for (const { client, upstream } of new Set(pairs)) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    holdAnswers() {
      holding = true;
      for (const { upstream } of pairs) upstream.pause();
    },
    cut,
    refuse() {
      refusing = true;
      cut();
    },
    restore() {
      holding = false;
      refusing = false;
      for (const { upstream } of pairs) upstream.resume();
    },
    async close() {
      cut();
      await new Promise((closed) => server.close(closed));
    },
  };
}
