/** The gateway in Fastify: a scope of its own, in which nothing parses bodies. */
import { fastify } from 'fastify';
import { createGateway, optionsOf } from 'postern';

const gateway = await createGateway(optionsOf(process.env));

const app = fastify();
await app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _body, done) => done(null));
  for (const path of ['/graphql', '/graphql/*', '/v1/*'])
    scope.all(path, (request, reply) => {
      reply.hijack();
      gateway.requestListener(request.raw, reply.raw);
    });
});
app.addHook('onClose', () => gateway.close());
console.log(await app.listen({ port: Number(process.env.PORT || 3000), host: '127.0.0.1' }));
