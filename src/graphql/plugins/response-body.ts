import type { Plugin } from 'graphql-yoga';
import type { Compress } from '../../http/compression.ts';
import { clientCacheHeaders, isCacheableByClient, isNotModified } from '../conditional-requests.ts';
import type { Incoming } from '../graphql-context.ts';

/**
 * Leaves out what the client has already, and compresses what it accepts so: of responses in one piece. A subscription is a
 * stream of another media type.
 * @param compress null where nothing is compressed
 */
export function useResponseBody(compress: Compress | null): Plugin<object, Incoming> {
  return {
    async onResponse({ response, setResponse, serverContext: { http }, fetchAPI }) {
      const isCacheable = isCacheableByClient(http);
      if (response.body === null || !isJson(response) || (compress === null && !isCacheable)) return;
      const text = await response.text();
      const { status } = response;
      const headers = new Headers(response.headers);
      headers.delete('content-length');
      if (isCacheable) headers.set('cache-control', clientCacheHeaders['cache-control']);
      if (isNotModified(http, text)) {
        headers.delete('content-type');
        return setResponse(new fetchAPI.Response(null, { status: 304, headers }));
      }
      const compressed = compress?.(http, text) ?? null;
      if (compressed !== null) headers.set('content-encoding', compressed.coding);
      const bytes = await compressed?.bytes;
      setResponse(new fetchAPI.Response(bytes === undefined ? text : new Uint8Array(bytes), { status, headers }));
    },
  };
}

const isJson = ({ headers }: Pick<Response, 'headers'>): boolean =>
  /^application\/(?:graphql-response\+)?json\b/.test(headers.get('content-type') ?? '');
