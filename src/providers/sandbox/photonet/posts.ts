/** Posts of photonet: owner and position determine everything. */
import type { PhotonetPost } from '../../../capabilities/posts/shapes.ts';
import type { PostProvider } from '../../provider.ts';
import { listingPage, requireListable } from '../listing.ts';
import { pick, seededHash, skewedCount } from '../seeded-random.ts';
import { requireValidSession } from '../sessions.ts';
import texts from '../texts.json' with { type: 'json' };
import { writtenAt } from '../time.ts';
import { ownerOf, type PhotonetRow, type PhotonetUser, photonetUser } from './identifiers.ts';

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

type User = PhotonetUser<PhotonetRow>;

/** A picture without a caption, in portrait format (4 to 5). */
function plainPicture(user: User, index: number): PhotonetPost {
  const seed = seededHash(user.row.serial, index);
  const provider_id = `${3_000_000_000 + index}_${user.row.providerId}`;
  const likes = 12 + skewedCount(seededHash(seed, 2), 40_000);
  const location = pick(texts.places, seededHash(seed, 1));
  return {
    object: 'Post',
    provider: 'PHOTONET',
    provider_id,
    has_audio: false,
    has_liked: false,
    like_and_view_counts_disabled: false,
    comments_disabled: false,
    like_count: likes,
    comment_count: skewedCount(seededHash(seed, 3), likes / 10),
    accessibility_caption: `Photo by ${user.username} in ${location.name}. It may show ${pick(texts.scenes, seededHash(seed, 4))}.`,
    preview_image: { url: `https://cdn.photonet.example/${provider_id}.jpg`, width: 1080, height: 1350 },
    owner: ownerOf(user),
    location: { ...location },
  };
}

/** Makes a video in upright format; the picture becomes its preview. */
function addVideo(post: PhotonetPost, hasAudio: boolean): void {
  post.video = { url: `https://cdn.photonet.example/${post.provider_id}.mp4`, width: 1080, height: 1920 };
  post.has_audio = hasAudio;
}

function addCaption(post: PhotonetPost, { row }: User, index: number, text?: string): void {
  const seed = seededHash(row.serial, index);
  post.caption = {
    edited: index % 9 === 4,
    has_translation: index % 7 === 5,
    created_at: writtenAt(row.serial, index),
    text: text ?? pick(texts.captions, seededHash(seed, 5)),
  };
}

const photonetVariants: readonly ((post: PhotonetPost, user: User, index: number) => void)[] = [
  (post, user, index) => addCaption(post, user, index, 'A picture with a caption.'),
  // No caption at all.
  () => {},
  (post) => addVideo(post, true),
  (post, user, index) => {
    addVideo(post, false);
    addCaption(post, user, index, 'A silent video with a caption.');
  },
  (post, user, index) => {
    addCaption(post, user, index, 'Une légende modifiée, avec sa traduction.');
    if (post.caption) Object.assign(post.caption, { edited: true, has_translation: true });
  },
  (post, user, index) => {
    addCaption(post, user, index, 'Counts are hidden, comments are off.');
    Object.assign(post, {
      like_and_view_counts_disabled: true,
      comments_disabled: true,
      like_count: 0,
      comment_count: 0,
    });
  },
  (post, user, index) => {
    addCaption(post, user, index, 'Liked by you, and by more people than 32 bits can count.');
    Object.assign(post, { has_liked: true, like_count: 4_500_000_000 });
  },
  (post, user, index) =>
    addCaption(
      post,
      user,
      index,
      '日本語 · العربية · e\u0301 · 👩🏽‍🚀👨‍👩‍👧‍👦🏳️‍🌈 · #nofilter @sandbox.sixty\n\nline two',
    ),
];

/** @throws RangeError when the gallery has no post at this position */
function photonetGalleryPost(user: User, index: number): PhotonetPost {
  const vary = photonetVariants[index];
  if (vary === undefined)
    throw new RangeError(`the gallery has ${photonetVariants.length} posts, but post ${index} was asked for`);
  const post = plainPicture(user, index);
  vary(post, user, index);
  return post;
}
