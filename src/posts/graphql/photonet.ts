import { builder } from '../../graphql/builder.ts';
import type { PhotonetPost } from '../shapes.ts';
import { connectPosts, PostConnection, postConnectionArgs } from './list.ts';
import { registerPostType } from './post-types.ts';
import { accountOf, globalIdField, partField, type ReadWith } from './reading-account.ts';

const CaptionObject = builder.objectRef<NonNullable<PhotonetPost['caption']>>('PhotonetCaption').implement({
  description: 'The text under a photo or video.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'Text of the caption.' }),
    edited: t.exposeBoolean('edited', { description: 'Whether the caption was edited after publication.' }),
    hasTranslation: t.exposeBoolean('has_translation', { description: 'Whether photonet offers a translation.' }),
    createdAt: t.expose('created_at', {
      type: 'SafeInt',
      description: 'When the caption was written, in milliseconds since the Unix epoch.',
    }),
  }),
});

const MediaObject = builder.objectRef<PhotonetPost['preview_image']>('PhotonetMedia').implement({
  description: 'A photo or video file.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'URL of the file.' }),
    width: t.expose('width', { type: 'SafeInt', description: 'Width in pixels.' }),
    height: t.expose('height', { type: 'SafeInt', description: 'Height in pixels.' }),
  }),
});

const OwnerObject = builder.objectRef<ReadWith<PhotonetPost['owner']>>('PhotonetOwner').implement({
  description: 'The photonet user who published a post.',
  fields: (t) => ({
    id: globalIdField(t, 'PhotonetOwner', 'id'),
    providerId: t.exposeID('id', {
      description: 'Id of the user on photonet. Pass it to `posts` as `identifier`.',
    }),
    username: t.exposeString('username', { description: 'Username. `posts` accepts it as `identifier` as well.' }),
    profilePicUrl: t.exposeString('profile_pic_url', { description: 'URL of the profile picture.' }),
    isVerified: t.exposeBoolean('is_verified', { description: 'Whether photonet has verified the user.' }),
    isPrivate: t.exposeBoolean('is_private', { description: "Whether only followers can see the user's posts." }),
    posts: t.field({
      type: PostConnection,
      description: 'Posts of this user, read with the same account. Scope: `posts:read`.',
      args: postConnectionArgs,
      resolve: (owner, args, context) =>
        connectPosts(context, { accountId: accountOf(owner), identifier: owner.id, ...args }),
    }),
  }),
});

const LocationObject = builder.objectRef<PhotonetPost['location']>('PhotonetLocation').implement({
  description: 'The place that the owner of a post tagged.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the place.' }),
    lat: t.exposeFloat('lat', { description: 'Latitude in degrees.' }),
    lng: t.exposeFloat('lng', { description: 'Longitude in degrees.' }),
  }),
});

registerPostType<PhotonetPost>('PHOTONET', 'PhotonetPost').implement({
  description: 'A post on photonet, the photo network.',
  fields: (t) => ({
    id: globalIdField(t, 'PhotonetPost', 'provider_id'),
    providerId: t.exposeID('provider_id', { description: 'Id of the post on photonet.' }),
    caption: t.expose('caption', {
      type: CaptionObject,
      nullable: true,
      description: 'Caption of the post; null if it has none.',
    }),
    accessibilityCaption: t.exposeString('accessibility_caption', {
      description: 'Text alternative for the photo or video, for screen readers.',
    }),
    previewImage: t.expose('preview_image', { type: MediaObject, description: 'The photo, or a frame of the video.' }),
    video: t.expose('video', { type: MediaObject, nullable: true, description: 'The video; null for a photo.' }),
    hasAudio: t.exposeBoolean('has_audio', { description: 'Whether the video has sound.' }),
    hasLiked: t.exposeBoolean('has_liked', { description: 'Whether the account has liked the post.' }),
    likeCount: t.expose('like_count', { type: 'SafeInt', description: 'Number of likes.' }),
    commentCount: t.expose('comment_count', { type: 'SafeInt', description: 'Number of comments.' }),
    likeAndViewCountsDisabled: t.exposeBoolean('like_and_view_counts_disabled', {
      description: 'Whether the owner hides the numbers of likes and views.',
    }),
    commentsDisabled: t.exposeBoolean('comments_disabled', { description: 'Whether the owner has disabled comments.' }),
    owner: partField(t, 'owner', { type: OwnerObject, description: 'The user who published the post.' }),
    location: t.expose('location', { type: LocationObject, description: 'The place tagged in the post.' }),
  }),
});
