/** A small forward proxy: requests with a whole URL, and tunnels. Names lead to this machine, whatever they are. */
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ForwardProxy {
  /** `http://<user>:<password>@127.0.0.1:<port>` */
  readonly url: string;
  /** Method and target of each request, in order. */
  readonly seen: string[];
  /** Whether it refuses everybody. */
  refuses: boolean;
}

const credentials = 'gateway:se cret';

export async function startForwardProxy(): Promise<ForwardProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const isRefused = ({ method, url, headers }: IncomingMessage): boolean => {
    seen.push(`${method} ${url}`);
    const given = headers['proxy-authorization'] ?? '';
    return proxy.refuses || Buffer.from(given.replace('Basic ', ''), 'base64').toString() !== credentials;
  };
  const server = createServer((incoming, response) => {
    if (isRefused(incoming)) return response.writeHead(407).end();
    const { pathname, search, port, host } = new URL(incoming.url ?? '');
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    if (headers.host !== host) return response.writeHead(400).end();
    const { method } = incoming;
    const onward = request({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('continue', () => response.writeContinue());
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    if (isRefused(incoming)) return client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const onward = connect(Number(incoming.url?.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    for (const end of [onward, client]) end.on('error', () => [onward, client].map((each) => each.destroy()));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as { port: number };
  const proxy = { url: `http://${encodeURI(credentials)}@127.0.0.1:${port}`, seen, refuses: false };
  return proxy;
}
