/** Browsers open six connections to an origin over HTTP/1.1. With a stream on each, a page hangs without an error. */
import type { IncomingRequest } from '../../http/incoming-request.ts';

const browserConnections = 6;

const maxNameLength = 200;

/** Warns once in the life of the process: the cure is the same every time. */
export function warningOfBrowserStreams(): (request: IncomingRequest) => void {
  const open = new Map<string, number>();
  let hasWarned = false;
  return (request) => {
    // Only browsers say where a request is from.
    if (hasWarned || request.headers['sec-fetch-site'] === undefined || request.httpVersion !== '1.1') return;
    const client = `${request.ip} ${request.raw.headers['user-agent']?.slice(0, maxNameLength)}`;
    const count = (open.get(client) ?? 0) + 1;
    open.set(client, count);
    request.whenClosed(() => {
      const left = (open.get(client) ?? 1) - 1;
      if (left === 0) open.delete(client);
      else open.set(client, left);
    });
    if (count < browserConnections) return;
    hasWarned = true;
    request.log.warn({ streams: count }, 'a browser holds six streams over HTTP/1.1, and can open no other connection');
  };
}
