/** The gateway behind node:http, beside pages of one's own. */
import { createServer } from 'node:http';
import { createGateway, optionsOf } from 'postern';

const gateway = await createGateway(optionsOf(process.env));

const server = createServer();
server.on('request', (request, response) => {
  if (request.url === '/') response.end('My own page');
  else gateway.requestListener(request, response);
});

const port = Number(process.env.PORT || 3000);
server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/graphql`));

process.once('SIGTERM', async () => {
  server.close();
  await gateway.close();
});
