/** Sends a response out of the memory of the kernel that printed it. */
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { maxIdleBytes, type Splice } from '../../splice/splicer.ts';

/**
 * How many responses may keep their kernels until clients have read them. A slow client holds its kernel, which is many
 * times the response, so beyond this number, or from a large memory, the response is copied and the kernel freed.
 */
const maxWaiting = 64;

/** Sends a response, and closes the splice when its bytes are of no more use. */
export type Send = (
  request: Pick<IncomingRequest, 'response' | 'whenClosed'>,
  contentType: string,
  splice: Splice,
) => void;

export function createSend(): Send {
  let waiting = 0;
  return (request, contentType, splice) => {
    const { response } = request;
    // 'close' has been emitted already, so it would never free the kernel.
    if (response.closed) return splice.close();
    let output = splice.output();
    if (waiting >= maxWaiting || output.buffer.byteLength > maxIdleBytes) {
      output = Buffer.from(output);
      splice.close();
    } else {
      waiting += 1;
      request.whenClosed(() => {
        waiting -= 1;
        splice.close();
      });
    }
    response.writeHead(200, { 'content-type': contentType, 'content-length': output.length });
    response.end(output);
  };
}
