import { builder, partType } from '../../../graphql/kit/builder.ts';
import { optional, required } from '../../../graphql/kit/network-values.ts';
import { taggedBy } from '../../../graphql/kit/wire.ts';
import type { PnetAttachment } from '../shapes.ts';

type AttachmentOf<T extends PnetAttachment['type']> = Extract<PnetAttachment, { type: T }>;

const MediaSizeObject = partType<AttachmentOf<'img'>['size']>('MediaSize', {
  description: 'Dimensions of an image or video.',
  fields: (t) => ({
    width: t.exposeFloat('width', required('Width, in the unit of the network.')),
    height: t.exposeFloat('height', required('Height, in the unit of the network.')),
  }),
});

const unknownAttachment = 'UnknownAttachment';

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
  extensions: taggedBy(() => ({ key: 'type', types: graphqlAttachmentTypes, otherwise: unknownAttachment })),
  resolveType: ({ type }) =>
    Object.hasOwn(graphqlAttachmentTypes, type) ? graphqlAttachmentTypes[type] : unknownAttachment,
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id of the attachment on pnet.')),
    isUnavailable: t.exposeBoolean('unavailable', required('Whether the attachment is no longer available.')),
    mimetype: t.exposeString('mimetype', optional('Media type, such as `image/jpeg`.')),
    fileSize: t.exposeFloat('file_size', optional('Size of the file, in the unit of the network.')),
    url: t.exposeString('url', optional('URL of the file.')),
    urlExpiresAt: t.expose('url_expires_at', { type: 'DateTime', ...optional('When the URL expires.') }),
  }),
});

const interfaces = [PnetPostAttachmentInterface];

partType<AttachmentOf<'img'>>(graphqlAttachmentTypes.img, {
  description: 'An image.',
  interfaces,
  fields: (t) => ({
    isSticker: t.exposeBoolean('sticker', required('Whether the image is a sticker.')),
    size: t.expose('size', { type: MediaSizeObject, ...required('Dimensions of the image.') }),
  }),
});

partType<AttachmentOf<'video'>>(graphqlAttachmentTypes.video, {
  description: 'A video.',
  interfaces,
  fields: (t) => ({
    isGif: t.exposeBoolean('gif', required('Whether the video is an animated GIF: short, silent and looping.')),
    size: t.expose('size', { type: MediaSizeObject, ...required('Dimensions of the video.') }),
  }),
});

partType<AttachmentOf<'audio'>>(graphqlAttachmentTypes.audio, {
  description: 'An audio recording.',
  interfaces,
  fields: (t) => ({
    isVoiceNote: t.exposeBoolean('voice_note', required('Whether it was recorded as a voice note.')),
    duration: t.exposeFloat('duration', optional('Duration, in the unit of the network.')),
  }),
});

partType<AttachmentOf<'file'>>(graphqlAttachmentTypes.file, {
  description: 'A file of any type.',
  interfaces,
  fields: (t) => ({ fileName: t.exposeString('file_name', required('Name of the file.')) }),
});

partType<AttachmentOf<'pnet_post'>>(graphqlAttachmentTypes.pnet_post, {
  description: 'Another pnet post, shared as an attachment.',
  interfaces,
});

partType<AttachmentOf<'video_meeting'>>(graphqlAttachmentTypes.video_meeting, {
  description: 'An invitation to a video meeting.',
  interfaces,
  fields: (t) => ({
    startsAt: t.expose('starts_at', { type: 'DateTime', ...required('When the meeting starts.') }),
    expiresAt: t.expose('expires_at', { type: 'DateTime', ...required('When the invitation expires.') }),
    timeRange: t.exposeFloat('time_range', required('Time range of the meeting, in the unit of the network.')),
  }),
});

partType<PnetAttachment>(unknownAttachment, {
  description: 'An attachment of a type that this gateway does not know yet.',
  interfaces,
  fields: (t) => ({ type: t.exposeString('type', required('Attachment type as pnet names it.')) }),
});
