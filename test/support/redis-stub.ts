/** A server that speaks the protocol of Redis, and says what a test wants. */
import { createServer, type Socket } from 'node:net';

export interface RedisStub {
  /** `redis://…`, with a password. */
  readonly url: string;
  /** What was asked so far, but for the handshake. */
  readonly commands: readonly (readonly string[])[];
  close(): Promise<void>;
}

const handshake = new Set(['hello', 'auth', 'select', 'client', 'info']);

/** @param reply to a command, in the protocol, such as `+OK` or `-ERR …`; undefined for OK */
export async function startRedisStub(
  reply: (name: string, command: readonly string[]) => string | undefined,
): Promise<RedisStub> {
  const sockets = new Set<Socket>();
  const commands: string[][] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      for (let read = commandIn(received); read !== null; read = commandIn(received)) {
        const [command, length] = read;
        received = received.slice(length);
        const name = command[0]?.toLowerCase() ?? '';
        if (!handshake.has(name)) commands.push(command);
        socket.write(
          `${reply(name, command) ?? (name === 'hello' ? '-NOPROTO unsupported protocol version' : '+OK')}\r\n`,
        );
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `redis://:stub-password@127.0.0.1:${port}`,
    commands,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The first command of a text in ASCII, and its length; null for one that has not arrived yet. */
function commandIn(text: string): readonly [string[], number] | null {
  const count = /^\*(\d+)\r\n/.exec(text);
  if (count === null) return null;
  let at = count[0].length;
  const words: string[] = [];
  while (words.length < Number(count[1])) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (size === null) return null;
    at += size[0].length;
    const end = at + Number(size[1]);
    if (text.length < end + 2) return null;
    words.push(text.slice(at, end));
    at = end + 2;
  }
  return [words, at];
}
