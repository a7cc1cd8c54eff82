import { describe, expect, it } from 'vitest';
import type { PhotonetPost } from '../../../../src/capabilities/posts/shapes.ts';
import { postIdentifiers } from '../../../../src/providers/sandbox/networks.ts';
import { failure, list, networks, photonet } from '../../../support/sandbox.ts';

describe('posts of photonet', () => {
  it('are found by username and by provider id alike', async () => {
    for (const [username, row] of Object.entries(postIdentifiers.photonet)) {
      if ('fails' in row || 'failsFrom' in row) continue;
      const posts = await photonet(username);
      expect(await photonet(row.providerId)).toStrictEqual(posts);
      for (const { owner } of posts) expect(owner).toMatchObject({ id: row.providerId, username });
    }
  });

  it.each([
    'nobody',
    'constructor',
    '__proto__',
    '5999999999',
    'Sandbox.Sixty',
    'a b',
    '',
    'ACoSandbox1',
    'x'.repeat(31),
  ])('an unknown identifier %j is an invalid recipient', async (identifier) => {
    expect(await failure(list(networks.PHOTONET, identifier))).toBe('invalid_recipient');
  });

  it('have and lack every optional feature in the gallery', async () => {
    const posts = await photonet('sandbox.gallery');
    const seen = (of: (post: PhotonetPost) => unknown) => new Set(posts.map(of));
    expect(seen(({ caption }) => caption?.edited)).toEqual(new Set([true, false, undefined]));
    expect(seen(({ caption }) => caption?.has_translation)).toEqual(new Set([true, false, undefined]));
    expect(seen(({ video, has_audio }) => video && has_audio)).toEqual(new Set([true, false, undefined]));
    for (const flag of ['has_liked', 'like_and_view_counts_disabled', 'comments_disabled'] as const) {
      expect(
        seen((post) => post[flag]),
        flag,
      ).toEqual(new Set([true, false]));
    }
    expect((await photonet('sandbox.video')).every(({ video }) => video !== undefined)).toBe(true);
  });
});
