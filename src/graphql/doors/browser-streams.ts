/** Browsers open six connections to an origin over HTTP/1.1. With a stream on each, a page hangs without an error. */
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { addTo, type Tally } from '../../kernel/lib/tally.ts';

const browserConnections = 6;

const maxNameLength = 200;

/** Warns once in the life of the process: the cure is the same every time. */
export function warningOfBrowserStreams(): (request: IncomingRequest) => void {
  const open: Tally = new Map();
  let hasWarned = false;
  return (request) => {
    // Only browsers say where a request is from.
    if (hasWarned || request.headers['sec-fetch-site'] === undefined || request.httpVersion !== '1.1') return;
    const client = `${request.ip} ${request.raw.headers['user-agent']?.slice(0, maxNameLength)}`;
    const count = addTo(open, client, 1);
    request.whenClosed(() => addTo(open, client, -1));
    if (count < browserConnections) return;
    hasWarned = true;
    request.log.warn({ streams: count }, 'a browser holds six streams over HTTP/1.1, and can open no other connection');
  };
}
