/** The door for JSON: straight from the request to the socket. What it does not speak, it hands to Yoga, with what is known. */
import { type Compress, sendCompressed } from '../../http/compression.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import type { Splice } from '../../splice/splicer.ts';
import { Exchange } from '../exchange.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Presented } from '../presentation.ts';
import { isNotModified } from './conditional-requests.ts';
import { jsonTypeFor } from './media-type.ts';
import { httpOf, sendJson } from './send.ts';
import { createSend } from './send-splice.ts';

export interface DoorOptions {
  readonly pipeline: Pipeline;
  readonly maxCost: number;
  /** Null where no response is compressed. */
  readonly compress: Compress | null;
  /** The door for streams, and for what neither door speaks. */
  readonly yoga: (exchange: Exchange) => Promise<void>;
}

export function socketDoor({
  pipeline,
  compress,
  yoga,
  ...options
}: DoorOptions): (request: IncomingRequest) => Promise<void> {
  const sendSplice = createSend();

  async function serve(request: IncomingRequest): Promise<void> {
    const exchange = new Exchange(request, options);
    const type = jsonTypeFor(request.headers.accept);
    if (type === undefined) return yoga(exchange);
    const contentType = `${type}; charset=utf-8`;
    const refused = await pipeline.pass(exchange);
    if (refused !== null) return send(exchange, contentType, refused);
    // Whoever accepts JSON may accept a stream as well.
    if (exchange.operation.isSubscription) return yoga(exchange);
    return send(exchange, contentType, await pipeline.execute(exchange));
  }

  async function send({ http, batchSize }: Exchange, contentType: string, presented: Presented): Promise<void> {
    if ('results' in presented) throw new Error('A subscription has no response of JSON');
    if ('splice' in presented) return sendPrinted(http, contentType, presented.splice);
    const { body, errors } = presented;
    if (errors.length === 0) return sendJson(http, contentType, body, { compress });
    const { status, headers } = httpOf(errors, contentType.startsWith('application/json'));
    http.addHeaders(headers);
    return sendJson(http, contentType, times(batchSize, body), { status, compress });
  }

  async function sendPrinted(request: IncomingRequest, contentType: string, splice: Splice): Promise<void> {
    let isHandedOver = false;
    try {
      const output = splice.output();
      if (isNotModified(request, output)) {
        request.response.writeHead(304).end();
        return;
      }
      const compressed = compress?.(request, output) ?? null;
      // The memory of the kernel is read until then.
      if (compressed !== null) return await sendCompressed(request, contentType, compressed);
      isHandedOver = true;
      sendSplice(request, contentType, splice);
    } finally {
      if (!isHandedOver) splice.close();
    }
  }

  return serve;
}

/** A batch is refused with a response to each of its requests, as its client expects them. A longer one has a single response. */
const maxResponses = 100;

const times = (size: number, body: Uint8Array | string): Uint8Array | string =>
  size > 0 && size <= maxResponses ? `[${Array(size).fill(body).join()}]` : body;
