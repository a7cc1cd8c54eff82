export interface AccessTokens {
  /** A `fetch` that sends the token of the page. If the gateway refuses it, as when it has expired, it asks for the next one, once. */
  readonly fetch: typeof fetch;
  /** Asks for a token. For each connection of a WebSocket: the one before may have been closed because its token has expired. */
  readonly renew: () => Promise<string>;
}

/**
 * The access token of the user of a page, which asks the gateway itself. No clock decides when the next one is needed: that of the
 * browser may be wrong.
 * @param path of your server, which knows its users, and responds to a POST with `{ "token": … }`
 */
export function createAccessTokens(path: string): AccessTokens {
  let kept: Promise<string> | undefined;
  const renew = () => {
    const asked = ask(path);
    kept = asked;
    asked.catch(() => {
      if (kept === asked) kept = undefined;
    });
    return asked;
  };
  return {
    renew,
    async fetch(input, init) {
      const used = kept ?? renew();
      const response = await fetch(input, withToken(await used, init));
      if (response.status !== 401) return response;
      // Of requests at once, the first has renewed it.
      const next = kept === undefined || kept === used ? renew() : kept;
      return fetch(input, withToken(await next, init));
    },
  };
}

async function ask(path: string): Promise<string> {
  const response = await fetch(path, { method: 'POST' });
  if (!response.ok) throw new Error(`No access token: ${response.status}`);
  return (await response.json()).token;
}

function withToken(token: string, init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}
