export interface DevProxyOptions {
  /** The gateway, such as `http://127.0.0.1:4000`. */
  readonly url: string;
  /** The API key. It is asked for with each request, so that a new key needs no restart. */
  readonly key: () => string;
}

/**
 * The `proxy` of Vite during development. It passes requests and WebSockets on to the gateway, with the key, which thus is in no
 * script that a browser loads. It serves its own pages only, because any other page could act with the key as well.
 */
export function devProxy({ url, key }: DevProxyOptions) {
  const bypass = ({ headers }: { readonly headers: Sender }) => {
    if (!isOwnPage(headers)) return false;
    delete headers.authorization;
    try {
      headers.authorization = `Bearer ${key()}`;
    } catch (error) {
      // Without a key the gateway says that it is missing. Vite itself would leave a WebSocket open and unanswered.
      console.error('The API key could not be read:', error);
    }
  };
  return { '/graphql': { target: url, changeOrigin: true, rewriteWsOrigin: true, ws: true, bypass } };
}

interface Sender {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  authorization?: string | undefined;
}

/** A name of another host could be one that an attacker has led here. */
const isOwnPage = ({ host = '', origin }: Sender): boolean =>
  /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(host) && (origin === undefined || origin === `http://${host}`);
