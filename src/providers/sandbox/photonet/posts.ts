import type { PhotonetPost } from '../../../capabilities/posts/shapes.ts';
import type { PostProvider } from '../../provider.ts';
import { listingPage, requireListable } from '../listing.ts';
import { seededHash } from '../seeded-random.ts';
import { requireValidSession } from '../sessions.ts';
import { type PhotonetRow, type PhotonetUser, photonetUser } from './identifiers.ts';
import { addCaption, addVideo, photonetGalleryPost, plainPicture } from './post.ts';

/** Ignores `is_company`, which belongs to pnet. */
export const photonetPosts = (): PostProvider => ({
  async listPosts(session, query, signal) {
    requireValidSession(session, signal);
    const { username, row } = photonetUser(query.identifier);
    const user = { username, row: requireListable<PhotonetRow>(row) };
    return listingPage(user.row, query, signal, (index) => photonetPostAt(user, index));
  },
});

function photonetPostAt(user: PhotonetUser<PhotonetRow>, index: number): PhotonetPost {
  const { content } = user.row;
  switch (content) {
    case 'mixed':
      return mixedPost(user, index, index % 4 === 2);
    case 'videos':
      return mixedPost(user, index, true);
    case 'gallery':
      return photonetGalleryPost(user, index);
    default:
      return content satisfies never;
  }
}

function mixedPost(user: PhotonetUser<PhotonetRow>, index: number, isVideo: boolean): PhotonetPost {
  const post = plainPicture(user, index);
  const seed = seededHash(user.row.serial, index);
  if (isVideo) addVideo(post, seed % 3 !== 0);
  if (index % 5 !== 3) addCaption(post, user, index);
  post.has_liked = index % 6 === 1;
  return post;
}
