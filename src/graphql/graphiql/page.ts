/** GraphiQL for browsers that open the GraphQL endpoint, with the demo key for users of this machine. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { acceptedEncoding, graphiqlAssets } from './assets.ts';
import { exampleTabs } from './examples.ts';

export interface GraphiQLOptions {
  /** The key to fill in for a user of this machine; undefined if no key may be shown. */
  readonly demoKey?: () => Promise<string | undefined>;
}

/**
 * Everything is loaded from this origin. Monaco has styles in attributes; fonts and images are part of the style sheet.
 * The ban on frames prevents clickjacking of the "run" button.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'font-src data:',
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  // The page may contain a key.
  'cache-control': 'no-store',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  vary: 'accept, host',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Serves the files of the page, under the endpoint. */
export function mountGraphiQLAssets(server: FastifyInstance, endpoint: string): void {
  server.get<{ Params: { version: string; name: string } }>(
    `${assetsPath(endpoint, ':version')}/:name`,
    async ({ params, headers }, reply) => {
      const assets = await graphiqlAssets();
      const asset = params.version === assets.version ? assets.find(params.name) : undefined;
      if (asset === undefined) {
        throw new ServiceError('resource_not_found', { detail: 'GraphiQL has no such file. Reload the page.' });
      }
      const encoding = acceptedEncoding(headers['accept-encoding']);
      if (encoding !== 'identity') reply.header('content-encoding', encoding);
      return reply
        .headers({
          'content-type': asset.type,
          'cache-control': 'public, max-age=31536000, immutable',
          'cross-origin-resource-policy': 'same-origin',
          vary: 'accept-encoding',
          'x-content-type-options': 'nosniff',
        })
        .send(await asset.encoded(encoding));
    },
  );
}

const assetsPath = (endpoint: string, version: string): string => `${endpoint}/assets/${version}`;

/** Whether a browser opens the endpoint as a page. */
export const wantsPage = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method === 'GET' && /\btext\/html\b/i.test(headers.accept ?? '');

/** Responds with the page. */
export async function sendPage(
  endpoint: string,
  { demoKey }: GraphiQLOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { version } = await graphiqlAssets();
  const key = isFromThisMachine(request) ? await demoKey?.() : undefined;
  return reply.headers(pageHeaders).send(
    render(assetsPath(endpoint, version), {
      title: 'Postern',
      logo,
      defaultEditorToolsVisibility: 'variables',
      headers: JSON.stringify({ 'X-API-KEY': key ?? '' }, null, 2),
      defaultTabs: await exampleTabs(),
    }),
  );
}

/**
 * Whether the page was requested under a loopback name, and not through a proxy. A hostile site can resolve its own
 * name to a loopback address (DNS rebinding) and read the response, but the browser still sends that name in HOST. A
 * proxy may forward a request from another machine.
 */
function isFromThisMachine({ headers }: FastifyRequest): boolean {
  const proxied = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'].some(
    (name) => headers[name] !== undefined,
  );
  return !proxied && isLoopback((headers.host ?? '').replace(/:\d+$/, ''));
}

/** Whether a host name or address, as in a URL or in HOST, is always this machine. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);

function render(assets: string, options: Readonly<Record<string, unknown>>): string {
  // With "<" escaped, nothing in the options can close the script element.
  const data = JSON.stringify({ assets, ...options }).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Postern</title>
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
    <link rel="stylesheet" href="${assets}/graphiql.css">
    <script defer src="${assets}/graphiql.js"></script>
    <script defer src="${assets}/boot.js"></script>
    <style>
      body { margin: 0; }
      #root { height: 100vh; }
      /* All examples in view, in as many rows as they take. */
      .graphiql-container .graphiql-session-header { height: auto; align-items: flex-start; }
      .graphiql-container .graphiql-tabs { flex-wrap: wrap; overflow: visible; row-gap: 4px; }
      /* GraphiQL animates tabs whose place has changed (a font arrived, the docs were opened) but shows it only while one
         has the focus: the tab would jump from under the pointer between press and release, and not be opened. */
      .graphiql-container .graphiql-tab { transform: none !important; }
      /* An id with many dashes must not look like a long line. */
      .graphiql-container .monaco-editor * { font-variant-ligatures: none !important; font-feature-settings: 'liga' 0, 'calt' 0 !important; }
      .loading { padding: 24px; font: 16px system-ui, sans-serif; color: #777; }
    </style>
  </head>
  <body class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript. Any GraphQL client can read the schema without a key.</noscript>
    <div id="root"><p class="loading">Loading GraphiQL …</p></div>
    <script type="application/json" id="graphiql">${data}</script>
  </body>
</html>
`;
}

/** A postern is a small gate in a wall. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#5b3fd6"/><path d="M9 26V15a7 7 0 0 1 14 0v11z" fill="#fff"/><circle cx="19.5" cy="19.5" r="1.6" fill="#5b3fd6"/></svg>';

const logo = icon.replace('<svg ', '<svg width="28" height="28" ');
