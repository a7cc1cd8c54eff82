/**
 * Posts in the contract's wire shape ("Post list"), from the adapter to GraphQL and REST. The zod shapes type a post,
 * describe it in OpenAPI and check the sandbox's data; they never validate a provider's, because reading is tolerant.
 */
import { z } from 'zod';
import { pageCursor, pageLimit, resourceId } from '../../kernel/validation.ts';

export const postLimits = { limit: { min: 1, max: 100, default: 100 } } as const;

export const reactions = ['LIKE', 'PRAISE', 'APPRECIATION', 'EMPATHY', 'INTEREST', 'ENTERTAINMENT'] as const;

export const attachmentTypes = ['img', 'video', 'audio', 'file', 'pnet_post', 'video_meeting'] as const;

const author = z.object({
  public_identifier: z.string(),
  id: z.string(),
  name: z.string(),
  is_company: z.boolean(),
  headline: z.string().optional(),
  profile_picture_url: z.string().optional(),
});

/** Offset of a place in a text. Integers are not asked for: a service's are passed on. */
const utf16Offset = () =>
  z.number().meta({ description: 'In UTF-16 code units, as JavaScript counts; a service may count otherwise.' });

const pictureSize = z.object({ width: z.number(), height: z.number() });

const attachmentCommon = {
  id: z.string(),
  unavailable: z.boolean(),
  mimetype: z.string().optional(),
  file_size: z.number().optional(),
  url: z.string().optional(),
  url_expires_at: z.number().optional(),
};

const attachment = z.discriminatedUnion('type', [
  z.object({ type: z.literal('img'), ...attachmentCommon, sticker: z.boolean(), size: pictureSize }),
  z.object({ type: z.literal('video'), ...attachmentCommon, gif: z.boolean(), size: pictureSize }),
  z.object({ type: z.literal('audio'), ...attachmentCommon, voice_note: z.boolean(), duration: z.number().optional() }),
  z.object({ type: z.literal('file'), ...attachmentCommon, file_name: z.string() }),
  z.object({ type: z.literal('pnet_post'), ...attachmentCommon }),
  z.object({
    type: z.literal('video_meeting'),
    ...attachmentCommon,
    starts_at: z.number(),
    expires_at: z.number(),
    time_range: z.number(),
  }),
]);

export const pnetPostShape = z.object({
  object: z.literal('Post'),
  provider: z.literal('PNET'),
  id: z.string(),
  social_id: z.string(),
  share_url: z.string(),
  title: z.string().optional(),
  text: z.string(),
  date: z.string(),
  parsed_datetime: z.string(),
  reaction_counter: z.number(),
  comment_counter: z.number(),
  repost_counter: z.number(),
  impressions_counter: z.number(),
  user_reacted: z.enum(reactions).optional(),
  author,
  written_by: z.object({ id: z.string(), public_identifier: z.string(), name: z.string() }).optional(),
  permissions: z.object({ can_react: z.boolean(), can_share: z.boolean(), can_post_comments: z.boolean() }),
  is_repost: z.boolean(),
  repost_id: z.string().optional(),
  reposted_by: author.optional(),
  repost_content: z
    .object({ id: z.string(), date: z.string(), parsed_datetime: z.string(), author, text: z.string() })
    .optional(),
  mentions: z.array(z.object({ url: z.string(), start: utf16Offset(), length: utf16Offset() })),
  attachments: z.array(attachment),
  poll: z
    .object({
      id: z.string(),
      question: z.string(),
      is_open: z.boolean(),
      total_votes_count: z.number(),
      options: z.array(z.object({ id: z.string(), text: z.string(), win: z.boolean(), votes_count: z.number() })),
    })
    .optional(),
  group: z.object({ id: z.string(), name: z.string(), private: z.boolean() }).optional(),
  analytics: z
    .object({
      impressions: z.number(),
      engagements: z.number(),
      engagement_rate: z.number(),
      clicks: z.number(),
      clickthrough_rate: z.number(),
      page_viewers_from_this_post: z.number(),
      followers_gained_from_this_post: z.number(),
      members_reached: z.number(),
    })
    .partial()
    .optional(),
});

const picture = z.object({ url: z.string(), width: z.number(), height: z.number() });

export const photonetPostShape = z.object({
  object: z.literal('Post'),
  provider: z.literal('PHOTONET'),
  provider_id: z.string(),
  has_audio: z.boolean(),
  has_liked: z.boolean(),
  like_and_view_counts_disabled: z.boolean(),
  comments_disabled: z.boolean(),
  like_count: z.number(),
  comment_count: z.number(),
  accessibility_caption: z.string(),
  caption: z
    .object({ edited: z.boolean(), has_translation: z.boolean(), created_at: z.number(), text: z.string() })
    .optional(),
  video: picture.optional(),
  preview_image: picture,
  owner: z.object({
    id: z.string(),
    username: z.string(),
    profile_pic_url: z.string(),
    is_verified: z.boolean(),
    is_private: z.boolean(),
  }),
  location: z.object({ name: z.string(), lat: z.number(), lng: z.number() }),
});

export const postShape = z.discriminatedUnion('provider', [pnetPostShape, photonetPostShape]);

/** In the contract's words. */
export const postProviders = postShape.options.map(({ shape }) => shape.provider.value);

export const postListShape = z.object({
  object: z.literal('PostList'),
  items: z.array(postShape),
  cursor: z.string().nullable(),
  paging: z.object({ page_count: z.number() }),
});

/** GET /v1/users/{identifier}/posts: the path's `identifier` and the query. */
export const postListRequestShape = z.strictObject({
  identifier: resourceId(),
  account_id: resourceId(),
  cursor: pageCursor().optional(),
  limit: pageLimit(postLimits.limit).optional(),
  is_company: z.boolean().optional(),
});

export type PnetPost = z.infer<typeof pnetPostShape>;
export type PnetAuthor = z.infer<typeof author>;
export type PnetAttachment = z.infer<typeof attachment>;
export type PhotonetPost = z.infer<typeof photonetPostShape>;
export type Post = z.infer<typeof postShape>;
export type PostList = z.infer<typeof postListShape>;
export type PostListRequest = z.infer<typeof postListRequestShape>;
