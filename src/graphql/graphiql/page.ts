/** GraphiQL for browsers that open the GraphQL endpoint. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { privateHeaders } from '../../http/headers.ts';
import { acceptedEncoding, graphiqlAssets } from './assets.ts';
import { exampleTabs } from './examples.ts';
import { type SignIn, signInPath } from './sign-in.ts';

export interface GraphiQLOptions {
  /** Hands the demo key to the user who has the link; null if no key may be shown. */
  readonly signIn: SignIn | null;
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
  ...privateHeaders,
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // The address may contain a token.
  'referrer-policy': 'no-referrer',
  vary: 'accept',
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
      const content = await asset.encoded(encoding);
      if (encoding !== 'identity') reply.header('content-encoding', encoding);
      return reply
        .headers({
          'content-type': asset.type,
          'cache-control': 'public, max-age=31536000, immutable',
          'cross-origin-resource-policy': 'same-origin',
          vary: 'accept-encoding',
          'x-content-type-options': 'nosniff',
        })
        .send(content);
    },
  );
}

const assetsPath = (endpoint: string, version: string): string => `${endpoint}/assets/${version}`;

/** Whether a browser opens the endpoint as a page. */
export const wantsPage = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method === 'GET' && /\btext\/html\b/i.test(headers.accept ?? '');

/** Responds with the page. It contains no secret: anybody may read it. */
export async function sendPage(
  endpoint: string,
  { signIn }: GraphiQLOptions,
  { query }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { version } = await graphiqlAssets();
  const assets = assetsPath(endpoint, version);
  reply.headers(pageHeaders);
  if (signIn !== null && typeof query === 'object' && query !== null && 'token' in query) {
    return reply.send(renderSignIn(assets, signInPath(endpoint)));
  }
  return reply.send(
    render(assets, {
      title: 'Postern',
      logo,
      defaultEditorToolsVisibility: 'variables',
      signIn: signIn !== null,
      defaultTabs: await exampleTabs(),
    }),
  );
}

/** The page behind the link that the start prints. */
const renderSignIn = (assets: string, exchange: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Postern</title>
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
    <script defer src="${assets}/sign-in.js"></script>
    <style>
      body { margin: 24px; font: 16px system-ui, sans-serif; color: #777; }
    </style>
  </head>
  <body>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <p id="problem" role="status"></p>
    ${dataElement('sign-in', { exchange })}
  </body>
</html>
`;

/** Data for a script of the page. With "<" escaped, nothing in it can close the element. */
const dataElement = (id: string, data: object): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;

function render(assets: string, options: Readonly<Record<string, unknown>>): string {
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
      body { margin: 0; height: 100vh; display: flex; flex-direction: column; }
      #root { flex: 1; min-height: 0; }
      /* GraphiQL is as high as the window, which it shares with the note. */
      #root .graphiql-container { height: 100%; }
      #note { margin: 0; padding: 8px 16px; font: 14px system-ui, sans-serif; color: #3b2a00; background: #ffe9a8; }
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
    <p id="note" role="status" hidden>GraphiQL has no API key yet: open the link that the start of the gateway printed, or enter a key under Headers.</p>
    <div id="root"><p class="loading">Loading GraphiQL …</p></div>
    ${dataElement('graphiql', { assets, ...options })}
  </body>
</html>
`;
}

/** A postern is a small gate in a wall. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#5b3fd6"/><path d="M9 26V15a7 7 0 0 1 14 0v11z" fill="#fff"/><circle cx="19.5" cy="19.5" r="1.6" fill="#5b3fd6"/></svg>';

const logo = icon.replace('<svg ', '<svg width="28" height="28" ');
