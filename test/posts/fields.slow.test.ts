/** The fields of posts: each arrives as the network sent it, and ids are unique. */
import { describe, expect, test } from 'vitest';
import { allBackends, onOneDatabase } from '../support/backends.ts';
import { wholeSelection } from '../support/selection.ts';
import { graphqlName, sharedNames, times, withoutWrappers } from './contract-places.ts';
import { isFields, servePosts } from './served-posts.ts';

const wholeDocument = `query ($accountId: ID!, $identifier: String!, $isCompany: Boolean) {
  posts(accountId: $accountId, identifier: $identifier, isCompany: $isCompany) {
    nodes ${wholeSelection('Post', sharedNames)} } }`;

/** What only the wire says: GraphQL says it with the type. */
const saidByTheType = new Set(['object', 'provider']);

/** A number of the sandbox is of milliseconds. */
const timeOf = (sent: unknown) => (typeof sent === 'number' ? new Date(sent).toISOString() : sent);

function shownAs(key: string, sent: unknown): unknown {
  if (key === 'type') return String(sent).toUpperCase();
  return times.has(key) ? timeOf(sent) : sent;
}

/** Expects what the adapter sent to stand in the answer under its GraphQL name, and nothing else beside it. */
function expectArrived(sent: unknown, answer: unknown, path: string, seen: Set<string>, lacking: Set<string>): void {
  const wire = isFields(sent) && !Array.isArray(sent) ? withoutWrappers(sent) : sent;
  if (Array.isArray(wire)) {
    expect(answer, path).toHaveLength(wire.length);
    for (const [index, item] of wire.entries()) expectArrived(item, (answer as unknown[])[index], path, seen, lacking);
  } else if (isFields(wire) && isFields(answer)) {
    const said = Object.keys(wire).filter((key) => !saidByTheType.has(key));
    for (const key of said) {
      const name = graphqlName(key);
      expect(answer, path).toHaveProperty(name);
      seen.add(`${path}.${name}`);
      expectArrived(shownAs(key, wire[key]), answer[name], `${path}.${name}`, seen, lacking);
    }
    const others = Object.keys(answer).filter((name) => !said.some((key) => graphqlName(key) === name));
    for (const name of others) {
      if (name === '__typename') continue;
      if (name === 'id') expect(answer.id, path).toMatch(/^[\w-]+$/);
      else {
        lacking.add(`${path}.${name}`);
        expect(answer[name], `${path}.${name}`).toBeNull();
      }
    }
  } else expect(answer, path).toEqual(wire);
}

describe.each(onOneDatabase(allBackends))('fields of posts, $name backend', (backend) => {
  const posts = servePosts(backend);
  const { accountFor, wireOf } = posts;

  const galleries = [
    { network: 'pnet', identifier: 'ACoSandboxGallery' },
    { network: 'pnet', identifier: 'ACoSandboxReposts' },
    { network: 'pnet', identifier: '900043', isCompany: true },
    { network: 'photonet', identifier: 'sandbox.gallery' },
    { network: 'photonet', identifier: 'sandbox.video' },
  ] as const;

  const arrived = async (
    gallery: (typeof galleries)[number],
    seen = new Set<string>(),
    lacking = new Set<string>(),
  ) => {
    const { network, identifier } = gallery;
    const isCompany = 'isCompany' in gallery;
    const { data, errors } = await posts.workspace.ask(wholeDocument, {
      accountId: accountFor(network),
      identifier,
      ...(isCompany ? { isCompany } : {}),
    });
    expect(errors).toEqual([]);
    const wire = await wireOf(network, identifier, isCompany);
    expect(wire.length).toBeGreaterThan(0);
    expectArrived(wire, data.posts.nodes, network, seen, lacking);
  };

  test.each(galleries)('of $identifier arrive as $network sent them', (gallery) => arrived(gallery));

  test('the galleries show every field of the contract, so that none is left untested', async () => {
    const seen = new Set<string>();
    const lacking = new Set<string>();
    for (const gallery of galleries) await arrived(gallery, seen, lacking);
    expect([...lacking].filter((path) => !seen.has(path))).toEqual([]);
    expect(seen.size).toBeGreaterThan(100);
  });

  test('ids are unique over everything that has one, and the same for the same thing', async () => {
    const ids = new Map<string, string>();
    const collect = (value: unknown): void => {
      if (!isFields(value)) return;
      if (typeof value.id === 'string') {
        const what = `${value.__typename} ${value.providerId}`;
        expect(ids.get(value.id) ?? what).toBe(what);
        ids.set(value.id, what);
      }
      Object.values(value).forEach(collect);
    };
    for (const { network, identifier, ...more } of galleries) {
      const { data } = await posts.workspace.ask(wholeDocument, {
        accountId: accountFor(network),
        identifier,
        ...more,
      });
      collect(data);
    }
    expect(new Set(ids.values()).size).toBe(ids.size);
  });
});
