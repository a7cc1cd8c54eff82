import { BoundedMap } from '../bounded-map.ts';

const mediaTypes = ['application/graphql-response+json', 'application/json'] as const;

const known = new BoundedMap<string, string>(100);

/**
 * The content type of a response, as Yoga chooses it for an `Accept` header; undefined for one that Yoga refuses or that
 * asks for a stream first.
 */
export function contentTypeFor(accept = '*/*'): string | undefined {
  const before = known.get(accept);
  if (before !== undefined) return before;
  // Yoga weighs no `q`: the first media type counts that it can serve.
  for (const each of accept.replace(/\s/g, '').toLowerCase().split(',')) {
    const [range = '', ...parameters] = each.split(';');
    const charset = parameters.find((parameter) => parameter.includes('charset=')) ?? 'charset=utf-8';
    const type =
      charset === 'charset=utf-8' ? mediaTypes.findLast((candidate) => matches(range, candidate)) : undefined;
    if (type === undefined) continue;
    const contentType = `${type}; charset=utf-8`;
    known.set(accept, contentType);
    return contentType;
  }
  return undefined;
}

function matches(range: string, type: string): boolean {
  const [main, sub] = range.split('/');
  const [ofType, ofSub] = type.split('/');
  return (main === '*' || main === ofType) && (sub === '*' || sub === ofSub);
}
