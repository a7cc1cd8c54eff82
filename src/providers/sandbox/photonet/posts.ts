/** The sandbox's lists of photonet posts. */
import type { PhotonetPost } from '../../../capabilities/posts/shapes.ts';
import type { PostProvider } from '../../provider.ts';
import { pageOf, requireListable } from '../listing.ts';
import { hash } from '../seeded-random.ts';
import { requireValidSession } from '../sessions.ts';
import { type PhotonetRow, type PhotonetUser, photonetUser } from './identifiers.ts';
import { addCaption, addVideo, galleryPost, plainPost } from './post.ts';

/** `is_company` belongs to pnet: this network ignores it. */
export const photonetPosts = (): PostProvider => ({
  async listPosts(session, query, signal) {
    requireValidSession(session, signal);
    const { username, row } = photonetUser(query.identifier);
    const user = { username, row: requireListable<PhotonetRow>(row) };
    return pageOf(user.row, query, signal, (index) => postAt(user, index));
  },
});

function postAt(user: PhotonetUser<PhotonetRow>, index: number): PhotonetPost {
  const { content } = user.row;
  switch (content) {
    case 'mixed':
      return mixedPost(user, index, index % 4 === 2);
    case 'videos':
      return mixedPost(user, index, true);
    case 'gallery':
      return galleryPost(user, index);
    default:
      return content satisfies never;
  }
}

function mixedPost(user: PhotonetUser<PhotonetRow>, index: number, isVideo: boolean): PhotonetPost {
  const post = plainPost(user, index);
  const seed = hash(user.row.serial, index);
  if (isVideo) addVideo(post, seed % 3 !== 0);
  if (index % 5 !== 3) addCaption(post, user, index);
  post.has_liked = index % 6 === 1;
  return post;
}
