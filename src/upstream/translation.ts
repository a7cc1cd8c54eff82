/**
 * The words of an upstream service where they are not the contract's. A service of this shape may say `acme` where the
 * contract says `pnet`: a file names each such word once, and it is put into the service's words on the way out and into
 * the contract's on the way back. Without a file nothing is done, and nothing is walked.
 */
import { type ErrorName, errorNames } from '../errors.ts';
import { fitsPath } from '../ids.ts';
import type { Endpoint, EndpointRequest, WordPlaces } from './endpoint.ts';

/** Vocabulary → contract's word → the upstream's. */
export type NameTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The words that each vocabulary of the contract has. */
export type Vocabularies = Readonly<Record<string, readonly string[]>>;

/** Vocabularies that no single capability has. */
export const commonVocabularies = {
  path_segments: ['v1', 'pnet', 'jobs', 'users', 'posts', 'webhooks', 'publish', 'checkpoint'],
  errors: errorNames,
} as const satisfies Vocabularies;

/** The names of one endpoint. */
export interface EndpointNames {
  /** The path in the upstream's words; undefined where an id cannot stand in a path. */
  path(request: EndpointRequest): string | undefined;
  /** The body as it is sent. */
  write(body: object): object;
  /** Puts an answer into the contract's words, in place. */
  read(answer: object): void;
  /** `resource_not_found` of the upstream's `errors/resource_not_found`; undefined for a type that is not known. */
  errorName(type: string): ErrorName | undefined;
}

/**
 * @throws Error that says what is wrong with the table, as the rest of a sentence that starts with its name
 */
export function namesFrom(table: NameTable, vocabularies: Vocabularies): (endpoint: Endpoint) => EndpointNames {
  for (const [vocabulary, names] of Object.entries(table)) check(vocabulary, names, vocabularies);
  const outward = mapOf(table, (word, name) => [word, name]);
  const inward = mapOf(table, (word, name) => [name, word]);
  const known = new Set<string>(errorNames);
  const made = new Map<Endpoint, EndpointNames>();

  const make = (endpoint: Endpoint): EndpointNames => {
    const segments = endpoint.path.slice(1).split('/');
    const spelt = segments.map((segment) => outward.get('path_segments')?.get(segment) ?? segment);
    const writes = rewriter(endpoint.writes, outward);
    const reads = rewriter(endpoint.reads, inward);
    return {
      path({ ids = {} }) {
        let path = '';
        for (const segment of spelt) {
          const id = segment.startsWith('{') ? encodeId(ids[segment.slice(1, -1)] ?? '') : segment;
          if (id === undefined) return undefined;
          path += `/${id}`;
        }
        return path;
      },
      write(body) {
        if (writes === null) return body;
        const copy = structuredClone(body);
        writes(copy);
        return copy;
      },
      read: reads ?? (() => {}),
      errorName(type) {
        const name = /^errors\/(.+)$/.exec(type)?.[1] ?? '';
        const word = inward.get('errors')?.get(name) ?? name;
        return known.has(word) ? (word as ErrorName) : undefined;
      },
    };
  };

  return (endpoint) => {
    const names = made.get(endpoint) ?? make(endpoint);
    made.set(endpoint, names);
    return names;
  };
}

function check(vocabulary: string, names: Readonly<Record<string, string>>, vocabularies: Vocabularies): void {
  const words = Object.hasOwn(vocabularies, vocabulary) ? vocabularies[vocabulary] : undefined;
  if (words === undefined) {
    throw new Error(`has no vocabulary "${vocabulary}": there are ${Object.keys(vocabularies).sort().join(', ')}`);
  }
  for (const [word, name] of Object.entries(names)) {
    if (!words.includes(word)) {
      throw new Error(`names "${word}" in ${vocabulary}, which is none of its words: ${words.join(', ')}`);
    }
    if (vocabulary === 'path_segments' && !/^[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/.test(name)) {
      throw new Error(`spells the path segment "${word}" as "${name}", which cannot stand in a path`);
    }
  }
  // What comes back must say one word only.
  const spelt = words.map((word) => (Object.hasOwn(names, word) ? names[word] : word));
  const twice = spelt.find((name, index) => spelt.indexOf(name) !== index);
  if (twice !== undefined && vocabulary !== 'path_segments') {
    throw new Error(`spells two words of ${vocabulary} as "${twice}"`);
  }
}

type WordMap = ReadonlyMap<string, string>;

function mapOf(
  table: NameTable,
  entry: (word: string, name: string) => [string, string],
): ReadonlyMap<string, WordMap> {
  return new Map(
    Object.entries(table).map(([vocabulary, names]) => [
      vocabulary,
      new Map(Object.entries(names).map(([word, name]) => entry(word, name))),
    ]),
  );
}

/** Rewrites the words at those places that have other names; null where none has. */
function rewriter(places: WordPlaces, maps: ReadonlyMap<string, WordMap>): ((value: object) => void) | null {
  const steps = Object.entries(places).flatMap(([place, vocabulary]) => {
    const map = maps.get(vocabulary);
    return map === undefined || map.size === 0 ? [] : [{ place: place.split('.'), map }];
  });
  if (steps.length === 0) return null;
  return (value) => {
    for (const { place, map } of steps) rewrite(value, place, 0, map);
  };
}

/** Whatever is not of the expected shape is left as it is: reading is tolerant. */
function rewrite(at: unknown, place: readonly string[], depth: number, map: WordMap): void {
  if (typeof at !== 'object' || at === null) return;
  const step = place[depth] as string;
  const keys = step === '*' ? (Array.isArray(at) ? at.keys() : []) : Object.hasOwn(at, step) ? [step] : [];
  for (const key of keys) {
    const container = at as Record<string | number, unknown>;
    const value = container[key];
    if (depth < place.length - 1) rewrite(value, place, depth + 1, map);
    else if (typeof value === 'string') container[key] = map.get(value) ?? value;
  }
}

/** An id as a path segment; undefined for an id that cannot be one. */
const encodeId = (id: string): string | undefined => (fitsPath(id) ? encodeURIComponent(id) : undefined);
