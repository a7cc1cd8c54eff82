/** A span around each call, such as `posts.list`. */
import type { Ports } from '../kernel/ports.ts';
import { errorTypeOf, type Tracer } from './telemetry.ts';

export function tracedPorts(ports: Ports, tracer: Tracer): Ports {
  const traced = <Port extends object>(name: string, port: Port): Port => tracedMethods(name, port, tracer);
  const { posts } = ports;
  return {
    ...ports,
    accounts: traced('accounts', ports.accounts),
    jobs: traced('jobs', ports.jobs),
    posts: {
      ...traced('posts', posts),
      ...(posts.pages === undefined ? {} : { pages: traced('posts.pages', posts.pages) }),
    },
    webhooks: traced('webhooks', ports.webhooks),
    deliveries: traced('deliveries', ports.deliveries),
  };
}

function tracedMethods<Port extends object>(name: string, port: Port, tracer: Tracer): Port {
  const members = Object.entries(port).map(([member, value]) =>
    typeof value === 'function' ? [member, traced(`${name}.${member}`, value.bind(port), tracer)] : [member, value],
  );
  // The compiler does not follow names and types through entries.
  return Object.fromEntries(members) as Port;
}

const traced =
  (name: string, method: (...given: readonly unknown[]) => unknown, tracer: Tracer) =>
  (...given: readonly unknown[]): unknown => {
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
