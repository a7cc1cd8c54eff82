/** A TCP proxy that can fall silent, as a network does between a client and a server that was switched off. */
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  /** The same URL by way of the proxy. */
  through(url: string): string;
  /** Forwards nothing more on the connections that are open, and keeps them open. Later ones are served. */
  silence(): void;
  /** Serves no connection that is made from now on either, though it accepts them. */
  silenceAll(): void;
  /** Ends the connections over which the client has sent `text`, and from now on each over which it does. */
  cut(text: string): void;
  close(): Promise<void>;
}

/** @param own the port to listen on; 0 picks a free one */
export async function startTcpProxy(target: string, own = 0): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly Socket[]>();
  const sockets = new Set<Socket>();
  let isDeaf = false;
  /** What clients have sent over their connections. */
  const sent = new Map<Socket, string>();
  let refused: string | null = null;
  const endRefused = (near: Socket) => {
    if (refused !== null && sent.get(near)?.includes(refused)) near.destroy();
  };
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near);
    if (isDeaf) return;
    const far = connect({ port: Number(port || 5432), host: hostname, allowHalfOpen: true });
    keep(far);
    const pair = [near, far];
    pairs.add(pair);
    near.on('data', (bytes) => {
      sent.set(near, `${sent.get(near) ?? ''}${bytes.toString('latin1')}`);
      endRefused(near);
    });
    near.once('close', () => sent.delete(near));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => pairs.has(pair) && to.write(bytes));
      from.on('end', () => pairs.has(pair) && to.end());
      from.on('close', () => pairs.has(pair) && to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  const { port: listening } = server.address() as { port: number };
  return {
    through(url) {
      const through = new URL(url);
      through.hostname = '127.0.0.1';
      through.port = String(listening);
      return through.href;
    },
    silence: () => pairs.clear(),
    cut(text) {
      refused = text;
      for (const near of sent.keys()) endRefused(near);
    },
    silenceAll() {
      isDeaf = true;
      pairs.clear();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
