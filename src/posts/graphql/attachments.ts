import { builder } from '../../graphql/builder.ts';
import type { PnetAttachment } from '../shapes.ts';

type Variant<T extends PnetAttachment['type']> = Extract<PnetAttachment, { type: T }>;

const MediaSizeObject = builder.objectRef<Variant<'img'>['size']>('MediaSize').implement({
  description: 'Dimensions of an image or video.',
  fields: (t) => ({
    width: t.expose('width', { type: 'SafeInt', description: 'Width in pixels.' }),
    height: t.expose('height', { type: 'SafeInt', description: 'Height in pixels.' }),
  }),
});

/** The GraphQL type of each attachment type. A type that is missing here is an UnknownAttachment. */
const typeNames: Readonly<Record<PnetAttachment['type'], string>> = {
  img: 'ImageAttachment',
  video: 'VideoAttachment',
  audio: 'AudioAttachment',
  file: 'FileAttachment',
  pnet_post: 'SharedPostAttachment',
  video_meeting: 'VideoMeetingAttachment',
};

export const PnetPostAttachmentInterface = builder.interfaceRef<PnetAttachment>('PnetPostAttachment').implement({
  description: 'An attachment of a pnet post.',
  resolveType: ({ type }) => (Object.hasOwn(typeNames, type) ? typeNames[type] : 'UnknownAttachment'),
  fields: (t) => ({
    providerId: t.exposeID('id', { description: 'Id of the attachment on pnet.' }),
    unavailable: t.exposeBoolean('unavailable', { description: 'Whether the attachment is no longer available.' }),
    mimetype: t.exposeString('mimetype', { nullable: true, description: 'Media type, such as `image/jpeg`.' }),
    fileSize: t.expose('file_size', { type: 'SafeInt', nullable: true, description: 'Size in bytes.' }),
    url: t.exposeString('url', { nullable: true, description: 'URL of the file.' }),
    urlExpiresAt: t.expose('url_expires_at', {
      type: 'SafeInt',
      nullable: true,
      description: 'When the URL expires, in milliseconds since the Unix epoch.',
    }),
  }),
});

const interfaces = [PnetPostAttachmentInterface];

builder.objectRef<Variant<'img'>>(typeNames.img).implement({
  description: 'An image.',
  interfaces,
  fields: (t) => ({
    sticker: t.exposeBoolean('sticker', { description: 'Whether the image is a sticker.' }),
    size: t.expose('size', { type: MediaSizeObject, description: 'Dimensions of the image.' }),
  }),
});

builder.objectRef<Variant<'video'>>(typeNames.video).implement({
  description: 'A video.',
  interfaces,
  fields: (t) => ({
    gif: t.exposeBoolean('gif', { description: 'Whether the video is an animated GIF: short, silent and looping.' }),
    size: t.expose('size', { type: MediaSizeObject, description: 'Dimensions of the video.' }),
  }),
});

builder.objectRef<Variant<'audio'>>(typeNames.audio).implement({
  description: 'An audio recording.',
  interfaces,
  fields: (t) => ({
    voiceNote: t.exposeBoolean('voice_note', { description: 'Whether it was recorded as a voice note.' }),
    duration: t.exposeFloat('duration', { nullable: true, description: 'Duration in seconds.' }),
  }),
});

builder.objectRef<Variant<'file'>>(typeNames.file).implement({
  description: 'A file of any type.',
  interfaces,
  fields: (t) => ({ fileName: t.exposeString('file_name', { description: 'Name of the file.' }) }),
});

builder.objectRef<Variant<'pnet_post'>>(typeNames.pnet_post).implement({
  description: 'Another pnet post, shared as an attachment.',
  interfaces,
});

builder.objectRef<Variant<'video_meeting'>>(typeNames.video_meeting).implement({
  description: 'An invitation to a video meeting.',
  interfaces,
  fields: (t) => ({
    startsAt: t.expose('starts_at', {
      type: 'SafeInt',
      description: 'When the meeting starts, in milliseconds since the Unix epoch.',
    }),
    expiresAt: t.expose('expires_at', {
      type: 'SafeInt',
      description: 'When the invitation expires, in milliseconds since the Unix epoch.',
    }),
    timeRange: t.expose('time_range', { type: 'SafeInt', description: 'Planned duration in milliseconds.' }),
  }),
});

builder.objectRef<PnetAttachment>('UnknownAttachment').implement({
  description: 'An attachment of a type that this gateway does not know yet.',
  interfaces,
  fields: (t) => ({ type: t.exposeString('type', { description: 'Attachment type as pnet names it.' }) }),
});
