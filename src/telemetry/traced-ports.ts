/** A span around each call, such as `posts.list`. */
import { type PortMethod, type Ports, wrapMethods, wrapPorts } from '../kernel/ports.ts';
import { errorTypeOf, type Tracer } from './telemetry.ts';

export function tracedPorts(ports: Ports, tracer: Tracer): Ports {
  const wrapped = wrapPorts(ports, (method, { port, name }) => traced(`${port}.${name}`, method, tracer));
  const { pages } = wrapped.posts;
  if (pages === undefined) return wrapped;
  const tracedPages = wrapMethods(pages, (method, name) => traced(`posts.pages.${name}`, method, tracer));
  return { ...wrapped, posts: { ...wrapped.posts, pages: tracedPages } };
}

const traced =
  (name: string, method: PortMethod, tracer: Tracer): PortMethod =>
  (...given) => {
    const span = tracer.start(name);
    const result = span.within(() => method(...given));
    // Synchronous methods ask nobody. A span without an end is not sent.
    if (!(result instanceof Promise)) return result;
    return result
      .catch((error: unknown) => {
        span.fail(errorTypeOf(error));
        throw error;
      })
      .finally(() => span.end());
  };
