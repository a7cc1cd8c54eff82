import type { Plugin } from 'graphql-yoga';
import { inSpan, type Tracer } from '../../telemetry/telemetry.ts';
import type { Incoming } from '../graphql-context.ts';
import { spanOf } from '../operation-facts.ts';

/** A span around the execution of each query and mutation. A subscription lasts as long as its request, which has one. */
export function useOperationSpan(tracer: Tracer): Plugin<Incoming> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { name, options } = spanOf(args.contextValue.http.facts);
      setExecuteFn((...given: Parameters<typeof executeFn>) =>
        inSpan(tracer, name, options, async () => executeFn(...given)),
      );
    },
  };
}
