/** What every peer sends: the same body, signed by the same function, with undici. */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { signatureHeaders } from '../../../src/delivery/signature.ts';
import { newTimedId } from '../../../src/kernel/ids.ts';
import { benchSecret, payloadOf } from '../deliveries/payload.ts';

const deadlineMs = 15_000;
const agent = new Agent({ pipelining: 1, connect: { timeout: deadlineMs } });

/** A delivery as a job of a queue: with all that its request needs. */
export const jobOf = (url, n) => ({ url, id: newTimedId(randomBytes, Date.now()), body: payloadOf(n) });

/** Rejects unless the response is a success, so that the queue tries again. */
export async function post({ url, id, body }) {
  const bytes = Buffer.from(body);
  const signature = signatureHeaders({ id, now: Date.now(), body: bytes }, [benchSecret]);
  const { statusCode, body: response } = await request(url, {
    method: 'POST',
    headers: [...signature, 'content-type', 'application/json', 'user-agent', 'Postern'],
    body: bytes,
    dispatcher: agent,
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
  });
  await response.dump();
  if (statusCode < 200 || statusCode > 299) throw new Error(`The status is ${statusCode}`);
}
