/** What a network leaves out or gets wrong costs the place where it stands, whatever the place, and nothing around it. */
import { getNamedType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jobEditShape, jobPublishShape } from '../../src/capabilities/jobs/shapes.ts';
import { postShape } from '../../src/capabilities/posts/shapes.ts';
import { backends, onOneDatabase } from '../support/backends.ts';
import { oddTimes } from '../support/odd-times.ts';
import { schema } from '../support/schema.ts';
import { wholeSelection } from '../support/selection.ts';
import {
  inGraphQL,
  kindsOfPost,
  type Path,
  type Place,
  sharedNames,
  shownAt,
  times,
  withValue,
} from './contract-places.ts';
import { type Fields, isFields, servePosts } from './served-posts.ts';

/** Finite numbers as JSON has them; each must arrive exactly. */
const numbers = [
  640.5,
  7,
  0,
  -3,
  -0.25,
  2 ** 31,
  1_790_000_000.5,
  Number.MAX_SAFE_INTEGER,
  -(2 ** 53 - 1),
  1e300,
  5e-324,
];

const noNumbers = ['7', '', 'many', true, false, {}, [], [7]];

/** Keys that no field shows: the type says it, and it is known without them. */
const shownByTheType = (path: Path) => path.length === 1 && ['object', 'provider'].includes(String(path[0]));

