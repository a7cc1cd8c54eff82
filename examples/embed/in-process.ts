/** Operations without a socket, by an executor of GraphQL Tools. */
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { parse } from 'graphql';
import { createGateway, optionsOf } from 'postern';

const gateway = await createGateway(optionsOf(process.env));

const execute = buildHTTPExecutor({
  endpoint: 'http://gateway/graphql',
  fetch: gateway.fetch,
  headers: { 'x-api-key': process.env.POSTERN_KEY ?? '' },
});

console.log(JSON.stringify(await execute({ document: parse('{ viewer { name } }') })));
await gateway.close();
