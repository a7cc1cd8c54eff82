/** A name server on loopback: it answers for the names that it knows, says of others that they do not exist, and can be silent. */
import { createSocket, type RemoteInfo } from 'node:dgram';

export interface NameServer {
  /** `127.0.0.1:<port>` */
  readonly address: string;
  /** The names that were asked for, with the type of the question: `A hooks.example`. */
  readonly asked: string[];
  /** The addresses of names; null for a name that is never answered, `servfail` for one that the server fails at. */
  names: Readonly<Record<string, readonly string[] | null | 'servfail'>>;
  /** Seconds. */
  ttl: number;
  close(): Promise<void>;
}

const types: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };
const [noError, serverFailure, nameError] = [0, 2, 3];

export async function startNameServer(port = 0): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => answer(message, from));
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));

  const answer = (message: Buffer, from: RemoteInfo) => {
    const { name, type, question } = questionOf(message);
    server.asked.push(`${type} ${name}`);
    const known = server.names[name];
    if (known === null) return;
    const code = known === undefined ? nameError : known === 'servfail' ? serverFailure : noError;
    const addresses = Array.isArray(known) ? known.filter((each) => each.includes(':') === (type === 'AAAA')) : [];
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const records = addresses.map((address) => record(type, address, server.ttl));
    socket.send(Buffer.concat([header, question, ...records]), from.port, from.address);
  };
  const server: NameServer = {
    address: `127.0.0.1:${socket.address().port}`,
    asked: [],
    names: {},
    ttl: 60,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  return server;
}

/** The one question of a message (RFC 1035, section 4.1.2). */
function questionOf(message: Buffer): { readonly name: string; readonly type: string; readonly question: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = types[message.readUInt16BE(at + 1)] ?? '';
  return { name: labels.join('.').toLowerCase(), type, question: message.subarray(12, at + 5) };
}

/** A record for the name of the question, to which 0xc00c points. */
function record(type: string, address: string, ttl: number): Buffer {
  const data = type === 'A' ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type === 'A' ? 1 : 28, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** Of an address that is written with all of its eight groups. */
const ipv6Bytes = (address: string): Buffer =>
  Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );
