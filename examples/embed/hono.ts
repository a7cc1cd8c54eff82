/** The gateway in Hono. */
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import { createGateway, optionsOf } from 'postern';

const gateway = await createGateway(optionsOf(process.env));

const app = new Hono();
// Limits count by the address of the client.
app.all('/graphql/*', (context) => gateway.fetch(context.req.raw, { address: getConnInfo(context).remote.address }));

const port = Number(process.env.PORT || 3000);
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => console.log(`http://127.0.0.1:${port}/graphql`));
