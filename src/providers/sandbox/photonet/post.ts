/** Posts of photonet: owner and position determine everything. */
import type { PhotonetPost } from '../../../capabilities/posts/shapes.ts';
import { pick, seededHash, skewedCount } from '../seeded-random.ts';
import texts from '../texts.json' with { type: 'json' };
import { writtenAt } from '../time.ts';
import { ownerOf, type PhotonetRow, type PhotonetUser } from './identifiers.ts';

type User = PhotonetUser<PhotonetRow>;

/** A picture without a caption, in portrait format (4 to 5). */
export function plainPicture(user: User, index: number): PhotonetPost {
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
export function addVideo(post: PhotonetPost, hasAudio: boolean): void {
  post.video = { url: `https://cdn.photonet.example/${post.provider_id}.mp4`, width: 1080, height: 1920 };
  post.has_audio = hasAudio;
}

export function addCaption(post: PhotonetPost, { row }: User, index: number, text?: string): void {
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
export function photonetGalleryPost(user: User, index: number): PhotonetPost {
  const vary = photonetVariants[index];
  if (vary === undefined)
    throw new RangeError(`the gallery has ${photonetVariants.length} posts, but post ${index} was asked for`);
  const post = plainPicture(user, index);
  vary(post, user, index);
  return post;
}
