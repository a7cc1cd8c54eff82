/** Terms of a service that differ from the contract's, such as `acme` for `pnet`, in requests and responses. */
import { type ContractEndpoint, constantsOf, pathParameters, type TermPlaces, version } from '../kernel/endpoint.ts';
import { type ErrorName, errorNames } from '../kernel/errors.ts';
import { fitsPath } from '../kernel/ids.ts';

/** Vocabulary → the contract's term → the upstream's. */
export type TermMap = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type Vocabularies = Readonly<Record<string, readonly string[]>>;

/** Vocabularies of no single capability. */
export const commonVocabularies = {
  path_segments: [version, 'pnet', 'jobs', 'users', 'posts', 'webhooks', 'publish', 'checkpoint'],
  errors: errorNames,
} as const satisfies Vocabularies;

export type Translation = ReturnType<typeof translationOf>;

/** @throws Error that says what is wrong with the map, as the rest of a sentence that starts with the map's name */
export function createTranslator(
  terms: TermMap,
  vocabularies: Vocabularies,
): (endpoint: ContractEndpoint) => Translation {
  for (const [vocabulary, names] of Object.entries(terms)) requireKnownTerms(vocabulary, names, vocabularies);
  const outward = mapsOf(terms, (term, name) => [term, name]);
  const inward = mapsOf(terms, (term, name) => [name, term]);
  const translations = new Map<ContractEndpoint, Translation>();

  return (endpoint) => {
    const translation = translations.get(endpoint) ?? translationOf(endpoint, outward, inward);
    translations.set(endpoint, translation);
    return translation;
  };
}

type TermMaps = ReadonlyMap<string, ReadonlyMap<string, string>>;

function translationOf(endpoint: ContractEndpoint, outward: TermMaps, inward: TermMaps) {
  const segments = `${version}${endpoint.path}`.split('/');
  const names = segments.map((segment) => outward.get('path_segments')?.get(segment) ?? segment);
  const encode = rewriter(endpoint.terms.request, outward);
  const decode = rewriter(endpoint.terms.response, inward);
  const ids = pathParameters(endpoint);
  return {
    /** From the version on, with the request's parameters; undefined if one cannot stand in a path. */
    path(request: object): string | undefined {
      let path = '';
      for (const name of names) {
        const segment = name.startsWith('{') ? encodeSegment(Reflect.get(request, name.slice(1, -1))) : name;
        if (segment === undefined) return undefined;
        path += `/${segment}`;
      }
      return path;
    },
    /** The request without them, in the service's terms. */
    body(request: object): object {
      const body: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(request)) if (!ids.includes(name)) body[name] = value;
      if (encode === null) return body;
      const copy = structuredClone(body);
      encode(copy);
      return copy;
    },
    /** Puts a response into the contract's terms, in place; null if it already is. */
    decode,
    /** What a response may name in `object`. */
    objects: constantsOf(endpoint.response, 'object'),
    /** `resource_not_found` for the upstream's `errors/resource_not_found`; undefined for an unknown type. */
    errorName(type: string): ErrorName | undefined {
      const name = /^errors\/(.+)$/.exec(type)?.[1] ?? '';
      const term = inward.get('errors')?.get(name) ?? name;
      return errorNames.find((known) => known === term);
    },
  };
}

function requireKnownTerms(
  vocabulary: string,
  names: Readonly<Record<string, string>>,
  vocabularies: Vocabularies,
): void {
  const terms = Object.hasOwn(vocabularies, vocabulary) ? vocabularies[vocabulary] : undefined;
  if (terms === undefined) {
    const known = Object.keys(vocabularies).sort().join(', ');
    throw new Error(`has no vocabulary "${vocabulary}"; known vocabularies: ${known}`);
  }
  for (const [term, name] of Object.entries(names)) {
    if (!terms.includes(term)) {
      throw new Error(`has no term "${term}" in "${vocabulary}"; known terms: ${terms.join(', ')}`);
    }
    if (vocabulary === 'path_segments' && !/^[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/.test(name)) {
      throw new Error(`spells the path segment "${term}" as "${name}", which cannot stand in a path`);
    }
  }
  // Each name must decode to one term.
  const spelt = terms.map((term) => (Object.hasOwn(names, term) ? names[term] : term));
  const twice = spelt.find((name, index) => spelt.indexOf(name) !== index);
  if (twice !== undefined && vocabulary !== 'path_segments') {
    throw new Error(`spells two terms of "${vocabulary}" as "${twice}"`);
  }
}

const mapsOf = (terms: TermMap, entry: (term: string, name: string) => [string, string]): TermMaps =>
  new Map(
    Object.entries(terms).map(([vocabulary, names]) => [
      vocabulary,
      new Map(Object.entries(names).map(([term, name]) => entry(term, name))),
    ]),
  );

/** Null if no term at these places has another name. */
function rewriter(places: TermPlaces, maps: TermMaps): ((value: object) => void) | null {
  const steps = Object.entries(places).flatMap(([place, vocabulary]) => {
    const names = maps.get(vocabulary);
    return names === undefined || names.size === 0 ? [] : [{ place: place.split('.'), names }];
  });
  if (steps.length === 0) return null;
  return (value) => {
    for (const { place, names } of steps) rewrite(value, place, names);
  };
}

/** Values of an unexpected shape stay: responses are read tolerantly. */
function rewrite(value: unknown, [step, ...rest]: readonly string[], names: ReadonlyMap<string, string>): void {
  if (typeof value !== 'object' || value === null || step === undefined) return;
  const keys = step !== '*' ? [step] : Array.isArray(value) ? Object.keys(value) : [];
  for (const key of keys.filter((each) => Object.hasOwn(value, each))) {
    const part: unknown = Reflect.get(value, key);
    if (rest.length > 0) rewrite(part, rest, names);
    else if (typeof part === 'string') Reflect.set(value, key, names.get(part) ?? part);
  }
}

const encodeSegment = (parameter: unknown): string | undefined =>
  typeof parameter === 'string' && fitsPath(parameter) ? encodeURIComponent(parameter) : undefined;
