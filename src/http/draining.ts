/**
 * The time between the order to stop and the stop itself. Whatever sends requests here needs a while to notice that it
 * should not: until then they are served, and each response asks for another connection next time.
 */
import type { ServerResponse } from 'node:http';

export interface Draining {
  readonly started: boolean;
  start(): void;
  /** For every request that arrives: its response says `connection: close`, unless it is sent before the draining starts. */
  follow(response: ServerResponse): void;
}

export function createDraining(): Draining {
  const responses = new Set<ServerResponse>();
  let started = false;
  return {
    get started() {
      return started;
    },
    start() {
      started = true;
      for (const response of responses) closeConnectionAfter(response);
    },
    follow(response) {
      if (started) return closeConnectionAfter(response);
      responses.add(response);
      response.once('close', () => responses.delete(response));
    },
  };
}

function closeConnectionAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
