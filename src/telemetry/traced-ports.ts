/** A span around each call, such as `posts.list`. */
import { isObject } from '../kernel/lib/objects.ts';
import { mapPorts, type PortMethod, type Ports, wrapMethods } from '../kernel/ports.ts';
import { errorTypeOf, type Tracer } from './telemetry.ts';

/** With their sources, such as `posts.pages.read`. */
export const tracedPorts = (ports: Ports, tracer: Tracer): Ports =>
  mapPorts(ports, (port, name) => {
    const sources = Object.entries(port).flatMap(([member, source]: [string, unknown]) =>
      isObject(source) ? [[member, tracedMethods(source, `${name}.${member}`, tracer)]] : [],
    );
    return { ...tracedMethods(port, name, tracer), ...Object.fromEntries(sources) };
  });

const tracedMethods = <Target extends object>(target: Target, of: string, tracer: Tracer): Target =>
  wrapMethods(target, (method, name) => traced(`${of}.${name}`, method, tracer));

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
