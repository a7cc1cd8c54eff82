import { mergeFeeds } from 'postern/client';
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
      {posts.length === 0 && isLoading && <p>Reading the posts …</p>}
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

function Entry({ post }: { post: Post }) {
  const network = post.__typename === 'PnetPost' ? 'pnet' : 'photonet';
  const time = post.__typename === 'PhotonetPost' ? post.caption?.createdAt : post.publishedAt;
  return (
    <article>
      <p className="meta">
        {time && (
          <time dateTime={time}>
            {new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })}
          </time>
        )}{' '}
        <strong>{post.author.name}</strong> on {network}
      </p>
      <p className="text">{post.text ?? 'No text.'}</p>
      <p className="meta">
        {post.reactionCount} reactions, {post.commentCount} comments
      </p>
    </article>
  );
}
