/** The gateway in Express: before what parses bodies, as it reads them itself. */
import express from 'express';
import { createGateway, optionsOf } from 'postern';

const gateway = await createGateway(optionsOf(process.env));

const app = express();
app.use(['/graphql', '/v1', '/docs', '/webhooks'], gateway.requestListener);
app.use(express.json());
app.post('/mine', ({ body }, response) => void response.json(body));

const port = Number(process.env.PORT || 3000);
const server = app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/graphql`));

process.once('SIGTERM', async () => {
  server.close();
  await gateway.close();
});
