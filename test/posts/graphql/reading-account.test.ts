/** What a field of a post says about where its value is, and what happens when a provider or this gateway gets it wrong. */
import { isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { type ReadWith, readWith } from '../../../src/capabilities/posts/graphql/reading-account.ts';
import { globalId } from '../../../src/graphql/kit/global-ids.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { schema } from '../../support/schema.ts';

function field(typeName: string, name: string) {
  const type = schema.getType(typeName);
  const found = isObjectType(type) ? type.getFields()[name] : undefined;
  if (found?.resolve === undefined) throw new Error(`${typeName} has no field ${name}`);
  const { resolve, extensions } = found;
  return { read: (parent: unknown): unknown => resolve(parent, {}, {}, {} as never), extensions };
}

function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error.type;
  }
  throw new Error('It did not fail with a ServiceError');
}

const author = { id: 'ACo1', name: 'Ada' };

describe('partField', () => {
  test('gives the part, and the account of its parent with it', () => {
    const post = readWith({ id: 'p1', author }, 'account-1');
    expect(field('PnetPost', 'author').read(post)).toBe(author);
    expect(field('PnetAuthor', 'id').read(author)).toBe(globalId('PnetAuthor', 'account-1', 'ACo1'));
  });

  test('inherits over several levels', () => {
    const shared = { id: 'p2', author: { id: 'ACo2' } };
    const post = readWith({ id: 'p1', repost_content: shared }, 'account-1');
    expect(field('PnetPost', 'repostContent').read(post)).toBe(shared);
    expect(field('PnetRepostContent', 'author').read(shared)).toBe(shared.author);
    expect(field('PnetAuthor', 'id').read(shared.author)).toBe(globalId('PnetAuthor', 'account-1', 'ACo2'));
  });

  test.each([undefined, null])('an optional part that is %s is null', (part) => {
    expect(field('PnetPost', 'repostedBy').read(readWith({ reposted_by: part }, 'account-1'))).toBeNull();
  });

  test.each([
    ['PnetPost', 'author', 'author', undefined],
    ['PnetPost', 'author', 'author', 'someone'],
    ['PnetPost', 'repostedBy', 'reposted_by', 7],
    ['PhotonetPost', 'author', 'owner', null],
  ])('%s.%s with %s: %j is an error of the provider', (type, name, key, part) => {
    const post = readWith({ [key]: part }, 'account-1');
    expect(failureOf(() => field(type, name).read(post))).toBe('errors/provider_error');
  });

  test('a parent without an account is an error of ours, not of the provider', () => {
    expect(failureOf(() => field('PnetPost', 'author').read({ author: { ...author } }))).toBe(
      'errors/unexpected_error',
    );
    expect(failureOf(() => field('PnetAuthor', 'id').read({ ...author }))).toBe('errors/unexpected_error');
  });

  test('says where the part is', () => {
    expect(field('PnetPost', 'repostedBy').extensions.wire).toEqual({ part: 'reposted_by' });
    expect(field('PhotonetPost', 'author').extensions.wire).toEqual({ part: 'owner' });
  });

  test('an author cannot be exposed without it', () => {
    // @ts-expect-error: an object is ReadWith only when its account was recorded
    const unread: ReadWith<typeof author> = author;
    expect(failureOf(() => field('PnetAuthor', 'posts').read({ ...unread }))).toBe('errors/unexpected_error');
  });
});

describe('globalIdField', () => {
  test('says of what kind the id is, and where the raw id is', () => {
    expect(field('PnetPost', 'id').extensions.wire).toEqual({
      globalId: 'PnetPost',
      ownedBy: { object: 'author', key: 'id' },
      key: 'id',
      preferred: { key: 'repost_id', ownedBy: { object: 'reposted_by', key: 'id' } },
    });
    expect(field('PnetAuthor', 'id').extensions.wire).toEqual({ globalId: 'PnetAuthor', key: 'id' });
  });

  test('a repost has another id than the original, if it says who reposted it', () => {
    const idOf = (post: object) => field('PnetPost', 'id').read(readWith(post, 'account-1'));
    const original = { id: '1', author: { id: 'a' } };
    const repost = { ...original, repost_id: '2', reposted_by: { id: 'b' } };
    expect(idOf(original)).toBe(globalId('PnetPost', 'account-1', 'a', '1'));
    expect(idOf(repost)).toBe(globalId('PnetPost', 'account-1', 'b', '2'));
    expect(idOf({ ...repost, repost_id: 2 })).toBe(idOf(repost));
    for (const odd of [{ reposted_by: undefined }, { reposted_by: {} }, { repost_id: null }, { repost_id: {} }]) {
      expect(idOf({ ...repost, ...odd })).toBe(idOf(original));
    }
  });

  test.each([undefined, null, {}])('a raw id that is %j is none: the id is made of what there is', (id) => {
    const idOf = (post: object, account = 'account-1') => field('PnetPost', 'id').read(readWith(post, account));
    const made = idOf({ id, text: 'a' });
    expect(made).toMatch(/^[\w-]{40,}$/);
    expect(idOf({ id, text: 'a' })).toBe(made);
    expect(idOf({ id, text: 'b' })).not.toBe(made);
    expect(idOf({ id, text: 'a' }, 'account-2')).not.toBe(made);
  });
});
