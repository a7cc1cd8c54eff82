import { mergeFeeds } from 'postern/client';
import { useState } from 'react';
import { Failure } from './failure.tsx';
import { useSkippedItems } from './gateway.ts';
import { type Post, usePosts } from './posts.ts';

const networks = {
  pnet: { accountId: 'pnet-----------------A', label: 'Person on pnet', identifier: 'ACoSandbox250' },
  photonet: { accountId: 'photonet-------------A', label: 'User on photonet', identifier: 'sandbox.sixty' },
} as const;

const chosen = () => {
  const search = new URLSearchParams(location.search);
  return {
    pnet: search.get('pnet') ?? networks.pnet.identifier,
    photonet: search.get('photonet') ?? networks.photonet.identifier,
  };
};

export function Feed() {
  const identifiers = chosen();
  const pnet = usePosts(networks.pnet.accountId, identifiers.pnet);
  const photonet = usePosts(networks.photonet.accountId, identifiers.photonet);
  const lists = [pnet, photonet];
  const posts = mergeFeeds(lists.map(({ list }) => list));
  const skipped = useSkippedItems().filter(({ variables }) =>
    Object.values(identifiers).includes(`${variables.identifier}`),
  );
  const isLoading = lists.some((each) => each.isLoading);
  const hasMore = lists.some(({ list }) => list.pageInfo.hasNextPage);
  const readMore = () => {
    for (const each of lists) each.readMore();
  };
  return (
    <>
      <form className="row">
        {Object.entries(networks).map(([name, { label }]) => (
          <label key={name}>
            {label}
            <input name={name} defaultValue={identifiers[name as keyof typeof networks]} />
          </label>
        ))}
        <button type="submit">Show</button>
      </form>
      {skipped.length > 0 && (
        <details className="notice">
          <summary>
            {skipped.length === 1 ? '1 post' : `${skipped.length} posts`} could not be read and{' '}
            {skipped.length === 1 ? 'is' : 'are'} left out.
          </summary>
          <ul>
            {skipped.map(({ id, message, code }) => (
              <li key={id}>
                {message} <code>{code}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      <ol className="feed" aria-busy={isLoading}>
        {posts.map((post) => (
          <li key={post.id}>
            <Entry post={post} />
          </li>
        ))}
      </ol>
      {posts.length === 0 && isLoading && <Placeholders />}
      {posts.length === 0 && !isLoading && lists.every(({ failure }) => failure === null) && <p>There are no posts.</p>}
      <Failure what="The posts on pnet" reason={pnet.failure} onRetry={pnet.retry} />
      <Failure what="The posts on photonet" reason={photonet.failure} onRetry={photonet.retry} />
      {hasMore && (
        <button type="button" disabled={isLoading} onClick={readMore}>
          {isLoading ? 'Reading …' : 'Show more'}
        </button>
      )}
    </>
  );
}

const counted = (count: number, one: string, many: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

function Entry({ post }: { post: Post }) {
  const network = post.__typename === 'PnetPost' ? 'pnet' : 'photonet';
  const time = post.__typename === 'PhotonetPost' ? post.caption?.createdAt : post.publishedAt;
  return (
    <article>
      <header className="author">
        <Avatar name={post.author.name} url={portraitOf(post)} />
        <p>
          <strong>{post.author.name}</strong>
          <span className="meta">
            {network}
            {time && (
              <>
                {' · '}
                <time dateTime={time}>
                  {new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })}
                </time>
              </>
            )}
          </span>
        </p>
      </header>
      {post.text && <p className="text">{post.text}</p>}
      <Pictures post={post} />
      <p className="meta">
        {counted(post.reactionCount, 'reaction', 'reactions')} · {counted(post.commentCount, 'comment', 'comments')}
      </p>
    </article>
  );
}

function portraitOf(post: Post) {
  if (post.__typename === 'PnetPost') return post.author.profilePictureUrl;
  return post.__typename === 'PhotonetPost' ? post.author.picture : null;
}

/** The picture of an author, or their initial. The name stands beside it. */
function Avatar({ name, url }: { name: string | null | undefined; url: string | null | undefined }) {
  const [isBroken, setIsBroken] = useState(false);
  return url && !isBroken ? (
    <img className="avatar" src={url} alt="" loading="lazy" onError={() => setIsBroken(true)} />
  ) : (
    <span className="avatar" aria-hidden="true">
      {name?.slice(0, 1)}
    </span>
  );
}

function Pictures({ post }: { post: Post }) {
  const pictures =
    post.__typename === 'PnetPost'
      ? (post.attachments ?? []).filter(({ type, isUnavailable }) => type === 'IMG' && !isUnavailable)
      : post.__typename === 'PhotonetPost'
        ? [post.previewImage]
        : [];
  return pictures.map(
    (picture) =>
      picture?.url && (
        <img
          key={picture.url}
          className="picture"
          src={picture.url}
          width={picture.width ?? undefined}
          height={picture.height ?? undefined}
          alt={`Shared by ${post.author.name}`}
          loading="lazy"
        />
      ),
  );
}

/** Stands for posts that are being read. */
function Placeholders() {
  return (
    <ol className="feed" role="status" aria-label="Reading the posts …">
      {[1, 2, 3].map((place) => (
        <li key={place} className="placeholder" aria-hidden="true">
          <span className="avatar" />
          <span className="line" />
          <span className="line" />
        </li>
      ))}
    </ol>
  );
}
