/** A post as a card. What it shows comes from people on networks: its text stays text, and its links lead to http or https. */
import { attachment, picture } from './attachment.js';
import { h, svg } from './elements.js';
import { at, count, counted } from './format.js';
import { linked } from './links.js';

/** Longer texts are folded. */
const longText = 600;

export function post(given) {
  return given.__typename === 'PhotonetPost' ? photonetPost(given) : pnetPost(given);
}

const pnetPost = (given) =>
  card(given, {
    above: [
      given.repostedBy && h('p.quiet', {}, `${given.repostedBy.name ?? 'Somebody'} reposted this`),
      given.group && h('p.quiet', {}, `In the ${given.group.isPrivate ? 'private ' : ''}group ${given.group.name}`),
    ],
    byline: [given.writtenBy && `written by ${given.writtenBy.name}`],
    time: given.publishedAt,
    contents: [
      given.title && h('h3', {}, given.title),
      given.text && words(given.text, given.mentions ?? []),
      ...media(given.attachments ?? []),
      given.poll && poll(given.poll),
      given.repostContent && quoted(given.repostContent),
    ],
    figures: [
      counted(given.reactionCount ?? 0, 'reaction'),
      counted(given.commentCount ?? 0, 'comment'),
      counted(given.repostCount ?? 0, 'repost'),
      given.impressionCount > 0 && counted(given.impressionCount, 'view'),
    ],
    below: [given.analytics && analytics(given.analytics)],
    url: given.url,
  });

const photonetPost = (given) =>
  card(given, {
    above: [],
    byline: [given.location?.name],
    time: given.caption?.createdAt,
    contents: [
      given.previewImage && picture(given.previewImage, given.accessibilityCaption ?? ''),
      given.video && attachment({ type: 'VIDEO', url: given.video.url, isSilent: given.hasAudio === false }),
      given.text && words(given.text, []),
    ],
    figures: [
      given.hasLikeAndViewCountsDisabled ? 'Likes are hidden' : counted(given.reactionCount ?? 0, 'like'),
      given.hasCommentsDisabled ? 'Comments are off' : counted(given.commentCount ?? 0, 'comment'),
    ],
    below: [],
  });

function card({ author, hasReacted }, { above, byline, time, contents, figures, below, url }) {
  return h(
    'article.card.post',
    { 'aria-label': `Post of ${author?.name ?? 'somebody'}` },
    ...above,
    person(author, [time && at(time), ...byline]),
    ...contents,
    h(
      'p.figures.quiet',
      {},
      h('span', {}, [...figures, hasReacted && 'you reacted'].filter(Boolean).join(' · ')),
      url && linked(url, 'Open', 'on the network'),
    ),
    ...below,
  );
}

function person(author, facts) {
  const about = [author?.username && `@${author.username}`, author?.headline].filter(Boolean).join(' · ');
  const face = author?.profilePictureUrl;
  return h(
    'header.person',
    {},
    face
      ? h('img.face', { src: face, alt: '', width: 44, height: 44, loading: 'lazy' })
      : h('span.face', { 'aria-hidden': 'true' }, [...(author?.name ?? '?')][0]),
    h(
      'div',
      {},
      h('strong', {}, author?.name ?? 'Somebody', author?.isVerified ? ' ✓' : ''),
      about === '' ? null : h('small', {}, about),
      h('small', {}, facts.filter(Boolean).join(' · ')),
    ),
  );
}

/** Places of mentions count as UTF-16 does. */
function words(text, mentions) {
  const parts = [];
  let from = 0;
  for (const { start, length, url } of [...mentions].sort((one, other) => one.start - other.start)) {
    if (start < from || start + length > text.length) continue;
    parts.push(
      text.slice(from, start),
      linked(url, text.slice(start, start + length)) ?? text.slice(start, start + length),
    );
    from = start + length;
  }
  const whole = h('p.words', {}, ...parts, text.slice(from));
  if (text.length <= longText) return whole;
  return h(
    'details.long',
    {},
    h(
      'summary',
      {},
      h('span.words', {}, `${text.slice(0, longText / 2).trimEnd()} … `),
      h('span.more', {}, 'Read all'),
    ),
    whole,
  );
}

function media(attachments) {
  const pictures = attachments.filter(({ type, url, isUnavailable }) => type === 'IMG' && url && !isUnavailable);
  const others = attachments.filter((each) => !pictures.includes(each));
  return [
    pictures.length === 0
      ? null
      : h(`div.pictures`, { 'data-count': Math.min(3, pictures.length) }, ...pictures.map((each) => picture(each, ''))),
    ...others.map(attachment),
  ];
}

function poll({ question, options, voteCount, isOpen }) {
  const bars = (options ?? []).map(({ text, voteCount: votes, isWinner }) => {
    const share = voteCount > 0 ? votes / voteCount : 0;
    return h(
      'li',
      {},
      h('span', {}, text, isWinner ? ' ✓' : ''),
      h('span', {}, `${Math.round(share * 100)} %`),
      svg(
        'svg.bar',
        { 'aria-hidden': 'true' },
        svg('rect', { width: '100%', height: '100%' }),
        svg('rect.share', { width: `${share * 100}%`, height: '100%' }),
      ),
    );
  });
  return h(
    'section.poll',
    { 'aria-label': 'Poll' },
    h('strong', {}, question),
    h('ul', {}, ...bars),
    h('small', {}, `${counted(voteCount ?? 0, 'vote')} · ${isOpen ? 'open' : 'closed'}`),
  );
}

const quoted = ({ author, publishedAt, text }) =>
  h('blockquote', {}, person(author, [publishedAt && at(publishedAt)]), text && words(text, []));

const figureNames = {
  impressionCount: 'Views',
  reachedMemberCount: 'People reached',
  clickCount: 'Clicks',
  engagementRate: 'Engagement',
  gainedFollowerCount: 'New followers',
};

function analytics(figures) {
  const known = Object.entries(figureNames).filter(([name]) => figures[name] !== null && figures[name] !== undefined);
  if (known.length === 0) return null;
  const shown = (name) =>
    name === 'engagementRate' ? `${Math.round(figures[name] * 1000) / 10} %` : count(figures[name]);
  return h(
    'details.analytics',
    {},
    h('summary', {}, 'Figures'),
    h('dl', {}, ...known.map(([name, label]) => h('div', {}, h('dt', {}, label), h('dd', {}, shown(name))))),
  );
}
