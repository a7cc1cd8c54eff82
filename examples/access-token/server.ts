/** Serves the page, and gives its user access tokens of the gateway. The API key stays here. */
import { readFileSync } from 'node:fs';
import { createServer, type Plugin } from 'vite';
import { address } from './settings.ts';

// #region tokens
const port = Number(process.env.PORT || 5173);
const origin = `http://127.0.0.1:${port}`;

/** Without a key in the environment: that of the demo workspace. */
const keyFile = process.env.POSTERN_KEY_FILE || '../../.data/demo-key';
const key = () => process.env.POSTERN_KEY || readFileSync(keyFile, 'utf8').trim();

// What the user may do. Your sessions say who it is: give `accountIds`, if the user may not see every account of the key.
const query = `mutation TokenOfUser($origins: [String!]) {
  createAccessToken(input: { scopes: [ACCOUNTS_READ, WEBHOOKS_READ], expiresIn: 900, origins: $origins }) {
    ... on AccessTokenCreated { token }
    ... on ServiceError { message }
  }
}`;

async function createToken(): Promise<string> {
  const headers = { authorization: `Bearer ${key()}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query, variables: { origins: [origin] } });
  const response = await fetch(`${address}/graphql`, { method: 'POST', headers, body });
  const { data, errors } = await response.json();
  const { token, message = errors?.[0]?.message } = data?.createAccessToken ?? {};
  if (!token) throw new Error(`The gateway gave no access token: ${message}`);
  return token;
}

const accessTokens: Plugin = {
  name: 'access-tokens',
  configureServer({ middlewares }) {
    middlewares.use('/access-token', async ({ method, headers }, response) => {
      // The own page only: a session of your server takes the place of this.
      if (method !== 'POST' || headers.origin !== origin) return response.writeHead(403).end();
      try {
        const token = await createToken();
        response.setHeader('cache-control', 'no-store').end(JSON.stringify({ token }));
      } catch (error) {
        console.error(error);
        response.writeHead(503).end();
      }
    });
  },
};
// #endregion

const define = { 'import.meta.env.GATEWAY': JSON.stringify(address) };
const server = await createServer({
  plugins: [accessTokens],
  define,
  server: { host: '127.0.0.1', port, strictPort: true },
});
await server.listen();
console.log(origin);

// Browsers ask this before the requests of the page. That the gateway is away, the page reports itself.
const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } };
const allowed = await fetch(`${address}/graphql`, preflight).catch(() => null);
if (allowed && !allowed.headers.has('access-control-allow-origin'))
  console.warn(`The gateway refuses this page: start it with CORS_ORIGINS=${origin}`);
