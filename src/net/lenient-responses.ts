/**
 * What RFC 9110 and 9112 let the other side send, and undici refuses. Its parser is where it is known which bytes begin a
 * response: a filter in front of it would have to parse bodies a second time.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { undici } from './undici.ts';

/** undici's own (lib/dispatcher/client-h1.js), which has no setting for this. */
interface ResponseParser {
  readonly ptr: number;
  readonly llhttp: Readonly<Record<LenientRule, (parser: number, enabled: 1) => void>>;
  onHeadersComplete(status: number, upgrade: boolean, keepAlive: boolean): number;
}

const lenientRules = [
  // RFC 9112, section 5.2: a client reads a field on several lines.
  'llhttp_set_lenient_headers',
  // RFC 9112, section 2.2: LF alone may end a line.
  'llhttp_set_lenient_optional_cr_before_lf',
] as const;
type LenientRule = (typeof lenientRules)[number];

/** @returns a connector whose connections, once undici has taken them, read such responses */
export function readingLeniently(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) =>
    connect(options, (error, socket) => {
      if (error !== null) return done(error, null);
      done(null, socket);
      const parser = parserOf(socket);
      if (parser !== undefined) makeLenient(parser);
    });
}

const parserOf = (socket: Socket): ResponseParser | undefined =>
  (Reflect.get(socket, undici.kParser) as ResponseParser | null) ?? undefined;

function makeLenient(parser: ResponseParser): void {
  for (const rule of lenientRules) parser.llhttp[rule](parser.ptr, 1);
  const read = parser.onHeadersComplete.bind(parser);
  // RFC 9110, section 15.2: any informational response may come unasked. Of them, undici refuses 100 alone.
  parser.onHeadersComplete = (status, upgrade, keepAlive) => read(status === 100 ? 102 : status, upgrade, keepAlive);
}
