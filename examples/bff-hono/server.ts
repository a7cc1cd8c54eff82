/** A backend for frontend (BFF) that passes everything through, on Hono. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { POST } from './graphql.ts';

const app = new Hono();
app.post('/graphql', ({ req }) => POST(req.raw));

const port = Number(process.env.PORT || 3000);
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => console.log(`http://127.0.0.1:${port}/graphql`));
