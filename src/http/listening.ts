import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, Server as NetServer } from 'node:net';
import { http } from '../kernel/lib/node-http.ts';

export interface ListenAddress {
  /** A host name stands for its first address, `localhost` for all, as clients differ in which they try. */
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

export interface Listening {
  /** `http://127.0.0.1:4000` */
  readonly address: string;
  /** Takes no new connection, and leaves the others open. */
  leave(): void;
  close(): Promise<void>;
}

/** @param addressesOf finds those of `localhost`. @throws Error of node:net */
export async function listenAt(
  server: Server,
  { host, port }: ListenAddress,
  addressesOf: (host: string) => Promise<readonly string[]> = systemAddresses,
): Promise<Listening> {
  const [first = host, ...others] = host === 'localhost' ? await addressesOf(host) : [host];
  await start(server, first, port);
  const { address, family, port: chosen } = boundAddress(server);
  const relays: NetServer[] = [];
  for (const other of others) {
    const relay = createServer((socket) => server.emit('connection', socket));
    // A name may have an address that the machine has not.
    await start(relay, other, chosen).then(
      () => relays.push(relay),
      () => undefined,
    );
  }
  const all = [server, ...relays];
  return {
    leave() {
      // That of node:http would close idle connections, on which requests may be under way.
      for (const each of all) NetServer.prototype.close.call(each);
    },
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${chosen}`,
    async close() {
      // A connection counts for the server that has accepted it.
      const closed = all.map((each) => once(each, 'close'));
      for (const each of all) each.close();
      await Promise.all(closed);
    },
  };
}

/** Whether {@link listenAt} will do, before anything else is. @throws Error of node:net */
export async function requireFree(at: ListenAddress): Promise<void> {
  if (at.port === 0) return;
  const { close } = await listenAt(http.createServer(), at);
  await close();
}

const systemAddresses = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

async function start(server: NetServer, host: string, port: number): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(port, host);
  await listening;
}

function boundAddress(server: Server): AddressInfo {
  const address = server.address();
  // Text for a pipe; null before listening.
  if (address === null || typeof address === 'string') throw new Error('The server listens at no port');
  return address;
}
