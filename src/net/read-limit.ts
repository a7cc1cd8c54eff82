/**
 * A bound on what is read of a response, whatever it is framed in. Of an endless status line, of informational responses and
 * of the extensions of chunks the HTTP parser makes nothing that could be counted: it reads on until the deadline.
 */
import type { Socket } from 'node:net';

export class ResponseTooLarge extends Error {
  readonly code = 'RESPONSE_TOO_LARGE';
}

/**
 * Destroys the connection when it has read more than `bytes` since the last write, which was that of a request.
 * @param socket one that carries one request after the other
 */
export function limitReads(socket: Socket, bytes: number): void {
  let [written, readBefore, read] = [0, 0, 0];
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) [written, readBefore] = [socket.bytesWritten, read];
    read = socket.bytesRead;
    if (read - readBefore > bytes) socket.destroy(new ResponseTooLarge(`More than ${bytes} bytes of a response`));
  });
}
