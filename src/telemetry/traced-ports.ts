/** A span around each call, such as `posts.list`. */
import { entriesOf, isObject } from '../kernel/lib/objects.ts';
import { type PortMethod, type PortName, type Ports, wrapMethods, wrapPorts } from '../kernel/ports.ts';
import { errorTypeOf, type Tracer } from './telemetry.ts';

export function tracedPorts(ports: Ports, tracer: Tracer): Ports {
  const wrapped = wrapPorts(ports, (method, { port, name }) => traced(`${port}.${name}`, method, tracer));
  const sourcesOf = ([name, port]: readonly [PortName, object]) => [
    name,
    Object.fromEntries(
      Object.entries(port).map(([member, source]: [string, unknown]) => [
        member,
        isObject(source)
          ? wrapMethods(source, (method, of) => traced(`${name}.${member}.${of}`, method, tracer))
          : source,
      ]),
    ),
  ];
  const { serviceJudges, ...ofNames } = wrapped;
  // The compiler does not follow names and types through entries.
  return { serviceJudges, ...(Object.fromEntries(entriesOf(ofNames).map(sourcesOf)) as typeof ofNames) };
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
