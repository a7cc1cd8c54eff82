/** The gateway in Next.js: `app/graphql/route.ts`, with `serverExternalPackages: ['postern']` in `next.config.ts`. */
import { createGateway, type Gateway, optionsOf } from 'postern';

// With the first request, as a build loads routes too; and once, as a server for development loads them again.
const kept = globalThis as { gateway?: Promise<Gateway> };

async function answer(request: Request): Promise<Response> {
  kept.gateway ??= createGateway(optionsOf(process.env));
  return (await kept.gateway).fetch(request);
}

export { answer as GET, answer as OPTIONS, answer as POST };
