import { describe, expect, it } from 'vitest';
import { type PnetPost, reactions } from '../../../../src/capabilities/posts/shapes.ts';
import { postIdentifiers, sandboxNetworks } from '../../../../src/providers/sandbox/networks.ts';
import { failure, list, listed, networks, pnet } from '../../../support/sandbox.ts';

describe('posts of pnet', () => {
  it.each([
    'ACo',
    'aCoSandbox1',
    'ACoSandbox1/',
    'ACoNobody',
    'ADoNobody',
    'amara-lindqvist',
    'sandbox.sixty',
    '',
    '12ab',
    'ACo\n1',
  ])('an unknown identifier %j is an invalid recipient', async (identifier) => {
    expect(await failure(list(networks.PNET, identifier))).toBe('invalid_recipient');
  });

  it('need isCompany for a company, and not for a person', async () => {
    expect(await failure(list(networks.PNET, '900043', { isCompany: false }))).toBe('invalid_recipient');
    expect(await failure(list(networks.PNET, '111', { isCompany: true }))).toBe('invalid_recipient');
    expect(await failure(list(networks.PNET, 'ACoSandbox1', { isCompany: true }))).toBe('invalid_recipient');
    expect((await list(networks.PNET, '900043', { isCompany: true })).items).toHaveLength(43);
  });

  it('name only members whose posts can be listed', async () => {
    for (const identifier of Object.keys(postIdentifiers.pnet)) {
      if (!listed.some((candidate) => candidate.identifier === identifier)) continue;
      for (const post of await pnet(identifier)) {
        const people = [post.author, post.reposted_by, post.repost_content?.author, post.written_by];
        for (const person of people) if (person) expect(postIdentifiers.pnet).toHaveProperty(person.id);
        expect(post.is_repost).toBe(post.reposted_by !== undefined);
        expect(post.is_repost).toBe(post.repost_id !== undefined);
        // The listed member has written the post or reposted it.
        expect([post.author.id, post.reposted_by?.id]).toContain(identifier);
        if (post.repost_content) {
          expect(post.repost_content.author.id).not.toBe(identifier);
          expect(post.repost_content.parsed_datetime < post.parsed_datetime).toBe(true);
        }
      }
    }
  });

  it('that are reposts equal the originals in the lists of their authors', async () => {
    const reposts = await pnet('ACoSandboxReposts');
    expect(new Set(reposts.map(({ author }) => author.id)).size).toBe(3);
    for (const { is_repost: _, repost_id: __, reposted_by: ___, ...original } of reposts) {
      const theirs = await pnet(original.author.id);
      expect(theirs).toContainEqual({ ...original, is_repost: false });
    }
  });

  it('have a relative date that follows the clock', async () => {
    const [newest] = (await pnet('ACoSandbox1')) as [PnetPost];
    const ageAt = async (passed: number) => {
      const clock = () => new Date(Date.parse(newest.parsed_datetime) + passed);
      const page = await list(sandboxNetworks({ clock }).PNET, 'ACoSandbox1');
      expect(page.items[0]).toStrictEqual({ ...newest, date: (page.items[0] as PnetPost).date });
      return (page.items[0] as PnetPost).date;
    };
    const day = 86_400_000;
    const ages = [
      -1,
      59_999,
      60_000,
      3_599_999,
      3_600_000,
      day - 1,
      day,
      7 * day - 1,
      7 * day,
      30 * day,
      364 * day,
      730 * day,
    ];
    expect(await Promise.all(ages.map(ageAt))).toEqual(
      ['now', 'now', '1m', '59m', '1h', '23h', '1d', '6d', '1w', '1mo', '12mo', '2yr'], // biome-ignore format: one row
    );
  });

  it('mention members at the offsets of their names', async () => {
    const names = Object.values(postIdentifiers.pnet).flatMap((row) => ('name' in row ? [row.name as string] : []));
    const posts = [...(await pnet('ACoSandbox250')), ...(await pnet('ACoSandboxGallery')), ...(await pnet('900043'))];
    const mentions = posts.flatMap(({ text, mentions: found }) => found.map((mention) => ({ text, ...mention })));
    expect(mentions.length).toBeGreaterThan(40);
    for (const { text, start, length } of mentions) expect(names).toContain(text.slice(start, start + length));
  });

  it('have every optional feature in the gallery', async () => {
    const posts = await pnet('ACoSandboxGallery');
    const attachments = posts.flatMap((post) => post.attachments);
    const kinds = new Set(attachments.map(({ type }) => type));
    expect([...kinds].toSorted()).toEqual(['audio', 'file', 'img', 'pnet_post', 'video', 'video_meeting']);
    for (const flag of ['sticker', 'gif', 'voice_note', 'unavailable']) {
      const values = attachments.flatMap((attachment) =>
        flag in attachment ? [attachment[flag as 'unavailable']] : [],
      );
      expect(new Set(values), flag).toEqual(new Set([true, false]));
    }
    expect(new Set(posts.map((post) => post.user_reacted))).toEqual(new Set([...reactions, undefined]));
    expect(new Set(posts.map((post) => post.poll?.is_open))).toEqual(new Set([true, false, undefined]));
    expect(new Set(posts.map((post) => post.group?.private))).toEqual(new Set([true, false, undefined]));
    expect(posts.flatMap((post) => post.poll?.options.filter(({ win }) => win) ?? [])).toHaveLength(1);
    for (const field of ['title', 'written_by', 'analytics', 'repost_content', 'reposted_by'] as const) {
      expect(posts.some((post) => post[field] !== undefined) && posts.some((post) => post[field] === undefined)).toBe(
        true,
      );
    }
    for (const post of posts.filter(({ poll }) => poll)) {
      const votes = post.poll?.options.reduce((sum, { votes_count }) => sum + votes_count, 0);
      expect(votes).toBe(post.poll?.total_votes_count);
    }
    expect(posts.some(({ impressions_counter }) => impressions_counter > 2 ** 31)).toBe(true);
  });

  it('vary in their texts', async () => {
    const posts = await pnet('ACoSandbox250');
    expect(new Set(posts.map(({ text }) => text)).size).toBeGreaterThan(200);
    for (const { text, title } of posts) expect(`${text}${title ?? ''}`).not.toMatch(/[{}]|undefined/);
  });
});
