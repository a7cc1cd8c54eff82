import { builder } from '../../graphql/builder.ts';
import type { PnetAttachment } from '../shapes.ts';

type Variant<T extends PnetAttachment['type']> = Extract<PnetAttachment, { type: T }>;

const MediaSize = builder.objectRef<Variant<'img'>['size']>('MediaSize').implement({
  description: 'Width and height of a picture or video.',
  fields: (t) => ({
    width: t.expose('width', { type: 'SafeInt', description: 'Width in pixels.' }),
    height: t.expose('height', { type: 'SafeInt', description: 'Height in pixels.' }),
  }),
});

/** The type of each variant, by its tag. A tag that is not here is an UnknownAttachment. */
const typeNames: Readonly<Record<PnetAttachment['type'], string>> = {
  img: 'ImageAttachment',
  video: 'VideoAttachment',
  audio: 'AudioAttachment',
  file: 'FileAttachment',
  pnet_post: 'SharedPostAttachment',
  video_meeting: 'VideoMeetingAttachment',
};

export const PnetPostAttachment = builder.interfaceRef<PnetAttachment>('PnetPostAttachment').implement({
  description: 'Something attached to a pnet post. What more there is to know depends on its type.',
  resolveType: ({ type }) => (Object.hasOwn(typeNames, type) ? typeNames[type] : 'UnknownAttachment'),
  fields: (t) => ({
    providerId: t.exposeID('id', { description: 'Id of the attachment on pnet.' }),
    unavailable: t.exposeBoolean('unavailable', { description: 'Whether it can no longer be had.' }),
    mimetype: t.exposeString('mimetype', { nullable: true, description: 'Media type, such as `image/jpeg`.' }),
    fileSize: t.expose('file_size', { type: 'SafeInt', nullable: true, description: 'Size in bytes.' }),
    url: t.exposeString('url', { nullable: true, description: 'Where the file is.' }),
    urlExpiresAt: t.expose('url_expires_at', {
      type: 'SafeInt',
      nullable: true,
      description: 'When the URL stops working: milliseconds since the epoch.',
    }),
  }),
});

const interfaces = [PnetPostAttachment];

builder.objectRef<Variant<'img'>>(typeNames.img).implement({
  description: 'A picture.',
  interfaces,
  fields: (t) => ({
    sticker: t.exposeBoolean('sticker', { description: 'Whether it is a sticker.' }),
    size: t.expose('size', { type: MediaSize, description: 'Its size in pixels.' }),
  }),
});

builder.objectRef<Variant<'video'>>(typeNames.video).implement({
  description: 'A video.',
  interfaces,
  fields: (t) => ({
    gif: t.exposeBoolean('gif', { description: 'Whether it is an animated picture: short, silent and looping.' }),
    size: t.expose('size', { type: MediaSize, description: 'Its size in pixels.' }),
  }),
});

builder.objectRef<Variant<'audio'>>(typeNames.audio).implement({
  description: 'A sound recording.',
  interfaces,
  fields: (t) => ({
    voiceNote: t.exposeBoolean('voice_note', { description: 'Whether it was recorded as a voice note.' }),
    duration: t.exposeFloat('duration', { nullable: true, description: 'Length in seconds.' }),
  }),
});

builder.objectRef<Variant<'file'>>(typeNames.file).implement({
  description: 'A file of any kind.',
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
    startsAt: t.expose('starts_at', { type: 'SafeInt', description: 'When it starts: milliseconds since the epoch.' }),
    expiresAt: t.expose('expires_at', {
      type: 'SafeInt',
      description: 'When it can no longer be joined: milliseconds since the epoch.',
    }),
    timeRange: t.expose('time_range', { type: 'SafeInt', description: 'How long it is to last, in milliseconds.' }),
  }),
});

builder.objectRef<PnetAttachment>('UnknownAttachment').implement({
  description: 'An attachment of a type that this gateway does not know yet.',
  interfaces,
  fields: (t) => ({ type: t.exposeString('type', { description: 'The type, as the network calls it.' }) }),
});
