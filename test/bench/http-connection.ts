/**
 * A connection of the load generator. It sends a request after the other and reads of a response only its status and its
 * length, so that it costs as little as possible beside the gateway that is measured.
 */
import { connect } from 'node:net';

export interface Received {
  readonly status: number;
  /** The length of the body. */
  readonly bytes: number;
}

export interface HttpConnection {
  /** @param request the whole of it, in ASCII; the response must have a `content-length` */
  send(request: string): Promise<Received>;
  close(): void;
}

/** All connections read into one buffer: what is in it has been looked at before the next one reads. */
const readBuffer = Buffer.alloc(1_048_576);

interface Waiting {
  resolve(received: Received): void;
  reject(error: Error): void;
}

export function openConnection({ hostname, port }: URL): Promise<HttpConnection> {
  let waiting: Waiting | null = null;
  let head = '';
  let received: Received | null = null;
  let missing = 0;

  function fail(error: Error): void {
    waiting?.reject(error);
    waiting = null;
    socket.destroy();
  }

  function read(bytes: Buffer): void {
    let body = bytes.length;
    if (received === null) {
      const end = bytes.indexOf('\r\n\r\n');
      head += bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
      if (end < 0) return;
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined) {
        fail(new Error(`A response without a length: ${head}`));
        return;
      }
      received = { status: Number(head.slice(9, 12)), bytes: Number(length) };
      missing = received.bytes;
      body = bytes.length - end - 4;
    }
    missing -= body;
    if (missing > 0) return;
    const [complete, { resolve }] = [received, waiting as Waiting];
    [head, received, waiting] = ['', null, null];
    resolve(complete);
  }

  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: {
      buffer: readBuffer,
      callback(count) {
        read(readBuffer.subarray(0, count));
        return true;
      },
    },
  });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.on('error', fail);
      socket.on('close', () => fail(new Error('The gateway closed a connection')));
      resolve({
        send: (request) =>
          new Promise<Received>((resolve, reject) => {
            waiting = { resolve, reject };
            socket.write(request, 'latin1');
          }),
        close: () => socket.destroy(),
      });
    });
  });
}
