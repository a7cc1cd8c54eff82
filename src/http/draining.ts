/**
 * The time between the order to stop and the stop itself. Whatever sends requests here needs a while to notice that it
 * should not: until then they are served, and each response asks for another connection next time.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Draining {
  readonly started: boolean;
  start(): void;
}

export function createDraining(): Draining {
  let started = false;
  return {
    get started() {
      return started;
    },
    start() {
      started = true;
    },
  };
}

/** @returns the class of responses that say `connection: close` from the moment on when the draining starts */
export const closingWhile = (draining: Draining, Response: typeof ServerResponse): typeof ServerResponse =>
  class<Request extends IncomingMessage> extends Response<Request> {
    // The arguments have two forms, which are passed on as they are.
    override writeHead(...args: [number, ...never[]]): this {
      if (draining.started) this.shouldKeepAlive = false;
      return super.writeHead(...args);
    }
  };