describe.each(onOneDatabase(backends))('values of a network, $name backend', (backend) => {
  const posts = servePosts(backend);

  /** The nodes of a list, without their global ids, and the errors of each by their paths in the node. */
  async function read(typeName: string, items: readonly unknown[]) {
    const nodes: unknown[] = [];
    const errors: { path: Path; code: unknown }[][] = [];
    // A response has at most 100 errors, and an item may have several.
    for (let start = 0; start < items.length; start += 25) {
      const page = items.slice(start, start + 25);
      posts.unexpectedItems = page;
      const answer = await posts.workspace.ask(
        `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoOdd") {
          nodes { __typename ... on ${typeName} ${wholeSelection(typeName, sharedNames)} } } }`,
        { accountId: posts.pnet },
      );
      nodes.push(...answer.data.posts.nodes.map(withoutIds));
      errors.push(...page.map(() => []));
      for (const { path = [], extensions } of answer.errors) {
        errors[start + Number(path[2])]?.push({ path: path.slice(3), code: extensions?.code });
      }
    }
    return { nodes, errors };
  }

  test.each<readonly [sent: string | number, told: string | null]>([
    [1_794_817_500_000, '2026-11-16T08:25:00.000Z'],
    [1_794_817_500, '2026-11-16T08:25:00.000Z'],
    [1_794_817_500.25, '2026-11-16T08:25:00.250Z'],
    [-1, '1969-12-31T23:59:59.000Z'],
    [0, '1970-01-01T00:00:00.000Z'],
    [253_402_300_799_999, '9999-12-31T23:59:59.999Z'],
    [253_402_300_800_000, null],
    [1e300, null],
    ['many', null],
    ...oddTimes,
  ])('a time that is sent as %s is returned as %s', async (sent, told) => {
    const photonet = kindsOfPost.find(({ typeName }) => typeName === 'PhotonetPost');
    posts.unexpectedItems = [withValue(photonet?.post, ['caption', 'created_at'], sent)];
    const { data, errors } = await posts.workspace.ask(
      `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoOdd") {
        nodes { ... on PhotonetPost { caption { createdAt } } } } }`,
      { accountId: posts.pnet },
    );
    expect(data.posts.nodes).toEqual([{ caption: { createdAt: told } }]);
    const path = ['posts', 'nodes', 0, 'caption', 'createdAt'];
    expect(errors).toMatchObject(told === null ? [{ path, extensions: { value: sent } }] : []);
  });

  test('a time that is sent as text is read, or null with an error that has the text', async () => {
    const pnet = kindsOfPost.find(({ typeName }) => typeName === 'PnetPost');
    const items = oddTimes.flatMap(([sent]) => [
      withValue(pnet?.post, ['parsed_datetime'], sent),
      withValue(pnet?.post, ['repost_content', 'parsed_datetime'], sent),
    ]);
    for (let start = 0; start < items.length; start += 100) {
      posts.unexpectedItems = items.slice(start, start + 100);
      const { data, errors } = await posts.workspace.ask(
        `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoOdd") {
          nodes { ... on PnetPost { publishedAt repostContent { publishedAt } } } } }`,
        { accountId: posts.pnet },
      );
      const failed = errors.map(({ path = [], extensions }: { path?: Path; extensions?: Fields }) => {
        expect(extensions?.code).toBe('PROVIDER_ERROR');
        const [sent] = oddTimes[(start + Number(path[2])) >> 1] ?? [];
        expect(extensions?.value).toBe(sent);
        return path.slice(2).join('.');
      });
      for (const [index, node] of data.posts.nodes.entries()) {
        const [sent, told] = oddTimes[(start + index) >> 1] ?? [];
        const isOwn = (start + index) % 2 === 0;
        const { repostContent, ...own } = node;
        expect(isOwn ? own : repostContent).toEqual({ publishedAt: told });
        const place = isOwn ? 'publishedAt' : 'repostContent.publishedAt';
        const failedHere = failed.filter((path: string) => path.startsWith(`${index}.`)).sort();
        expect(failedHere, sent).toEqual(told === null ? [`${index}.${place}`] : []);
      }
    }
  });

  describe.each(kindsOfPost)('in a $typeName', ({ typeName, post, places }) => {
    test('that is complete, all arrive', async () => {
      const { nodes, errors } = await read(typeName, [post]);
      expect(errors).toEqual([[]]);
      for (const { path } of places) {
        if (shownByTheType(path)) continue;
        for (const place of shownAt(post, path)) {
          expect(at(nodes[0], place), path.join('.')).not.toBeUndefined();
          expect(at(nodes[0], place), path.join('.')).not.toBeNull();
        }
      }
    });

    test.each([undefined, null])('every key may be %s: the post has all the rest', async (value) => {
      const whole = await read(typeName, [post]);
      const { nodes, errors } = await read(
        typeName,
        places.map(({ path }) => withValue(post, path, value)),
      );
      for (const [index, { path, required }] of places.entries()) {
        const what = path.join('.');
        if (shownByTheType(path)) {
          expect(nodes[index], what).toEqual(whole.nodes[0]);
          expect(errors[index], what).toEqual([]);
        } else {
          const shown = shownAt(post, path);
          expect(nodes[index], what).toEqual(withNulls(whole.nodes[0], shown));
          expect(errors[index]?.toSorted(byPath), what).toEqual(required ? failuresAt(shown) : []);
        }
      }
    });

    const ofNumbers = places.filter(({ isNumber }) => isNumber);
    const each = (values: readonly unknown[]): [Place, unknown][] =>
      ofNumbers.flatMap((place): [Place, unknown][] => values.map((value) => [place, value]));

    test('every number arrives as it was sent', async () => {
      expect(ofNumbers.length).toBeGreaterThan(7);
      const whole = await read(typeName, [post]);
      const cases = each(numbers);
      const { nodes, errors } = await read(
        typeName,
        cases.map(([{ path }, value]) => withValue(post, path, value)),
      );
      for (const [index, [{ path }, value]] of cases.entries()) {
        expect(nodes[index], `${path.join('.')}: ${value}`).toEqual(withValue(whole.nodes[0], inGraphQL(path), value));
        expect(errors[index], `${path.join('.')}: ${value}`).toEqual([]);
      }
    });

    test('a value that is no number is null in its place, with an error, and never returned as a number', async () => {
      const whole = await read(typeName, [post]);
      const cases = each(noNumbers);
      const { nodes, errors } = await read(
        typeName,
        cases.map(([{ path }, value]) => withValue(post, path, value)),
      );
      for (const [index, [{ path }, value]] of cases.entries()) {
        const place = inGraphQL(path);
        const what = `${path.join('.')}: ${JSON.stringify(value)}`;
        expect(nodes[index], what).toEqual(withValue(whole.nodes[0], place, null));
        expect(errors[index], what).toEqual([{ path: place, code: 'PROVIDER_ERROR' }]);
      }
    });

    test('a value that is no object or no list is null in its place, and so is an entry of a list', async () => {
      const whole = await read(typeName, [post]);
      const composite = places.filter(({ path }) => typeof at(post, path) === 'object').map(({ path }) => path);
      const entries = composite.flatMap((path) => {
        const value = at(post, path);
        return Array.isArray(value) ? value.map((_, index) => [...path, index]) : [];
      });
      const paths = [...composite, ...entries];
      expect(paths.length).toBeGreaterThan(4);
      const cases = paths.flatMap((path) => ['someone', 7, true].map((value) => ({ path, value })));
      for (const path of paths) cases.push({ path, value: (Array.isArray(at(post, path)) ? {} : []) as never });
      for (const path of entries) cases.push({ path, value: null as never });
      const { nodes, errors } = await read(
        typeName,
        cases.map(({ path, value }) => withValue(post, path, value)),
      );
      for (const [index, { path, value }] of cases.entries()) {
        const shown = shownAt(post, path);
        const what = `${path.join('.')}: ${JSON.stringify(value)}`;
        expect(nodes[index], what).toEqual(withNulls(whole.nodes[0], shown));
        expect(errors[index]?.toSorted(byPath), what).toEqual(failuresAt(shown));
      }
    });
  });
});

