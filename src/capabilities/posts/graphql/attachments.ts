import { builder } from '../../../graphql/kit/builder.ts';
import { inheritMaxAge } from '../../../graphql/kit/cache-hint.ts';
import { optional, rawTime, required } from '../../../graphql/kit/network-values.ts';
import { taggedBy } from '../../../graphql/kit/wire.ts';
import type { PnetAttachment } from '../shapes.ts';

type AttachmentOf<T extends PnetAttachment['type']> = Extract<PnetAttachment, { type: T }>;

const MediaSizeObject = builder.objectRef<AttachmentOf<'img'>['size']>('MediaSize').implement({
  description: 'Dimensions of an image or video.',
  extensions: inheritMaxAge,
  fields: (t) => ({
    width: t.exposeFloat('width', required('Width, in the unit of the network.')),
    height: t.exposeFloat('height', required('Height, in the unit of the network.')),
  }),
});

const unknown = 'UnknownAttachment';

/** Any other type is `unknown`. */
const graphqlAttachmentTypes: Readonly<Record<PnetAttachment['type'], string>> = {
  img: 'ImageAttachment',
  video: 'VideoAttachment',
  audio: 'AudioAttachment',
  file: 'FileAttachment',
  pnet_post: 'SharedPostAttachment',
  video_meeting: 'VideoMeetingAttachment',
};

export const PnetPostAttachmentInterface = builder.interfaceRef<PnetAttachment>('PnetPostAttachment').implement({
  description: 'An attachment of a pnet post.',
  extensions: taggedBy(() => ({ key: 'type', types: graphqlAttachmentTypes, otherwise: unknown })),
  resolveType: ({ type }) => (Object.hasOwn(graphqlAttachmentTypes, type) ? graphqlAttachmentTypes[type] : unknown),
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id of the attachment on pnet.')),
    unavailable: t.exposeBoolean('unavailable', required('Whether the attachment is no longer available.')),
    mimetype: t.exposeString('mimetype', optional('Media type, such as `image/jpeg`.')),
    fileSize: t.exposeFloat('file_size', optional('Size of the file, in the unit of the network.')),
    url: t.exposeString('url', optional('URL of the file.')),
    urlExpiresAt: t.expose('url_expires_at', { type: 'DateTime', ...optional('When the URL expires.') }),
    urlExpiresAtRaw: t.exposeFloat('url_expires_at', optional(`\`urlExpiresAt\` ${rawTime}`)),
  }),
});

const interfaces = [PnetPostAttachmentInterface];

builder.objectRef<AttachmentOf<'img'>>(graphqlAttachmentTypes.img).implement({
  description: 'An image.',
  extensions: inheritMaxAge,
  interfaces,
  fields: (t) => ({
    sticker: t.exposeBoolean('sticker', required('Whether the image is a sticker.')),
    size: t.expose('size', { type: MediaSizeObject, ...required('Dimensions of the image.') }),
  }),
});

builder.objectRef<AttachmentOf<'video'>>(graphqlAttachmentTypes.video).implement({
  description: 'A video.',
  extensions: inheritMaxAge,
  interfaces,
  fields: (t) => ({
    gif: t.exposeBoolean('gif', required('Whether the video is an animated GIF: short, silent and looping.')),
    size: t.expose('size', { type: MediaSizeObject, ...required('Dimensions of the video.') }),
  }),
});

builder.objectRef<AttachmentOf<'audio'>>(graphqlAttachmentTypes.audio).implement({
  description: 'An audio recording.',
  extensions: inheritMaxAge,
  interfaces,
  fields: (t) => ({
    voiceNote: t.exposeBoolean('voice_note', required('Whether it was recorded as a voice note.')),
    duration: t.exposeFloat('duration', optional('Duration, in the unit of the network.')),
  }),
});

builder.objectRef<AttachmentOf<'file'>>(graphqlAttachmentTypes.file).implement({
  description: 'A file of any type.',
  extensions: inheritMaxAge,
  interfaces,
  fields: (t) => ({ fileName: t.exposeString('file_name', required('Name of the file.')) }),
});

builder.objectRef<AttachmentOf<'pnet_post'>>(graphqlAttachmentTypes.pnet_post).implement({
  description: 'Another pnet post, shared as an attachment.',
  extensions: inheritMaxAge,
  interfaces,
});

builder.objectRef<AttachmentOf<'video_meeting'>>(graphqlAttachmentTypes.video_meeting).implement({
  description: 'An invitation to a video meeting.',
  extensions: inheritMaxAge,
  interfaces,
  fields: (t) => ({
    startsAt: t.expose('starts_at', { type: 'DateTime', ...required('When the meeting starts.') }),
    startsAtRaw: t.exposeFloat('starts_at', required(`\`startsAt\` ${rawTime}`)),
    expiresAt: t.expose('expires_at', { type: 'DateTime', ...required('When the invitation expires.') }),
    expiresAtRaw: t.exposeFloat('expires_at', required(`\`expiresAt\` ${rawTime}`)),
    timeRange: t.exposeFloat('time_range', required('Time range of the meeting, in the unit of the network.')),
  }),
});

builder.objectRef<PnetAttachment>(unknown).implement({
  description: 'An attachment of a type that this gateway does not know yet.',
  extensions: inheritMaxAge,
  interfaces,
  fields: (t) => ({ type: t.exposeString('type', required('Attachment type as pnet names it.')) }),
});
