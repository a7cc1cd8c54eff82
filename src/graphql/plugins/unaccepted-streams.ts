import type { Plugin } from 'graphql-yoga';

/**
 * Ends a subscription that no protocol can send to its client, which Yoga refuses with 406 when it has begun already. It
 * would stay open, as the request is over and nobody reads the results.
 */
export function useUnacceptedStreams(): Plugin {
  return {
    async onResultProcess({ result, resultProcessor }) {
      if (resultProcessor !== undefined || !(Symbol.asyncIterator in result)) return;
      await result[Symbol.asyncIterator]().return?.();
    },
  };
}
