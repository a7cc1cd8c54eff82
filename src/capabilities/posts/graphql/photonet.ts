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
  description: 'The text under a photo or video.',
  fields: (t) => ({
    text: t.exposeString('text', required('Text of the caption.')),
    isEdited: t.exposeBoolean('edited', required('Whether the caption was edited after publication.')),
    hasTranslation: t.exposeBoolean('has_translation', required('Whether photonet offers a translation.')),
    createdAt: t.expose('created_at', { type: 'DateTime', ...required('When the caption was written.') }),
  }),
});

const MediaObject = partType<PhotonetPost['preview_image']>('PhotonetMedia', {
  description: 'A photo or video file.',
  fields: (t) => ({
    url: t.exposeString('url', required('URL of the file.')),
    width: t.exposeFloat('width', required('Width, in the unit of the network.')),
    height: t.exposeFloat('height', required('Height, in the unit of the network.')),
  }),
});

const OwnerObject = partType<ReadWith<PhotonetPost['owner']>>('PhotonetOwner', {
  description: 'The photonet user who published a post.',
  interfaces: [Node, NetworkAuthorInterface],
  fields: (t) => ({
    id: globalIdField(t, { kind: 'PhotonetOwner', key: 'id' }),
    providerId: t.exposeID('id', required('Id of the user on photonet. Pass it to `posts` as `identifier`.')),
    username: t.exposeString(
      'username',
      required(
        'Username, which `posts` accepts as `identifier` as well. To show an author of any network, read `name`.',
      ),
    ),
    name: t.exposeString('username', required('Name to show: the `username`, because photonet sends no other.')),
    profilePictureUrl: t.exposeString('profile_pic_url', required('URL of the profile picture.')),
    isVerified: t.exposeBoolean('is_verified', required('Whether photonet has verified the user.')),
    isPrivate: t.exposeBoolean('is_private', required("Whether only followers can see the user's posts.")),
    posts: authorPostsField(t, {
      description: 'Posts of this user, read with the same account.',
    }),
  }),
});

const LocationObject = partType<PhotonetPost['location']>('PhotonetLocation', {
  description: 'The place that the owner of a post tagged.',
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
  author: { type: 'PhotonetOwner', in: ({ owner }) => [owner] },
});

PhotonetPostObject.implement({
  description: 'A post on photonet, the photo network.',
  extensions: inheritMaxAge,
  interfaces: [Node, NetworkPostInterface],
  fields: (t) => ({
    id: globalIdField(t, { kind: 'PhotonetPost', ...photonetPostIds }),
    providerId: t.exposeID('provider_id', required('Id of the post on photonet.')),
    text: t.string(
      readAt<string>({ exposed: 'text', within: 'caption' }, optional('Text of the caption; null without one.')),
    ),
    author: partField(t, 'owner', {
      type: OwnerObject,
      ...required('The user who published the post.'),
    }),
    reactionCount: t.exposeFloat('like_count', required('Number of likes.')),
    hasReacted: t.exposeBoolean('has_liked', required('Whether the account that reads the post has liked it.')),
    caption: t.expose('caption', {
      type: CaptionObject,
      ...optional('Caption of the post; null if it has none.'),
    }),
    accessibilityCaption: t.exposeString(
      'accessibility_caption',
      required('Text alternative for the photo or video, for screen readers.'),
    ),
    previewImage: t.expose('preview_image', { type: MediaObject, ...required('The photo, or a frame of the video.') }),
    video: t.expose('video', { type: MediaObject, ...optional('The video; null for a photo.') }),
    hasAudio: t.exposeBoolean('has_audio', required('Whether the video has sound.')),
    commentCount: t.exposeFloat('comment_count', required('Number of comments.')),
    hasLikeAndViewCountsDisabled: t.exposeBoolean(
      'like_and_view_counts_disabled',
      required('Whether the owner hides the numbers of likes and views.'),
    ),
    hasCommentsDisabled: t.exposeBoolean('comments_disabled', required('Whether the owner has disabled comments.')),
    location: t.expose('location', { type: LocationObject, ...required('The place tagged in the post.') }),
  }),
});
