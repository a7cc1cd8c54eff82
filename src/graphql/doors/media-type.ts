import { LRUCache } from 'lru-cache';
import { wantsMultipart } from './multipart-subscriptions.ts';

const mediaTypes = ['application/graphql-response+json', 'application/json'] as const;
type JsonType = (typeof mediaTypes)[number];

const known = new LRUCache<string, JsonType>({ max: 100 });

/** As Yoga would choose it for an `Accept` header; undefined where JSON is not accepted. */
export function jsonTypeFor(accept = '*/*'): JsonType | undefined {
  const before = known.get(accept);
  if (before !== undefined) return before;
  // Yoga weighs no `q`: the first media type counts that it can serve.
  for (const range of rangesOf(accept)) {
    const type = mediaTypes.findLast((candidate) => matches(range, candidate));
    if (type === undefined) continue;
    known.set(accept, type);
    return type;
  }
  return undefined;
}

/** JSON of a type, events, Apollo's multipart protocol, or Yoga's. */
export type Protocol = JsonType | 'events' | 'multipart' | 'parts';

/** @returns null where the client accepts nothing that we could send */
export function protocolFor(accept = '*/*', isStream: boolean): Protocol | null {
  const json = isStream ? undefined : jsonTypeFor(accept);
  if (json !== undefined) return json;
  if (wantsMultipart(accept)) return 'multipart';
  const accepts = (type: string): boolean => rangesOf(accept).some((range) => matches(range, type));
  if (accepts('text/event-stream')) return 'events';
  return !isStream && accepts('multipart/mixed') ? 'parts' : null;
}

/** Without ranges of another charset. */
const rangesOf = (accept: string): string[] =>
  accept
    .replace(/\s/g, '')
    .toLowerCase()
    .split(',')
    .flatMap((each) => {
      const [range = '', ...parameters] = each.split(';');
      const charset = parameters.find((parameter) => parameter.includes('charset=')) ?? 'charset=utf-8';
      return charset === 'charset=utf-8' ? range : [];
    });

function matches(range: string, type: string): boolean {
  const [main, sub] = range.split('/');
  const [ofType, ofSub] = type.split('/');
  return (main === '*' || main === ofType) && (sub === '*' || sub === ofSub);
}
