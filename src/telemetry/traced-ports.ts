/** A span around each call, such as `posts.list`. */
import { type PortMethod, type Ports, wrapMethods, wrapPorts } from '../kernel/ports.ts';
import { errorTypeOf, type Tracer } from './telemetry.ts';

export function tracedPorts(ports: Ports, tracer: Tracer): Ports {
  const wrapped = wrapPorts(ports, (method, { port, name }) => traced(`${port}.${name}`, method, tracer));
  const withPages = <Port extends { readonly pages?: object }>(name: string, port: Port): Port =>
    port.pages === undefined
      ? port
      : { ...port, pages: wrapMethods(port.pages, (method, of) => traced(`${name}.pages.${of}`, method, tracer)) };
  return {
    ...wrapped,
    posts: withPages('posts', wrapped.posts),
    webhooks: withPages('webhooks', wrapped.webhooks),
  };
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
