import { builder, partType } from '../../../graphql/kit/builder.ts';
import { optional, required } from '../../../graphql/kit/network-values.ts';
import { readAt, taggedBy } from '../../../graphql/kit/wire.ts';
import type { PnetAttachment } from '../shapes.ts';

type AttachmentOf<T extends PnetAttachment['type']> = Extract<PnetAttachment, { type: T }>;

const dimension = (key: keyof AttachmentOf<'img'>['size'], description: string) =>
  readAt<number>({ exposed: key, within: 'size' }, required(description));

const width = dimension('width', "Width, in the network's unit.");
const height = dimension('height', "Height, in the network's unit.");

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
    providerId: t.exposeID('id', required('Id on pnet.')),
    isUnavailable: t.exposeBoolean('unavailable', required('Whether it is no longer available.')),
    mimetype: t.exposeString('mimetype', optional('Media type, such as `image/jpeg`.')),
    fileSize: t.exposeFloat('file_size', optional("Size, in the network's unit.")),
    url: t.exposeString('url', optional('URL.')),
    urlExpiresAt: t.expose('url_expires_at', { type: 'DateTime', ...optional('When the URL expires.') }),
  }),
});

const interfaces = [PnetPostAttachmentInterface];

partType<AttachmentOf<'img'>>(graphqlAttachmentTypes.img, {
  description: 'An image.',
  interfaces,
  fields: (t) => ({
    isSticker: t.exposeBoolean('sticker', required('Whether it is a sticker.')),
    width: t.float(width),
    height: t.float(height),
  }),
});

partType<AttachmentOf<'video'>>(graphqlAttachmentTypes.video, {
  description: 'A video.',
  interfaces,
  fields: (t) => ({
    isGif: t.exposeBoolean('gif', required('Whether it is an animated GIF.')),
    width: t.float(width),
    height: t.float(height),
  }),
});

partType<AttachmentOf<'audio'>>(graphqlAttachmentTypes.audio, {
  description: 'An audio recording.',
  interfaces,
  fields: (t) => ({
    isVoiceNote: t.exposeBoolean('voice_note', required('Whether it is a voice note.')),
    duration: t.exposeFloat('duration', optional("Duration, in the network's unit.")),
  }),
});

partType<AttachmentOf<'file'>>(graphqlAttachmentTypes.file, {
  description: 'A file of any type.',
  interfaces,
  fields: (t) => ({ fileName: t.exposeString('file_name', required('Name of the file.')) }),
});

partType<AttachmentOf<'pnet_post'>>(graphqlAttachmentTypes.pnet_post, {
  description: 'Another post.',
  interfaces,
});

partType<AttachmentOf<'video_meeting'>>(graphqlAttachmentTypes.video_meeting, {
  description: 'An invitation to a video meeting.',
  interfaces,
  fields: (t) => ({
    startsAt: t.expose('starts_at', { type: 'DateTime', ...required('When the meeting starts.') }),
    expiresAt: t.expose('expires_at', { type: 'DateTime', ...required('When the invitation expires.') }),
    timeRange: t.exposeFloat('time_range', required("Time range, in the network's unit.")),
  }),
});

partType<PnetAttachment>(unknownAttachment, {
  description: 'An attachment of a type unknown to this gateway.',
  interfaces,
  fields: (t) => ({ type: t.exposeString('type', required('Type as pnet names it.')) }),
});
