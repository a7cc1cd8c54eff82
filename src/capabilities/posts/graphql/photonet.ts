import { partType } from '../../../graphql/kit/builder.ts';
import { inheritMaxAge } from '../../../graphql/kit/cache-hint.ts';
import { optional, required } from '../../../graphql/kit/network-values.ts';
import { Node } from '../../../graphql/kit/node.ts';
import { readAt } from '../../../graphql/kit/wire.ts';
import type { PhotonetPost } from '../shapes.ts';
import { authorPostsField } from './list.ts';
import { NetworkAuthorInterface, NetworkPostInterface } from './network-post.ts';
import { registerPosts } from './post-types.ts';
import { globalIdField, partField, type RawIdsOf, type ReadWith } from './reading-account.ts';

const CaptionObject = partType<NonNullable<PhotonetPost['caption']>>('PhotonetCaption', {
  description: 'Text under a photo or video.',
  fields: (t) => ({
    text: t.exposeString('text', required('Text.')),
    isEdited: t.exposeBoolean('edited', required('Whether it was edited after publication.')),
    hasTranslation: t.exposeBoolean('has_translation', required('Whether photonet offers a translation.')),
    createdAt: t.expose('created_at', { type: 'DateTime', ...required('When it was written.') }),
  }),
});

const MediaObject = partType<PhotonetPost['preview_image']>('PhotonetMedia', {
  description: 'A photo or video file.',
  fields: (t) => ({
    url: t.exposeString('url', required('URL.')),
    width: t.exposeFloat('width', required("Width, in the network's unit.")),
    height: t.exposeFloat('height', required("Height, in the network's unit.")),
  }),
});

const OwnerObject = partType<ReadWith<PhotonetPost['owner']>>('PhotonetAuthor', {
  description: 'A photonet user who publishes posts.',
  interfaces: [Node, NetworkAuthorInterface],
  fields: (t) => ({
    id: globalIdField(t, { kind: 'PhotonetAuthor', key: 'id' }),
    providerId: t.exposeID('id', required('Id on photonet, for `identifier`.')),
    username: t.exposeString('username', required('Username, for `identifier` as well.')),
    name: t.exposeString('username', required('Name to show: the `username`.')),
    profilePictureUrl: t.exposeString('profile_pic_url', required('URL of the picture.')),
    isVerified: t.exposeBoolean('is_verified', required('Whether photonet has verified the user.')),
    isPrivate: t.exposeBoolean('is_private', required('Whether only followers see the posts.')),
    posts: authorPostsField(t, {
      description: 'Posts of the user.',
    }),
  }),
});

const LocationObject = partType<PhotonetPost['location']>('PhotonetLocation', {
  description: 'A tagged place.',
  fields: (t) => ({
    name: t.exposeString('name', required('Name of the place.')),
    lat: t.exposeFloat('lat', required('Latitude.')),
    lng: t.exposeFloat('lng', required('Longitude.')),
  }),
});

const photonetPostIds = {
  key: 'provider_id',
  ownedBy: { object: 'owner', key: 'id' },
} as const satisfies RawIdsOf<PhotonetPost>;

const PhotonetPostObject = registerPosts<PhotonetPost>({
  provider: 'PHOTONET',
  type: 'PhotonetPost',
  ids: photonetPostIds,
  author: { type: 'PhotonetAuthor', in: ({ owner }) => [owner] },
});

PhotonetPostObject.implement({
  description: 'A post on photonet.',
  extensions: inheritMaxAge,
  interfaces: [Node, NetworkPostInterface],
  fields: (t) => ({
    id: globalIdField(t, { kind: 'PhotonetPost', ...photonetPostIds }),
    providerId: t.exposeID('provider_id', required('Id on photonet.')),
    text: t.string(
      readAt<string>({ exposed: 'text', within: 'caption' }, optional('Text of the caption; null without one.')),
    ),
    author: partField(t, 'owner', {
      type: OwnerObject,
      ...required('Who published it.'),
    }),
    reactionCount: t.exposeFloat('like_count', required('Likes.')),
    hasReacted: t.exposeBoolean('has_liked', required('Whether the reading account likes it.')),
    caption: t.expose('caption', {
      type: CaptionObject,
      ...optional('Caption; null without one.'),
    }),
    accessibilityCaption: t.exposeString('accessibility_caption', required('Text for screen readers.')),
    previewImage: t.expose('preview_image', { type: MediaObject, ...required('The photo, or a frame of the video.') }),
    video: t.expose('video', { type: MediaObject, ...optional('The video; null for a photo.') }),
    hasAudio: t.exposeBoolean('has_audio', required('Whether the video has sound.')),
    commentCount: t.exposeFloat('comment_count', required('Comments.')),
    hasLikeAndViewCountsDisabled: t.exposeBoolean(
      'like_and_view_counts_disabled',
      required('Whether likes and views are hidden.'),
    ),
    hasCommentsDisabled: t.exposeBoolean('comments_disabled', required('Whether comments are disabled.')),
    location: t.expose('location', { type: LocationObject, ...required('Tagged place.') }),
  }),
});
