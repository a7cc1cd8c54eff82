/** Serves the supergraph with Hive Gateway. Its command line takes the same options in `gateway.config.ts`. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createGatewayRuntime, type GatewayPlugin } from '@graphql-hive/gateway-runtime';
import { print } from 'graphql';
import { createClient } from 'graphql-sse';
import { address } from './settings.ts';

// A random wait of up to half a minute, so that not all streams come back at once.
const wait = (n: number) => Math.random() * Math.min(30_000, 1_000 * 2 ** n);
const retry = (n: number) => new Promise<void>((go) => setTimeout(go, wait(n)));

/** Subscriptions that outlast restarts of Postern. Hive Gateway by itself would end them as if nothing were to come. */
const steadyStreams: GatewayPlugin = {
  onSubgraphExecute({ subgraphName, executionRequest: { operationType }, setExecutor }) {
    if (subgraphName !== 'postern' || operationType !== 'subscription') return;
    setExecutor(({ document, variables = {}, context }) => {
      const headers = { authorization: context?.request.headers.get('authorization') ?? '' };
      const client = createClient({ url: `${address}/graphql`, headers, retry, retryAttempts: Infinity });
      return client.iterate({ query: print(document), variables });
    });
  },
};

const gateway = createGatewayRuntime({
  supergraph: await readFile('supergraph.graphql', 'utf8'),
  plugins: () => [steadyStreams],
  propagateHeaders: {
    // The API key is for one subgraph: the others need not know it.
    fromClientToSubgraphs: ({ request, subgraphName }) => {
      const authorization = request.headers.get('authorization');
      return subgraphName === 'postern' && authorization ? { authorization } : {};
    },
  },
});
const port = Number(process.env.PORT || 3000);
createServer(gateway).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/graphql`));
// Hive Gateway catches the signals, and leaves servers open.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());
