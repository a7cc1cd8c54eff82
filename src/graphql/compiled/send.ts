/** Sends a response out of the memory of the kernel that printed it. */
import type { IncomingRequest } from '../../http/incoming-request.ts';
import type { Splice } from '../../splice/splicer.ts';

/**
 * Responses that may wait for their sockets in the memory of their kernels. A client that does not read keeps its own
 * waiting for as long as it likes, and a kernel has many times the memory of a response: beyond this, and if its memory
 * is large, what it printed is copied, and the kernel is free.
 */
const maxWaiting = 64;
const maxWaitingBytes = 4 * 1_024 * 1_024;

/** Sends a response, and closes the splice when its bytes are of no more use. */
export type Send = (request: Pick<IncomingRequest, 'response'>, contentType: string, splice: Splice) => void;

export function createSend(): Send {
  let waiting = 0;
  return ({ response }, contentType, splice) => {
    // The client has gone, and nothing more will be heard of that.
    if (response.closed) return splice.close();
    let output = splice.output();
    if (waiting >= maxWaiting || output.buffer.byteLength > maxWaitingBytes) {
      output = Buffer.from(output);
      splice.close();
    } else {
      waiting += 1;
      response.once('close', () => {
        waiting -= 1;
        splice.close();
      });
    }
    response.writeHead(200, { 'content-type': contentType, 'content-length': output.length });
    response.end(output);
  };
}
