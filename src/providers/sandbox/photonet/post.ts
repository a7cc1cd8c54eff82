/** The posts of photonet. The owner and the position in the list determine everything in a post. */
import type { PhotonetPost } from '../../../capabilities/posts/shapes.ts';
import { hash, pick, skewedCount } from '../seeded-random.ts';
import { writtenAt } from '../time.ts';
import { captions, places, scenes } from './captions.ts';
import { ownerOf, type PhotonetRow, type PhotonetUser } from './identifiers.ts';

type User = PhotonetUser<PhotonetRow>;

/** A picture without a caption, which the functions below add to. Pictures are in portrait format, 4 to 5. */
export function plainPost(user: User, index: number): PhotonetPost {
  const seed = hash(user.row.serial, index);
  const provider_id = `${3_000_000_000 + index}_${user.row.providerId}`;
  const likes = 12 + skewedCount(hash(seed, 2), 40_000);
  const [name, lat, lng] = pick(places, hash(seed, 1));
  return {
    object: 'Post',
    provider: 'PHOTONET',
    provider_id,
    has_audio: false,
    has_liked: false,
    like_and_view_counts_disabled: false,
    comments_disabled: false,
    like_count: likes,
    comment_count: skewedCount(hash(seed, 3), likes / 10),
    accessibility_caption: `Photo by ${user.username} in ${name}. It may show ${pick(scenes, hash(seed, 4))}.`,
    preview_image: { url: `https://cdn.photonet.example/${provider_id}.jpg`, width: 1080, height: 1350 },
    owner: ownerOf(user),
    location: { name, lat, lng },
  };
}

/** Turns the post into a video in upright format; the picture becomes its preview. */
export function addVideo(post: PhotonetPost, hasAudio: boolean): void {
  post.video = { url: `https://cdn.photonet.example/${post.provider_id}.mp4`, width: 1080, height: 1920 };
  post.has_audio = hasAudio;
}

/** Adds a caption, written when the post was. */
export function addCaption(post: PhotonetPost, { row }: User, index: number, text?: string): void {
  const seed = hash(row.serial, index);
  post.caption = {
    edited: index % 9 === 4,
    has_translation: index % 7 === 5,
    created_at: writtenAt(row.serial, index),
    text: text ?? pick(captions, hash(seed, 5)),
  };
}

/** What a post can have and lack: one variant for each post of the gallery, newest first. */
const variants: readonly ((post: PhotonetPost, user: User, index: number) => void)[] = [
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
export function galleryPost(user: User, index: number): PhotonetPost {
  const vary = variants[index];
  if (vary === undefined)
    throw new RangeError(`the gallery has ${variants.length} posts, but post ${index} was asked for`);
  const post = plainPost(user, index);
  vary(post, user, index);
  return post;
}