const withNulls = (node: unknown, paths: readonly Path[]): unknown =>
  paths.reduce((changed, path) => withValue(changed, path, null), node);

const byPath = (a: { readonly path: Path }, b: { readonly path: Path }): number =>
  a.path.join('.') < b.path.join('.') ? -1 : 1;

const failuresAt = (paths: readonly Path[]) => paths.map((path) => ({ path, code: 'PROVIDER_ERROR' })).toSorted(byPath);

/** An answer without its global ids, of which each must be one. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isFields(value)) return value;
  const { id, ...rest } = value;
  if ('id' in value) expect(id).toMatch(/^[\w-]{8,}$/);
  return Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, withoutIds(inner)]));
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce((inner: unknown, step) => (inner as Fields | undefined)?.[step], value);

describe('numbers of the contract in the schema', () => {
  /** The names of the numbers in a shape, at any depth. */
  function namesOf(shape: unknown, name = ''): string[] {
    if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return namesOf(shape.unwrap(), name);
    if (shape instanceof z.ZodPipe) return namesOf(shape.out, name);
    if (shape instanceof z.ZodArray) return namesOf(shape.element, name);
    if (shape instanceof z.ZodDiscriminatedUnion || shape instanceof z.ZodUnion) {
      return shape.options.flatMap((option) => namesOf(option, name));
    }
    if (shape instanceof z.ZodObject) return Object.entries(shape.shape).flatMap(([key, inner]) => namesOf(inner, key));
    return shape instanceof z.ZodNumber ? [name] : [];
  }
  const names = new Set(
    [postShape, jobEditShape, jobPublishShape].flatMap((shape) => namesOf(shape)).filter((name) => !times.has(name)),
  );

  test('are Floats, read or written', () => {
    expect([...names]).toEqual(expect.arrayContaining(['length', 'position', 'amount', 'lat', 'max']));
    const found = new Set<string>();
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
      for (const name of names) {
        const field = type.getFields()[String(inGraphQL([name])[0])];
        if (field === undefined) continue;
        found.add(name);
        expect(getNamedType(field.type).name, `${type.name}.${field.name}`).toBe('Float');
      }
    }
    expect([...names].filter((name) => !found.has(name))).toEqual([]);
  });
});
