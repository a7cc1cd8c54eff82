import { builder } from '../../graphql/builder.ts';
import { connectionComplexity } from '../../graphql/connection.ts';
import { globalId } from '../../graphql/node.ts';
import type { PhotonetPost } from '../shapes.ts';
import { accountOf, connectPosts, PostConnection, partOf, postConnectionArgs } from './list.ts';
import { registerPostType } from './post-types.ts';

type Present<T> = NonNullable<T>;

const PhotonetCaption = builder.objectRef<Present<PhotonetPost['caption']>>('PhotonetCaption').implement({
  description: 'The text under a photo or video.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The caption itself.' }),
    edited: t.exposeBoolean('edited', { description: 'Whether it was changed after it was published.' }),
    hasTranslation: t.exposeBoolean('has_translation', { description: 'Whether the network offers a translation.' }),
    createdAt: t.expose('created_at', {
      type: 'SafeInt',
      description: 'When it was written: milliseconds since the epoch.',
    }),
  }),
});

const PhotonetMedia = builder.objectRef<PhotonetPost['preview_image']>('PhotonetMedia').implement({
  description: 'A picture or video file.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Where the file is.' }),
    width: t.expose('width', { type: 'SafeInt', description: 'Width in pixels.' }),
    height: t.expose('height', { type: 'SafeInt', description: 'Height in pixels.' }),
  }),
});

const PhotonetOwner = builder.objectRef<PhotonetPost['owner']>('PhotonetOwner').implement({
  description: 'The photonet user that published a post.',
  fields: (t) => ({
    id: t.id({
      description: 'Global id. What the reading account sees of a user is its own: so is the id.',
      resolve: (owner) => globalId('PhotonetOwner', accountOf(owner), owner.id),
    }),
    providerId: t.exposeID('id', { description: 'Internal id of the user on photonet: an `identifier` of `posts`.' }),
    username: t.exposeString('username', { description: 'User name: an `identifier` of `posts` too.' }),
    profilePicUrl: t.exposeString('profile_pic_url', { description: 'Profile picture.' }),
    isVerified: t.exposeBoolean('is_verified', { description: 'Whether photonet has verified who it is.' }),
    isPrivate: t.exposeBoolean('is_private', { description: 'Whether only followers see the posts.' }),
    posts: t.field({
      type: PostConnection,
      description: "The user's own posts, read with the same account. Scope: `posts:read`.",
      args: postConnectionArgs,
      complexity: connectionComplexity,
      resolve: (owner, args, context) =>
        connectPosts(context, { accountId: accountOf(owner), identifier: owner.id, ...args }),
    }),
  }),
});

const PhotonetLocation = builder.objectRef<PhotonetPost['location']>('PhotonetLocation').implement({
  description: 'Where a post was made, as its owner said.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the place.' }),
    lat: t.exposeFloat('lat', { description: 'Latitude in degrees.' }),
    lng: t.exposeFloat('lng', { description: 'Longitude in degrees.' }),
  }),
});

registerPostType<PhotonetPost>('PHOTONET', 'PhotonetPost').implement({
  description: 'A post on photonet, the photo network.',
  fields: (t) => ({
    id: t.id({
      description: 'Global id. What the reading account sees of a post is its own: so is the id.',
      resolve: (post) => globalId('PhotonetPost', accountOf(post), post.provider_id),
    }),
    providerId: t.exposeID('provider_id', { description: 'Id of the post on photonet.' }),
    caption: t.expose('caption', { type: PhotonetCaption, nullable: true, description: 'Caption; null without one.' }),
    accessibilityCaption: t.exposeString('accessibility_caption', {
      description: 'What is to be seen, for readers who cannot see it.',
    }),
    previewImage: t.expose('preview_image', {
      type: PhotonetMedia,
      description: 'The photo, or a still of the video.',
    }),
    video: t.expose('video', { type: PhotonetMedia, nullable: true, description: 'The video; null for a photo.' }),
    hasAudio: t.exposeBoolean('has_audio', { description: 'Whether the video has sound.' }),
    hasLiked: t.exposeBoolean('has_liked', { description: 'Whether the reading account has liked the post.' }),
    likeCount: t.expose('like_count', { type: 'SafeInt', description: 'How many accounts like it.' }),
    commentCount: t.expose('comment_count', { type: 'SafeInt', description: 'How many comments it has.' }),
    likeAndViewCountsDisabled: t.exposeBoolean('like_and_view_counts_disabled', {
      description: 'Whether the owner hides the counts from others.',
    }),
    commentsDisabled: t.exposeBoolean('comments_disabled', { description: 'Whether the owner takes no comments.' }),
    owner: t.field({
      type: PhotonetOwner,
      description: 'Who published it.',
      resolve: (post) => partOf(post, post.owner),
    }),
    location: t.expose('location', { type: PhotonetLocation, description: 'Where it was made.' }),
  }),
});
