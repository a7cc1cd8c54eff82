const author = (n: number) => ({
  public_identifier: `author-${n}`,
  id: `ACoAuthor${n}`,
  name: `Amara Lindqvist ${n}`,
  is_company: false,
  headline: 'Engineering Manager at a company with a name of some length',
  profile_picture_url: `https://media.example/pictures/${n}.jpg`,
});

/** Posts as in a real feed: texts of some hundred characters, pictures, and now and then a repost or a poll. */
const post = (n: number) => ({
  object: 'Post',
  provider: 'PNET',
  id: `7${String(n).padStart(18, '0')}`,
  social_id: `urn:activity:7${String(n).padStart(18, '0')}`,
  share_url: `https://pnet.example/feed/7${n}`,
  text: 'We wrote down what we knew, what we guessed and what we hoped. The third list was the longest. '.repeat(
    1 + (n % 6),
  ),
  date: `${1 + (n % 28)}d`,
  parsed_datetime: new Date(1_790_000_000_000 - n * 3_600_000).toISOString(),
  reaction_counter: n * 7,
  comment_counter: n % 40,
  repost_counter: n % 12,
  impressions_counter: n * 1_234,
  ...(n % 3 === 0 ? { user_reacted: 'LIKE' } : {}),
  author: author(n % 5),
  permissions: { can_react: true, can_share: true, can_post_comments: n % 2 === 0 },
  is_repost: n % 7 === 0,
  ...(n % 7 === 0
    ? {
        repost_id: `r${n}`,
        reposted_by: author(6),
        repost_content: {
          id: `c${n}`,
          date: '2w',
          parsed_datetime: '2026-01-01T00:00:00.000Z',
          author: author(7),
          text: 'It is not finished, and that is fine.',
        },
      }
    : {}),
  mentions: n % 4 === 0 ? [{ url: 'https://pnet.example/in/x', start: 3, length: 9 }] : [],
  attachments:
    n % 2 === 0
      ? [
          {
            type: 'img',
            id: `i${n}`,
            unavailable: false,
            mimetype: 'image/jpeg',
            file_size: 120_000 + n,
            url: `https://media.example/${n}.jpg`,
            sticker: false,
            size: { width: 1_200, height: 800 },
          },
        ]
      : [],
  ...(n % 11 === 0
    ? {
        poll: {
          id: `p${n}`,
          question: 'Which one?',
          is_open: true,
          total_votes_count: 10,
          options: [1, 2, 3].map((m) => ({ id: `o${m}`, text: `Option ${m}`, win: m === 1, votes_count: m })),
        },
      }
    : {}),
  analytics: { impressions: n * 1_234, engagements: n * 9, engagement_rate: 0.073, clicks: n * 3 },
});

export const pnetPosts = (count: number) => Array.from({ length: count }, (_, n) => post(n));

/** A page of posts, as an upstream sends it. */
export const page = (count: number, items: readonly object[] = pnetPosts(count)): Buffer =>
  Buffer.from(JSON.stringify({ object: 'PostList', items, cursor: 'next', paging: { page_count: count } }));
