/**
 * Messages of `graphql-transport-ws` (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md). The library's
 * server reads none without a document's text, which persisted and trusted documents lack, and would parse and print
 * printed JSON again.
 */
import { maxHeaderLength, type RequestHeaders } from '../../http/request-head.ts';
import { isShallow, maxJsonDepth, maxJsonEntries, parseJson } from '../../kernel/lib/json-text.ts';
import { isObject } from '../../kernel/lib/objects.ts';

export const CloseCode = {
  BadRequest: 4400,
  Unauthorized: 4401,
  Forbidden: 4403,
  ConnectionInitialisationTimeout: 4408,
  SubscriberAlreadyExists: 4409,
  TooManyInitialisationRequests: 4429,
  InternalServerError: 4500,
} as const;

export type ClientMessage =
  | { readonly type: 'connection_init'; readonly headers: RequestHeaders; readonly misplaced: string | null }
  | { readonly type: 'ping'; readonly payload?: object }
  | { readonly type: 'pong' }
  | { readonly type: 'subscribe'; readonly id: string; readonly payload: object }
  | { readonly type: 'complete'; readonly id: string };

/** Each message of the operation repeats it. */
const maxIdLength = 255;

/** Sent at the beginning, as browsers cannot set headers. */
const headerNames = ['x-api-key', 'authorization', 'graphql-cost'] as const satisfies (keyof RequestHeaders)[];

/** @throws Error with the message's fault */
export function readMessage(text: string): ClientMessage {
  const message = parseJson(text, 'The message', maxJsonEntries);
  if (!isObject(message)) throw new Error('A message is an object');
  if (!isShallow(message.type === 'subscribe' ? { ...message, payload: null } : message)) {
    throw new Error(`A message is nested at most ${maxJsonDepth} levels deep`);
  }
  const { type, id, payload } = message;
  switch (type) {
    case 'connection_init': {
      const sent = optionalPayload(payload) ?? {};
      return { type, headers: headersIn(sent), misplaced: misplacedIn(sent) };
    }
    case 'ping': {
      const sent = optionalPayload(payload);
      return sent === undefined ? { type } : { type, payload: sent };
    }
    case 'pong':
      return { type };
    case 'subscribe':
      if (!isObject(payload)) throw new Error('The payload of subscribe is an object');
      return { type, id: idIn(id), payload };
    case 'complete':
      return { type, id: idIn(id) };
    default:
      throw new Error('A client sends connection_init, ping, pong, subscribe and complete');
  }
}

function optionalPayload(payload: unknown): Readonly<Record<string, unknown>> | undefined {
  if (payload === undefined || payload === null) return undefined;
  if (isObject(payload)) return payload;
  throw new Error('A payload is an object');
}

function idIn(id: unknown): string {
  if (typeof id === 'string' && id !== '' && id.length <= maxIdLength) return id;
  throw new Error(`An id has 1 to ${maxIdLength} characters`);
}

/** Names of headers have no case. */
function headersIn(payload: Readonly<Record<string, unknown>>): RequestHeaders {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(payload)) {
    const name = headerNames.find((each) => each === key.toLowerCase());
    if (name === undefined || value === null || value === undefined) continue;
    if (typeof value !== 'string' || value.length > maxHeaderLength) {
      throw new Error(`${name} is a text of at most ${maxHeaderLength} characters`);
    }
    headers[name] = value;
  }
  return headers;
}

/** Where clients of other servers have a key, without spelling: beside the headers' names, or in a member of their own. */
const otherNames: ReadonlySet<string> = new Set([
  'xapikey',
  'apikey',
  'authorization',
  'authtoken',
  'accesstoken',
  'token',
]);

/** The place of what is a key by its name, but not in a header's place. */
function misplacedIn(payload: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(payload)) {
    const isHeader = headerNames.some((each) => each === name.toLowerCase());
    if (typeof value === 'string' && !isHeader && isOtherName(name)) return name.slice(0, maxNameLength);
    if (!isObject(value)) continue;
    const inner = Object.keys(value).find((each) => typeof value[each] === 'string' && isOtherName(each));
    if (inner !== undefined) return `${name}.${inner}`.slice(0, maxNameLength);
  }
  return null;
}

/** Bound of a name in a close frame. */
const maxNameLength = 30;

const isOtherName = (name: string): boolean => otherNames.has(name.toLowerCase().replaceAll(/[-_]/g, ''));

export const acknowledged = JSON.stringify({ type: 'connection_ack' });

export const pong = (payload: object | undefined): string => JSON.stringify({ type: 'pong', payload });

export const completed = (id: string): string => JSON.stringify({ id, type: 'complete' });

/** @param errors JSON */
export const refused = (id: string, errors: string): string =>
  `{"id":${JSON.stringify(id)},"type":"error","payload":${errors}}`;

/** Smaller results are copied into one frame. */
const sharedBytes = 65_536;

/** @param result JSON */
export function next(id: string, result: string | Uint8Array): string | readonly Uint8Array[] {
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  if (typeof result === 'string') return `${head}${result}}`;
  const parts = [Buffer.from(head), result, Buffer.from('}')];
  // The bytes of a large result may be those of many streams.
  return result.length < sharedBytes ? [Buffer.concat(parts)] : parts;
}
