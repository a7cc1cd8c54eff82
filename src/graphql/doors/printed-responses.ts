/** Responses that the kernel has printed, sent out of its memory. */
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { maxIdleBytes, type Splice } from '../../splice/splicer.ts';

/**
 * Responses that keep their kernels until clients have read them. A slow client holds many times its response: beyond
 * this, or from a large memory, the response is copied and the kernel freed.
 */
const maxHeldKernels = 64;

/** Sends a response, and closes its splice. */
export type SendPrinted = (
  request: Pick<IncomingRequest, 'response' | 'send' | 'whenClosed'>,
  contentType: string,
  splice: Splice,
) => void;

export function printedResponses(): SendPrinted {
  let waiting = 0;
  return (request, contentType, splice) => {
    // 'close' is past, and would never free the kernel.
    if (request.response.closed) return splice.close();
    let output = splice.output();
    if (waiting >= maxHeldKernels || output.buffer.byteLength > maxIdleBytes) {
      output = Buffer.from(output);
      splice.close();
    } else {
      waiting += 1;
      request.whenClosed(() => {
        waiting -= 1;
        splice.close();
      });
    }
    request.send(200, { 'content-type': contentType, 'content-length': output.length }, output);
  };
}
