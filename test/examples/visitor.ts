/** A visitor of a BFF: what a page sends to it, and the streams that it reads. */
import type { GraphQLResponse } from '../support/gateway.ts';

type Variables = Readonly<Record<string, unknown>>;

export interface Visitor {
  ask(query: string, variables?: Variables): Promise<Pick<GraphQLResponse, 'status' | 'data' | 'errors'>>;
  /** The results of a subscription over server-sent events. To return from them ends the request. */
  watch(query: string, variables?: Variables): AsyncGenerator<Pick<GraphQLResponse, 'data' | 'errors'>, void>;
}

/** @param token - null for a stranger */
export function visitorAt(url: string, token: string | null): Visitor {
  const request = (accept: string, query: string, variables: Variables, signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: {
        accept,
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query, variables }),
      ...(signal && { signal }),
    });
  return {
    async ask(query, variables = {}) {
      const response = await request('application/json', query, variables);
      const { data = null, errors = [] } = await response.json();
      return { status: response.status, data, errors };
    },
    async *watch(query, variables = {}) {
      const gone = new AbortController();
      const response = await request('text/event-stream', query, variables, gone.signal);
      try {
        let text = '';
        for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          const events = (text + part).split('\n\n');
          text = events.pop() ?? '';
          for (const event of events) {
            if (event.includes('event: complete')) return;
            const [, line] = /^data: (\{.+)$/m.exec(event) ?? [];
            if (line !== undefined) yield { data: null, errors: [], ...JSON.parse(line) };
          }
        }
      } finally {
        gone.abort();
      }
    },
  };
}
