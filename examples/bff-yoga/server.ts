/** A backend for frontend (BFF) on GraphQL Yoga. It has the key, knows its visitors, and decides what they see. */
import { createServer } from 'node:http';
import { createYoga, type Plugin } from 'graphql-yoga';
import { type Context, schema } from './schema.ts';
import { refusal, visitorOf } from './visitors.ts';

/** Strangers get nothing, not even the schema. */
const visitorsOnly: Plugin = {
  onRequest({ request, endResponse }) {
    if (!visitorOf(request)) endResponse(refusal());
  },
};

const yoga = createYoga<object, Context>({
  schema,
  graphiql: false,
  plugins: [visitorsOnly],
  context({ request }) {
    const visitor = visitorOf(request);
    if (!visitor) throw new Error('visitorsOnly has let a stranger in');
    return { visitor };
  },
});

const port = Number(process.env.PORT || 3000);
createServer(yoga).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/graphql`));
