/** What visitors send to the gateway, and what it responds. A stream stays a stream. */
import { address } from './settings.ts';
import { withTokenOf } from './tokens.ts';
import { refusal, visitorOf } from './visitors.ts';

const sent = ['accept', 'content-type'];
const returned = ['cache-control', 'content-type', 'retry-after', 'x-accel-buffering', 'x-request-id'];

const only = (names: readonly string[], headers: Headers) =>
  new Headers([...headers].filter(([name]) => names.includes(name)));

const unreachable = { message: 'The gateway cannot be reached.', extensions: { code: 'SERVICE_UNAVAILABLE' } };

export async function POST(request: Request): Promise<Response> {
  const visitor = visitorOf(request);
  if (!visitor) return refusal();
  const { signal } = request;
  try {
    // Whole, as it may have to be sent twice.
    const body = await request.arrayBuffer();
    const headers = only(sent, request.headers);
    const response = await withTokenOf(visitor, (token) => {
      headers.set('authorization', `Bearer ${token}`);
      return fetch(`${address}/graphql`, { method: 'POST', headers, body, signal });
    });
    return new Response(response.body, { status: response.status, headers: only(returned, response.headers) });
  } catch (error) {
    // With this status, graphql-sse and the retry links of clients try again.
    if (!signal.aborted) console.error(error);
    return Response.json({ errors: [unreachable] }, { status: 503, headers: { 'retry-after': '1' } });
  }
}
