/** What an `Accept` header allows, as Yoga reads it: it weighs no `q`. */
import { LRUCache } from 'lru-cache';
import type { RequestHeaders } from '../../http/request-head.ts';

const mediaTypes = ['application/graphql-response+json', 'application/json'] as const;
export type JsonType = (typeof mediaTypes)[number];

const known = new LRUCache<string, JsonType>({ max: 100 });

/** An empty header is as good as none: anything (RFC 9110, section 12.5.1). */
export const acceptedBy = ({ accept = '' }: RequestHeaders): string => (/[^\s,]/.test(accept) ? accept : '*/*');

/** The first media type that it has; undefined where JSON is not accepted. */
export function jsonTypeFor(accept: string): JsonType | undefined {
  const before = known.get(accept);
  if (before !== undefined) return before;
  for (const range of rangesOf(accept)) {
    const type = mediaTypes.findLast((candidate) => matches(range, candidate));
    if (type === undefined) continue;
    known.set(accept, type);
    return type;
  }
  return undefined;
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

/** Whether subscriptions go to Apollo's clients as parts: accepted before any other protocol of them. */
export function wantsMultipart(accept: string): boolean {
  const protocol = accept
    .replaceAll(/[\s"]/g, '')
    .toLowerCase()
    .split(',')
    .find((range) => range.startsWith('text/event-stream') || isMultipart(range));
  return protocol !== undefined && isMultipart(protocol);
}

const isMultipart = (range: string): boolean => {
  const [type, ...parameters] = range.split(';');
  return type === 'multipart/mixed' && parameters.includes('subscriptionspec=1.0');
};

export function accepts(accept: string, type: string): boolean {
  return rangesOf(accept).some((range) => matches(range, type));
}

function matches(range: string, type: string): boolean {
  const [main, sub] = range.split('/');
  const [ofType, ofSub] = type.split('/');
  return (main === '*' || main === ofType) && (sub === '*' || sub === ofSub);
}
