/** A request through each door of GraphQL, and the JSON of its response. */
import { expect } from 'vitest';
import { openSocket } from './web-socket.ts';

/** A request as each door takes it. */
export interface Asked {
  readonly address: string;
  readonly requestId: string;
  readonly key: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Door {
  /** @returns the JSON of the response, in whatever it was wrapped */
  ask(asked: Asked): Promise<string>;
  /** The id of a request, in its line and its span. */
  idOf(requestId: string): string;
}

const json = 'application/graphql-response+json';
const http = (
  method: 'GET' | 'POST',
  accept: string,
  read: (body: string) => string | undefined = (body) => body,
): Door => ({
  idOf: (requestId) => requestId,
  async ask({ address, requestId, key, parameters }) {
    const inUrl = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    );
    const response = await fetch(`${address}/graphql${method === 'GET' ? `?${new URLSearchParams(inUrl)}` : ''}`, {
      method,
      headers: {
        accept,
        'content-type': 'application/json',
        'x-request-id': requestId,
        ...(key === '' ? {} : { 'x-api-key': key }),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(parameters) }),
    });
    return read(await response.text()) ?? 'null';
  },
});

const webSocket: Door = {
  idOf: (requestId) => `${requestId}.1`,
  async ask({ address, requestId, key, parameters }) {
    const headers = { 'x-request-id': requestId };
    const client = await openSocket(address, { headers, init: key === '' ? {} : { 'x-api-key': key } });
    const { type, payload } = await client.ask('1', parameters);
    if (type === 'next') expect(await client.next('1')).toEqual({ id: '1', type: 'complete' });
    client.socket.close();
    await client.closed;
    if (type === 'next') return JSON.stringify(payload);
    // The message of an error has no place for extensions but its own.
    const { cost } = payload[0].extensions;
    return JSON.stringify({ errors: payload, ...(cost === undefined ? {} : { extensions: { cost } }) });
  },
};

export const doors: Readonly<Record<string, Door>> = {
  JSON: http('POST', json),
  GET: http('GET', json),
  SSE: http('POST', 'text/event-stream', (body) => /^data: (\{.*)$/m.exec(body)?.[1]),
  multipart: http('POST', 'multipart/mixed;subscriptionSpec=1.0', (body) => /\{"payload":(.*)\}\r$/m.exec(body)?.[1]),
  WebSocket: webSocket,
};
